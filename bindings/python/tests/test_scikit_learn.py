"""The estimator is one of scikit-learn's."""
import copy
import inspect
import pickle
import re
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_estimator

import surekrig
from surekrig import SureKrigRegressor


def test_check_estimator_passes_every_check(capsys):
    results = check_estimator(SureKrigRegressor(), on_skip=None, on_fail=None)
    with capsys.disabled():
        print("\ncheck_estimator")
        for number, result in enumerate(results, 1):
            print(f"  {number:2} {result['check_name']:50} {result['status']}")
    assert len(results) > 40
    assert [(result["check_name"], result["exception"]) for result in results if result["status"] != "passed"] == []


def test_no_tag_excuses_it():
    tags = get_tags(SureKrigRegressor())
    assert not tags.non_deterministic and not tags.no_validation and not tags.regressor_tags.poor_score
    assert not tags._skip_test and not tags.input_tags.allow_nan and tags.target_tags.multi_output


def test_keywords_are_the_table():
    keywords = inspect.signature(SureKrigRegressor.__init__).parameters
    table = surekrig.settings()
    assert list(table) == [name for name in keywords if name not in ("self", "random_state", "n_jobs", "verbose")]
    doc = " ".join(SureKrigRegressor.__doc__.split())
    for name, row in table.items():
        assert surekrig._library.setting_text(keywords[name].default) == row.default
        assert row.sentence in doc and f"{name} : {row.takes}" in doc


def test_every_setting_reaches_the_library(field):
    given = dict(neighbors=20, batch=100, loss="huber", huber=2.5, coverage=(0.8, 0.95), constraint="penalty", tolerance=0.02,
                 beta=3, growth=2.0, rounds=2, nu="0.3:1.5", rho=np.array([0.2, 0.3]), anisotropic=True, tau2=np.float32(0.25),
                 gamma2="0.1:10", mean="zero", scaling="axis", optimizer="local", acquisition="ucb", kappa=3.5, initial=4,
                 evaluations=9, polish=0, select="last", seconds=60, seed=17, threads=2, backend="reference")
    model = SureKrigRegressor(**given).fit(*field)
    kept = model.model_.settings()
    assert {name: kept[name] for name in given} == {name: surekrig._library.setting_text(value) for name, value in given.items()}
    assert (kept["coverage"], kept["rho"], kept["anisotropic"], kept["tau2"]) == ("0.8,0.95", "0.2,0.3", "yes", "0.25")
    given = dict(sectors=True, terms=2, long_ratio=5, long_share="0.1:0.9", long_nu=0.7, mean="trend", trend="x2", distance="x1",
                 holdout="thinned", variance="local", interval="conformal", calibration=50, auto=False, loss="crps",
                 coverage=None, evaluations=9, polish=0)
    kept = SureKrigRegressor(**given).fit(*field).model_.settings()
    assert {name: kept[name] for name in given} == {name: surekrig._library.setting_text(value) for name, value in given.items()}
    assert set(kept) - set(given) == set(surekrig.settings()) - set(given) and kept["sectors"] == "yes"


def test_preset_and_what_is_said_beside_it(field):
    kept = SureKrigRegressor(preset="paper", neighbors=10, rounds=2).fit(*field).model_.settings()
    assert (kept["mean"], kept["tau2"], kept["select"], kept["neighbors"], kept["rounds"]) == ("zero", "1e-3", "last", "10", "2")


