"""Solvers: a `Model` comes in, a `Run` or an `Equilibrium` goes out; the loops themselves are in `kernels`."""
