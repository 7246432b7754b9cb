"""The data sets of the battery, made here by seed, and the three ways of leaving points of them out. See battery.py."""
import math
import zlib

import numpy as np
from scipy.special import gamma, kv

WAVES = 4000

# ---- places


def box(rng, n, low, high):
    return rng.uniform(low, high, (n, len(low)))


def unit(rng, n, d=2):
    return rng.uniform(0, 1, (n, d))


def tracks(rng, n, lines=40):
    """Straight lines across the square, each point a little beside its line."""
    line, along = rng.integers(0, lines, n), rng.uniform(-.7, .7, n)
    angle, shift = rng.choice([.35, -.35], lines)[line], rng.uniform(-.1, 1.1, lines)[line]
    x = np.c_[shift + along * np.sin(angle), .5 + along * np.cos(angle)] + 1e-3 * rng.standard_normal((n, 2))
    return np.clip(x, 0, 1) + 1e-6 * rng.standard_normal((n, 2))  # lines that leave the square follow its edge


def voyages(rng, n, ships=8):
    """Ships that turn slowly: random walks of the heading, at one pace, in a box without walls."""
    each = -(-n // ships)
    heading = rng.uniform(0, 2 * np.pi, (ships, 1)) + np.cumsum(.05 * rng.standard_normal((ships, each)), 1)
    path = unit(rng, ships)[:, None] + np.cumsum(np.stack([np.cos(heading), np.sin(heading)], 2), 1) * 2 / each
    return path.reshape(-1, 2)[:n]


def towns(rng, n, count=30):
    """Three quarters of the points in towns of different sizes, the others anywhere."""
    at = unit(rng, count)[rng.integers(0, count, n)] + .02 * rng.exponential(1, (n, 1)) * rng.standard_normal((n, 2))
    return np.where(rng.uniform(0, 1, (n, 1)) < .75, at, unit(rng, n))


def drilled(rng, n, holes=50):
    """Vertical holes, the third coordinate the depth."""
    return np.c_[unit(rng, holes)[rng.integers(0, holes, n)], rng.uniform(0, .3, n)]


# ---- fields


def waves(rng, x, rho, nu):
    """A draw of a Matérn field of variance 1, as a sum of many random waves."""
    w = rng.standard_normal((WAVES, x.shape[1])) / np.array(rho) * np.sqrt(nu / rng.gamma(nu, 1, (WAVES, 1)))
    phase = rng.uniform(0, 2 * np.pi, WAVES)
    parts = np.array_split(x, max(1, len(x) // 2000))
    return np.concatenate([np.cos(part @ w.T + phase).sum(1) for part in parts]) * math.sqrt(2 / WAVES)


def raster(rng, n, rho, nu):
    """Cells of a grid, three wide to two high, and on them a Matérn draw by circulant embedding; n cells of it at random."""
    high = math.ceil(math.sqrt(n / 1.5))
    wide = -(-n // high)
    apart = [np.minimum(np.arange(4 * m), 4 * m - np.arange(4 * m)) / wide for m in (high, wide)]
    u = math.sqrt(2 * nu) / rho * np.hypot(*np.meshgrid(*apart, indexing="ij"))
    u[0, 0] = 1
    covariance = 2 ** (1 - nu) / gamma(nu) * u**nu * kv(nu, u)
    covariance[0, 0] = 1
    root = np.sqrt(np.maximum(np.fft.fft2(covariance).real, 0))
    noise = rng.standard_normal(u.shape) + 1j * rng.standard_normal(u.shape)
    z = np.fft.ifft2(root * noise).real[:high, :wide] * math.sqrt(u.size)
    i, j = np.meshgrid(np.arange(high), np.arange(wide), indexing="ij")
    cells = np.sort(rng.permutation(high * wide)[:n])
    return (np.c_[j.ravel(), i.ravel()][cells] + .5) / wide, z.ravel()[cells]


def knowing(made, rho, nu, noise):
    """With what a fit would have to find: the options that say it."""
    made.truth = (f"--nu {nu} --rho {','.join(map(str, np.atleast_1d(rho)))} --tau2 {noise**2} --gamma2 1 --mean zero --sectors no "
                  "--variance global --interval gaussian --coverage none")
    return made


def field(rho, nu, noise=0.0, d=2, places=unit):
    """A stationary field with normal noise, of that standard deviation beside the field's 1."""
    def made(rng, n):
        x = places(rng, n) if places is not unit else unit(rng, n, d)
        return x, waves(rng, x, rho, nu) + noise * rng.standard_normal(n)
    return knowing(made, rho, nu, noise)


def gridded(rho, nu, noise=0.0):
    def made(rng, n):
        x, z = raster(rng, n, rho, nu)
        return x, z + noise * rng.standard_normal(n)
    return knowing(made, rho, nu, noise)


# ---- unlike the model


def heavy(rng, n):
    x = unit(rng, n)
    return x, waves(rng, x, .2, 1) + .2 * rng.standard_t(3, n)


def outliers(rng, n):
    x = unit(rng, n)
    return x, waves(rng, x, .2, 1) + np.where(rng.uniform(0, 1, n) < .02, 5, .1) * rng.standard_normal(n)


def rough_half(rng, n):
    x, rough = raster(rng, n, .05, .3)
    return x, np.where(x[:, 0] < .5, rough, waves(rng, x, .3, 1.5)) + .02 * rng.standard_normal(n)


def varying_variance(rng, n):
    x = unit(rng, n)
    return x, np.exp(waves(rng, x, .3, 2.5)) * waves(rng, x, .05, 1) + .02 * rng.standard_normal(n)


def varying_noise(rng, n):
    x = unit(rng, n)
    return x, waves(rng, x, .2, 1.5) + .3 * np.exp(waves(rng, x, .4, 2.5)) * rng.standard_normal(n)


def rain(rng, n):
    x = unit(rng, n)
    return x, np.maximum(0, waves(rng, x, .15, .8) - .3 + .1 * rng.standard_normal(n)) ** 1.5 * 10


def lognormal(rng, n):
    x = unit(rng, n)
    return x, np.exp(1.2 * waves(rng, x, .1, .8) + .1 * rng.standard_normal(n))


def counts(rng, n):
    x = unit(rng, n)
    return x, rng.poisson(np.exp(1 + waves(rng, x, .2, 1)))


def rounded(rng, n):
    x = np.round(unit(rng, n), 3)
    return x, np.round(10 * waves(rng, x, .2, 1) + rng.standard_normal(n)) / 2


def faults(rng, n):
    """Fields of their own in a dozen regions, with jumps between them."""
    x = unit(rng, n)
    seeds = unit(rng, 12)
    region = ((x[:, None] - seeds) ** 2).sum(2).argmin(1)
    return x, 2 * rng.standard_normal(12)[region] + .5 * waves(rng, x, .1, 1.5) + .05 * rng.standard_normal(n)


def white(rng, n):
    return unit(rng, n), rng.standard_normal(n)


def two_scales(rng, n):
    x, short = raster(rng, n, .015, .5)
    return x, waves(rng, x, .5, 1.5) + .4 * short + .05 * rng.standard_normal(n)


def replicates(each, noise):
    """Several noisy values at each place."""
    def made(rng, n):
        x = unit(rng, -(-n // each))[rng.integers(0, -(-n // each), n)]
        return x, waves(rng, x, .2, 1.5) + noise * rng.standard_normal(n)
    return made


# ---- trends and directions


def trend(rng, n):
    x = unit(rng, n)
    return x, 8 * x[:, 0] - 5 * x[:, 1] + 4 * x[:, 0] ** 2 + waves(rng, x, .1, 1) + .1 * rng.standard_normal(n)


def utm(rng, n):
    """Far from the origin, in meters, with a response far from 0."""
    x = unit(rng, n)
    return np.c_[5e5, 5.2e6] + 2e4 * x, 101325 + 300 * (3 * x[:, 0] + waves(rng, x, .15, 1) + .1 * rng.standard_normal(n))


def elevation(rng, n):
    """Temperature at stations: a lapse with height, which is rough terrain, and a field."""
    x = unit(rng, n)
    height = 800 * np.exp(.8 * waves(rng, x, .1, 1))
    return np.c_[x * 300, height], 15 - .0065 * height + 1.5 * waves(rng, x, .3, 1.5) + .3 * rng.standard_normal(n)


def rotated(rng, n):
    x = unit(rng, n)
    c, s = math.cos(.52), math.sin(.52)
    return x, waves(rng, x @ np.array([[c, -s], [s, c]]), [.4, .04], 1) + .1 * rng.standard_normal(n)


# ---- space and time


def globe(rng, n):
    z = rng.uniform(-1, 1, n)
    lon, lat = rng.uniform(-180, 180, n), np.degrees(np.arcsin(z))
    c = np.cos(np.radians(lat))
    p = np.c_[c * np.cos(np.radians(lon)), c * np.sin(np.radians(lon)), z]
    return np.c_[lon, lat], waves(rng, p, .15, 1) + .1 * rng.standard_normal(n)


def space_time(rng, n):
    x = box(rng, n, [0, 0, 0], [1000, 1000, 365])
    return x, waves(rng, x, [150, 150, 10], 1) + .1 * rng.standard_normal(n)


def stations(rng, n):
    """A reading a day, of which some are missing, at sixty stations."""
    days = -(-n // 50)
    cells = rng.permutation(60 * days)[:n]
    x = np.c_[box(rng, 60, [0, 0], [500, 500])[cells % 60], cells // 60]
    season = 8 * np.cos(2 * np.pi * x[:, 2] / 365)
    return x, season + 3 * waves(rng, x, [200, 200, 4], .8) + .5 * rng.standard_normal(n)


def seasons(rng, n):
    t = np.sort(rng.uniform(0, 1500, n))[:, None]
    year, week = 10 * np.cos(2 * np.pi * t[:, 0] / 365), 2 * np.sin(2 * np.pi * t[:, 0] / 7)
    return t, year + week + 2 * waves(rng, t, 3, .5) + .3 * rng.standard_normal(n)


def steps(rng, n):
    t = unit(rng, n, 1)
    return t, rng.standard_normal(12)[(t[:, 0] * 11.99).astype(int)] + .1 * rng.standard_normal(n)


# ---- functions of computer experiments


def with_noise(formula, low, high, noise, inert=0):
    """A function over a box, of variance 1, with noise and inputs that do not matter."""
    def made(rng, n):
        x = box(rng, n, low, high)
        y = formula(*x.T)
        return np.c_[x, unit(rng, n, inert)], (y - y.mean()) / y.std() + noise * rng.standard_normal(n)
    return made


def borehole(rw, r, tu, hu, tl, hl, length, kw):
    log = np.log(r / rw)
    return 2 * np.pi * tu * (hu - hl) / (log * (1 + 2 * length * tu / (log * rw**2 * kw) + tu / tl))


def piston(m, s, v0, k, p0, ta, t0):
    a = p0 * s + 19.62 * m - k * v0 / s
    v = s / (2 * k) * (np.sqrt(a**2 + 4 * k * p0 * v0 / t0 * ta) - a)
    return 2 * np.pi * np.sqrt(m / (k + s**2 * p0 * v0 / t0 * ta / v**2))


def circuit(b1, b2, f, c1, c2, beta):
    q = beta * (c2 + 9)
    return (12 * b2 / (b1 + b2) + .74) * q / (q + f) + 11.35 * f / (q + f) + .74 * f * q / ((q + f) * c1)


def robot(*x):
    angle, length = np.cumsum(x[:4], 0), np.array(x[4:])
    return np.hypot((length * np.cos(angle)).sum(0), (length * np.sin(angle)).sum(0))


def friedman(a, b, c, d, e):
    return 10 * np.sin(np.pi * a * b) + 20 * (c - .5) ** 2 + 10 * d + 5 * e


def ishigami(a, b, c):
    return np.sin(a) + 7 * np.sin(b) ** 2 + .1 * c**4 * np.sin(a)


def wing(s, w, a, angle, q, taper, tc, nz, dg, wp):
    c = np.cos(np.radians(angle))
    return .036 * s**.758 * w**.0035 * (a / c**2) ** .6 * q**.006 * taper**.04 * (100 * tc / c) ** -.3 * (nz * dg) ** .49 + s * wp


BOREHOLE = borehole, [.05, 100, 63070, 990, 63.1, 700, 1120, 9855], [.15, 50000, 115600, 1110, 116, 820, 1680, 12045]
PISTON = piston, [30, .005, .002, 1000, 90000, 290, 340], [60, .02, .01, 5000, 110000, 296, 360]
CIRCUIT = circuit, [50, 25, .5, 1.2, .25, 50], [150, 70, 3, 2.5, 1.2, 300]
ROBOT = robot, [0] * 8, [2 * np.pi] * 4 + [1] * 4
FRIEDMAN = friedman, [0] * 5, [1] * 5
ISHIGAMI = ishigami, [-np.pi] * 3, [np.pi] * 3
WING = wing, [150, 220, 6, -10, 16, .5, .08, 2.5, 1700, .025], [200, 300, 10, 10, 45, 1, .18, 6, 2500, .08]

# ---- the table: name, training points, what makes them; those of --quick begin with a star

SETS = [
    ("*series-200", 200, field(.1, 1.5, .2, d=1)),
    ("series-smooth", 500, field(.05, 2.5, .05, d=1)),
    ("series-rough", 5000, field(.02, .5, 0, d=1)),
    ("series-seasons", 10000, seasons),
    ("*series-steps", 500, steps),
    ("*small-200", 200, field(.2, 1, .1)),
    ("small-smooth-200", 200, field(.5, 2.5, 0)),
    ("small-noisy-500", 500, field(.2, 1, 1)),
    ("*matern-exp", 20000, field(.1, .5, .1)),
    ("matern-exp-short", 20000, field(.02, .5, .3)),
    ("matern-rough", 20000, field(.3, .25, 0)),
    ("matern-1", 5000, field(.2, 1, 0)),
    ("*matern-smooth", 10000, field(.1, 2.5, .01)),
    ("*matern-smooth-noisy", 10000, field(.3, 2.5, .5)),
    ("matern-large", 200000, field(.1, 1, .1)),
    ("matern-3d", 20000, field(.3, 1.5, .1, d=3)),
    ("matern-3d-500", 500, field(.4, 1, .1, d=3)),
    ("*matern-5d", 50000, field(1, 2.5, .05, d=5)),
    ("matern-10d", 5000, field(3, 1.5, .1, d=10)),
    ("*raster-exp", 60000, gridded(.1, .5)),
    ("raster-smooth", 60000, gridded(.1, 1.5, .1)),
    ("raster-large", 200000, gridded(.05, .8, .05)),
    ("*raster-rough-half", 20000, rough_half),
    ("raster-two-scales", 20000, two_scales),
    ("*noise-heavy", 5000, heavy),
    ("noise-outliers", 5000, outliers),
    ("noise-varying", 10000, varying_noise),
    ("noise-alone", 2000, white),
    ("*variance-varying", 10000, varying_variance),
    ("*rain", 5000, rain),
    ("rain-500", 500, rain),
    ("lognormal", 5000, lognormal),
    ("counts", 5000, counts),
    ("rounded", 5000, rounded),
    ("faults", 5000, faults),
    ("*replicates", 2000, replicates(5, .5)),
    ("replicates-many", 20000, replicates(20, .2)),
    ("*tracks", 20000, field(.1, 1, .1, places=tracks)),
    ("voyages", 5000, field(.2, 1.5, .1, places=voyages)),
    ("*towns", 3000, field(.1, 1, .2, places=towns)),
    ("drilled", 3000, field([.2, .2, .05], .8, .1, places=drilled)),
    ("*trend", 2000, trend),
    ("utm", 5000, utm),
    ("elevation", 3000, elevation),
    ("anisotropic", 5000, field([.3, .03], 1, .1)),
    ("*rotated", 5000, rotated),
    ("globe", 10000, globe),
    ("*space-time", 24000, space_time),
    ("stations", 24000, stations),
    ("*borehole-200", 200, with_noise(*BOREHOLE, .01)),
    ("borehole", 10000, with_noise(*BOREHOLE, .01)),
    ("piston-inert", 10000, with_noise(*PISTON, .01, inert=3)),
    ("robot", 10000, with_noise(*ROBOT, .01)),
    ("*friedman-inert", 2000, with_noise(*FRIEDMAN, .2, inert=5)),
    ("circuit-500", 500, with_noise(*CIRCUIT, .01)),
    ("ishigami", 1000, with_noise(*ISHIGAMI, .05)),
    ("wing", 2000, with_noise(*WING, .01)),
]

# ---- points left out: which are tested, and which may not be trained on


def leave_random(rng, x, most):
    test = np.zeros(len(x), bool)
    test[rng.permutation(len(x))[:most]] = True
    return test


def leave_blocks(rng, x, _, share=.15):
    """Whole cells of a partition; in more than three dimensions a slice through one of them."""
    d = x.shape[1]
    if d > 3:
        rank = x[:, rng.integers(d)].argsort().argsort() / len(x)
        start = rng.uniform(0, 1 - share)
        return (start <= rank) & (rank < start + share)
    parts = (40, 8, 4)[d - 1]
    cell = (np.minimum((x * parts).astype(int), parts - 1) * parts ** np.arange(d)).sum(1)
    size, test = np.bincount(cell, minlength=parts**d), np.zeros(len(x), bool)
    for c in rng.permutation(parts**d):  # one that holds too many stays
        if test.mean() < share and size[c] <= 2 * share * len(x):
            test |= cell == c
    return test


def leave_clouds(rng, x, _, share=.2):
    cloud = waves(rng, x, .08, 1.5)
    return cloud > np.quantile(cloud, 1 - share)


def leave_clusters(rng, x, most, centers=12):
    """Points near a few of them: the nearer, the more likely."""
    near = np.min([((x - x[c]) ** 2).sum(1) for c in rng.permutation(len(x))[:centers]], 0)
    width = np.quantile(near[near > 0], .04)
    weight = -near / (2 * width) + rng.gumbel(0, 1, len(x))  # a weighted draw without replacement
    return weight >= np.sort(weight)[-min(most, len(x) // 8)]


def hold_outs(name, d):
    kinds = {"random": leave_random, "blocked": leave_clouds if name.startswith("raster") else leave_blocks, "clustered": leave_clusters}
    if d > 3:  # all is far from all: no clusters
        del kinds["clustered"]
    return kinds


def splits(name, n, make, draw):
    """The set's hold-outs, each with its training and its test rows; the response is the last column."""
    seed = [draw, zlib.crc32(name.encode())]
    most = min(4000, max(1000, n // 5))
    x, y = make(np.random.default_rng(seed), n + most)
    inside = (x - x.min(0)) / np.ptp(x, 0)
    rows = np.c_[x, y]
    for number, (kind, leave) in enumerate(hold_outs(name, x.shape[1]).items(), 1):
        rng = np.random.default_rng([*seed, number])
        test = leave(rng, inside, most)
        yield kind, rng.permutation(rows[~test])[:n], rng.permutation(rows[test])[:most]


def columns(name, d):
    return ["lon", "lat"] if name == "globe" else [f"x{i + 1}" for i in range(d)]
