"""The paper in NumPy: Wood, Dunton, Muyskens and Priest, Scalable Gaussian Process Hyperparameter Optimization via Coverage
Regularization (2022), equation by equation, as slowly and plainly as it reads. It shares nothing with the library."""
import math
from statistics import NormalDist

import numpy as np


def bessel_k(nu, x):
    """K_nu(x) = int_0^inf exp(-x cosh t) cosh(nu t) dt; the trapezoidal rule converges faster than any power."""
    t, step = np.linspace(0, 40, 801, retstep=True)
    with np.errstate(over="ignore"):
        grown = nu * t - x[..., None] * np.cosh(t)
        values = 0.5 * (np.exp(grown) + np.exp(grown - 2 * nu * t))
    return step * (values.sum(-1) - values[..., 0] / 2)


def matern(distance, nu, rho):
    """Equation (2) without gamma2 and nugget."""
    u = math.sqrt(2 * nu) * distance / rho
    known = np.where(u > 0, u, 1.0)
    return np.where(u > 0, 2 ** (1 - nu) / math.gamma(nu) * known**nu * bessel_k(nu, known), 1.0)


def kernel(a, b, theta, same):
    """K_theta(a, b) of equation (2); same: a and b are the same observations, which share their nugget."""
    correlation = matern(np.linalg.norm(a[:, None] - b[None], axis=-1), theta["nu"], theta["rho"])
    return theta["gamma2"] * (correlation + (theta["tau2"] * np.eye(len(a)) if same else 0))


def posterior(z, x, y, theta):
    """Mean and variance of an observation at z from its neighbours x with responses y: (5, 6) and (8, 9)."""
    cross = kernel(z[None], x, theta, same=False)
    solved = np.linalg.solve(kernel(x, x, theta, same=True), np.column_stack([y, cross[0]]))
    prior = theta["gamma2"] * (1 + theta["tau2"])
    return cross[0] @ solved[:, 0], prior - cross[0] @ solved[:, 1]


def nearest(z, x, k, without=None):
    order = np.argsort(np.linalg.norm(x - z, axis=1))
    return [i for i in order if i != without][:k]


def predict(points, x, y, k, theta):
    """Equations (8) and (9)."""
    made = [posterior(z, x[n], y[n], theta) for z in points for n in [nearest(z, x, k)]]
    return tuple(map(np.array, zip(*made)))


def leave_one_out(x, y, k, theta):
    """Equations (5) and (6), for a batch of all points."""
    made = [posterior(x[i], x[n], y[n], theta) for i in range(len(x)) for n in [nearest(x[i], x, k, without=i)]]
    return tuple(map(np.array, zip(*made)))


def lool(y, mean, variance):
    """Equation (10)."""
    return np.sum(np.log(variance) + (y - mean) ** 2 / variance)


def mse(y, mean, variance):
    return np.sum((y - mean) ** 2)


def z_of(alpha):
    return NormalDist().inv_cdf((1 + alpha) / 2)


def coverage(y, mean, variance, levels):
    """Equation (11), a number for each level."""
    return np.array([np.mean(np.abs(y - mean) < z_of(alpha) * np.sqrt(variance)) for alpha in levels])


def lagrangian(q, c, levels, multipliers, beta):
    """Equation (13)."""
    off = c - levels
    return q + multipliers @ off + beta / 2 * off @ off


def next_multipliers(multipliers, beta, c, levels, r):
    """Lines 9 and 10 of Algorithm 1."""
    return multipliers + beta * (c - levels), r * beta


def scores(y, mean, sd, level=0.95):
    """MAE, RMSE, COV, CRPS and INT, as Gneiting and Raftery (2007) define the last two."""
    z, half = (y - mean) / sd, z_of(level) * sd
    cdf = np.array([NormalDist().cdf(value) for value in z])
    density = np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)
    beyond = np.maximum(np.abs(y - mean) - half, 0)
    return {
        "mae": np.mean(np.abs(y - mean)),
        "rmse": math.sqrt(np.mean((y - mean) ** 2)),
        "cov": np.mean(np.abs(y - mean) <= half),
        "crps": np.mean(sd * (z * (2 * cdf - 1) + 2 * density - 1 / math.sqrt(math.pi))),
        "int": np.mean(2 * half + 2 / (1 - level) * beyond),
    }
