"""Differences of eighth order, for derivatives of smooth functions of a motion."""

from __future__ import annotations

from cosserat.compile.compiled import CompiledModel

STEP = 0.02  # rad, or parts of the typical length, between the points of a difference
EIGHTH = (
    (-4, 1 / 280), (-3, -4 / 105), (-2, 1 / 5), (-1, -4 / 5), (1, 4 / 5), (2, -1 / 5), (3, 4 / 105), (4, -1 / 280)
)  # fmt: skip
"""Point, in steps, and weight."""


def friction_speed(compiled: CompiledModel) -> float:
    """Slowest speed of a friction in the joints, at most one: differences of velocities are parts of it."""
    freedoms = compiled.system.freedoms
    return float(min([1.0, *freedoms.speed[freedoms.friction > 0.0]]))
