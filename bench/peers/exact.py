#!/usr/bin/env python3
"""exact.py TRAIN.csv TEST.csv OUT.csv: the whole job by scikit-learn's exact Gaussian process, a length scale for each feature.

Writes the test places with mean and sd to OUT.csv. The last column is the response; that of TEST.csv is not used.
"""
import csv
import sys
import warnings

import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel

warnings.filterwarnings("ignore")


def main(train_path, test_path, out_path):
    with open(train_path) as file:
        names = next(csv.reader(file))[:-1]
        train = np.loadtxt(file, delimiter=",", ndmin=2)
    test = np.loadtxt(test_path, delimiter=",", skiprows=1, ndmin=2)[:, :-1]
    low, side = train[:, :-1].min(0), np.ptp(train[:, :-1], 0)
    kernel = ConstantKernel() * Matern([.3] * len(side), (1e-3, 1e3), nu=1.5) + WhiteKernel(1e-2, (1e-8, 10))
    process = GaussianProcessRegressor(kernel, normalize_y=True, n_restarts_optimizer=1, random_state=1)
    process.fit((train[:, :-1] - low) / side, train[:, -1])
    mean, sd = process.predict((test - low) / side, return_std=True)
    np.savetxt(out_path, np.c_[test, mean, sd], fmt="%.17g", delimiter=",", header=",".join([*names, "mean", "sd"]), comments="")


main(*sys.argv[1:])
