"""metric.py SUREKRIG [WORD]...: fields and functions whose features have different length scales, or none, and measured data: surekrig
beside gstat, GpGp (where R can load it), exact Gaussian processes, boosted trees and nearest neighbours. Prints a page's tables, of
those data whose name has a WORD in it; scripts/metric runs it. What is not measured is made here, by seed."""
import math
import multiprocessing
import os
import resource
import signal
import subprocess
import sys
import tempfile
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
LIMIT = 1800  # seconds for each row of the tables
PEERS = Path(__file__).parent / "peers"

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


def made(make, rows):
    x, y, noise = make(rows + 3000)
    y = (y - y.mean()) / y.std() + noise * rng.standard_normal(len(y))
    return [((x[3000:], y[3000:]), (x[:3000], y[:3000]))]


# name, table, columns of features; its own split where there is a table of tests, else in five parts, five times
REAL = [("Meuse, log zinc", "meuse", [0, 1]), ("Meuse, with distance and height", "meuse", [0, 1, 2, 3]),
        ("Jura, log cadmium", "jura", [0, 1]), ("Swiss rain", "sic97", [0, 1]), ("German radiation", "sic2004", [0, 1])]


def measured(folder, table, columns):
    def read(name):
        rows = np.genfromtxt(folder / f"{name}.csv", delimiter=",", skip_header=1)
        return rows[:, columns], rows[:, -1]
    x, y = read(table)
    if (folder / f"{table}-test.csv").exists():
        return [((x, y), read(f"{table}-test"))]
    order = np.random.default_rng(1)
    parts = [part for _ in range(5) for part in np.array_split(order.permutation(len(y)), 5)]
    return [((np.delete(x, part, 0), np.delete(y, part)), (x[part], y[part])) for part in parts]


# ---- who predicts: means and standard deviations


def write(folder, train, test):
    names = ",".join(f"x{i + 1}" for i in range(train[0].shape[1]))
    np.savetxt(folder / "train.csv", np.c_[train[0], train[1]], delimiter=",", header=names + ",y", comments="", fmt="%.9g")
    np.savetxt(folder / "test.csv", test[0], delimiter=",", header=names, comments="", fmt="%.9g")
    return folder / "train.csv", folder / "test.csv", folder / "p.csv"


def surekrig(command, options, train, test):
    with tempfile.TemporaryDirectory() as work:
        data, places, out = write(Path(work), train, test)
        model = Path(work) / "m"
        subprocess.run([command, "fit", data, "-o", model, "-q", *options], check=True, capture_output=True)
        subprocess.run([command, "predict", model, places, "-o", out, "-q"], check=True, capture_output=True)
        columns = np.genfromtxt(out, delimiter=",", names=True)
        return columns["mean"], columns["sd"], columns["lower"], columns["upper"]


def by_r(script, arguments, train, test):
    with tempfile.TemporaryDirectory() as work:
        files = write(Path(work), train, test)
        subprocess.run(["Rscript", PEERS / script, *files, *arguments], check=True, capture_output=True)
        columns = np.genfromtxt(files[2], delimiter=",", names=True)
        return normal(columns["mean"], columns["sd"])


def has_gpgp():
    return subprocess.run(["Rscript", "-e", "library(GpGp)"], capture_output=True).returncode == 0


def normal(mean, sd):
    return mean, sd, mean - 1.959964 * sd, mean + 1.959964 * sd


def standardised(train, test):
    middle, spread = train[0].mean(0), train[0].std(0)
    spread = spread if len(spread) > 2 else spread.max()
    return (train[0] - middle) / spread, (test[0] - middle) / spread


def exact(train, test, rows, smoothness):
    """The likeliest of SMOOTHNESS; places have one length scale."""
    x, places = standardised(train, test)
    scales = [1.0] * x.shape[1] if x.shape[1] > 2 else 1.0

    def fitted(nu):
        kernel = ConstantKernel() * Matern(scales, (1e-2, 1e4), nu=nu) + WhiteKernel(1e-2, (1e-8, 1))
        return GaussianProcessRegressor(kernel, normalize_y=True).fit(x[:rows], train[1][:rows])
    process = max(map(fitted, smoothness), key=lambda process: process.log_marginal_likelihood_value_)
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


# ---- tables


