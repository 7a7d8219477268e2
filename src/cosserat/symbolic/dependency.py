"""SymPy, or an error that says how to get it: the modules of this package import ``sp`` from here."""

from cosserat.model.algebra import sp  # isort: skip  raises the error
from sympy.simplify.fu import TR8 as product_to_sum

__all__ = ["product_to_sum", "sp"]
