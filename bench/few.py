#!/usr/bin/env python3
"""few.py [SEEDS]: how far intervals of few rows hold. SEEDS (12) fields of eight kinds, rows at random places of the unit cube, 100 new
values each: coverage of 95 % intervals, CRPS and interval score, means over kinds. 'normal' are the settings of before Student's
intervals. Run by build/python/bin/python, which scripts/check leaves with the package in it."""
import sys, warnings
import numpy as np
from scipy.special import gamma, kv
from scipy.stats import norm
import surekrig

# features, range, smoothness, sd of the noise, slope along the first feature, weights of the features in distances
KINDS = {"smooth": (2, .4, 1.5, .1, 0, 1), "rough": (2, .3, .5, .05, 0, 1), "a line": (1, .3, 1.5, .1, 0, 1), "noisy": (2, .3, 1, .7, 0, 1),
         "with a trend": (2, .3, 1, .1, 3, 1), "four features": (4, 1, 1.5, .1, 0, 1), "eight features": (8, 1.5, 1.5, .1, 0, 1),
         "two of four count": (4, .5, 1.5, .1, 0, np.array([1, .7, 0, 0]))}
ROWS, NEW = (5, 8, 10, 15, 20, 30, 50, 100), 100
FIVE = "0.9,0.925,0.95,0.975,0.99"


def matern(distance, rho, nu):
    u = np.sqrt(2 * nu) * np.maximum(distance, 1e-12) / rho
    return np.where(distance > 0, 2 ** (1 - nu) / gamma(nu) * u**nu * kv(nu, u), 1)


def draw(kind, n, seed):
    d, rho, nu, noise, slope, weight = KINDS[kind]
    rng = np.random.default_rng([seed, n, sum(map(ord, kind))])
    x = rng.random((n + NEW, d))
    distance = np.sqrt((((x[:, None] - x[None]) * weight) ** 2).sum(-1))
    factor = np.linalg.cholesky(matern(distance, rho, nu) + 1e-9 * np.eye(n + NEW))
    y = factor @ rng.standard_normal(n + NEW) + noise * rng.standard_normal(n + NEW) + slope * x[:, 0]
    return x[:n], y[:n], x[n:], y[n:]


def predict(how, x, y, places):
    if how == "krige":
        return surekrig.krige(x, y, places, threads=1)[:4]
    former = {"interval": "gaussian", "coverage": FIVE, **({"anisotropic": "yes", "scaling": "axis"} if x.shape[1] > 2 else {})}
    model = surekrig.SureKrigRegressor(threads=1, **(former if how == "normal" else {})).fit(x, y)
    return *model.predict(places, return_std=True), *model.predict_interval(places, level=.95)


def scores(how, kind, n, seed):
    x, y, places, z = draw(kind, n, seed)
    mean, sd, lower, upper = (np.asarray(part) for part in predict(how, x, y, places))
    e = (z - mean) / sd
    crps = sd * (e * (2 * norm.cdf(e) - 1) + 2 * norm.pdf(e) - 1 / np.sqrt(np.pi))
    outside = np.maximum(lower - z, 0) + np.maximum(z - upper, 0)
    return [np.mean(outside == 0), np.mean(crps), np.mean(upper - lower + 40 * outside)]


def main():
    warnings.simplefilter("ignore")
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 12
    hows = ("normal", "default", "krige")
    print("| rows | " + " | ".join(f"{how}: COV, CRPS, INT" for how in hows) + " |\n| ---: |" + " ---: |" * len(hows))
    for n in ROWS:
        cells = [np.mean([scores(how, kind, n, seed) for kind in KINDS for seed in range(seeds)], 0) for how in hows]
        print(f"| {n} | " + " | ".join(f"{c[0]:.3f}, {c[1]:.3f}, {c[2]:.2f}" for c in cells) + " |", flush=True)


if __name__ == "__main__":
    main()