def test_a_default_that_is_given_undoes_a_preset(field):
    made = SureKrigRegressor.from_preset("paper", neighbors=10, mean="local", rounds=2, select="best")
    kept = clone(made).fit(*field).model_.settings()
    assert (kept["mean"], kept["select"], kept["gamma2"], kept["aids"], kept["rounds"]) == ("local", "best", "1", "none", "2")
    with pytest.raises(ValueError, match="nosuch"):
        SureKrigRegressor.from_preset("nosuch")
    same = [made, SureKrigRegressor(preset="paper", neighbors=10, mean="local", rounds=2, select="best")]
    assert np.array_equal(*(clone(model).fit(*field).predict(field[0]) for model in same))
    left = SureKrigRegressor(preset="paper", rounds=30, evaluations=4, neighbors=10)
    for same in (left, clone(left), pickle.loads(pickle.dumps(left)), SureKrigRegressor(**left.get_params())):
        kept = same.fit(*field).model_.settings()
        assert (kept["mean"], kept["rounds"], kept["batch"]) == ("zero", "30", "1024")
    same = [SureKrigRegressor.from_preset("paper", neighbors=10), SureKrigRegressor(preset="paper", neighbors=10)]
    assert np.array_equal(*(model.fit(*field).predict(field[0]) for model in same))


def test_what_is_learned(field):
    X, y = field
    model = SureKrigRegressor(preset="coverage", neighbors=30).fit(X, y)
    assert 0.05 <= model.nu_ <= 2.5 and model.rho_ > 0 and model.tau2_ > 0 and model.gamma2_ > 0
    assert list(model.coverage_) == [0.9, 0.925, 0.95, 0.975, 0.99]
    assert model.outcome_ in ("converged", "coverage_not_met")
    assert set(model.history_[0]) == {"lambda", "beta", "coverage", "theta", "loss", "objective", "evaluations"}
    assert model.history_[-1]["theta"] == model.estimates_
    assert len(pd.DataFrame(model.history_)) == len(model.history_)
    assert model.score(X, y) > 0.95
    mean, sd = model.predict(X, return_std=True)
    lower, upper = model.predict_interval(X, 0.9)
    assert np.allclose(upper - lower, 2 * 1.6448536269514722 * sd, rtol=1e-12) and np.allclose(lower + upper, 2 * mean)
    assert np.all(model.predict(X, return_std=True, latent=True)[1] < sd)
    noisy = model.predict(X, return_std=True, noise=np.full(len(X), 4.0))[1]
    assert np.allclose(noisy, np.hypot(sd, 2))


def test_known_noise(field, quick):
    X, y = field
    plain = SureKrigRegressor(**quick).fit(X, y)
    noisy = SureKrigRegressor(gamma2=plain.gamma2_, **quick).fit(X, y, noise=np.linspace(0, 1, len(y)))
    assert noisy.model_.info.noise == 1 and not np.allclose(noisy.predict(X), plain.predict(X))
    for wrong in (np.nan, np.inf, -1):
        for call in (lambda noise: noisy.predict(X[:2], return_std=True, noise=noise),
                     lambda noise: noisy.predict_interval(X[:2], noise=noise)):
            with pytest.raises(ValueError, match=f"{wrong} is not a variance"):
                call([1, wrong])
    with pytest.raises(ValueError, match="300 variances are needed"):
        plain.fit(X, y, noise=[1.0])
    with pytest.raises(ValueError, match="noise, row 1: -1 is not a variance"):
        plain.fit(X, y, noise=np.full(300, -1))


def test_several_responses(field, quick):
    X, y = field
    both = SureKrigRegressor(**quick).fit(X, np.column_stack([y, 5 - 2 * y]))
    assert both.gamma2_.shape == (2,) and both.gamma2_[1] == pytest.approx(4 * both.gamma2_[0])
    mean, sd = both.predict(X[:7], return_std=True)
    assert mean.shape == sd.shape == (7, 2)
    assert np.allclose(mean[:, 1], 5 - 2 * mean[:, 0]) and np.allclose(sd[:, 1], 2 * sd[:, 0])
    one = SureKrigRegressor(**quick).fit(X, y[:, None])
    assert one.predict(X[:7]).shape == (7, 1)
    assert np.array_equal(one.predict(X)[:, 0], SureKrigRegressor(**quick).fit(X, y).predict(X))


def test_anisotropic_rho_is_an_array(field):
    model = SureKrigRegressor(anisotropic=True, nu=1.5, tau2=0.01, evaluations=8, polish=0, coverage=None).fit(*field)
    assert model.rho_.shape == (2,)