def within(seconds, job):
    """What JOB returns, made by a process of its own, which ends with all it began after SECONDS; or a sentence."""
    here, there = multiprocessing.Pipe(False)

    def work():
        os.setsid()
        there.send(job())
    child = multiprocessing.get_context("fork").Process(target=work)
    child.start()
    there.close()
    try:
        return here.recv() if here.poll(seconds) else f"longer than {seconds} s"
    except EOFError:
        return "failed"
    finally:
        try:
            os.killpg(child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        child.join()


def processor_seconds():
    """Of all processes and threads begun here that have ended; what else the machine does hardly changes them."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def row(name, who, predict, splits):
    def all_splits():
        return [predict(*split) for split in splits]
    before = processor_seconds()
    parts = within(LIMIT, all_splits)
    took = (processor_seconds() - before) / len(splits)
    rows = f"{len(splits[0][0][1]):,}"
    if isinstance(parts, str):
        return print(f"| {name} | {rows} | {who} | {parts} | | | | |", flush=True)
    y = np.concatenate([test[1] for _, test in splits])
    cells = [f"{v:.3g}" if np.isfinite(v) else "" for v in scores(y, *map(np.concatenate, zip(*parts)))]
    if who == "10 nearest":
        cells[1] = ""
    if who == "LightGBM":  # two quantiles make no density
        cells[3] = ""
    print(f"| {name} | {rows} | {who} | {' | '.join(cells)} | {took:.1f} |", flush=True)


def table(cases):
    cases = list(cases)
    if not cases:
        return
    print("\n| data | rows | by | RMSE | COV | CRPS | log score | seconds |\n| --- | --- | --- | --- | --- | --- | --- | --- |")
    for name, splits, who in cases:
        for by, predict in who:
            row(name, by, predict, splits)


def by_surekrig(command, options):
    return lambda train, test: surekrig(command, options, train, test)


def peer(script, *arguments):
    return lambda train, test: by_r(script, arguments, train, test)


def on_earth(predict):
    """The same for places in space, in km."""
    def chords(degrees):
        lon, lat = np.radians(degrees).T
        return 6371 * np.c_[np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)]
    return lambda train, test: predict((chords(train[0]), train[1]), (chords(test[0]), test[1]))


def by_extents(predict):
    return lambda train, test: predict((train[0] / np.ptp(train[0], 0), train[1]), (test[0] / np.ptp(train[0], 0), test[1]))


# where gstat and GpGp have rows: what gstat is given, and the covariance of GpGp
KRIGING = {stations: (by_extents, "matern_spacetime"), globe: (on_earth, "matern_sphere")}


def simulated(command, gpgp, wanted):
    for name, make, rows, options in CASES:
        splits = made(make, rows)  # always: the next ones are of the same generator
        given = on_earth if make is globe else lambda predict: predict
        who = [("surekrig", by_surekrig(command, options)), ("surekrig --auto", by_surekrig(command, [*options, "--auto"])),
               ("one length scale", by_surekrig(command, ["--anisotropic", "no", "--scaling", "axis"]))]
        if make in KRIGING:
            scaled, covariance = KRIGING[make]
            who.append(("gstat", scaled(peer("gstat.R"))))
            who += [("GpGp", peer("gpgp.R", covariance))] * gpgp
        who += [(f"exact GP of {EXACT} rows", given(lambda train, test: exact(train, test, EXACT, [2.5]))), ("LightGBM", given(trees)),
                ("10 nearest", given(nearest))]
        if wanted(name):
            yield name, splits, who


def real(command, gpgp, wanted):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["Rscript", Path(__file__).parent / "real.R", folder], check=True)
        for name, file, columns in REAL:
            who = [("surekrig", by_surekrig(command, [])), ("surekrig --auto", by_surekrig(command, ["--auto"])), ("gstat", peer("gstat.R", "2"))]
            who += [("GpGp", peer("gpgp.R", "matern_isotropic", "2"))] * gpgp
            who += [("exact GP", lambda train, test: exact(train, test, len(train[1]), [0.5, 1.5, 2.5])), ("LightGBM", trees), ("10 nearest", nearest)]
            if wanted(name):
                yield name, measured(Path(folder), file, columns), who


def main(command, *words):
    def wanted(name):
        return not words or any(word in name for word in words)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that what runs within a limit ends too
    gpgp = has_gpgp()
    table(simulated(command, gpgp, wanted))
    table(real(command, gpgp, wanted))
    if not gpgp:
        print("\nR cannot load GpGp here; its rows are left out.")


if __name__ == "__main__":
    main(*sys.argv[1:])
