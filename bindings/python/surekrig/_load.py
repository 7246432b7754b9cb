"""Estimators of model files."""
from __future__ import annotations

from typing import Any

import numpy as np

from . import _library as lib
from ._model import Model, numbered
from ._regressor import SureKrigRegressor


def load(path: Any) -> SureKrigRegressor:
    """The fitted estimator of a model file, written by `SureKrigRegressor.save` or by the command.

    Parameters
    ----------
    path : path-like

    Returns
    -------
    SureKrigRegressor

    Examples
    --------
    >>> import numpy as np, os, surekrig, tempfile
    >>> X = np.linspace(0, 1, 50).reshape(-1, 1)
    >>> model = surekrig.SureKrigRegressor(nu=1.5, rho=0.2, tau2=0).fit(X, np.sin(9 * X[:, 0]))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.save(os.path.join(folder, "sine.model"))
    ...     same = surekrig.load(os.path.join(folder, "sine.model"))
    >>> bool(np.all(same.predict(X) == model.predict(X))), same.nu
    (True, '1.5')
    """
    model = Model.load(path)
    changed = {name: text for name, text in model.settings().items() if text != lib.table()[name].default}
    changed.pop("preset", None)  # what it set is among them
    made = SureKrigRegressor(**changed)  # type: ignore[arg-type]
    made.n_features_in_ = model.info.d
    names = model.names("x")
    if names != numbered(len(names)):
        made.feature_names_in_ = np.array(names, dtype=object)
    made._take(model, model.info.l == 1, np.ones(len(names), dtype=bool))
    return made
