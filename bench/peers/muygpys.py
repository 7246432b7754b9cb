#!/usr/bin/env python3
"""muygpys.py TRAIN.csv TEST.csv OUT.csv: the whole job by MuyGPyS, on the back end that MUYGPYS_BACKEND names.

Writes the test places with mean and sd to OUT.csv, and to standard output lines of a name and a value: seconds, versions,
settings. The last column is the response; that of TEST.csv is not read.
"""
import csv
import statistics
import sys
import time

start = time.perf_counter()  # a user waits for the imports too

import numpy as np
import scipy
import MuyGPyS
from importlib.metadata import version
from MuyGPyS.gp import MuyGPS
from MuyGPyS.gp.deformation import Isotropy, l2
from MuyGPyS.gp.hyperparameter import AnalyticScale, Parameter
from MuyGPyS.gp.kernels import Matern
from MuyGPyS.gp.noise import HomoscedasticNoise
from MuyGPyS.neighbors import NN_Wrapper
from MuyGPyS.optimize import Bayes_optimize
from MuyGPyS.optimize.batch import sample_batch
from MuyGPyS.optimize.loss import lool_fn

NEIGHBORS, BATCH, EVALUATIONS, AT_ONCE, SEED = 50, 1024, 36, 4096, 1
NU, LENGTH, NOISE = (0.05, 2.5), (1e-3, 1), 1e-3  # the length as shares of the longest side


def say(name, value):
    print(name, f"{value:.6g}" if isinstance(value, float) else value, flush=True)


def read(path, columns):
    """The file's first columns; -1: all but the last."""
    with open(path) as file:
        width = len(next(csv.reader(file)))
        columns = width + columns if columns < 0 else columns or width
        return np.loadtxt(file, delimiter=",", usecols=range(columns), ndmin=2)


def new_model(x):
    side = float((x.max(0) - x.min(0)).max())
    length = Parameter("log_sample", tuple(side * bound for bound in LENGTH))
    return MuyGPS(
        kernel=Matern(smoothness=Parameter("log_sample", NU), deformation=Isotropy(l2, length_scale=length)),
        noise=HomoscedasticNoise(NOISE),
        scale=AnalyticScale(),
    )


def seconds_of_objective(model, tensors):
    """Its own leave-one-out likelihood at a nu without a closed form; the first call compiles or warms up."""
    cross, pair, targets, nn_targets = tensors
    objective = Bayes_optimize.make_obj_fn(model, targets, nn_targets, cross, pair, loss_fn=lool_fn)
    times = []
    for nu in (0.85, 0.85, 0.135, 2.3):
        began = time.perf_counter()
        float(objective(smoothness=nu, length_scale=model.kernel.deformation.length_scale()))
        times.append(time.perf_counter() - began)
    return statistics.median(times[1:])


def train(model, tensors):
    cross, pair, targets, nn_targets = tensors
    model = Bayes_optimize(model, targets, nn_targets, cross, pair, loss_fn=lool_fn, random_state=SEED,
                           init_points=5, n_iter=EVALUATIONS - 6)
    # What optimize_scale does; that refuses a scalar of JAX's.
    model.scale._set(float(model.scale.get_opt_fn(model)(model.kernel(pair), nn_targets)))
    model._make()
    return model


def predict(model, neighbours, to, x, y):
    """Means and standard deviations of new observations, a block at a time so that its tensors fit the memory."""
    mean, variance = np.empty(len(to)), np.empty(len(to))
    for i in range(0, len(to), AT_ONCE):
        rows = np.arange(i, min(i + AT_ONCE, len(to)))
        near, _ = neighbours.get_nns(to[rows])
        cross, pair, targets = model.make_predict_tensors(rows, near, to, x, y)
        kin, kcross = model.kernel(pair), model.kernel(cross)
        mean[rows] = np.asarray(model.posterior_mean(kin, kcross, targets)).ravel()
        variance[rows] = np.asarray(model.posterior_variance(kin, kcross)).ravel()
    return mean, np.sqrt(np.maximum(variance, 0) + float(model.noise()) * float(model.scale()))


def main(train_path, test_path, out_path):
    table = read(train_path, 0)
    x, y = np.ascontiguousarray(table[:, :-1]), table[:, -1] - table[:, -1].mean()
    to = read(test_path, -1)
    backend = MuyGPyS.config.state.backend
    say("version", f"MuyGPyS {version('MuyGPyS')} on {backend} {version(backend)}, scipy {scipy.__version__}")
    np.random.seed(SEED)
    began = time.perf_counter()
    neighbours = NN_Wrapper(x, NEIGHBORS, nn_method="exact", algorithm="kd_tree")
    batch = sample_batch(neighbours, BATCH, len(x))
    model = new_model(x)
    tensors = model.make_train_tensors(*batch, x, y)
    model = train(model, tensors)
    say("train", time.perf_counter() - began)
    began = time.perf_counter()
    mean, sd = predict(model, neighbours, to, x, y)
    say("predict", time.perf_counter() - began)
    rows = np.column_stack([to, mean + table[:, -1].mean(), sd])
    with open(train_path) as file:
        names = next(csv.reader(file))[:-1]
    np.savetxt(out_path, rows, fmt="%.17g", delimiter=",", header=",".join([*names, "mean", "sd"]), comments="")
    say("total", time.perf_counter() - start)
    say("objective", seconds_of_objective(new_model(x), tensors))
    say("settings", f"k = {NEIGHBORS}, batch {BATCH}, leave-one-out likelihood, nu from {NU[0]} to {NU[1]}, length scale "
                    f"from {LENGTH[0]} to {LENGTH[1]} of the longest side, noise {NOISE}, scale by its analytic formula, "
                    f"Bayesian optimisation of {EVALUATIONS} evaluations, seed {SEED}, predictions {AT_ONCE} at a time; found "
                    f"nu {model.kernel.smoothness():.3g}, length scale {model.kernel.deformation.length_scale():.3g}, "
                    f"scale {float(model.scale()):.3g}")


main(*sys.argv[1:])
