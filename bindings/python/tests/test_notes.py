"""What the command says of data, targets and places is warned of, and of nothing else."""
import re
import subprocess
import warnings

import numpy as np
import pytest

import surekrig
from surekrig import SureKrigRegressor, SureKrigWarning

# Each with its numbers, so that these are the command's too.
SENTENCES = [r"nothing like the targets is in the data", r"errors are larger beside the targets .* by a factor of [\d.]+",
             r"\d+ of \d+ points have less to go by than those whose errors fit told",
             r"\d+ rows are few to learn from: intervals are wide, those of student's t with \d+ degrees",
             r"\d+ rows are few to learn from: intervals are often too narrow",
             r"\d+ rows have the place and the response of another",
             r"\d+ of \d+ targets lie beyond the rows in \w+( and \d+ other features?)?: no row left out",
             r"with \d+ readings a place the \d+ neighbours are of few places: the field between places"]


def sentences(text):
    plain = " ".join(text.lower().split())
    return [found.group() for found in (re.search(sentence, plain) for sentence in SENTENCES) if found]


def warned(call, *arguments, **keywords):
    """What it warned of, a sentence a line."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call(*arguments, **keywords)
    said = [one for one in caught if issubclass(one.category, SureKrigWarning)]
    assert all(one.filename == __file__ for one in said)
    assert all(len(sentences(str(one.message))) == 1 for one in said)
    return "\n".join(str(one.message) for one in said)


def written(path, *columns):
    table = np.column_stack(columns)
    names = ["x1", "x2", "y"][: table.shape[1]]
    path.write_text("\n".join([",".join(names), *(",".join(map(repr, row)) for row in table.tolist())]) + "\n")
    return path


def said(*arguments):
    return subprocess.run([str(part) for part in arguments], check=True, capture_output=True, text=True).stderr


@pytest.mark.parametrize("of, expected", [("far", [0, 6]), ("strip", [6]), ("grid", []), ("shore", [1]), ("near", []),
                                          ("few", [3, 6]), ("narrow", [4, 6]), ("copies", [5]), ("readings", [7])])
def test_krige_warns_of_what_the_command_says(command, field, tmp_path, of, expected):
    X, y = field
    settings, places = dict(auto=False), X[::7] + 0.001
    if of == "far":
        places = np.array([[50.0, 50], [60, 60]])
    elif of in ("strip", "grid"):
        places = X[:40] + np.array([0.2 if of == "strip" else 0, 0])
        places[:5, 1] = X[:, 1].max() + 0.01 * np.ptp(X[:, 1])
    elif of == "shore":  # around the gap the field is rougher than elsewhere
        random = np.random.default_rng(5)
        X = random.random((1500, 2))
        away = np.hypot(*(X - 0.5).T)
        y = np.sin(6 * X[:, 0]) * np.cos(4 * X[:, 1]) + 0.05 * random.standard_normal(1500)
        y += (away < 0.25) * random.standard_normal(1500)
        X, y, places = X[away > 0.15], y[away > 0.15], X[away < 0.15]
    elif of in ("few", "narrow"):
        X, y, places = X[:20], y[:20], X[20:30]
        settings.update({} if of == "few" else {"interval": "gaussian", "variance": "global", "coverage": None})
    elif of == "readings":
        X, y = np.repeat(X, 6, axis=0), np.repeat(y, 6) + np.tile(np.arange(6) / 100, len(X))
    elif of == "copies":
        X, y = np.vstack([X, X[:9]]), np.hstack([y, y[:9]])
    data, points = written(tmp_path / "data.csv", X, y), written(tmp_path / "points.csv", places)
    options = [f"--{name}={surekrig._library.setting_text(value)}" for name, value in settings.items()]
    theirs = sentences(said(command, "krige", data, points, "-o", tmp_path / "out.csv", *options))
    ours = sentences(warned(surekrig.krige, X, y, places, **settings))
    assert ours == theirs
    assert [number for number, sentence in enumerate(SENTENCES) if any(re.match(sentence, one) for one in ours)] == expected
    assert sentences(warned(SureKrigRegressor(**settings).fit, X, y, targets=places)) == ours


def test_prediction_beyond_what_was_tested(command, field, tmp_path):
    X, y = field
    model = SureKrigRegressor().fit(X, y)
    model.save(tmp_path / "model")
    for places, told in ((np.vstack([X[:150] + 0.001, X[:10] + 9]), True), (np.vstack([X[:250] + 0.001, X[:10] + 9]), False)):
        points = written(tmp_path / "points.csv", places)
        theirs = sentences(said(command, "predict", tmp_path / "model", points, "-o", tmp_path / "out.csv"))
        for call in (lambda: model.predict(places, return_std=True), lambda: model.predict_interval(places),
                     lambda: surekrig.load(tmp_path / "model").predict_interval(places)):
            ours = warned(call)
            assert sentences(ours) == theirs and bool(theirs) == told
            assert told == ("10 of 160 points" in ours)
        assert warned(model.predict, places) == ""  # no error is claimed
    far = X[:10] + 9
    aware = SureKrigRegressor(auto=False)
    assert "fit(X, y, targets=places)" in warned(model.predict, far, return_std=True)
    warned(aware.fit, X, y, targets=far)
    assert warned(aware.predict, far, return_std=True).endswith("less sure")  # that was done
