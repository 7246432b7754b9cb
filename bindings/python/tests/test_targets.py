"""Points where predictions will be wanted, what is learned of them, conformal intervals and cross-validation."""
import json
import pickle
import subprocess
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

import surekrig
from surekrig import SureKrigRegressor

BRIEF = dict(evaluations=6, polish=0, coverage=None)  # of a fit whose quality is no matter here


@pytest.fixture(scope="module")
def gap():
    """A field on a grid of 30 x 30 without the places in a disc, which are the targets."""
    axis = np.linspace(0, 1, 30)
    X = np.stack(np.meshgrid(axis, axis), -1).reshape(-1, 2)
    y = surekrig.simulate(X, nu=0.7, rho=0.3, tau2=0.02, seed=8)
    inside = np.hypot(*(X - 0.5).T) < 0.15
    return X[~inside], y[~inside], X[inside]


def written(path, names, *columns):
    table = np.column_stack(columns)
    lines = [",".join(names), *(",".join(map(repr, row)) for row in table.tolist())]
    path.write_text("\n".join(lines) + "\n")
    return path


def read(path):
    """Each number as nearest to what is written; pandas alone may err in the last bit."""
    return pd.read_csv(path, dtype=str).map(float)


def said(*arguments):
    return subprocess.run([str(part) for part in arguments], check=True, capture_output=True, text=True).stdout


@pytest.fixture(scope="module")
def both(command, gap, tmp_path_factory):
    """A model of the command with targets, local and conformal intervals, its file, and the same from Python."""
    folder = tmp_path_factory.mktemp("gap")
    X, y, targets = gap
    data = written(folder / "data.csv", ("a", "b", "u", "v"), X, y, np.exp(y))
    places = written(folder / "places.csv", ("a", "b"), targets)
    given = dict(variance="local", interval="conformal", nu=0.7, tau2=0.02, **BRIEF)
    options = [f"--{name}={surekrig._library.setting_text(value)}" for name, value in given.items()]
    said(command, "fit", data, "-x", "a,b", "-y", "u,v", "-o", folder / "model", "-q", "--targets", places, *options)
    made = SureKrigRegressor(**given).fit(pd.DataFrame(X, columns=["a", "b"]), pd.DataFrame({"u": y, "v": np.exp(y)}),
                                          targets=pd.DataFrame(targets, columns=["a", "b"]))
    return folder, made


def test_targets_and_conformal_intervals_are_the_commands_to_the_bit(command, gap, both):
    folder, made = both
    said(command, "predict", folder / "model", folder / "places.csv", "-o", folder / "out.csv", "--level", 0.8, "-q")
    theirs = read(folder / "out.csv")
    places = pd.DataFrame(gap[2], columns=["a", "b"])
    for model in (made, surekrig.load(folder / "model")):
        mean, sd = model.predict(places, return_std=True)
        lower, upper = model.predict_interval(places, 0.8)
        for name, ours in dict(mean=mean, sd=sd, lower=lower, upper=upper).items():
            assert np.array_equal(ours, theirs[[f"{name}_u", f"{name}_v"]])
    half = (upper - mean) / sd
    assert np.ptp(half, axis=0).max() < 1e-9 and abs(half[0, 0] - half[0, 1]) > 1e-3  # each response has its own quantile
    frames = made.set_output(transform="pandas").predict_interval(places, 0.8)
    assert np.array_equal(frames[1], upper) and list(frames[1].columns) == ["u", "v"]
    made.set_output(transform="default")


def test_conformal_quantiles_are_errors_of_points_left_out(gap):
    """The k-th of n scores belongs to the level k / (n + 1), and a score is one of |y - mean| / sd without the point, or one
    of 200 normal ones, since these are few."""
    X, y, _ = gap
    model = SureKrigRegressor(interval="conformal", variance="global", nu=0.7, rho=0.3, tau2=0.02, calibration=60, coverage=None).fit(X, y)
    left_out = surekrig.cv(model)
    errors = np.abs(left_out["y"] - left_out["mean"]) / left_out["sd"]
    n = max(k for k in range(1, 400) if np.isfinite(model.predict_interval(X[:1], k / (k + 1))[1]).all())
    mean, sd = model.predict(X[:1] + 1, return_std=True)
    scores = np.ravel([(model.predict_interval(X[:1] + 1, k / (n + 1))[1] - mean) / sd for k in range(1, n + 1)])
    are_errors = np.abs(scores[:, None] - errors).min(1) < 1e-9
    assert n > 240 and np.all(np.diff(scores) > 0) and n - 200 <= are_errors.sum() < n - 190  # some normal ones are near an error
    assert np.isinf(model.predict_interval(X[:1], (n + 0.5) / (n + 1))[1]) and model.held_out_["how"] == "nearest"


