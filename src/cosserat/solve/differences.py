"""Differences of eighth order, for derivatives of smooth functions of a motion."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from cosserat.compile.compiled import CompiledModel
from cosserat.lie.protocol import Array

STEP = 0.02  # rad, or parts of the typical length, between the points of a difference
_FINE = 3e-3  # the same for users' laws, which may bend sharply, as where a sharp edge rolls
EIGHTH = (
    (-4, 1 / 280), (-3, -4 / 105), (-2, 1 / 5), (-1, -4 / 5), (1, 4 / 5), (2, -1 / 5), (3, 4 / 105), (4, -1 / 280)
)  # fmt: skip
"""Point, in steps, and weight."""


def slopes(units: Array, function: Callable[[Array], Array]) -> Array:
    """Derivatives (..., n) of a function of increments along the coordinates; units (n, n): steps, on the diagonal."""
    parts = [[w / unit[k] * function(i * unit) for i, w in EIGHTH] for k, unit in enumerate(units)]
    return np.array([sum(part) for part in parts]).T


def step_of(rules: Sequence[Any]) -> float:
    """Step of differences of rows, `rules` the constraints among them that users wrote."""
    return _FINE if rules else STEP


def friction_speed(compiled: CompiledModel) -> float:
    """Slowest speed of a friction in the joints, at most one: differences of velocities are parts of it."""
    freedoms = compiled.system.freedoms
    return float(min([1.0, *freedoms.speed[freedoms.friction > 0.0]]))
