#!/usr/bin/env python3
"""fill_gaps.py [PICTURE.png]: a simulated field under clouds is filled, and the picture shows what was seen, the mean, its standard
deviation, and how many of the hidden values lie in their intervals at every level. The places to fill are the fit's targets, and
auto chooses the model by points held out like them.

    pip install . matplotlib && python examples/python/fill_gaps.py gaps.png
"""
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import surekrig

SIZE, LEVELS = 64, np.linspace(0.02, 0.98, 25)
CLOUDS = ((0.3, 0.65, 0.16), (0.72, 0.3, 0.12), (0.78, 0.8, 0.09))  # centre and radius


def field():
    """Places on a grid, a noisy draw there, and which of them are hidden."""
    axis = np.linspace(0, 1, SIZE)
    X = np.stack(np.meshgrid(axis, axis, indexing="ij"), -1).reshape(-1, 2)
    y = surekrig.simulate(grid=(SIZE, SIZE), nu=0.8, rho=0.25, tau2=0.02, seed=3).ravel()
    return X, y, np.any([np.hypot(X[:, 0] - a, X[:, 1] - b) < radius for a, b, radius in CLOUDS], axis=0)


def coverage(model, places, truth):
    """Share inside at each level, by the model's own quantiles."""
    ends = [model.predict_interval(places, level) for level in LEVELS]
    return [np.mean((lower < truth) & (truth < upper)) for lower, upper in ends]


def draw_map(axes, values, title, **how):
    image = axes.imshow(values.reshape(SIZE, SIZE).T, origin="lower", extent=(0, 1, 0, 1), **how)
    axes.set(title=title, xticks=[], yticks=[])
    axes.figure.colorbar(image, ax=axes, shrink=0.85)


def draw(seen, mean, sd, shares, path):
    figure, axes = plt.subplots(2, 2, figsize=(9.6, 7.6), layout="constrained")
    figure.get_layout_engine().set(wspace=0.08)
    colours = dict(vmin=np.nanmin(seen), vmax=np.nanmax(seen), cmap="viridis")
    draw_map(axes[0, 0], seen, "seen", **colours)
    draw_map(axes[0, 1], mean, "gaps filled", **colours)
    draw_map(axes[1, 0], sd, "standard deviation in the gaps", cmap="magma")
    axes[1, 1].plot([0, 1], [0, 1], color="0.6", linewidth=1, linestyle="--", label="as promised")
    axes[1, 1].plot(LEVELS, shares, color="#1f6fb4", linewidth=2, label="reached")
    axes[1, 1].set(xlim=(0, 1), ylim=(0, 1), aspect="equal", xlabel="level of the interval",
                   ylabel="share of hidden values inside", title="calibration in the gaps")
    axes[1, 1].legend(loc="upper left", frameon=False, fontsize=9)
    figure.savefig(path, dpi=150)


def main(path):
    X, y, hidden = field()
    model = surekrig.SureKrigRegressor(auto=True).fit(X[~hidden], y[~hidden], targets=X[hidden])
    for trial in model.trials_:
        print(f"{trial['what']:20} CRPS {trial['crps']:.4f} ± {trial['error']:.4f}{'  kept' if trial['kept'] else ''}")
    mean, sd = y.copy(), np.full(len(y), np.nan)
    mean[hidden], sd[hidden] = model.predict(X[hidden], return_std=True)
    lower, upper = model.predict_interval(X[hidden], 0.95)
    print(f"held out like the targets: RMSE {model.held_out_['rmse']:.4f}, coverage at 0.95: {model.held_out_['cov']:.4f}")
    print(f"in the gaps:               RMSE {np.sqrt(np.mean((y - mean)[hidden] ** 2)):.4f}, coverage at 0.95: "
          f"{np.mean((lower < y[hidden]) & (y[hidden] < upper)):.4f}")
    draw(np.where(hidden, np.nan, y), mean, sd, coverage(model, X[hidden], y[hidden]), path)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "gaps.png")
