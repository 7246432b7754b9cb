"""Cross-validation of a fitted model."""
from __future__ import annotations

from typing import Any, Dict

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ._notes import tell_of_jitter
from ._regressor import SureKrigRegressor


def cv(model: SureKrigRegressor, blocks: int = 0, rows: int = 0, level: float = 0.95) -> "Dict[str, np.ndarray[Any, Any]]":
    """Cross-validation of a model on its own data.

    Nothing is trained again: the hyperparameters have seen all of them.

    Parameters
    ----------
    model : SureKrigRegressor
        Fitted or loaded.
    blocks : int
        Cut the data into so many compact blocks, and predict each point without its own; 0: each without itself.
    rows : int
        Only so many rows, drawn at random by the model's seed; 0: all.
    level : float
        Of the intervals.

    Returns
    -------
    dict
        row (of the data), y, mean, sd, lower, upper and distance (to the nearest datum used), as arrays; ready for
        ``pandas.DataFrame`` where there is one response.

    Examples
    --------
    >>> import numpy as np, surekrig
    >>> X = np.linspace(0, 1, 50).reshape(-1, 1)
    >>> model = surekrig.SureKrigRegressor(nu=1.5, rho=0.2, tau2=0, neighbors=10).fit(X, np.sin(9 * X[:, 0]))
    >>> near, far = surekrig.cv(model), surekrig.cv(model, blocks=5)
    >>> print(near["distance"].max().round(3), far["distance"].max().round(3))
    0.02 0.204
    """
    check_is_fitted(model)
    made, jitter = model.model_.validate(blocks, rows, level, threads=model._threads(), verbose=model.verbose)
    tell_of_jitter(jitter)
    order = ("row", "y", "mean", "sd", "lower", "upper", "distance")
    return {name: made[name][:, 0] if model._one_response and made[name].ndim == 2 else made[name] for name in order}
