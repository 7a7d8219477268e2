"""Events while a controller is in the loop: its efforts are held through them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cosserat as cs

G = 9.81
METHODS = [
    ("galilean", "generalized-alpha"), ("galilean", "energy-momentum"),
    ("floating", "generalized-alpha"), ("floating", "runge-kutta"),
]  # fmt: skip


def arm() -> cs.Model:
    model = cs.Model("arm", gravity=(0, 0, -G))
    link = model.add(cs.RigidBody.bar("link", (0, 0, 0), (1, 0, 0), mass=2.0))
    load = model.add(cs.RigidBody.sphere("load", diameter=0.1, mass=1.0, com=(1, 0, 0)))
    model.add(cs.Revolute("shoulder", cs.GROUND, link.at((0, 0, 0)), axis=(0, -1, 0), effort=0.0))
    model.add(cs.Fixed("gripper", link.at((1, 0, 0)), load))
    return model


def regulate(t: float, state: Any) -> Any:
    lag = 0.8 * np.sin(3 * t) - float(state.coordinate("shoulder")[-1])
    held = float(np.abs(state.reaction("gripper")[-1]).max())  # it knows whether the gripper is open
    return {"shoulder": 60 * lag - 8 * float(state.coordinate_rate("shoulder")[-1]) + (2.0 if held else 0.0)}


regulate.period = 0.02  # type: ignore[attr-defined]


def test_a_controlled_arm_drops_its_load() -> None:
    """The load flies on its parabola, the arm goes on under control; both formulations and steps of all kinds agree."""
    ends = []
    for method in METHODS:
        for step in (0.0025, None):
            settings: Any = {
                "formulation": method[0], "integrator": method[1], "controller": regulate, "tolerance": 1e-6,
            }  # fmt: skip
            off = cs.Event("off", lambda t, state: state.coordinate("shoulder")[-1] - 0.2, release="gripper")
            run = cs.simulate(arm(), 1.2, step, events=off, **settings)
            assert run.status.ok
            k = int(np.searchsorted(run.time, run.events[0][1] - 1e-9))
            t = (run.time[k:] - run.time[k])[:, None]
            x, v = run.position("load").values[k], run.velocity("load").values[k]
            flight = x + v * t + 0.5 * t**2 * np.array((0, 0, -G))
            assert np.allclose(run.position("load").values[k:], flight, atol=3e-4)
            if method[0] == "galilean":
                assert float(np.abs(run.energy["balance"]).max()) < (1e-11 if method[1] == "energy-momentum" else 1e-3)
            ends.append([run.events[0][1], float(run.coordinate("shoulder")[-1])])
            plain = [
                cs.simulate(arm(), 0.3, step, events=events, **settings).coordinate("shoulder")
                for events in ((), cs.Event("never", lambda t, state: 1.0))
            ]
            assert np.allclose(plain[0][-1], plain[1][-1], atol=1e-9)
    assert np.ptp(ends, axis=0) == pytest.approx((0.0, 0.0), abs=2e-6)
