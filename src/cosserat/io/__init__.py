"""Files: models in and out as YAML (`cosserat.io.yaml_model`), results in and out as NetCDF (`cosserat.io.netcdf`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cosserat.io.yaml_model import ModelFile, load_model, save_model

if TYPE_CHECKING:
    from cosserat.io.netcdf import load_equilibrium, load_run

__all__ = ["ModelFile", "load_equilibrium", "load_model", "load_run", "save_model"]


def __getattr__(name: str) -> Any:
    if name in ("load_run", "load_equilibrium"):  # need the compiled kernels: imported when they are used
        from cosserat.io import netcdf

        return getattr(netcdf, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
