"""Recursions over a tree of bodies in relative coordinates: state in, efforts, accelerations or matrices out.

The tree comes as one table of numbers (`table`), which also holds the workspace. The text of a recursion serves one
state and several states side by side: `jit.lanes` reads a number from a one-dimensional array, a vector of lanes from a
two-dimensional one.

These texts stand apart from `kernels.flexible`, whose links may have modes, for their speed alone: `bench/flexible.py`
prints the ratios, which the modules name. What costs nothing is shared: `kernels.tree_joints` has coordinates and
efforts of joints, `kernels.springs` and `kernels.loads` what acts on places.
"""

import functools

from cosserat import jit


@functools.cache
def announce() -> None:
    """Say, once, that the recursions have to be compiled, if none is."""
    jit.announce("recursion", "the recursive algorithms as they are used")
