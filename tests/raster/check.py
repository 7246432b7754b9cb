"""Rasters made by rasterio and xarray, filled by the command, read back by them, and checked against the CF conventions."""
import subprocess
import sys

import numpy as np
import rasterio
import rasterio.transform
import xarray

COMMAND = sys.argv[1]
FIXED = "--nu 1 --tau2 0.001 --gamma2 1 --neighbors 20 --quiet --rho".split()


def fill(*words):
    subprocess.run([COMMAND, "fill", *words], check=True)


def field(rows, columns, shift=0.0):
    r, c = np.mgrid[:rows, :columns]
    return np.sin(c / 5 + shift) + np.cos(r / 4)


def check_geotiff():
    value = field(30, 40).astype(np.float32)
    gap = np.zeros(value.shape, bool)
    gap[8:14, 10:19] = True
    profile = dict(driver="GTiff", height=30, width=40, count=1, dtype="float32", crs="EPSG:3035", nodata=-1,
                   transform=rasterio.transform.from_origin(4e6, 3e6, 100, 250))
    with rasterio.open("in.tif", "w", **profile) as out:
        out.write(np.where(gap, -1, value), 1)
        out.set_band_description(1, "height")
        out.update_tags(ACQUIRED="2020-02-03")
        out.update_tags(1, sensor="x")
        out.units = ["m"]
    fill("in.tif", "-o", "out.tif", *FIXED, "1000")
    with rasterio.open("in.tif") as before, rasterio.open("out.tif") as after:
        assert after.crs == before.crs and after.transform == before.transform and after.nodata == -1
        assert after.descriptions == ("height", "height sd", "height lower", "height upper")
        assert after.units == ("m",) * 4 and after.tags()["ACQUIRED"] == "2020-02-03" and after.tags(1)["sensor"] == "x"
        mean, sd, lower, upper = after.read()
        assert (after.read_masks() == 255).all()
    assert (mean[~gap] == value[~gap]).all() and (sd[~gap] == 0).all()
    assert np.abs(mean - value)[gap].max() < 0.1 and (sd[gap] > 0).all()
    assert np.allclose((lower + upper) / 2, mean, atol=1e-5) and np.allclose((upper - mean)[gap] / sd[gap], (upper - mean)[gap][0] / sd[gap][0], rtol=1e-3)


def check_netcdf():
    lat, lon = np.linspace(60, 40, 41), np.linspace(-10, 20, 61)
    time = np.array(["2020-01-01", "2020-01-02", "2020-01-05"], "datetime64[ns]")
    value = np.stack([280 + field(41, 61, k) for k in range(3)])
    gap = np.zeros(value.shape, bool)
    gap[0, 10:18, 20:30] = gap[1, 5:9, 3:9] = gap[2, 20:30, 40:52] = True
    names = {"units": "K", "standard_name": "air_temperature", "long_name": "temperature", "cell_methods": "time: mean"}
    data = xarray.Dataset(
        {"tas": (("time", "lat", "lon"), np.where(gap, np.nan, value).astype("f4"), names)},
        {"time": ("time", time, {"standard_name": "time", "axis": "T"}),
         "lat": ("lat", lat, {"units": "degrees_north", "standard_name": "latitude", "axis": "Y"}),
         "lon": ("lon", lon, {"units": "degrees_east", "standard_name": "longitude", "axis": "X"})},
        {"Conventions": "CF-1.8", "title": "a field", "history": "made", "institution": "a test", "source": "made up"})
    step = {"units": "days since 2020-01-01", "calendar": "standard"}
    data.to_netcdf("in.nc", encoding={"tas": {"_FillValue": -999.0}, "time": step})
    fill("in.nc", "-o", "out.nc", *FIXED, "300")
    with xarray.open_dataset("in.nc") as before, xarray.open_dataset("out.nc") as after:
        for axis in "time", "lat", "lon":
            assert (after[axis] == before[axis]).all(), axis
        assert {k: after.tas.attrs[k] for k in names} == names
        assert after.tas.attrs["ancillary_variables"].split() == ["tas_sd", "tas_lower", "tas_upper"]
        assert after.tas_sd.attrs["standard_name"] == "air_temperature standard_error"
        assert after.attrs["title"] == "a field" and after.attrs["history"].endswith("\nmade")
        filled, sd = after.tas.values, after.tas_sd.values
        assert (filled[~gap] == before.tas.values[~gap]).all() and (sd[~gap] == 0).all()
        assert np.abs(filled - value)[gap].max() < 0.5 and (sd[gap] > 0).all()


def check_conventions(path):
    from compliance_checker.runner import CheckSuite, ComplianceChecker
    CheckSuite.load_all_available_checkers()
    passed, failed = ComplianceChecker.run_checker(path, ["cf:1.8"], 0, "normal", output_filename="report.txt", output_format=["text"])
    assert passed and not failed, open("report.txt").read()


check_geotiff()
check_netcdf()
check_conventions("out.nc")
fill("in.tif", "-o", "plane.nc", *FIXED, "1000")
check_conventions("plane.nc")
with xarray.open_dataset("plane.nc") as plane, rasterio.open("out.tif") as same:
    assert plane.height.attrs["grid_mapping"] in plane and np.array_equal(plane.height_sd.values, same.read(2))
print("rasterio, xarray and the CF checker agree with what was written")