def test_what_is_learned_of_held_out_points(command, gap, both):
    folder, made = both
    theirs = json.loads(said(command, "info", folder / "model", "--json"))["held_out"]
    assert made.held_out_["how"] == theirs["how"] == "transplant" and made.accepted_ == theirs["accepted"] > 0.25
    assert made.held_out_["n"] == theirs["n"] and made.held_out_["crps"] == theirs["crps"]
    assert made.margin_["n"] == theirs["margin"]["regions"] and made.margin_["mae"] == theirs["margin"]["mae"] > 0
    assert made.beside_ == 1
    for same in (surekrig.load(folder / "model"), pickle.loads(pickle.dumps(made))):
        assert (same.held_out_, same.accepted_, same.trials_) == (made.held_out_, made.accepted_, [])
    X, y, targets = gap
    plain = SureKrigRegressor(variance="global", interval="gaussian", nu=0.7, rho=0.3, tau2=0.02, coverage=None).fit(X, y)
    assert plain.held_out_ is None and plain.accepted_ is None and plain.margin_ is None and plain.trials_ == []
    aware = SureKrigRegressor(nu=0.7, rho=0.3, tau2=0.02, coverage=None).fit(X, y, targets=targets)
    assert aware.held_out_["rmse"] > 1.2 * plain.scores_["rmse"]  # in a gap it is harder
    assert set(aware.scores_) | {"how"} == set(aware.held_out_)


@pytest.mark.parametrize("settings", [dict(neighbors=20), dict(auto=False, nu=0.7, rho=0.3, tau2=0.02)])
def test_krige_is_the_commands_and_the_estimators(command, gap, tmp_path, settings):
    X, y, targets = gap
    X, targets = X[:300], targets[:20]
    settings = {**BRIEF, **settings}
    data, places = written(tmp_path / "data.csv", "aby", X, y[:300]), written(tmp_path / "places.csv", "ab", targets)
    options = [f"--{name}={surekrig._library.setting_text(value)}" for name, value in settings.items()]
    said(command, "krige", data, places, "-o", tmp_path / "out.csv", "--level", 0.8, "-q", *options)
    ours = surekrig.krige(X, y[:300], targets, level=0.8, **settings)
    assert np.array_equal(np.column_stack(ours), read(tmp_path / "out.csv")[["mean", "sd", "lower", "upper"]])
    model = SureKrigRegressor(**{"auto": True, **settings}).fit(X, y[:300], targets=targets)
    assert np.array_equal(ours[0], model.predict(targets)) and np.array_equal(ours[3], model.predict_interval(targets, 0.8)[1])
    assert (surekrig.krige(X, y[:300], targets, latent=True, **settings)[1] < ours[1]).all()


def test_krige_of_two_responses_with_known_noise_and_wrong_places(gap, quick):
    X, y, targets = gap
    both = surekrig.krige(X, np.column_stack([y, -y]), targets, auto=False, **quick)
    assert all(part.shape == (len(targets), 2) for part in both) and np.allclose(both[0][:, 0], -both[0][:, 1])
    known = surekrig.krige(X, y, targets, auto=False, noise=np.full(len(X), 0.5), **quick)
    assert not np.array_equal(known[0], both[0][:, 0])
    with pytest.raises(ValueError, match="targets: X has 1 features"):
        surekrig.krige(X, y, targets[:, :1])
    with pytest.raises(TypeError, match="nosuch"):
        surekrig.krige(X, y, targets, nosuch=1)