def test_same_seed_same_bits_whatever_the_threads(field):
    X, y = field
    first = SureKrigRegressor(batch=80, random_state=3, n_jobs=1).fit(X, y)
    assert np.array_equal(first.predict(X), SureKrigRegressor(batch=80, seed=3, n_jobs=-1).fit(X, y).predict(X))
    assert first.rho_ != SureKrigRegressor(batch=80, random_state=4).fit(X, y).rho_
    drawn = SureKrigRegressor(batch=80, random_state=np.random.RandomState(0)).fit(X, y)
    assert drawn.model_.settings()["seed"] == str(np.random.RandomState(0).randint(2**31 - 1))


def test_clone_pickle_and_copies(field, tmp_path):
    X, y = field
    model = SureKrigRegressor(neighbors=12, nu=0.5).fit(X, y)
    with pytest.raises(NotFittedError):
        clone(model).predict(X)
    assert clone(model).get_params() == model.get_params() and model.get_params()["neighbors"] == 12
    model.save(tmp_path / "model")
    for same in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model), surekrig.load(tmp_path / "model")):
        assert np.array_equal(np.array(same.predict(X, return_std=True)), np.array(model.predict(X, return_std=True)))
        assert (same.nu_, same.rho_, same.coverage_, same.outcome_) == (model.nu_, model.rho_, model.coverage_, model.outcome_)
        assert same.model_.settings() == model.model_.settings()
    assert same.get_params()["sphere"] == "no" and same.get_params()["variance"] == "local"  # what auto found
    again = surekrig.load(tmp_path / "model").fit(X, y)
    assert np.array_equal(again.predict(X), model.predict(X))


def test_data_frames(field, quick, tmp_path):
    X, y = field
    frame = pd.DataFrame(X, columns=["lon", "lat"], index=np.arange(300) + 7)
    model = SureKrigRegressor(**quick).fit(frame, pd.Series(y, name="temp"))
    assert list(model.feature_names_in_) == ["lon", "lat"] and model.model_.names("y") == ["temp"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.array_equal(model.predict(frame), SureKrigRegressor(**quick).fit(X, y).predict(X))
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[["lat", "lon"]])
    model.save(tmp_path / "model")
    assert list(surekrig.load(tmp_path / "model").feature_names_in_) == ["lon", "lat"]
    series = model.set_output(transform="pandas").predict(frame)
    assert series.name == "temp" and list(series.index) == list(frame.index)
    assert clone(model).fit(frame, pd.DataFrame({"a": y, "b": -y})).predict(frame).columns.tolist() == ["a", "b"]
    assert isinstance(model.set_output(transform="default").predict(frame), np.ndarray)
    with pytest.raises(ValueError, match="takes default or pandas"):
        model.set_output(transform="words")


def test_long_names_are_cut_not_mixed(field, quick):
    frame = pd.DataFrame(field[0], columns=["ä" * 60 + "1", "ä" * 60 + "2"])
    model = SureKrigRegressor(**{**quick, "rho": (0.3, 0.4)}).fit(frame, field[1])
    assert list(model.rho_) == [0.3, 0.4] and list(model.feature_names_in_) == model.model_.names("x") == list(frame.columns)


def test_a_failed_fit_does_not_mislead_predict(field, quick):
    X, y = field
    model = SureKrigRegressor(**quick).fit(X, y)
    with pytest.raises(ValueError, match="constant"):
        model.fit(X[:, :1], np.ones(300))
    with pytest.raises(ValueError, match="X has 1 features, the model 2: fit it again"):
        model.predict(X[:, :1].copy())


def test_infinite_and_huge_places(field, quick):
    model = SureKrigRegressor(**quick).fit(*field)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isfinite(model.predict(np.full((3, 2), 1e308))).all()
        for wrong in (np.inf, -np.inf, np.nan):
            with pytest.raises(ValueError, match="infinity|NaN"):
                model.predict(np.array([[0.5, wrong], [wrong, 0.5]]))


