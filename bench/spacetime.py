"""spacetime.py COMMAND FOLDER [tasks|air|bcsd|year [SIDE [DAYS]]]...: the measured tables of docs/space-time.md, in Markdown, and its pictures in FOLDER.

tasks: simulated tables whose true model is known (spacetime_tasks.py). air: PM10 at stations by day, every fifth station held out whole, or every fifth row; beside gstat in space and time, gstat day by
day and, where R can load it, GpGp. bcsd: twelve months of temperature and of rain with discs laid over each month; the four ways of
'surekrig fill'. year: 365 simulated days of 250 x 250 pixels, or so many, with clouds: time and memory; it can be interrupted. What is
held out is never used to choose.
"""

import csv
import math
import os
import random
import resource
import subprocess
import sys
import time
from pathlib import Path

import netCDF4
import numpy as np

HERE = Path(__file__).parent
LIMIT = 1800  # seconds


def timed(command, limit=LIMIT):
    """Seconds on the clock and of the processor, and MiB at most; None where it failed or took too long."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.monotonic()
    try:
        subprocess.run([str(word) for word in command], check=True, capture_output=True, timeout=limit)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as failure:
        print((getattr(failure, "stderr", b"") or b"").decode()[-300:], file=sys.stderr)
        return None
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    worked = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.monotonic() - began, worked, after.ru_maxrss / 1024


def scores(y, mean, sd, lower, upper):
    z = (y - mean) / sd
    density = np.exp(-z * z / 2) / math.sqrt(2 * math.pi)
    below = np.array([math.erf(v / math.sqrt(2)) for v in z])
    crps = sd * (z * below + 2 * density - 1 / math.sqrt(math.pi))
    return math.sqrt(np.mean((y - mean) ** 2)), np.mean((y >= lower) & (y <= upper)), np.mean(crps)


def row(who, values, took):
    rmse, coverage, crps = values
    print(f"| {who} | {rmse:.4g} | {coverage:.3f} | {crps:.4g} | {took[1]:.0f} |", flush=True)


def header(what):
    print(f"\n{what}\n\n| | RMSE | COV | CRPS | processor seconds |\n| --- | ---: | ---: | ---: | ---: |")


# ---- stations


def write_rows(path, names, rows):
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([names, *rows])


def read_columns(path):
    return np.genfromtxt(path, delimiter=",", names=True)


def peers(folder, train, test, y):
    out = folder / "peer.csv"
    who = [("gstat, krigeST, separable", ["Rscript", HERE / "spacetime.R", "joint", train, test, out]),
           ("gstat, each day alone", ["Rscript", HERE / "spacetime.R", "daily", train, test, out])]
    if subprocess.run(["Rscript", "-e", "library(GpGp)"], capture_output=True).returncode == 0:
        who.append(("GpGp, matern_spacetime", ["Rscript", HERE / "peers" / "gpgp.R", train, test, out, "matern_spacetime"]))
    for name, command in who:
        took = timed(command)
        if took:
            made = read_columns(out)
            mean, sd = made["mean"], made["sd"]
            good = np.isfinite(mean) & np.isfinite(sd)
            row(name + ("" if good.all() else f" ({good.sum()} of {len(y)})"),
                scores(y[good], mean[good], sd[good], mean[good] - 1.959964 * sd[good], mean[good] + 1.959964 * sd[good]), took)
        else:
            print(f"| {name} | did not finish in {LIMIT} s | | | |", flush=True)


def air(command, folder):
    with open(folder / "air.csv") as file:
        rows = list(csv.DictReader(file))
    draw = random.Random(1)
    held = {"every fifth station held out whole": [int(r["station"]) % 5 == 0 for r in rows],
            "a fifth of the rows held out": [draw.random() < 0.2 for _ in rows]}
    for what, out in held.items():
        names = ["x", "y", "day", "pm10"]
        train, test, made = folder / "train.csv", folder / "test.csv", folder / "made.csv"
        write_rows(train, names, [[r[n] for n in names] for r, o in zip(rows, out) if not o])
        write_rows(test, names[:3], [[r[n] for n in names[:3]] for r, o in zip(rows, out) if o])
        y = np.array([float(r["pm10"]) for r, o in zip(rows, out) if o])
        header(f"PM10, {len(rows)} rows, {what}:")
        for name, options in (("`surekrig krige --time day`", ["--time", "day"]), ("without time (`--time none`)", ["--time", "none"])):
            took = timed([command, "krige", train, test, "-o", made, "-q", "--threads", "1", *options])
            got = read_columns(made)
            row(name, scores(y, *(got[c] for c in ("mean", "sd", "lower", "upper"))), took)
        peers(folder, train, test, y)


# ---- cubes


def discs(rows, columns, steps, seed):
    """Where each step has clouds, a third or so of it."""
    draw = random.Random(seed)
    r, c = np.mgrid[0:rows, 0:columns]
    out = np.zeros((steps, rows, columns), bool)
    for step in out:
        for _ in range(4):
            size = min(rows, columns) * draw.uniform(0.12, 0.3)
            step |= (r - draw.uniform(0, rows)) ** 2 + (c - draw.uniform(0, columns)) ** 2 < size**2
    return out


def clouded(source, variable, path, clouds):
    """A cube of the one variable under the clouds; what they hide."""
    with netCDF4.Dataset(source) as old, netCDF4.Dataset(path, "w") as new:
        of = old[variable]
        for name in of.dimensions:
            new.createDimension(name, len(old.dimensions[name]))
            axis = new.createVariable(name, "f8", (name,))
            axis.setncatts({k: old[name].getncattr(k) for k in ("units", "standard_name", "calendar") if k in old[name].ncattrs()})
            axis[:] = old[name][:]
        to = new.createVariable(variable, "f4", of.dimensions, fill_value=np.float32(-9999))
        value = np.ma.filled(of[:].astype(float), np.nan)
        hidden = clouds & np.isfinite(value)
        to[:] = np.where(np.isfinite(value) & ~clouds, value, -9999)
    return value, hidden


def filled(path, variable):
    """Values, sds and bounds; lines from south to north, as in the cubes made here, where they come out from north to south."""
    with netCDF4.Dataset(path) as file:
        south = file[file[variable].dimensions[1]][0] < file[file[variable].dimensions[1]][1]
        return [np.ma.filled(file[variable + end][:].astype(float), np.nan)[:, :: 1 if south else -1]
                for end in ("", "_sd", "_lower", "_upper")]


def fill(command, source, variable, value, hidden, ways, options=()):
    for way in ways:
        out = source.with_name(f"{variable}-{way}.nc")
        took = timed([command, "fill", source, "-o", out, "--time", way, "--threads", "1", *options])
        if took:
            row(f"`--time {way}`", scores(value[hidden], *(part[hidden] for part in filled(out, variable))), took)


def bcsd(command, folder):
    for variable, what in (("tas", "Temperature, degrees"), ("pr", "Rain, mm")):
        clouds = discs(33, 81, 12, 3)
        source = folder / f"{variable}.nc"
        value, hidden = clouded(folder / "bcsd.nc", variable, source, clouds)
        header(f"{what}, twelve months, {hidden.sum()} pixels under clouds in all of them:")
        fill(command, source, variable, value, hidden, ("auto", "joint", "covariates", "alone"))
    if (folder / "tas-alone.nc").exists():
        draw_month(command, folder)


def draw_month(command, folder):
    """The month with most under clouds: before, filled jointly and alone, and what was there; the sea left out."""
    value, hidden = clouded(folder / "bcsd.nc", "tas", folder / "month.nc", discs(33, 81, 12, 3))
    month = int(hidden.sum((1, 2)).argmax())
    truth = value[month]
    ends = f"{math.floor(np.nanmin(truth))},{math.ceil(np.nanmax(truth))}"
    with netCDF4.Dataset(folder / "month.nc") as file:
        lat, lon = (file[name][:] for name in file["tas"].dimensions[1:])
    shown = {"before": np.where(hidden[month], np.nan, truth), "truth": truth}
    for way in ("joint", "alone"):
        shown[way] = filled(folder / f"tas-{way}.nc", "tas")[0][month]
    for name, cells in shown.items():
        table = folder / f"{name}.csv"
        write_rows(table, ["lon", "lat", "tas"], [[x, y, "" if np.isnan(t + v) else v] for y, line, land in zip(lat, cells, truth)
                                                  for x, v, t in zip(lon, line, land)])
        timed([command, "plot", "map", table, "-o", folder / f"space-time-{name}.png", "--range", ends, "-q"])


def matern_field(draw, side, rho, nu):
    """A periodic Matérn field of variance 1, by its spectral density; rho in pixels."""
    k2 = np.fft.fftfreq(side)[:, None] ** 2 + np.fft.rfftfreq(side)[None, :] ** 2
    spectrum = np.fft.rfft2(draw.standard_normal((side, side))) * (2 * nu / rho**2 + 4 * np.pi**2 * k2) ** (-(nu + 1) / 2)
    field = np.fft.irfft2(spectrum, s=(side, side))
    return field / field.std()


def make_year(folder, side, days):
    """A day at a time, for a year may be larger than memory: v as seen, and truth as it is, noise included."""
    draw, z = np.random.default_rng(1), 0
    parts = {name: netCDF4.Dataset(folder / f"{name}-part.nc", "w") for name in ("year", "truth")}
    for file in parts.values():
        for name, count, unit, standard in (("time", days, "days since 2023-01-01", "time"), ("y", side, "m", "projection_y_coordinate"),
                                            ("x", side, "m", "projection_x_coordinate")):
            file.createDimension(name, count)
            axis = file.createVariable(name, "f8", (name,))
            axis.units, axis.standard_name = unit, standard
            axis[:] = np.arange(count)
        file.createVariable("v", "f4", ("time", "y", "x"), fill_value=np.float32(-9999))
    for t in range(days):
        z = matern_field(draw, side, side / 10, 1) if t == 0 else 0.9 * z + math.sqrt(0.19) * matern_field(draw, side, side / 10, 1)
        value = z + 0.1 * draw.standard_normal(z.shape)
        parts["truth"]["v"][t] = value
        parts["year"]["v"][t] = np.where(discs(side, side, 1, t)[0], -9999, value)
    for name, file in parts.items():
        file.close()
        os.rename(folder / f"{name}-part.nc", folder / f"{name}-{side}-{days}.nc")


def year_scores(folder, source, out, days, every=7):
    """Of every seventh day, and at most 20,000 pixels of it."""
    held = [[], [], [], [], []]
    with netCDF4.Dataset(source) as seen, netCDF4.Dataset(str(source).replace("year-", "truth-")) as truth, netCDF4.Dataset(out) as made:
        flip = 1 if made["y"][0] < made["y"][1] else -1
        for t in range(0, days, every):
            gap = np.flatnonzero(np.ma.getmaskarray(seen["v"][t]).ravel())
            gap = gap[:: len(gap) // 20000 + 1]
            held[0].append(np.ma.filled(truth["v"][t], np.nan).ravel()[gap])
            for part, end in zip(held[1:], ("", "_sd", "_lower", "_upper")):
                part.append(np.ma.filled(made["v" + end][t], np.nan)[::flip].ravel()[gap])
        return scores(*(np.concatenate(part).astype(float) for part in held))


def year(command, folder, side=250, days=365):
    """Interrupted, it goes on where it was: the cube is made once, and fill keeps what is finished (--resume)."""
    source, out = folder / f"year-{side}-{days}.nc", folder / f"year-{side}-{days}-filled.nc"
    if not source.exists():
        make_year(folder, side, days)
    took = timed([command, "fill", source, "-o", out, "--time", "joint", "--shared", "--neighbors", "50", "--resume"], None)
    if not took:
        sys.exit("the year was not filled; run this again to go on")
    with netCDF4.Dataset(source) as file:
        gaps = sum(int(np.ma.getmaskarray(file["v"][t]).sum()) for t in range(days))
    rmse, coverage, _ = year_scores(folder, source, out, days)
    print(f"\n| {days} steps of | pixels filled | seconds | processor seconds | memory | RMSE | COV |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n"
          f"| {side} x {side} | {gaps:,} | {took[0]:.0f} | {took[1]:.0f} | {took[2]:.0f} MiB | {rmse:.3f} | {coverage:.3f} |", flush=True)


def tasks(command, folder):
    import spacetime_tasks

    print("\n| | true model | `surekrig krige --time` | COV |\n| --- | ---: | ---: | ---: |")
    for line in spacetime_tasks.rows(command, folder):
        print(line, flush=True)


def main():
    command, folder, *words = sys.argv[1:]
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    if not (folder / "bcsd.nc").exists():
        subprocess.run(["Rscript", HERE / "spacetime.R", "data", folder], check=True)
    sizes = [int(word) for word in words if word.isdigit()]
    for part in (tasks, air, bcsd, year):
        if part.__name__ in words or not set(words) - set(map(str, sizes)):
            part(Path(command).resolve(), folder, *(sizes if part is year else ()))


main()
