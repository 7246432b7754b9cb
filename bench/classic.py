"""classic.py SUREKRIG FOLDER: data sets that R's packages carry (bench/classic.R has made them there), cut into five folds, at
random and by whole regions; surekrig's default and krige, gstat and fields on each. Prints the table of docs/defaults.md."""
import collections
import glob
import os
import subprocess
import sys
from math import erf

import numpy as np

surekrig, folder = os.path.abspath(sys.argv[1]), sys.argv[2]
script = os.path.abspath(os.path.join(os.path.dirname(__file__), "classic.R"))
os.chdir(folder)


def regions(x, draw):
    """Ten clusters of places, by k-means, two to a fold."""
    z = (x[:, :2] - x[:, :2].mean(0)) / x[:, :2].std(0)
    center = z[draw.permutation(len(z))[:10]]
    for _ in range(30):
        of = ((z[:, None] - center) ** 2).sum(2).argmin(1)
        center = np.array([z[of == i].mean(0) if (of == i).any() else center[i] for i in range(10)])
    return of % 5


def cut(name):
    draw = np.random.default_rng(7)
    with open(name + ".csv") as file:
        head = file.readline().strip()
    data = np.loadtxt(name + ".csv", delimiter=",", skiprows=1)
    ways = {"random": draw.permutation(len(data)) % 5, "regions": regions(data, draw)}
    for way, fold in ways.items():
        for k in range(5):
            for part, rows in (("train", fold != k), ("test", fold == k)):
                np.savetxt(f"{name}-{way}-{k}-{part}.csv", data[rows], delimiter=",", header=head, comments="", fmt="%.10g")
    return len(data)


def run(*words):
    subprocess.run([surekrig, *words], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def score(y, out):
    """The sums that classic.R gives, of the file's own intervals."""
    mean, sd, lower, upper = out.T
    z = (y - mean) / sd
    density = np.exp(-z * z / 2) / np.sqrt(2 * np.pi)
    below = np.array([0.5 * (1 + erf(v / 2**0.5)) for v in z])
    crps = sd * (z * (2 * below - 1) + 2 * density - 1 / np.sqrt(np.pi))
    width = upper - lower + 40 * np.maximum(lower - y, 0) + 40 * np.maximum(y - upper, 0)
    return np.array([((y - mean) ** 2).sum(), ((y >= lower) & (y <= upper)).sum(), crps.sum(), width.sum(), len(y)])


def ours(fold):
    train, test = f"{fold}-train.csv", np.loadtxt(f"{fold}-test.csv", delimiter=",", skiprows=1, ndmin=2)
    with open(train) as file:
        names = file.readline().strip().split(",")
    np.savetxt("points.csv", test[:, :-1], delimiter=",", header=",".join(names[:-1]), comments="", fmt="%.10g")
    run("krige", train, "points.csv", "-o", "krige.out", "-q")
    run("fit", train, "-o", "default.model", "-q")
    run("predict", "default.model", "points.csv", "-o", "default.out", "-q")
    for way in ("krige", "default"):
        out = np.loadtxt(way + ".out", delimiter=",", skiprows=1, ndmin=2)
        yield way, score(test[:, -1], out[:, -4:])


sizes = {name: cut(name) for name in sorted(f[:-4] for f in glob.glob("*.csv") if "-" not in f and f != "points.csv")}
sums = collections.defaultdict(lambda: np.zeros(5))
for file in sorted(glob.glob("*-train.csv")):
    fold = file[: -len("-train.csv")]
    for way, found in ours(fold):
        sums[fold.rsplit("-", 1)[0], way] += found
for line in subprocess.run(["Rscript", script, "peers", "."], check=True, capture_output=True, text=True).stdout.splitlines():
    fold, program, *found = line.split()
    sums[fold.rsplit("-", 1)[0], program] += np.array(found, float)

WAYS = ("default", "krige", "gstat", "fields")
print("| set | rows | left out | " + " | ".join(f"{way}: CRPS, COV" for way in WAYS) + " |\n| --- | ---: | --- |" + " ---: |" * len(WAYS))
ratio, cover = collections.defaultdict(list), collections.defaultdict(list)
for name, rows in sizes.items():
    for how in ("random", "regions"):
        cells, key = [], f"{name}-{how}"
        for way in WAYS:
            s = sums[key, way]
            whole = s[4] == rows  # a program that failed in a fold has no figure
            cells.append(f"{s[2] / s[4]:.3g}, {s[1] / s[4]:.3f}" if whole else "failed")
            if whole:
                ratio[how, way].append((s[2] / sums[key, "default"][2] - 1) * 100)
                cover[how, way].append(s[1] / s[4])
        print(f"| {name} | {rows} | {how} | " + " | ".join(cells) + " |")
print("\n| | CRPS above the default's, %: mean | worst | COV: mean | least |\n| --- | ---: | ---: | ---: | ---: |")
for (how, way), r in ratio.items():
    print(f"| {way}, {how} | {np.mean(r):+.1f} | {max(r):+.1f} | {np.mean(cover[how, way]):.3f} | {min(cover[how, way]):.3f} |")
