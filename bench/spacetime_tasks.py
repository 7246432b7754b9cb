"""Tasks in space and time by seed, each with its true model: floats that drift on the sphere, the tracks of an altimeter, stations in
odd units, with and without a season. rows(command, folder) yields lines of Markdown: the true model's RMSE (all data at once, an
unknown mean and, where there is a season, its known shape) and that of one command, surekrig krige."""

import csv
import math
import subprocess

import numpy as np
from scipy.linalg import cho_factor, cho_solve, cholesky
from scipy.special import gamma, kv


def matern(h, nu, rho):
    u = np.maximum(np.sqrt(2 * nu) * h / rho, 1e-10)
    return 2 ** (1 - nu) / gamma(nu) * u**nu * kv(nu, u)


def chords(lon, lat):
    lon, lat = np.radians(lon), np.radians(lat)
    return 6371 * np.c_[np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)]


def floats(draw):
    """A region and a month held out."""
    rows = []
    for _ in range(60):
        lon, lat, day = draw.uniform(-60, -10), draw.uniform(15, 50), draw.uniform(0, 310)
        for i in range(draw.integers(20, 40)):
            rows.append((lon, lat, day + 10 * i))
            lon, lat = lon + draw.normal(0, 0.35), lat + draw.normal(0, 0.25)
    table = np.array(rows)
    lon, lat, day = table.T
    held = ((abs(lon + 35) < 6) & (abs(lat - 33) < 5)) | ((day > 300) & (day < 330))
    return table, chords(lon, lat), day, held, lambda h, t: matern(h, 1.5, 500) * np.exp(-t / 60)


def tracks(draw):
    """Passes of minutes, some regions held out for 36 hours."""
    rows = []
    for number in range(110):
        hour, middle, way = 1.24 * number + draw.uniform(0, 0.05), draw.uniform(-70, -10), 1 if number % 2 == 0 else -1
        for i, lat in enumerate(np.arange(20, 52, 0.9)[::way]):
            lon = middle + way * 0.45 * (lat - 36)
            if -60 < lon < -20:
                rows.append((lon, lat, hour + 0.004 * i))
    table = np.array(rows)
    lon, lat, hour = table.T
    held = np.zeros(len(table), bool)
    for _ in range(8):
        held |= (abs(lon - draw.uniform(-55, -25)) < 6) & (abs(lat - draw.uniform(24, 48)) < 5) & (abs(hour - draw.uniform(10, 120)) < 18)
    return table, chords(lon, lat), hour, held, lambda h, t: matern(h, 1, 600) * np.exp(-t / 24)


def stations(draw):
    """37 stations by 90 days, nine held out whole; metres of a UTM zone and seconds since 1970."""
    places, out = draw.uniform(0, 1, (37, 2)), draw.permutation(37) < 9
    of, day = (part.ravel() for part in np.meshgrid(np.arange(37), np.arange(90.0)))
    kept = draw.random(len(day)) > 0.1
    of, day = of[kept].astype(int), day[kept]
    table = np.c_[8e4 * places[of] + (4.5e5, 5.2e6), 86400 * day + 1.7e9]
    return table, places[of], day, out[of], lambda h, t: matern(h, 1.5, 0.3) * np.exp(-t / 4.5)


def apart(x):
    square = (x**2).sum(1)
    return np.sqrt(np.maximum(square[:, None] + square - 2 * x @ x.T, 0))


def truth(covariance, y, held, columns, noise):
    """What the true model says of the held-out rows."""
    seen = ~held
    factor = cho_factor(covariance[np.ix_(seen, seen)] + noise**2 * np.eye(seen.sum()))
    solved = cho_solve(factor, np.c_[columns[seen], y[seen]])
    slopes = np.linalg.solve(columns[seen].T @ solved[:, :-1], columns[seen].T @ solved[:, -1])
    return columns[held] @ slopes + covariance[np.ix_(held, seen)] @ (solved[:, -1] - solved[:, :-1] @ slopes)


def task(command, folder, make, season, options, noise=0.2):
    draw = np.random.default_rng(1)
    table, space, time, held, covariance = make(draw)
    full = covariance(apart(space), abs(time[:, None] - time))
    wave = 2 * np.pi * time / (time.max() - time.min())
    y = cholesky(full + 1e-8 * np.eye(len(time)), lower=True) @ draw.normal(size=len(time))
    y += noise * draw.normal(size=len(time)) + season * np.cos(wave)
    columns = np.c_[np.ones(len(time)), np.cos(wave), np.sin(wave)][:, : 3 if season else 1]
    train, points, out = (folder / f"task-{name}.csv" for name in ("train", "points", "out"))
    for path, rows, names in ((train, np.c_[table, y][~held], "a,b,t,v"), (points, table[held], "a,b,t")):
        with open(path, "w", newline="") as file:
            csv.writer(file).writerows([names.split(","), *(map(repr, map(float, row)) for row in rows)])
    subprocess.run([command, "krige", train, points, "-o", out, "-q", "--threads", "1", "--time", "t", *options], check=True)
    made = np.genfromtxt(out, delimiter=",", names=True)
    rmse = [math.sqrt(np.mean((y[held] - mean) ** 2)) for mean in (truth(full, y, held, columns, noise), made["mean"])]
    inside = np.mean((y[held] >= made["lower"]) & (y[held] <= made["upper"]))
    return f"| {rmse[0]:.3f} | {rmse[1]:.3f} ({100 * (rmse[1] / rmse[0] - 1):+.1f} %) | {inside:.3f} |"


def rows(command, folder):
    for name, make, season, options in (("floats, a region and a month held out", floats, 0, ["--sphere", "a,b"]),
                                        ("tracks of an altimeter, regions held out", tracks, 0, ["--sphere", "a,b"]),
                                        ("37 stations, nine held out, metres and seconds", stations, 0, []),
                                        ("the same, with a season of 3", stations, 3, [])):
        yield f"| {name} {task(command, folder, make, season, options)}"
