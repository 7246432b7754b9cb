"""Dates among the features: days since 1970-01-01, as the command counts them. Durations are days, too, but no dates."""
from __future__ import annotations

import datetime
from typing import Any, List, Tuple

import numpy as np

from ._library import unmasked


def _days(times: Any) -> "np.ndarray[Any, Any]":
    made: "np.ndarray[Any, Any]" = (times - np.datetime64(0, "D")) / np.timedelta64(1, "D")  # NaT becomes NaN
    return made


def _column(name: Any, values: Any) -> Any:
    """Days, where these are dates or durations; None: they are not."""
    if values.dtype.kind == "m":
        return values.to_numpy() / np.timedelta64(1, "D")
    if values.dtype.kind == "M":
        if getattr(values.dtype, "tz", None) is not None:
            values = values.dt.tz_convert("UTC").dt.tz_localize(None)
        return _days(values.to_numpy())
    first = next(iter(values.dropna()), None) if values.dtype.kind == "O" else None
    if isinstance(first, datetime.date):  # NumPy takes None for a date that is missing, but neither NaN nor pandas.NA
        there = [None if gone else value for value, gone in zip(values, values.isna())]
        return _days(np.array(there, dtype="datetime64[us]"))
    if isinstance(first, str):
        try:
            float(first)
        except ValueError:
            raise ValueError(f"column {name} is text, as {first!r}: leave it out of the features or, if these are dates, make "
                             "them so by pandas.to_datetime") from None
    return None


def numbers(X: Any) -> Tuple[Any, List[Any]]:
    """X with days for dates and NaN for what is masked; and the names of the columns of dates, or their numbers in an
    array."""
    X = unmasked(X)
    if isinstance(X, np.ndarray) and X.dtype.kind == "M":
        return _days(X), list(range(X.shape[1] if X.ndim == 2 else 0))
    if not (hasattr(X, "columns") and hasattr(X, "iloc")):
        return X, []
    days = {place: _column(name, X.iloc[:, place]) for place, name in enumerate(X.columns)}
    given, found = X, {place: values for place, values in days.items() if values is not None}
    if found:
        X = X.copy()
        for place, values in found.items():
            X.isetitem(place, values)
    return X, [given.columns[place] for place in found if given.dtypes.iloc[place].kind != "m"]
