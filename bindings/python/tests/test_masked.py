"""Masked arrays, as netCDF4 returns them: what is masked is missing, as NaN is."""
import warnings

import numpy as np
import pandas as pd
import pytest

import surekrig
from surekrig import SureKrigRegressor

FILL = -9999


def masked(values, rows=slice(0, 3)):
    """These rows masked, over the fill value of a file."""
    gone = np.zeros(np.shape(values), dtype=bool)
    gone[rows] = True
    return np.ma.masked_array(np.where(gone, FILL, values), mask=gone)


def unmasked(values, rows=slice(0, 3)):
    made = np.array(values, dtype=np.float64)
    made[rows] = np.nan
    return made


def outcome(call, value):
    try:
        return np.array(call(value), dtype=np.float64)
    except ValueError as error:
        return str(error)


def same(one, other):
    if isinstance(one, str) or isinstance(other, str):
        return isinstance(one, str) and isinstance(other, str) and one == other
    return np.array_equal(one, other, equal_nan=True)


def agree(call, value):
    """What is done with masked values is done with NaN, and something else with the fill value."""
    nan, ours, filled = (outcome(call, made) for made in (unmasked(value), masked(value), masked(value).data))
    assert same(ours, nan) and not same(ours, filled)
    return ours


def test_masked_in_the_estimator(field, quick):
    X, y = field
    whole, model = np.full(300, 0.5), SureKrigRegressor(gamma2=1, **quick).fit(X, y)
    estimator = SureKrigRegressor(gamma2=1, **quick)
    calls = (
        (lambda v: estimator.fit(v, y).predict(X), X, "Input X contains NaN"),
        (lambda v: estimator.fit(X, v).predict(X), y, "Input y contains NaN"),
        (lambda v: estimator.fit(X, v).predict(X), np.column_stack([y, y]), "Input y contains NaN"),
        (lambda v: estimator.fit(X, y, noise=v).predict(X), whole, "noise, row 1: nan is not a variance"),
        (lambda v: estimator.fit(X, y, targets=v).predict(X), X, "targets: Input X contains NaN"),
        (model.predict, X, "Input X contains NaN"),
        (model.predict_interval, X, "Input X contains NaN"),
        (model.sample_y, X, "Input X contains NaN"),
        (lambda v: model.predict(X, return_std=True, noise=v), whole, "noise, row 1: nan is not a variance"),
        (lambda v: model.score(X, v), y, "Input contains NaN"),
        (lambda v: model.score(v, y), X, "Input X contains NaN"),
        (lambda v: model.score(X, y, v), whole, "Input sample_weight contains NaN"),
    )
    for call, value, sentence in calls:
        made = agree(call, value)
        assert sentence in made


def test_masked_in_the_functions(field):
    X, y = field
    near, theta, ones = surekrig.knn(X, k=5), dict(nu=0.5, rho=0.3), np.ones(300)
    for call, value in (
        (lambda v: surekrig.knn(v, k=2), X), (lambda v: surekrig.knn(X, v, k=2), X),
        (lambda v: surekrig.matern(v, 0.5), y + 2), (lambda v: surekrig.simulate(v, **theta), X),
        (lambda v: surekrig.krige_from(v, y, X, near, **theta), X), (lambda v: surekrig.krige_from(X, v, X, near, **theta), y),
        (lambda v: surekrig.krige_from(X, y, v, near, **theta), X),
        (lambda v: surekrig.krige_from(X, y, X, near, noise=v, **theta), ones),
        (lambda v: surekrig.krige_from(X, y, X, v, **theta), near),
        (lambda v: surekrig.knn(X, X, k=2, group=v, own_group=np.zeros(300, int)), np.arange(300)),
        (lambda v: list(surekrig.scores(v, y, ones).values()), y), (lambda v: list(surekrig.scores(y, v, ones).values()), y),
        (lambda v: list(surekrig.scores(y, y, v).values()), ones), (lambda v: surekrig.calibration(v, y, ones, [0.5, 0.9]), y),
    ):
        agree(call, value)
    with pytest.raises(ValueError, match="a whole number is missing"):
        surekrig.knn(X, X, k=2, group=masked(np.arange(300)), own_group=np.zeros(300, int))


def test_masks_that_hide_nothing_and_other_clothes(field, quick):
    X, y = field
    expected = SureKrigRegressor(**quick).fit(X, y).predict(X)
    for clothed in (np.ma.masked_array(X), np.ma.masked_array(X, mask=np.zeros(X.shape, bool))):
        assert np.array_equal(SureKrigRegressor(**quick).fit(clothed, np.ma.masked_array(y)).predict(clothed), expected)
    days = np.ma.masked_array(np.arange(300).astype("datetime64[D]")[:, None], mask=np.arange(300)[:, None] < 3)
    for hidden in (days, list(masked(X)), tuple(masked(X)), masked((100 * X).astype(int)), masked(X.astype(np.float32)),
                   masked(X.astype(object)), pd.DataFrame(masked(X))):
        with pytest.raises(ValueError, match="Input X contains NaN"):
            SureKrigRegressor(**quick).fit(hidden, y)


