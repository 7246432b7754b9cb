#!/usr/bin/env python3
"""calibration.py [PICTURE.png]: fits a field with heavy-tailed noise in three ways and draws how many of the held-out values lie
in their intervals, at every level. One scale cannot meet every level under heavy tails: the user says which matter.

    pip install . matplotlib && python examples/python/calibration.py calibration.png
"""
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import surekrig

SIZE, LEVELS = 100, np.linspace(0.02, 0.98, 49)


def field():
    """A draw on a grid with heavy-tailed noise; a random half is held out."""
    random = np.random.default_rng(1)
    axis = np.linspace(0, 1, SIZE)
    X = np.stack(np.meshgrid(axis, axis, indexing="ij"), -1).reshape(-1, 2)
    y = surekrig.simulate(grid=(SIZE, SIZE), nu=0.8, rho=0.2, seed=1).ravel() + 0.3 * random.standard_t(2.5, len(X))
    half = random.permutation(len(X))[: len(X) // 2]
    held_out = np.setdiff1d(np.arange(len(X)), half)
    return X[half], y[half], X[held_out], y[held_out]


WAYS = {
    "likelihood alone": (dict(coverage=None), "#c1443c"),
    "five levels from 0.9 to 0.99 (default)": ({}, "#d9a521"),
    "one level, 0.8": (dict(coverage=0.8), "#1f6fb4"),
}


def draw(curves, path):
    figure, axes = plt.subplots(figsize=(5.5, 5.4), layout="constrained")
    axes.plot([0, 1], [0, 1], color="0.6", linewidth=1, linestyle="--", label="as promised")
    for name, coverage in curves.items():
        axes.plot(LEVELS, coverage, color=WAYS[name][1], linewidth=2, label=name)
    axes.set(xlim=(0, 1), ylim=(0, 1), aspect="equal", xlabel="level of the interval", ylabel="share of held-out values inside",
             title="Calibration under heavy-tailed noise")
    axes.legend(loc="upper left", frameon=False, fontsize=9)
    figure.savefig(path, dpi=150)


def main(path):
    X, y, places, truth = field()
    curves = {}
    for name, (keywords, _) in WAYS.items():
        model = surekrig.SureKrigRegressor(**keywords).fit(X, y)
        mean, sd = model.predict(places, return_std=True)
        scores = surekrig.scores(truth, mean, sd)
        curves[name] = surekrig.calibration(truth, mean, sd, LEVELS)
        at_80 = surekrig.calibration(truth, mean, sd, [0.8])[0]
        print(f"{name:40} RMSE {scores['rmse']:.4f}  CRPS {scores['crps']:.4f}  "
              f"coverage at 0.8: {at_80:.4f}, at 0.95: {scores['cov']:.4f}")
    draw(curves, path)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "calibration.png")
