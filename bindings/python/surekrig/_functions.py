"""The stages of the library as plain functions on arrays. C-ordered doubles are taken as they are, without a copy."""
from __future__ import annotations

import ctypes
from typing import Any, Dict, Optional, Sequence, Tuple, Union

import numpy as np

from . import _header as c
from . import _library as lib
from ._library import library
from ._model import data_of

Numbers = Union[float, Sequence[float], "np.ndarray[Any, Any]"]


def _points(x: Any, name: str, d: Optional[int] = None) -> "np.ndarray[Any, Any]":
    made = lib.doubles(x)
    if made.ndim != 2 or (d is not None and made.shape[1] != d):
        raise ValueError(f"{name} has the shape {made.shape}: (n, {'d' if d is None else d}) is needed")
    return made


def _vectors(**given: Any) -> Any:
    """Doubles of one shape."""
    made = {name: lib.doubles(value) for name, value in given.items()}
    shapes = {name: array.shape for name, array in made.items()}
    if len(set(shapes.values())) > 1:
        raise ValueError("shapes differ: " + ", ".join(f"{name} {shape}" for name, shape in shapes.items()))
    return made.values()


def _rows(values: Any, n: int, name: str) -> "np.ndarray[Any, Any]":
    made = lib.integers(values, name)
    if made.shape != (n,):
        raise ValueError(f"{name} has the shape {made.shape}: ({n},) is needed")
    return made


def _theta(d: int, nu: Numbers, rho: Numbers, tau2: float, gamma2: float, weight: Optional[Numbers]) -> c.surekrig_theta:
    """Hyperparameters: one Matérn term, or several where nu is a sequence."""
    nus, rhos = np.atleast_1d(lib.doubles(nu)), lib.doubles(rho)
    if nus.ndim != 1 or not nus.size:
        raise ValueError(f"nu has the shape {nus.shape}: one number is needed, or one for each term")
    terms = len(nus)
    rhos = rhos[:, None] if terms > 1 and rhos.ndim == 1 else rhos  # one for each term
    if rhos.ndim > 2 or any(size not in (1, need) for size, need in zip(rhos.shape[::-1], (d, terms))):
        raise ValueError(f"rho of shape {np.shape(rho)}: {terms} terms in {d} dimensions")
    rhos = lib.doubles(np.broadcast_to(rhos, (terms, d)))
    weights = np.broadcast_to(1 / terms if weight is None else lib.doubles(weight), (terms,))
    term = (c.surekrig_term * terms)(*(c.surekrig_term(weights[i], nus[i], rhos[i].ctypes.data) for i in range(terms)))
    made = c.surekrig_theta(terms=terms, term=term, tau2=tau2, gamma2=gamma2)
    made.arrays = rhos  # the terms have its address only
    return made


def matern(u: Any, nu: float, complement: bool = False) -> "np.ndarray[Any, Any]":
    """Matérn correlation 2^(1-nu)/Gamma(nu) u^nu K_nu(u) at u = sqrt(2 nu) distance / rho.

    Parameters
    ----------
    u : array-like
        Scaled distances, of any shape.
    nu : float
        Smoothness, 0.01 to 50; infinity is the Gaussian kernel, exp(-u^2 / 2) with u = distance / rho.
    complement : bool
        1 - M instead, to full relative precision.

    Returns
    -------
    ndarray
        Shaped as u.

    Examples
    --------
    >>> from surekrig import matern
    >>> print(matern([0.0, 1.0, 2.0], 0.5).round(6))
    [1.       0.367879 0.135335]
    """
    u = lib.doubles(u) if np.ndim(u) else np.array(u, dtype=np.float64)
    out = np.empty(u.shape)
    value, other = (None, out) if complement else (out, None)
    lib.call(library.surekrig_matern, nu, u.size, lib.address(u), lib.address(value), lib.address(other))
    return out


