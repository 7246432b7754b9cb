"""metric.py SUREKRIG: fields and functions whose features have different length scales, or none: surekrig beside exact Gaussian
processes, boosted trees and nearest neighbours. Prints a page's tables; scripts/metric runs it. Everything is made here, by seed."""
import math
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import lightgbm
import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import Matern, WhiteKernel, ConstantKernel
from sklearn.neighbors import KNeighborsRegressor

warnings.filterwarnings("ignore")
rng = np.random.default_rng(1)
EXACT = 1000  # rows of the exact process: its cost goes with the cube

# ---- data


def field(x, rho, nu, waves=3000):
    """A draw of a Matérn field, as a sum of many random waves."""
    w = rng.standard_normal((waves, x.shape[1])) / np.array(rho) * np.sqrt(nu / rng.gamma(nu, 1, (waves, 1)))
    phase = rng.uniform(0, 2 * np.pi, waves)
    return np.concatenate([np.cos(part @ w.T + phase).sum(1) for part in np.array_split(x, 20)]) * math.sqrt(2 / waves)


def box(n, low, high):
    return rng.uniform(low, high, (n, len(low)))


def stations(n):
    x = box(n, [0, 0, 0], [1000, 1000, 365])
    return x, field(x, [150, 150, 10], 1), 0.1


def globe(n):
    z = rng.uniform(-1, 1, n)
    lon, lat = rng.uniform(-180, 180, n), np.degrees(np.arcsin(z))
    c = np.cos(np.radians(lat))
    p = 6371 * np.c_[c * np.cos(np.radians(lon)), c * np.sin(np.radians(lon)), z]
    return np.c_[lon, lat], field(p, [800] * 3, 1), 0.1


def borehole(n):
    x = box(n, [.05, 100, 63070, 990, 63.1, 700, 1120, 9855], [.15, 50000, 115600, 1110, 116, 820, 1680, 12045])
    rw, r, tu, hu, tl, hl, length, kw = x.T
    log = np.log(r / rw)
    return x, 2 * np.pi * tu * (hu - hl) / (log * (1 + 2 * length * tu / (log * rw**2 * kw) + tu / tl)), 0.01


def piston(n):
    x = box(n, [30, .005, .002, 1000, 90000, 290, 340], [60, .02, .01, 5000, 110000, 296, 360])
    m, s, v0, k, p0, ta, t0 = x.T
    a = p0 * s + 19.62 * m - k * v0 / s
    v = s / (2 * k) * (np.sqrt(a**2 + 4 * k * p0 * v0 / t0 * ta) - a)
    return x, 2 * np.pi * np.sqrt(m / (k + s**2 * p0 * v0 / t0 * ta / v**2)), 0.01


def circuit(n):
    x = box(n, [50, 25, .5, 1.2, .25, 50], [150, 70, 3, 2.5, 1.2, 300])
    b1, b2, f, c1, c2, beta = x.T
    q = beta * (c2 + 9)
    return x, (12 * b2 / (b1 + b2) + .74) * q / (q + f) + 11.35 * f / (q + f) + .74 * f * q / ((q + f) * c1), 0.01


def robot(n):
    x = box(n, [0] * 8, [2 * np.pi] * 4 + [1] * 4)
    angle = np.cumsum(x[:, :4], 1)
    return x, np.hypot((x[:, 4:] * np.cos(angle)).sum(1), (x[:, 4:] * np.sin(angle)).sum(1)), 0.01


def with_inert(make, more):
    def made(n):
        x, y, noise = make(n)
        return np.c_[x, rng.uniform(0, 1, (n, more))], y, noise
    return made


def wide(n):
    x = rng.uniform(0, 1, (n, 30))
    return x, np.sin(6 * x[:, 0]) + 2 * x[:, 1]**2 + np.cos(5 * x[:, 2] * x[:, 3]) + x[:, 4] + np.sin(9 * x[:, 5]) / 2, 0.1


CASES = [("space and time", stations, 24000, []), ("the globe", globe, 12000, ["--sphere", "x1,x2"]), ("borehole, 8", borehole, 10000, []),
         ("piston, 7 and 5 inert", with_inert(piston, 5), 10000, []), ("circuit, 6 and 5 inert", with_inert(circuit, 5), 10000, []),
         ("robot arm, 8", robot, 10000, []), ("30, of which 6 matter", wide, 50000, [])]

