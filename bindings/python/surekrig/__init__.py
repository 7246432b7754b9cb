"""Kriging you can be sure of: Gaussian-process regression by nearest neighbours, with intervals that points left out have set.

`krige` goes from data to predictions, `SureKrigRegressor` is the scikit-learn estimator, and the other functions are the
stages that they are made of. The C library does the work: its settings are `settings()`, its model files are read by `load`.
"""
from ._cv import cv
from ._functions import calibration, knn, krige_from, matern, scores, simulate
from ._krige import krige
from ._library import library as _c
from ._library import settings
from ._load import load
from ._notes import SureKrigWarning
from ._regressor import SureKrigRegressor

__version__: str = _c.surekrig_version().decode()
__all__ = ["SureKrigRegressor", "SureKrigWarning", "calibration", "cv", "knn", "krige", "krige_from", "load", "matern",
           "scores", "settings", "simulate"]
