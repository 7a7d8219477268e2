"""The command line: model files come in, tables, plots, result files and 3D views go out.

Each command has its own file; `main` is the entry point. What takes long to import is imported inside the commands.
"""

from cosserat.cli.app import app, main

__all__ = ["app", "main"]
