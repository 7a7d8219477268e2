"""Files: models in and out as YAML (`cosserat.io.yaml_model`), results in and out as NetCDF."""

from cosserat.io.yaml_model import ModelFile, load_model, save_model

__all__ = ["ModelFile", "load_model", "save_model"]
