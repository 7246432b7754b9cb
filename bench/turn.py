#!/usr/bin/env python3
"""turn.py [SUREKRIG]: fields longer along a direction of the plane: how much lower the CRPS of new points is than with the axes left where
they are (--turn 0), and how many of the fits have turned them. Run by build/python/bin/python, which scripts/check leaves."""
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from battery_sets import waves

ROWS, NEW, RATIOS, ANGLES, SEEDS = (150, 500, 3000), 1000, (1, 1.5, 2, 4, 8), (20, 50, 120), 3
SUREKRIG = sys.argv[1] if len(sys.argv) > 1 else str(Path(__file__).parent.parent / "build/release/surekrig")


def draw(rng, n, ratio, angle):
    """A field of smoothness 1 whose length scales are sqrt(ratio) times .15, and that divided by ratio."""
    x, c, s = rng.uniform(0, 1, (n, 2)), math.cos(math.radians(angle)), math.sin(math.radians(angle))
    axes = x @ np.array([[c, -s], [s, c]])
    return np.c_[x, waves(rng, axes, [.15 * math.sqrt(ratio), .15 / math.sqrt(ratio)], 1) + .1 * rng.standard_normal(n)]


def score(folder, *options):
    model = f"{folder}/model"
    run = subprocess.run([SUREKRIG, "fit", f"{folder}/train.csv", "-o", model, *options], check=True, capture_output=True, text=True)
    told = subprocess.run([SUREKRIG, "score", model, f"{folder}/test.csv", "--json"], check=True, capture_output=True, text=True)
    return json.loads(told.stdout)["crps"], "rho_along" in run.stderr


def compare(folder, n, ratio, angle, seed):
    points = draw(np.random.default_rng([seed, n, angle]), n + NEW, ratio, angle)
    for name, part in (("train", points[:n]), ("test", points[n:])):
        np.savetxt(f"{folder}/{name}.csv", part, delimiter=",", header="x,y,z", comments="")
    (crps, turned), (left, _) = score(folder), score(folder, "--turn", "0")
    return math.log(crps / left), turned


def main():
    print("| rows | " + " | ".join(f"ratio {ratio}" for ratio in RATIOS) + " |\n| ---: |" + " ---: |" * len(RATIOS))
    with tempfile.TemporaryDirectory() as folder:
        for n in ROWS:
            cells = []
            for ratio in RATIOS:
                runs = [compare(folder, n, ratio, angle, seed) for angle in ANGLES for seed in range(SEEDS)]
                gain, share = np.mean(runs, 0)
                cells.append(f"{100 * math.expm1(gain):+.1f} %, {round(share * len(runs))} of {len(runs)}")
            print(f"| {n} | " + " | ".join(cells) + " |", flush=True)


main()
