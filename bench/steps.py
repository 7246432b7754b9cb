"""steps.py TRAIN.csv PREDICTED.csv: how smooth the maps of mean and sd are in a raster's gaps.

Of adjacent pixels that lie at least six pixels from any datum: |difference of sd| and |difference of mean|, each over
the mean sd there. Both files have the places in their first two columns; PREDICTED has columns MEAN_mean and ..._sd.
"""
import sys
from scipy.ndimage import distance_transform_edt
import numpy as np

FAR = 6


def read(path):
    with open(path) as file:
        names = file.readline().strip().split(",")
    return names, np.loadtxt(path, delimiter=",", skiprows=1, ndmin=2)


def named(names, end):
    found = [i for i, name in enumerate(names) if name == end or name.endswith("_" + end)]
    if not found:
        sys.exit(f"steps.py: there is no column {end} or ..._{end} among {', '.join(names)}")
    return found[0]


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip())
    _, train = read(sys.argv[1])
    names, made = read(sys.argv[2])
    axes = [np.unique(np.concatenate([train[:, a], made[:, a]])) for a in (0, 1)]
    shape = tuple(len(axis) for axis in axes)

    def raster(table, column):
        grid = np.full(shape, np.nan)
        grid[np.searchsorted(axes[0], table[:, 0]), np.searchsorted(axes[1], table[:, 1])] = table[:, column]
        return grid

    far = distance_transform_edt(np.isnan(raster(train, train.shape[1] - 1))) >= FAR
    mean, sd = (np.where(far, raster(made, named(names, end)), np.nan) for end in ("mean", "sd"))
    unit = np.nanmean(sd)
    print(f"| of {np.isfinite(sd).sum()} pixels | 99.9 % of steps | largest |\n| --- | ---: | ---: |")
    for name, grid in (("sd", sd), ("mean", mean)):
        steps = np.concatenate([np.abs(np.diff(grid, axis=a)).ravel() for a in (0, 1)]) / unit
        steps = steps[np.isfinite(steps)]
        print(f"| {name} | {np.quantile(steps, 0.999):.3f} | {steps.max():.3f} |")


main()
