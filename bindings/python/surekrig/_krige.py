"""From data to predictions in one call."""
from __future__ import annotations

from typing import Any, Tuple

from . import _library as lib
from ._regressor import SureKrigRegressor


def krige(X: Any, y: Any, places: Any, *, level: float = 0.95, latent: bool = False, noise: Any = None,
          **settings: Any) -> Tuple[Any, Any, Any, Any]:
    """Predict at places, with a model that is chosen, trained and calibrated for them: what the command's ``krige`` does.

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
    model = SureKrigRegressor(**{"auto": True, **settings}).fit(X, y, noise=noise, targets=places)
    mean, sd, lower, upper = model._predict(places, ("mean", "sd", "lower", "upper"), trained_for=True, level=level,
                                            latent=latent, noise=None)
    return mean, sd, lower, upper
