"""Kriging you can be sure of: Gaussian-process regression by nearest neighbours, with intervals that hold what they promise.

`SureKrigRegressor` is the scikit-learn estimator; the functions beside it are the stages that it is made of. The C library
does the work: its settings are `settings()`, its model files are read by `load`.
"""
from ._functions import calibration, knn, krige, matern, scores, simulate
from ._library import library as _c
from ._library import settings
from ._regressor import SureKrigRegressor, load

__version__: str = _c.surekrig_version().decode()
__all__ = ["SureKrigRegressor", "calibration", "knn", "krige", "load", "matern", "scores", "settings", "simulate"]
