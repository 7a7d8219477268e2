"""SymPy, or an error that says how to get it: the modules of this package import ``sp`` from here."""

from cosserat.model.algebra import sp

__all__ = ["sp"]
