"""compare.py COMMAND FOLDER: what the command finds under preset paper beside paper.py, to 1e-10: every round's loss, coverage,
Lagrangian and multipliers, predictions and scores, on 70 points, all of them in the batch."""
import json
import subprocess
import sys
from pathlib import Path

import numpy as np

import paper

COMMAND, FOLDER = sys.argv[1], Path(sys.argv[2])
TRAIN, TEST, K, BETA, R = 70, 15, 12, 10.0, 4.0
LEVELS = np.array([0.9, 0.925, 0.95, 0.975, 0.99])
failed = []


def surekrig(*words):
    return subprocess.run([COMMAND, *map(str, words)], check=True, capture_output=True, text=True).stdout


def agree(what, ours, theirs):
    off = float(np.max(np.abs(np.asarray(ours) - theirs) / np.maximum(np.abs(theirs), 1), initial=0))
    print(f"{'ok      ' if off <= 1e-10 else 'FAILED  '} {what}: {off:.1e}")
    if not off <= 1e-10:
        failed.append(what)


def save(name, x, y):
    np.savetxt(FOLDER / name, np.column_stack([x, y]), "%.17g", ",", header="x1,x2,y", comments="")
    return FOLDER / name


def fit(data, *words):
    surekrig("fit", data, "-o", FOLDER / "model", "-q", "--preset", "paper", "--neighbors", K, *words)
    made = json.loads(surekrig("info", FOLDER / "model", "--json"))
    names = list(made["estimates"])
    return made, [dict(zip(names, turn["theta"])) for turn in made["trace"]]


def check_rounds(title, x, y, loss, made, thetas):
    """The library's Q is a mean over the batch of what is divided by the response's spread s: Q/b - log s^2 of the paper's LOOL,
    Q/b/s^2 of its MSE. beta and the multipliers are in units of b, too."""
    b, s2 = len(y), np.mean(y**2)
    levels = np.array(made["levels"])
    multipliers, beta = np.zeros(len(levels)), BETA
    for n, (turn, theta) in enumerate(zip(made["trace"], thetas), 1):
        mean, variance = paper.leave_one_out(x, y, K, theta)
        q = paper.lool(y, mean, variance) / b - np.log(s2) if loss == "lool" else paper.mse(y, mean, variance) / b / s2
        c = paper.coverage(y, mean, variance, levels)
        agree(f"{title}, round {n}, multipliers", turn["lambda"] + [turn["beta"]], np.append(multipliers, beta))
        agree(f"{title}, round {n}, loss", turn["loss"], q)
        agree(f"{title}, round {n}, coverage", turn["coverage"], c)
        agree(f"{title}, round {n}, Lagrangian", turn["objective"], paper.lagrangian(q, c, levels, multipliers, beta))
        multipliers, beta = paper.next_multipliers(multipliers, beta, c, levels, R)


def check_predictions(x, y, places, truth, theta):
    mean, variance = paper.predict(places, x, y, K, theta)
    asked = save("test.csv", places, truth)
    surekrig("predict", FOLDER / "model", asked, "-o", FOLDER / "out.npy", "-q")
    made = np.load(FOLDER / "out.npy")
    agree("posterior mean", made[:, 2], mean)
    agree("posterior variance", made[:, 3] ** 2, variance)
    found = json.loads(surekrig("score", FOLDER / "model", asked, "--json"))
    for name, value in paper.scores(truth, mean, np.sqrt(variance)).items():
        agree(name, found[name], value)


def main():
    random = np.random.default_rng(1)
    x = random.random((TRAIN + TEST, 2))
    truth = {"nu": 0.7, "rho": 0.3, "tau2": 1e-3, "gamma2": 1.0}
    y = np.linalg.cholesky(paper.kernel(x, x, truth, same=True)) @ random.standard_normal(TRAIN + TEST)
    data = save("train.csv", x[:TRAIN], y[:TRAIN])
    five = ",".join(map(str, LEVELS))
    for loss, coverage in (("mse", "none"), ("lool", "none"), ("lool", five)):
        made, thetas = fit(data, "--loss", loss, "--coverage", coverage)
        title = f"{loss}, {'five levels' if made['levels'] else 'no levels'}"
        agree(title + ", evaluations", made["evaluations"], 65 if made["levels"] else 13)
        check_rounds(title, x[:TRAIN], y[:TRAIN], loss, made, thetas)
    made, thetas = fit(data, "--nu", truth["nu"], "--rho", truth["rho"])
    check_rounds("lool at the truth", x[:TRAIN], y[:TRAIN], "lool", made, thetas)
    check_predictions(x[:TRAIN], y[:TRAIN], x[TRAIN:], y[TRAIN:], truth)
    print(f"{len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