def test_names_that_do_not_fit_are_not_used(field, quick):
    class Named(np.ndarray):
        name = "temp"

    y = np.column_stack([field[1]] * 2).view(Named)
    assert SureKrigRegressor(**quick).fit(field[0], y).model_.names("y") == ["y1", "y2"]


def test_a_preset_is_loaded_as_what_it_set(field, tmp_path):
    SureKrigRegressor(preset="paper", tau2=0.02).fit(*field).save(tmp_path / "model")
    loaded = surekrig.load(tmp_path / "model")
    kept, again = loaded.model_.settings(), loaded.fit(*field).model_.settings()
    assert (kept.pop("preset"), again.pop("preset")) == ("paper", "default") and kept == again


def test_pipeline_grid_search_and_cross_validation(field, quick):
    X, y = field
    pipe = make_pipeline(StandardScaler(), SureKrigRegressor(tau2=0.01, rho=0.5, coverage=None)).set_output(transform="pandas")
    search = GridSearchCV(pipe, {"surekrigregressor__nu": [0.05, 1.5], "surekrigregressor__neighbors": [10, 30]}, cv=3)
    search.fit(X, y)
    assert search.best_params_["surekrigregressor__nu"] == 1.5 and search.best_score_ > 0.9
    held_out = cross_val_predict(SureKrigRegressor(**quick), X, y, cv=5)
    assert 1 - np.mean((y - held_out) ** 2) / np.var(y) > 0.9
    parallel = cross_val_predict(SureKrigRegressor(**quick), X, y, cv=5, n_jobs=2)
    assert np.array_equal(held_out, parallel)


def test_mapie(field, quick):
    regression = pytest.importorskip("mapie.regression", reason="MAPIE is not installed")
    X, y = field
    cross = regression.CrossConformalRegressor(SureKrigRegressor(**quick), confidence_level=0.9, cv=5)
    _, interval = cross.fit_conformalize(X[:200], y[:200]).predict_interval(X[200:])
    assert 0.8 < np.mean((interval[:, 0, 0] <= y[200:]) & (y[200:] <= interval[:, 1, 0])) < 0.99
    fitted = SureKrigRegressor(**quick).fit(X[:150], y[:150])
    split = regression.SplitConformalRegressor(fitted, confidence_level=0.9, prefit=True)
    _, interval = split.conformalize(X[150:220], y[150:220]).predict_interval(X[220:])
    assert 0.75 < np.mean((interval[:, 0, 0] <= y[220:]) & (y[220:] <= interval[:, 1, 0])) < 0.99


def test_a_frame_of_the_globe_is_on_the_sphere_and_an_array_is_not(quick):
    rng = np.random.default_rng(5)
    X = np.c_[rng.uniform(-180, 180, 300), rng.uniform(-80, 80, 300)]
    y = np.cos(np.radians(X[:, 0])) * np.cos(np.radians(X[:, 1])) + 0.05 * rng.normal(size=300)
    frame, seam = pd.DataFrame(X, columns=["Lon", "Lat"]), pd.DataFrame([[180.0, 10], [-180, 10]], columns=["Lon", "Lat"])
    given = {name: value for name, value in quick.items() if name != "rho"}

    def step(model, at):
        return abs(np.diff(model.predict(at))[0])

    assert step(SureKrigRegressor(**given).fit(frame, y), seam) < 1e-8
    assert step(SureKrigRegressor(**given, sphere=False).fit(frame, y), seam) > 1e-8
    assert step(SureKrigRegressor(**given).fit(X, y), seam.to_numpy()) > 1e-8
    frame["t"] = rng.normal(size=300)
    assert "rho_Lon_t" in SureKrigRegressor(**given, sphere=False, group=("Lon", "t")).fit(frame, y).estimates_