def knn(data: Any, points: Any = None, k: int = 50, *, min_distance: float = 0.0, group: Any = None, own_group: Any = None,
        threads: int = 0) -> "np.ndarray[Any, Any]":
    """Exact k nearest neighbours.

    Parameters
    ----------
    data : array-like of shape (n, d)
    points : array-like of shape (m, d), optional
        Where neighbours are looked for; without it, at each row of `data`, which is not its own neighbour.
    k : int
    min_distance : float
        Leave out neighbours nearer than this.
    group, own_group : array-like of int, of shapes (n,) and (m,), optional
        Leave out the rows of `data` whose group is the point's own.
    threads : int
        0: as many as the machine has.

    Returns
    -------
    ndarray of int64 of shape (m, k)
        Rows of `data` by increasing distance, ties by row; -1 where fewer than k were allowed.

    Examples
    --------
    >>> from surekrig import knn
    >>> knn([[0.0], [1.0], [3.0]], [[0.9]], k=2)
    array([[1, 0]])
    >>> knn([[0.0], [1.0], [3.0]], k=1)
    array([[1],
           [0],
           [1]])
    """
    data = _points(data, "data")
    row = np.arange(len(data)) if points is None else None
    points = data if points is None else _points(points, "points", data.shape[1])
    if (group is None) != (own_group is None):
        raise ValueError("group and own_group go together")
    groups = None if group is None else _rows(group, len(data), "group")
    own = None if own_group is None else _rows(own_group, len(points), "own_group")
    k, threads = lib.count(k, "k", 1), lib.count(threads, "threads", most=lib.MOST_THREADS)
    neighbor = np.empty((len(points), k), dtype=np.int64)
    count = np.empty(len(points), dtype=np.int64)
    query = c.surekrig_neighbor_query(
        n=len(points), x=lib.address(points), k=k, row=lib.address(row), min_distance=min_distance,
        group=lib.address(groups), own_group=lib.address(own), threads=threads)
    index = ctypes.c_void_p()
    lib.call(library.surekrig_index_new, *data.shape, lib.address(data), index)
    try:
        lib.call(library.surekrig_neighbors, index, query, lib.address(neighbor), lib.address(count))
    finally:
        library.surekrig_index_free(index)
    return neighbor


def krige_from(data: Any, y: Any, points: Any, neighbors: Any, *, nu: Numbers, rho: Numbers, tau2: float = 0.0,
               gamma2: float = 1.0, weight: Optional[Numbers] = None, noise: Any = None,
               backend: str = "auto") -> "Tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]":
    """Zero-mean kriging of each point from its neighbours, with given hyperparameters.

    Parameters
    ----------
    data : array-like of shape (n, d)
    y : array-like of shape (n,) or (n, l)
    points : array-like of shape (m, d)
    neighbors : array-like of int of shape (m, k)
        Rows of `data`, as `knn` gives them; those after a -1 are not used.
    nu, rho : float or array-like
        Smoothness and length scale; rho may be one for each feature. Where nu is a sequence, the kernel is a sum of
        terms: `weight` holds their shares of gamma2 (equal by default), and rho is for each term, of shape (terms,) or
        (terms, d).
    tau2 : float
        Nugget, as a share of gamma2.
    gamma2 : float
        Variance of the field.
    noise : array-like of shape (n,), optional
        Known noise variances of y.
    backend : str
        As the setting of this name.

    Returns
    -------
    mean : ndarray of shape (m,) or (m, l)
    variance : ndarray of shape (m,)
        Of the field, in units of y squared; an observation's is larger by tau2 gamma2.

    Examples
    --------
    >>> from surekrig import knn, krige_from
    >>> data, y, points = [[0.0], [1.0], [3.0]], [1.0, 2.0, 0.0], [[1.0], [2.0]]
    >>> mean, variance = krige_from(data, y, points, knn(data, points, k=2), nu=0.5, rho=2.0)
    >>> print(mean.round(4), variance.round(4))
    [2.     0.8868] [0.     0.4621]
    """
    data = _points(data, "data")
    y, points = lib.doubles(y), _points(points, "points", data.shape[1])
    neighbors = lib.integers(neighbors, "neighbors")
    if y.ndim not in (1, 2) or len(y) != len(data) or neighbors.ndim != 2 or len(neighbors) != len(points):
        raise ValueError(f"{len(data)} rows of data, y of shape {y.shape}; {len(points)} points, neighbors of shape "
                         f"{neighbors.shape}")
    s = None if noise is None else lib.doubles(noise)
    if s is not None and s.shape != (len(data),):
        raise ValueError(f"noise has the shape {s.shape}: ({len(data)},) is needed")
    count = np.logical_and.accumulate(neighbors >= 0, axis=1).sum(1, dtype=np.int64)
    theta = _theta(data.shape[1], nu, rho, tau2, gamma2, weight)
    mean, variance = np.empty((len(points), *y.shape[1:])), np.empty(len(points))
    places = c.surekrig_neighborhoods(n=len(points), k=neighbors.shape[1], neighbor=lib.address(neighbors),
                                      count=lib.address(count), x=lib.address(points))
    lib.call(library.surekrig_krige, data_of(data, y, s), places, theta, lib.text(backend),
             c.surekrig_kriged(mean=lib.address(mean), variance=lib.address(variance)))
    return mean, gamma2 * variance


