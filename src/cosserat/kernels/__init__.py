"""Compiled loops over arrays: in come the NamedTuples of `arrays`, out go residuals, matrices and time histories.

Nothing here knows about models, names or units. Frames are rows of twelve numbers (R row by row, then x), twists and
wrenches six (linear part first), small vectors inside a kernel are tuples so that LLVM keeps them in registers.
"""
