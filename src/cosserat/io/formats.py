"""Results in files: the suffix decides the format."""

from __future__ import annotations

import csv
import io
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cosserat.errors import MissingDependencyError
from cosserat.io import output

if TYPE_CHECKING:
    from xarray import Dataset

    from cosserat.results.run import Run

SUFFIXES = (".nc", ".h5", ".csv", ".parquet", ".zarr")
MEANING = ".nc or .h5 (everything, for load_run), .csv or .parquet (a table over time), .zarr (run.data)"


def save_run(run: Run, path: str | Path) -> None:
    """Write a run, finished or not, in the format of the suffix of its path."""
    file = output.target(path, SUFFIXES, MEANING)
    suffix = file.suffix.lower()
    demand(suffix, str(file))
    if suffix == ".csv":
        output.write(file, _csv(run.data))
    elif suffix == ".parquet":
        output.write(file, _parquet(run.data))
    elif suffix == ".zarr":
        data = run.data
        output.write_folder(
            file,
            lambda folder: listable(data).to_zarr(folder, mode="w-", consolidated=True, zarr_format=2),
            lambda folder: any((folder / name).is_file() for name in (".zgroup", "zarr.json")),
        )
    else:
        from cosserat.io.netcdf import image

        output.write(file, image(run))


def demand(suffix: str, where: str) -> None:
    """Say how to install what a format needs, before anything long is done."""
    package, extra = {".parquet": ("pyarrow", "parquet"), ".zarr": ("zarr", "cluster")}.get(suffix, ("", ""))
    if package:
        try:
            import_module(package)
        except ImportError:
            raise MissingDependencyError(
                f"{where}: needs {package}; install it with pip install 'cosserat[{extra}]', or save as .nc"
            ) from None


def columns(data: Dataset) -> dict[str, Any]:
    """A dataset as columns over time, named ``beam.position.3.x``: quantity, node, component."""
    found: dict[str, Any] = {"time": data["time"].values}
    for name, variable in data.data_vars.items():
        dims = [str(dim) for dim in variable.dims if dim != "time"]
        labels = [list(map(str, data[dim].values if dim in data.coords else range(data.sizes[dim]))) for dim in dims]
        values = np.asarray(variable.transpose("time", *dims).values)
        for index in np.ndindex(*values.shape[1:]):
            parts = [column[i] for column, i in zip(labels, index, strict=True)]
            found[".".join([str(name), *parts])] = values[(slice(None), *index)]
    return found


def _csv(data: Dataset) -> str:
    table = columns(data)
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerow(table)
    np.savetxt(text, np.column_stack(list(table.values())), fmt="%.17g", delimiter=",")
    return text.getvalue()


def _parquet(data: Dataset) -> bytes:
    pyarrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    table = pyarrow.table({name: np.ascontiguousarray(values) for name, values in columns(data).items()})
    notes = {str(key): str(value) for key, value in data.attrs.items()}
    stream = io.BytesIO()
    parquet.write_table(table.replace_schema_metadata(notes), stream)
    return stream.getvalue()


def listable(data: Dataset) -> Dataset:
    """A dataset without coordinates that files cannot list: they do it with blanks between the names."""
    return data.reset_coords([name for name in data.coords if " " in str(name) and name not in data.dims])
