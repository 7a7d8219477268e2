"""Recursions over a tree of rigid and elastic links: state in, efforts, accelerations or matrices out.

A tree comes as one address (`arrays.Tree`), and so do its motion at a state and its factors, so that a call from
Python has few arguments. What depends on the number of modes lies in flat arrays, link after link.
"""

import functools

from cosserat import jit


@functools.cache
def announce() -> None:
    """Say, once, that the recursions have to be compiled, if none is."""
    jit.announce("flexible", "the recursions of flexible trees as they are used")