# ---- who predicts: means and standard deviations


def surekrig(command, options, train, test):
    with tempfile.TemporaryDirectory() as work:
        work = Path(work)
        names = ",".join(f"x{i + 1}" for i in range(train[0].shape[1]))
        np.savetxt(work / "train.csv", np.c_[train[0], train[1]], delimiter=",", header=names + ",y", comments="", fmt="%.9g")
        np.savetxt(work / "test.csv", test[0], delimiter=",", header=names, comments="", fmt="%.9g")
        subprocess.run([command, "fit", work / "train.csv", "-o", work / "m", "-q", *options], check=True, capture_output=True)
        subprocess.run([command, "predict", work / "m", work / "test.csv", "-o", work / "p.csv", "-q"], check=True, capture_output=True)
        columns = np.genfromtxt(work / "p.csv", delimiter=",", names=True)
        return columns["mean"], columns["sd"], columns["lower"], columns["upper"]


def normal(mean, sd):
    return mean, sd, mean - 1.959964 * sd, mean + 1.959964 * sd


def standardised(train, test):
    middle, spread = train[0].mean(0), train[0].std(0)
    return (train[0] - middle) / spread, (test[0] - middle) / spread


def exact(train, test):
    x, places = standardised(train, test)
    kernel = ConstantKernel() * Matern([1.0] * x.shape[1], (1e-2, 1e4), nu=2.5) + WhiteKernel(1e-2, (1e-8, 1))
    process = GaussianProcessRegressor(kernel, normalize_y=True).fit(x[:EXACT], train[1][:EXACT])
    return normal(*process.predict(places, return_std=True))


def trees(train, test):
    def fitted(**how):
        model = lightgbm.LGBMRegressor(n_estimators=1000, learning_rate=0.05, num_leaves=63, n_jobs=2, verbose=-1, **how)
        return model.fit(*train).predict(test[0])
    low, high = fitted(objective="quantile", alpha=0.025), fitted(objective="quantile", alpha=0.975)
    mean = fitted()
    return mean, np.maximum(high - low, 1e-9) / (2 * 1.959964), low, high


def nearest(train, test):
    x, places = standardised(train, test)
    model = KNeighborsRegressor(10, weights="distance", n_jobs=2).fit(x, train[1])
    return normal(model.predict(places), np.full(len(places), np.nan))


# ---- scores


def scores(y, mean, sd, lower, upper):
    z = (y - mean) / sd
    density = np.exp(-z**2 / 2) / math.sqrt(2 * math.pi)
    share = np.array([math.erf(v / math.sqrt(2)) for v in z])
    crps = np.mean(sd * (z * share + 2 * density - 1 / math.sqrt(math.pi)))
    log = np.mean(-np.log(sd) - z**2 / 2) - math.log(2 * math.pi) / 2
    return math.sqrt(np.mean((y - mean)**2)), np.mean((lower <= y) & (y <= upper)), crps, log


def main(command):
    print("| data | rows | by | RMSE | COV | CRPS | log score | seconds |\n| --- | --- | --- | --- | --- | --- | --- | --- |")
    for name, make, rows, options in CASES:
        x, y, noise = make(rows + 3000)
        y = (y - y.mean()) / y.std() + noise * rng.standard_normal(len(y))
        train, test = (x[3000:], y[3000:]), (x[:3000], y[:3000])
        how = [("surekrig", lambda: surekrig(command, options, train, test)),
               ("surekrig --auto", lambda: surekrig(command, [*options, "--auto"], train, test)),
               ("one length scale", lambda: surekrig(command, ["--anisotropic", "no", "--scaling", "axis"], train, test)),
               (f"exact GP of {EXACT} rows", lambda: exact(train, test)), ("LightGBM", lambda: trees(train, test)),
               ("10 nearest", lambda: nearest(train, test))]
        for who, predict in how:
            start = time.time()
            made = predict()
            took = time.time() - start
            cells = [f"{v:.3g}" if np.isfinite(v) else "" for v in scores(test[1], *made)]
            if who == "10 nearest":
                cells[1] = ""
            if who == "LightGBM":  # two quantiles make no density
                cells[3] = ""
            print(f"| {name} | {rows:,} | {who} | {' | '.join(cells)} | {took:.1f} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
