"""Files: models in and out as YAML (`cosserat.io.yaml_model`), results in and out as NetCDF."""