def test_errors_have_the_librarys_sentence(field, quick, tmp_path):
    X, y = field
    for keywords, sentence in (
        (dict(nu=-1), "nu = '-1' is not possible: it takes 0.01 to 50, inf, a range, or auto"),
        (dict(neighbors=300), "k = 300 neighbours asked, 300 points given: at most 299"),
        (dict(mean="cubic"), "mean = 'cubic' is not possible"),
        (dict(rho=(1, 2, 3)), "rho has 3 values; it takes 1, or 2"),
    ):
        with pytest.raises(ValueError, match=sentence):
            SureKrigRegressor(**keywords).fit(X, y)
    with pytest.raises(ValueError, match=r"is constant \(1 in all 300 rows\)"):
        SureKrigRegressor(**quick).fit(X, np.ones(300))
    with pytest.raises(OSError, match="none.model"):
        surekrig.load(tmp_path / "none.model")
    with pytest.raises(OSError, match="cannot write"):
        SureKrigRegressor(**quick).fit(X, y).save(tmp_path / "no" / "folder")
    with pytest.raises(ValueError, match="level = 1"):
        SureKrigRegressor(**quick).fit(X, y).predict_interval(X, level=1)
    with pytest.raises(ValueError, match="NaN"):
        SureKrigRegressor(**quick).fit(X, y).predict([[np.nan, 0.0]])


def test_a_nul_ends_no_name(field, quick, tmp_path):
    X, y = field
    model = SureKrigRegressor(**quick).fit(X, y)
    (tmp_path / "old").write_text("kept")
    for refused in (
        lambda: model.save(f"{tmp_path}/old\0.model"),
        lambda: surekrig.load(f"{tmp_path}/old\0.model"),
        lambda: SureKrigRegressor(kernel="matern\0gaussian", **quick).fit(X, y),
        lambda: SureKrigRegressor(**quick).fit(pd.DataFrame(X, columns=["a\0b", "a"]), y),
    ):
        with pytest.raises(ValueError, match="NUL"):
            refused()
    assert (tmp_path / "old").read_text() == "kept"


def test_warnings(field):
    X, y = field
    with pytest.warns(ConvergenceWarning, match=r"coverage not met .* \(0.5: 1.0000, 0.99: 1.0000\)"):
        SureKrigRegressor(nu=1.5, rho=0.3, tau2=0.01, gamma2=100, coverage=(0.5, 0.99)).fit(X, y)
    with pytest.warns(ConvergenceWarning, match="nu = .* is at its lower bound"):
        SureKrigRegressor(nu="2:2.5", rho=0.3, tau2=1e-8, coverage=None).fit(X, y)
    with pytest.warns(ConvergenceWarning, match="rho = .* is at its upper bound"):
        SureKrigRegressor(nu=1.5, rho="0.01:0.02", tau2=0.01, coverage=None).fit(X, y)
    with pytest.warns(ConvergenceWarning, match="tau2 = .* is at its upper bound: .* almost all noise"):
        SureKrigRegressor(nu=1.5, rho=0.3, tau2="1e-6:1e-4", coverage=None).fit(X, y)
    with pytest.warns(surekrig.SureKrigWarning, match="tau2 = 12: .* 92 % of the variance is noise"):
        SureKrigRegressor(nu=1.5, rho=0.3, tau2=12, coverage=None).fit(X, y)
    twice = np.vstack([X, X + 1e-9])
    with pytest.warns(ConvergenceWarning, match="jitter of at most"):
        model = SureKrigRegressor(nu=np.inf, rho=5.0, tau2=0, coverage=None).fit(twice, np.hstack([y, y]))
    with pytest.warns(RuntimeWarning, match=r"jitter of at most .* gamma2 was needed at \d+ points"):
        model.predict(X)


