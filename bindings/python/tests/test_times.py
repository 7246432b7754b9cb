"""Dates among the features, and keywords that are none."""
import subprocess
import warnings

import numpy as np
import pandas as pd
import pytest

import surekrig
from surekrig import SureKrigRegressor

BRIEF = dict(nu=0.5, tau2=0.01, rho=(1, 30), neighbors=10, coverage=None, spacetime="separable", time_nu=0.5)


@pytest.fixture(scope="module")
def stations():
    random = np.random.default_rng(3)
    X = pd.DataFrame({"x": random.random(80), "day": pd.date_range("2024-02-20", periods=80, freq="D")})
    return X, np.sin(6 * X.x) + np.cos(np.arange(80) / 9)


def test_dates_are_the_commands(command, stations, tmp_path):
    X, y = stations
    table = X.assign(day=X.day.dt.strftime("%Y-%m-%d"), y=[repr(value) for value in y.tolist()])
    table.assign(x=[repr(value) for value in X.x.tolist()]).to_csv(tmp_path / "t.csv", index=False)
    options = ["--nu=0.5", "--tau2=0.01", "--rho=1,30", "--neighbors=10", "--coverage=none", "--spacetime=separable", "--time_nu=0.5"]
    subprocess.run([command, "fit", tmp_path / "t.csv", "-o", tmp_path / "m", "--time", "day", "-q", *options], check=True)
    made, loaded = SureKrigRegressor(**BRIEF).fit(X, y), surekrig.load(tmp_path / "m")
    assert (made.predict(X) == loaded.predict(X)).all()
    assert made.model_.settings()["time"] == "day" and made.model_.settings()["time_unit"] == "date"
    as_numbers = X.assign(day=(X.day - pd.Timestamp(0)) / pd.Timedelta("1D"))
    assert (SureKrigRegressor(time="day", **BRIEF).fit(as_numbers, y).predict(as_numbers) == made.predict(X)).all()
    with pytest.raises(ValueError, match="column day holds numbers, and held dates"):
        made.predict(as_numbers)


def test_dates_in_any_clothes(stations):
    X, y = stations
    expected = SureKrigRegressor(**BRIEF).fit(X, y).predict(X)
    for day in (X.day.dt.tz_localize("UTC"), X.day.dt.tz_localize("UTC").dt.tz_convert("Asia/Tokyo"),
                pd.Series([moment.date() for moment in X.day]), X.day.astype("datetime64[s]")):
        frame = X.assign(day=day)
        assert (SureKrigRegressor(**BRIEF).fit(frame, y, targets=frame).predict(frame) == expected).all()
    spans, plain = X.assign(day=X.day - X.day[0]), X.assign(day=np.arange(80.0))
    durations = SureKrigRegressor(nu=0.5, rho=(1, 30), tau2=0.01, anisotropic=True)
    assert (durations.fit(spans, y).predict(spans) == durations.fit(plain, y).predict(plain)).all()
    alone = SureKrigRegressor(nu=0.5, rho=10, tau2=0.01, neighbors=10)
    assert (alone.fit(X[["day"]].to_numpy(), y).predict(X[["day"]].to_numpy())
            == alone.fit(np.arange(80.0)[:, None] + 19773, y).predict(np.arange(80.0)[:, None] + 19773)).all()
    with pytest.raises(ValueError, match="column day is text, as '2024-02-20': leave it out of the features or"):
        SureKrigRegressor().fit(X.assign(day=X.day.dt.strftime("%Y-%m-%d")), y)


@pytest.mark.parametrize("missing", [None, np.nan, pd.NaT, pd.NA], ids=str)
def test_missing_dates(stations, missing):
    X, y = stations
    made = SureKrigRegressor(**BRIEF).fit(X, y)
    dates = pd.Series([missing] + [moment.date() for moment in X.day[1:]], dtype=object)
    with pytest.raises(ValueError, match="Input X contains NaN"):  # as of any feature
        made.predict(X.assign(day=dates))
    for kind in (object, "string"):
        texts = pd.Series([missing] + X.day[1:].dt.strftime("%Y-%m-%d").tolist(), dtype=kind)
        with pytest.raises(ValueError, match="column day is text, as '2024-02-21'"):
            SureKrigRegressor().fit(X.assign(day=texts), y)


def test_a_mistyped_keyword_is_guessed(stations):
    for wrong, right in (("neighbours", "neighbors"), ("n_job", "n_jobs"), ("optimiser", "optimizer")):
        with pytest.raises(TypeError, match=f"there is no keyword '{wrong}'; did you mean {right}\\?"):
            SureKrigRegressor(**{wrong: 1})
    with pytest.raises(TypeError, match=r"there is no keyword 'levl'; did you mean level\?"):
        surekrig.krige([[0.0], [1.0]], [0.0, 1.0], [[0.5]], levl=0.9)
    with pytest.raises(TypeError, match="'zzzz': surekrig.settings\\(\\) tells"):
        SureKrigRegressor(zzzz=1)


def test_a_day_beside_the_coordinates_of_a_map_is_time():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"lon": np.repeat(rng.random(20), 15), "lat": np.repeat(rng.random(20), 15), "day": np.tile(np.arange(15), 20)})
    y = frame["lon"] + np.sin(frame["day"]) + 0.1 * rng.standard_normal(300)
    few = dict(neighbors=15, batch=64, evaluations=20)
    with pytest.warns(surekrig.SureKrigWarning, match="column day is taken for time"):
        taken = SureKrigRegressor(**few).fit(frame, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error", surekrig.SureKrigWarning)
        named = SureKrigRegressor(**few, time="day").fit(frame, y)
        plain = SureKrigRegressor(**few, time="none").fit(frame, y)
        array = SureKrigRegressor(**few).fit(frame.to_numpy(), y)
    assert np.array_equal(taken.predict(frame), named.predict(frame))
    assert [one.model_.settings()["time"] for one in (taken, named, plain, array)] == ["day", "day", "none", "none"]