@pytest.mark.parametrize("yes", [True, "yes"])
def test_auto(gap, tmp_path, yes):
    X, y, targets = gap
    given = dict(auto=yes, anisotropic=True, terms=2, neighbors=20, **BRIEF)  # these are not touched
    model = SureKrigRegressor(**given).fit(X[:600], y[:600], targets=targets)
    assert all(set(trial) == {"what", "crps", "error", "seconds", "kept"} for trial in model.trials_)
    what = [trial["what"] for trial in model.trials_]
    assert what in (["plain", "mean = trend"], ["plain", "mean = trend", "average with plain"])
    assert (model.averaged_with_ is None) == (len(what) == 2)
    assert model.trials_[0]["kept"] is True and all(trial["crps"] > 0 and trial["error"] > 0 for trial in model.trials_)
    kept = model.model_.settings()
    assert kept["mean"] == ("trend" if model.trials_[1]["kept"] else "local")
    assert (kept["variance"], kept["interval"], kept["terms"], kept["neighbors"]) == ("local", "conformal", "2", "20")
    assert model.get_params()["auto"] is yes and model.get_params()["variance"] == "auto"
    model.save(tmp_path / "model")
    again = surekrig.load(tmp_path / "model")
    assert again.trials_ == model.trials_ and again.averaged_with_ == model.averaged_with_
    assert np.array_equal(again.predict(targets), model.predict(targets))


def test_targets_are_checked_like_x(gap, quick):
    X, y, targets = gap
    frame, places = (pd.DataFrame(values, columns=["lon", "lat"]) for values in (X, targets))
    model = SureKrigRegressor(**quick)
    for given, wrong, sentence in (
        (X, targets[:, :1], "targets: X has 1 features, but SureKrigRegressor is expecting 2"),
        (X, np.full((3, 2), np.nan), "targets: Input X contains NaN"),
        (X, targets[:0], "targets: Found array with 0 sample"),
        (frame, places[["lat", "lon"]], "(?s)targets: The feature names should match.*same order"),
        (frame, places.rename(columns={"lat": "height"}), "(?s)targets: The feature names should match.*height"),
    ):
        with pytest.raises(ValueError, match=sentence):
            model.fit(given, y, targets=wrong)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        same = [SureKrigRegressor(**quick).fit(*one, targets=two).held_out_ for one, two in (
            ((frame, y), places), ((X, y), targets), ((X, y), np.asfortranarray(targets)), ((X, y), targets.tolist()))]
    assert same[0] and all(held_out == same[0] for held_out in same)


@pytest.mark.parametrize("blocks, rows", [(0, 0), (12, 200)])
def test_cross_validation_is_the_commands(command, gap, both, blocks, rows):
    folder, made = both
    options = [f"--blocks={blocks}"] * (blocks > 0) + [f"--rows={rows}"] * (rows > 0)
    said(command, "cv", folder / "model", "-o", folder / "cv.csv", "--level", 0.8, "-q", *options)
    theirs = read(folder / "cv.csv")
    ours = surekrig.cv(made, blocks=blocks, rows=rows, level=0.8)
    assert np.array_equal(gap[0][ours["row"]], theirs[["a", "b"]]) and np.array_equal(ours["y"], theirs[["u", "v"]])
    for name in ("mean", "sd", "lower", "upper"):
        assert np.array_equal(ours[name], theirs[[f"{name}_u", f"{name}_v"]])
    assert np.array_equal(ours["distance"], theirs["distance"])


def test_cross_validation_leaves_each_point_out(gap, quick):
    X, y, _ = gap
    model = SureKrigRegressor(mean="zero", gamma2=1, neighbors=20, sectors=False, variance="global", **quick).fit(X, y)
    made = pd.DataFrame(surekrig.cv(model))
    mean, variance = surekrig.krige_from(X, y, X, surekrig.knn(X, k=20), nu=1.5, rho=0.3, tau2=0.01)
    assert np.allclose(made["mean"], mean, atol=1e-10) and np.allclose(made["sd"], np.sqrt(variance + 0.01), atol=1e-10)
    assert np.array_equal(made["row"], np.arange(len(X))) and np.array_equal(made["y"], y)
    for wrong, sentence in ((dict(blocks=1), "1 blocks asked"), (dict(rows=len(X) + 1), "rows on . threads asked"),
                            (dict(rows=-1), "rows = -1 is not possible"), (dict(level=1), "level = 1 is not possible")):
        with pytest.raises(ValueError, match=sentence):
            surekrig.cv(model, **wrong)
    with pytest.raises(NotFittedError):
        surekrig.cv(SureKrigRegressor())
