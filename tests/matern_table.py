#!/usr/bin/env python3
"""Writes matern_table.txt: rows `nu u M 1-M`, M = 2^(1-nu)/Gamma(nu) u^nu K_nu(u), for test_kernel.c.

nu and u are doubles, written so that they parse to themselves. M and 1-M are computed twice with mpmath, at a working
precision that leaves 1-M at least 40 digits and at 30 digits more; the two must agree before anything is written.
Run in this folder: python3 matern_table.py
"""
import math
import random

import mpmath

BELOW, ABOVE = -math.inf, math.inf
SMOOTHNESS = [
    0.01, 0.05, 0.135, 0.3, 0.4999999, 0.5, 0.5000001, 0.635, 0.965, 1 - 1e-9, 1, 1 + 1e-9, 1.2, 1.5 - 1e-12, 1.5, 2,
    2 + 1e-6, 2.5, 3.49, 3.5, 5, 7.25, 10 - 1e-10, 10, math.nextafter(10, ABOVE), 10.5, 15.3, 20, 26.5, 100 / 3, 42,
    49.5, 50,
]
EDGES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]  # of the library's tables, or of their octaves
DISTANCES = [
    1e-300, 1e-200, 1e-150, 0.99e-140, 1.01e-140, 1e-100, 2.0**-100, math.nextafter(2.0**-100, BELOW), 1e-29, 1e-16,
    1e-10, 1e-8, 1e-5, 1e-3, 0.01, 0.03, 0.1, 0.2, 0.35, 0.5, math.sqrt(0.5), 1.2, math.sqrt(2), 3, 5, 6.5, 11, 14, 20,
    25, 40, 90, 200, 300, 400, 600, 700,
]
DRAWN = 6  # more distances for each nu, log-uniform
DIGITS = 40


def pair(nu, u, digits):
    """M and 1 - M with `digits` digits of both, one precision."""
    with mpmath.workdps(digits):
        n, x = mpmath.mpf(nu), mpmath.mpf(u)
        m = 2 ** (1 - n) / mpmath.gamma(n) * x**n * mpmath.besselk(n, x)
        return m, 1 - m


def checked(nu, u):
    lost = max(0, -2 * min(nu, 1) * math.log10(u)) + 20  # 1 - M goes as u^(2 min(nu, 1))
    first, second = pair(nu, u, int(DIGITS + lost)), pair(nu, u, int(DIGITS + lost + 30))
    for a, b in zip(first, second):
        if abs(a - b) > abs(b) * mpmath.mpf(10) ** -DIGITS:
            raise SystemExit(f"nu = {nu!r}, u = {u!r}: {a} at one precision, {b} at another")
    return second


def half(nu):
    """Where M is about 1/2: the tables turn from 1 - M to M near it."""
    low, high = 1e-60, 50.0
    for _ in range(60):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if pair(nu, middle, 20)[0] > 0.5 else (low, middle)
    return middle


def distances(nu, draw):
    around = [u for edge in EDGES for u in (math.nextafter(edge, BELOW), float(edge))]
    drawn = [10 ** draw.uniform(-4, 2.84) for _ in range(DRAWN)]
    middle = half(nu)
    return sorted(set(DISTANCES + around + drawn + [0.99 * middle, 1.01 * middle]))


def main():
    draw = random.Random(1)
    rows = 0
    with open("matern_table.txt", "w", encoding="ascii") as table:
        for nu in SMOOTHNESS:
            for u in distances(nu, draw):
                m, complement = checked(nu, u)
                table.write(f"{nu!r} {u!r} {mpmath.nstr(m, 20)} {mpmath.nstr(complement, 20)}\n")
                rows += 1
    print(rows, "rows")


if __name__ == "__main__":
    main()
