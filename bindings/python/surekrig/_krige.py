"""From data to predictions in one call."""
from __future__ import annotations

from typing import Any, Tuple

import numpy as np

from . import _library as lib
from ._notes import tell
from ._regressor import SureKrigRegressor
from ._times import numbers


def _missing(values: Any) -> "np.ndarray[Any, Any]":
    """Which are, in the shape of what is given; what is no numbers is for `fit` to complain of."""
    if hasattr(values, "isna"):
        return np.asarray(values.isna())
    try:
        return np.asarray(np.isnan(np.asarray(numbers(values)[0], dtype=np.float64)))
    except (TypeError, ValueError):
        return np.array(False)


def _whole(values: Any) -> "np.ndarray[Any, Any]":
    """Which rows miss nothing."""
    missing = _missing(values)
    return np.asarray(~missing.any(axis=1) if missing.ndim == 2 else ~missing)


def _check_responses(y: Any, gaps: "np.ndarray[Any, Any]") -> None:
    """Of one that is missing in every row nothing can be said. gaps: where y is missing."""
    if not (gaps.ndim and gaps.size and gaps.all(axis=0).any()):
        return
    place = int(np.argmax(gaps.all(axis=0)))
    name = y.columns[place] if hasattr(y, "columns") else getattr(y, "name", None) or (place + 1 if gaps.ndim == 2 else "")
    raise ValueError(f"response {name}".rstrip() + " misses its value in every row: leave it out, or look at how it was read")


def _rows(values: Any, which: "np.ndarray[Any, Any]") -> Any:
    if values is None or which.all():
        return values
    return values.iloc[which.nonzero()[0]] if hasattr(values, "iloc") else np.asarray(lib.unmasked(values))[which]


def _spread(values: Any, asked: "np.ndarray[Any, Any]") -> "np.ndarray[Any, Any]":
    made = np.full((asked.size, *values.shape[1:]), np.nan)
    made[asked] = values
    return made


def krige(X: Any, y: Any, places: Any, *, level: float = 0.95, latent: bool = False, noise: Any = None,
          **settings: Any) -> Tuple[Any, Any, Any, Any]:
    """Predict at places, with a model that is chosen, trained and calibrated for them: what the command's ``krige`` does.

    Rows that miss a value, as NaN, are left out. Where places miss one, NaN comes. Columns of y that miss values in different
    rows get a model each.

    Parameters
    ----------
    X : array-like of shape (n, d)
    y : array-like of shape (n,) or (n, l)
    places : array-like of shape (m, d)
    level : float
        Of the intervals.
    latent : bool
        sd and interval of the field itself, without the nugget, instead of a new observation.
    noise : array-like of shape (n,), optional
        Known noise variances of y.
    **settings
        Keywords of `SureKrigRegressor`; ``auto=False`` leaves the choice of a model out.

    Returns
    -------
    mean, sd, lower, upper : ndarray of shape (m,) or (m, l)

    Warns
    -----
    SureKrigWarning
        Where places lie beyond the rows, nothing like them is in the data, errors are larger beside them, or rows are few or
        copies.

    See Also
    --------
    SureKrigRegressor : ``SureKrigRegressor(auto=True).fit(X, y, targets=places)`` is the same, and keeps the model.

    Examples
    --------
    >>> import numpy as np
    >>> from surekrig import krige
    >>> X = np.random.default_rng(0).random((500, 2))
    >>> y = np.sin(6 * X[:, 0]) + np.cos(5 * X[:, 1])
    >>> mean, sd, lower, upper = krige(X, y, [[0.5, 0.25]], neighbors=30)
    >>> print(mean.round(2), sd < 0.01, lower < mean, mean < upper)
    [0.46] [ True] [ True] [ True]
    """
    lib.check_known(settings, [*SureKrigRegressor._get_param_names(), "level", "latent", "noise"])
    gaps = _missing(y)
    _check_responses(y, gaps)
    if gaps.ndim == 2 and (gaps != gaps[:, :1]).any():
        columns = [y.iloc[:, q] if hasattr(y, "iloc") else np.asarray(lib.unmasked(y))[:, q] for q in range(gaps.shape[1])]
        each = [krige(X, column, places, level=level, latent=latent, noise=noise, **settings) for column in columns]
        return tuple(map(np.column_stack, zip(*each)))  # type: ignore[return-value]
    whole, asked = [_whole(values) for values in (X, y, noise) if values is not None], _whole(places)
    known = np.logical_and.reduce(whole) if len({each.shape for each in whole}) == 1 else np.array(True)
    if known.size and not known.any():
        raise ValueError(f"all {known.size} rows miss a value: none is left to train on")
    if not known.all():
        tell(f"{(~known).sum()} of {known.size} rows miss a value and are left out")
    if not asked.all():
        tell(f"{(~asked).sum()} of {asked.size} places miss a value and get NaN")
    if asked.size and not asked.any() and np.shape(places)[1:] == np.shape(X)[1:]:
        nothing = np.full((asked.size, *np.shape(y)[1:]), np.nan)
        return tuple(nothing.copy() for _ in range(4))  # type: ignore[return-value]
    X, y, noise, there = _rows(X, known), _rows(y, known), _rows(noise, known), _rows(places, asked)
    model = SureKrigRegressor(**{"auto": True, **settings}).fit(X, y, noise=noise, targets=there)
    made = model._predict(there, ("mean", "sd", "lower", "upper"), trained_for=True, level=level, latent=latent, noise=None)
    return made if asked.all() else tuple(_spread(values, asked) for values in made)  # type: ignore[return-value]
