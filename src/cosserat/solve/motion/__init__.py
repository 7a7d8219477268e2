"""Motion in time."""

FLOATING_METHODS = ("generalized-alpha", "runge-kutta")
"""Names of the time steps of `floating_methods`, for checks that must not import it."""
