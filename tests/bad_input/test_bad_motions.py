"""Prescribed motions that nothing can follow."""

from __future__ import annotations

import numpy as np
import pytest

import cosserat as cs
from cosserat.errors import SolveError


@pytest.mark.parametrize("formulation", ["galilean", "floating"])
@pytest.mark.parametrize("steps", [{"step": 0.01}, {"tolerance": 1e-4}])
def test_prescribed_motions_that_jump(formulation: str, steps: dict) -> None:
    """They were run over: velocities of 20 m/s, or none at all."""
    for motion in (
        "0.1*step(t, 0.503)",
        lambda t: np.interp(t, [0, 0.503, 0.503, 1], [0, 0, 0.1, 0.1]),
        lambda t: 0.1 if float(t) > 0.503 else 0.0,
    ):
        model = cs.Model("cart")
        body = model.add(cs.RigidBody("cart", mass=1, com=(1, 0, 0), inertia=(1, 1, 1)))
        model.add(cs.Prismatic("track", cs.GROUND, body, axis=(1, 0, 0), at=(0, 0, 0), motion=motion))
        expected = r"joint 'track': its prescribed motion of 'track' jumps by 0.1 at t = 0.503 s"
        with pytest.raises(SolveError, match=expected):
            cs.simulate(model, 1.0, formulation=formulation, **steps)


def test_prescribed_motions_with_kinks_or_whole_turns_do_not_jump() -> None:
    for motion in ("0.1*min(t, 0.503)", "atan2(sin(9*t), cos(9*t))", "5*max(t - 0.4, 0)"):
        model = cs.Model("wheel")
        body = model.add(cs.RigidBody("wheel", mass=1, com=(0, 0, 0), inertia=(1, 1, 1)))
        model.add(cs.Revolute("axle", cs.GROUND, body, axis=(1, 0, 0), at=(0, 0, 0), motion=motion))
        assert cs.simulate(model, 1.0, 0.01).status.ok
