"""Motion in time, in floating frames: relative and modal coordinates, loops closed by constraints."""

FLOATING_METHODS = ("generalized-alpha", "runge-kutta")
"""Names of the time steps of `methods`, for checks that must not import it."""
