"""SymPy, or an error that says how to get it: the modules of this package import ``sp`` from here."""

from cosserat.errors import MissingDependencyError

try:
    import sympy as sp
except ImportError:
    raise MissingDependencyError(
        "cosserat.symbolic needs SymPy; install it with pip install 'cosserat[symbolic]'"
    ) from None

__all__ = ["sp"]