def simulate(points: Any = None, *, grid: Union[int, Sequence[int], None] = None, lower: Numbers = 0.0, upper: Numbers = 1.0,
             nu: Numbers, rho: Numbers, tau2: float = 0.0, gamma2: float = 1.0, weight: Optional[Numbers] = None,
             seed: int = 1, threads: int = 0) -> "np.ndarray[Any, Any]":
    """One exact draw of a zero-mean Gaussian process, at points or on a grid.

    Parameters
    ----------
    points : array-like of shape (n, d), optional
    grid : int, (int, int) or (int, int, int), optional
        Points along each axis, in place of `points`.
    lower, upper : float or one for each axis
        The grid's first and last coordinates along each axis.
    nu, rho, tau2, gamma2, weight
        As for `krige_from`.
    seed : int
        The same seed gives the same draw.
    threads : int
        0: as many as the machine has.

    Returns
    -------
    ndarray of shape (n,), or of the grid's shape

    Examples
    --------
    >>> from surekrig import simulate
    >>> simulate(grid=(4, 3), nu=1.5, rho=0.2).shape
    (4, 3)
    """
    if (points is None) == (grid is None):
        raise ValueError("either points or a grid is needed")
    sample = c.surekrig_sample(seed=lib.count(seed, "seed", most=2**64 - 1),
                               threads=lib.count(threads, "threads", most=lib.MOST_THREADS))
    if points is not None:
        points = _points(points, "points")
        sample.n, sample.d = points.shape
        sample.x = lib.address(points)
        y = np.empty(len(points))
    else:
        sizes: Sequence[Any] = [grid] if np.ndim(grid) == 0 else list(grid)  # type: ignore[arg-type]
        if len(sizes) not in (1, 2, 3):
            raise ValueError(f"grid = {grid}: one, two or three axes are possible")
        y = np.empty([lib.count(size, f"grid, axis {axis}", 1) for axis, size in enumerate(sizes, 1)])
        sample.d = y.ndim
        sample.size[: y.ndim] = y.shape
        sample.lower[: y.ndim] = np.broadcast_to(lower, y.ndim).tolist()
        sample.upper[: y.ndim] = np.broadcast_to(upper, y.ndim).tolist()
    lib.call(library.surekrig_simulate, sample, _theta(sample.d, nu, rho, tau2, gamma2, weight), lib.address(y))
    return y


def scores(y: Any, mean: Any, sd: Any, level: float = 0.95) -> Dict[str, float]:
    """How good predictions are: n, mae, rmse, cov, crps, interval, logdensity and the level of cov and interval.

    Parameters
    ----------
    y, mean, sd : array-like of one shape
        Observations and what was predicted for them. Rows with a NaN are left out.
    level : float

    Returns
    -------
    dict

    Examples
    --------
    >>> from surekrig import scores
    >>> scores([1.0, 2.0, 3.0], [1.1, 2.0, 2.5], [0.2, 0.2, 0.2])["cov"]
    0.6666666666666666
    """
    made = c.surekrig_scores()
    y, mean, sd = _vectors(y=y, mean=mean, sd=sd)
    lib.call(library.surekrig_score, _scored(y, mean, sd), level, made)
    return lib.fields(made)


def calibration(y: Any, mean: Any, sd: Any, levels: Any) -> "np.ndarray[Any, Any]":
    """Share of y inside its interval at each nominal level: the calibration curve.

    Parameters
    ----------
    y, mean, sd : array-like of one shape
    levels : array-like of float

    Returns
    -------
    ndarray
        Shaped as levels.

    Examples
    --------
    >>> from surekrig import calibration
    >>> print(calibration([1.0, 2.0, 3.0], [1.1, 2.0, 2.5], [0.2, 0.2, 0.2], [0.3, 0.95, 0.999]).round(3))
    [0.333 0.667 1.   ]
    """
    y, mean, sd = _vectors(y=y, mean=mean, sd=sd)
    levels = lib.doubles(levels)
    coverage = np.empty(levels.shape)
    lib.call(library.surekrig_calibration, _scored(y, mean, sd), levels.size, lib.address(levels), lib.address(coverage))
    return coverage


def _scored(y: Any, mean: Any, sd: Any) -> c.surekrig_scored:
    return c.surekrig_scored(n=y.size, y=lib.address(y), mean=lib.address(mean), sd=lib.address(sd))
