"""Stored results that guard the physics: positions, velocities, reactions, energies, equilibria and frequencies.

`cases` lists what is computed, `make` computes it converged and writes `reference.json`, `test_guards` compares what
the solvers say at ordinary steps and meshes with it. Run ``python -m tests.guards.make`` from the root of the
repository, and only where a reference itself was wrong.
"""