def test_a_smooth_field_is_no_cause_to_warn():
    X = np.random.default_rng(2).random((400, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = SureKrigRegressor(nu="0.05:2.5", coverage=None).fit(X, np.sin(4 * X[:, 0]) + np.cos(3 * X[:, 1]))
    bounds = {e.name: e.at_bound for e in model.model_.estimates()}
    assert bounds[b"nu"] > 0


def constant_beside(X, at=1):
    return np.insert(X, at, 7.5, axis=1)


def test_a_constant_feature_is_left_out(field, quick, tmp_path):
    X, y = field
    wide, places = constant_beside(X), np.insert(X[:20] + 0.01, 1, [-3, 3] * 10, axis=1)
    plain = SureKrigRegressor(**quick).fit(X, y, targets=X[:9])
    with pytest.warns(surekrig.SureKrigWarning, match="^column x2 is 7.5 in all rows and left out$"):
        model = SureKrigRegressor(**quick).fit(wide, y, targets=wide[:9])
    assert model.n_features_in_ == 3 and model.model_.names("x") == ["x1", "x3"]
    expected = plain.predict(X[:20] + 0.01, return_std=True)
    for same in (model, pickle.loads(pickle.dumps(model))):
        for clothes in (places, np.asfortranarray(places), places.tolist()):
            assert np.array_equal(same.predict(clothes, return_std=True), expected)
        assert np.array_equal(same.predict_interval(places), plain.predict_interval(X[:20] + 0.01))
        assert np.array_equal(same.sample_y(places, 2), plain.sample_y(X[:20] + 0.01, 2))
    with pytest.raises(ValueError, match="X has 2 features, but SureKrigRegressor is expecting 3"):
        model.predict(X)
    model.save(tmp_path / "model")  # its file is as the command's: without the column
    loaded = surekrig.load(tmp_path / "model")
    assert list(loaded.feature_names_in_) == ["x1", "x3"]
    assert np.array_equal(loaded.predict(pd.DataFrame(X[:20] + 0.01, columns=["x1", "x3"]), return_std=True), expected)
    with pytest.warns(surekrig.SureKrigWarning, match="column x2"):
        made = surekrig.krige(wide, y, places, auto=False, **quick)
    assert np.array_equal(made, surekrig.krige(X, y, X[:20] + 0.01, auto=False, **quick))


def test_constant_features_of_a_frame_and_all_of_them(field, quick):
    X, y = field
    frame = pd.DataFrame(constant_beside(constant_beside(X), 3), columns=["lon", "c", "lat", "d"])
    with pytest.warns(surekrig.SureKrigWarning) as told:
        model = SureKrigRegressor(**quick).fit(frame, y)
    assert [str(one.message)[:8] for one in told] == ["column c", "column d"]
    assert model.model_.names("x") == ["lon", "lat"] and list(model.feature_names_in_) == list(frame.columns)
    assert np.array_equal(model.predict(frame), SureKrigRegressor(**quick).fit(X, y).predict(X))
    with pytest.raises(ValueError, match="is constant .* leave it out"):
        SureKrigRegressor(**quick).fit(np.ones((300, 2)), y)
    with pytest.raises(ValueError, match="constant"):
        model.fit(X[:, :1], np.ones(300))
    for ask in (model.predict, model.sample_y):
        with pytest.raises(ValueError, match="X has 1 features, the model 4: fit it again"):
            ask(X[:, :1].copy())


def test_one_time_is_the_models_affair(field):
    X, y = field
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(day=np.datetime64("2024-01-01"))
    with warnings.catch_warnings():
        warnings.simplefilter("error", surekrig.SureKrigWarning)
        model = SureKrigRegressor(nu=1.5, rho=0.3, tau2=0.01).fit(frame, y)
    assert model.model_.names("x") == ["a", "b", "day"]


def test_the_readme_lists_what_a_fitted_model_knows(field, quick):
    model = SureKrigRegressor(**quick).fit(pd.DataFrame(field[0], columns=["lon", "lat"]), field[1])
    rows = (Path(__file__).resolve().parents[1] / "README.md").read_text().split("| Attribute |")[1].split("\n\n")[0]
    listed = {name for row in rows.split("\n") for name in re.findall(r"`(\w+_)`", row.split(" | ")[0])}
    assert listed == {name for name in vars(model) if name.endswith("_")}