def test_krige_leaves_out_what_misses(field, quick):
    X, y = field
    quick = {**quick, "auto": False}
    gap = np.arange(300) % 50 == 7
    kept, places = ~gap, X[:9] + 0.01
    wanted = surekrig.krige(X[kept], y[kept], places, **quick)
    holed = np.where(gap[:, None] & [True, False], np.nan, X)
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1]})
    for rows, values in (
        (holed, y), (X, np.where(gap, np.nan, y)), (np.ma.masked_invalid(holed), y), (holed.tolist(), y.tolist()),
        (frame.mask(np.isnan(holed)), pd.Series(y, index=frame.index[::-1])),
        (frame.mask(np.isnan(holed)).astype("Float64"), y),
    ):
        with pytest.warns(surekrig.SureKrigWarning, match="6 of 300 rows miss a value and are left out"):
            assert np.array_equal(surekrig.krige(rows, values, places, **quick), wanted)
    with pytest.warns(surekrig.SureKrigWarning, match="6 of 300 rows"):
        noisy = surekrig.krige(X, y, places, noise=np.where(gap, np.nan, 0.5), **quick)
    assert np.array_equal(noisy, surekrig.krige(X[kept], y[kept], places, noise=np.full(294, 0.5), **quick))

    asked = places.copy()
    asked[[0, 4], 1] = np.nan
    made = surekrig.krige(X[kept], y[kept], asked, **quick)
    there = ~np.isnan(asked).any(axis=1)
    assert np.isnan(np.array(made)[:, ~there]).all()
    assert np.array_equal(np.array(made)[:, there], surekrig.krige(X[kept], y[kept], places[there], **quick))

    both = np.column_stack([np.where(gap, np.nan, y), -y])
    for values in (both, pd.DataFrame(both, columns=["up", "down"])):
        with pytest.warns(surekrig.SureKrigWarning, match="6 of 300 rows"):
            made = surekrig.krige(X, values, places, **quick)
        assert np.array_equal(np.array(made)[:, :, 0], wanted)
        assert np.array_equal(np.array(made)[:, :, 1], surekrig.krige(X, -y, places, **quick))

    for rows, values, at, sentence in (
        (X, y[:200], places, "inconsistent numbers of samples"), (X, y, np.empty((0, 2)), "targets: "),
        (np.full((300, 2), np.nan), y, places, "^all 300 rows miss a value: none is left to train on"),
        (X, ["a"] * 300, places, "could not convert"),
    ):
        with pytest.raises(ValueError, match=sentence), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            surekrig.krige(rows, values, at, **quick)


def test_krige_of_places_that_all_miss_a_value(field, quick):
    X, y = field
    nowhere = [[np.nan, 0.5], [0.5, np.nan], [np.nan, np.nan]]
    gap = np.arange(300) < 3
    for values, shape in ((y, (3,)), (list(y), (3,)), (np.column_stack([y, -y]), (3, 2)), (pd.DataFrame({"u": y}), (3, 1)),
                          (np.column_stack([np.where(gap, np.nan, y), y]), (3, 2))):
        for at in (nowhere, pd.DataFrame(nowhere, columns=["a", "b"]), np.ma.masked_invalid(nowhere)):
            with pytest.warns(surekrig.SureKrigWarning, match="3 of 3 places miss a value and get NaN"):
                made = surekrig.krige(X, values, at, auto=False, **quick)
            assert len(made) == 4 and all(part.shape == shape and np.isnan(part).all() for part in made)
    with pytest.warns(surekrig.SureKrigWarning, match="1 of 2 places miss a value and get NaN"):
        surekrig.krige(X, y, [nowhere[0], [0.5, 0.5]], auto=False, **quick)


def test_krige_names_the_response_that_is_never_there(field, quick):
    X, y = field
    gone, holed = np.full(300, np.nan), np.where(np.arange(300) < 3, np.nan, y)
    for values, name in ((gone, "response"), (np.ma.masked_all(300), "response"), (list(gone), "response"),
                         (pd.Series(gone, name="ozone"), "response ozone"), (np.column_stack([y, gone]), "response 2"),
                         (np.column_stack([gone, holed]), "response 1"), (np.column_stack([gone, gone]), "response 1"),
                         (pd.DataFrame({"u": holed, "v": gone}), "response v")):
        with pytest.raises(ValueError, match=f"^{name} misses its value in every row: leave it out, or look at how it was read$"):
            surekrig.krige(X, values, X[:2], auto=False, **quick)
