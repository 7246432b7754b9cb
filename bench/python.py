#!/usr/bin/env python3
"""python.py: what a call from Python costs beyond the C call inside it, in microseconds.

The whole call, and the library's function alone with arguments made beforehand, one after the other many times; the best of
each, for other work on the machine only adds. The package must be installed.
"""
import time
import warnings

import numpy as np
from sklearn.utils.validation import validate_data

import surekrig
from surekrig import _header as c
from surekrig import _library as lib
from surekrig._library import library

LIMIT = 50.0
random = np.random.default_rng(0)
X, one = random.random((1000, 2)), random.random((1, 2))
model = surekrig.SureKrigRegressor(nu=1.5, rho=0.3, tau2=0.01, coverage=None, n_jobs=1)


def validate():
    validate_data(model, one, dtype=np.float64, order="C", reset=False)


def best(*calls, rounds=2000):
    """Microseconds of each call, taken in turns."""
    least = [float("inf")] * len(calls)
    for _ in range(rounds):
        for i, call in enumerate(calls):
            began = time.perf_counter()
            call()
            least[i] = min(least[i], (time.perf_counter() - began) * 1e6)
    return least


def cases():
    """Name, the call, and the C call inside it."""
    model.fit(X, X[:, 0])
    mean, sd, error = np.empty((1, 1)), np.empty((1, 1)), c.surekrig_error()
    query = c.surekrig_query(n=1, x=lib.address(one), threads=1)
    out = c.surekrig_prediction(mean=lib.address(mean), sd=lib.address(sd))
    yield ("predict, one point, with sd", lambda: model.predict(one, return_std=True),
           lambda: library.surekrig_predict(model.model_.pointer, query, None, out, error))
    u, value = random.random(10), np.empty(10)
    yield ("matern, ten values", lambda: surekrig.matern(u, 0.5),
           lambda: library.surekrig_matern(0.5, 10, lib.address(u), lib.address(value), None, error))
    y, made = random.random(10), c.surekrig_scores()
    scored = c.surekrig_scored(n=10, y=lib.address(y), mean=lib.address(u), sd=lib.address(u))
    yield ("scores, ten values", lambda: surekrig.scores(y, u, u),
           lambda: library.surekrig_score(scored, 0.95, made, error))


def main():
    warnings.simplefilter("ignore")
    print("| call | whole, us | in C, us | overhead, us |\n| --- | ---: | ---: | ---: |")
    worst = 0.0
    for name, whole, inside in cases():
        both, alone = best(whole, inside)
        worst = max(worst, both - alone)
        print(f"| {name} | {both:.1f} | {alone:.1f} | {both - alone:.1f} |")
    [validation] = best(validate)
    print(f"\nscikit-learn's validate_data, which plain arrays go past in predict, takes {validation:.1f} us.")
    print(f"The largest overhead is {worst:.1f} us; it should be below {LIMIT:g}.")


if __name__ == "__main__":
    main()
