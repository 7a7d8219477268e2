"""Runs with few stored states: wrong ones are named by their energies alone, right ones are not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cosserat as cs

METHODS: list[dict[str, Any]] = [
    {}, {"integrator": "energy-momentum"}, {"formulation": "floating"},
    {"formulation": "floating", "integrator": "runge-kutta"},
]  # fmt: skip


def top(spin: float) -> cs.Model:
    model = cs.Model("gyroscope")
    model.add(cs.RigidBody("top", 1.0, (0, 0, 0), (0.1, 0.12, 0.15), angular_velocity=(1, spin, 2)))
    return model


def kick(at: float) -> cs.Event:
    return cs.Event("kick", lambda t, state: t - at, lambda t, state: {"top": (0, 0, 100.0)}, direction="rising")


def test_energy_from_nowhere_in_a_few_steps() -> None:
    """Ten radians in a step of Runge-Kutta's method: from 2400 J to 2e13 J in five steps, and the run was ok."""
    events = cs.Event("kick", lambda t, _: t - 0.061, lambda t, _: {"top": (0, 0, 1.0)}, direction="rising")
    run = cs.simulate(top(200.0), 0.2, 0.05, events=events, formulation="floating", integrator="runge-kutta")
    assert len(run.time) == 6
    assert float(run.energy["kinetic"][-1]) > 1e12
    assert run.status.outcome is cs.Outcome.UNBALANCED
    assert "there were 2.4e+03 J before; the balance is broken from t = 0.1 s on" in run.status.message


@pytest.mark.parametrize("every", [1, 3])
@pytest.mark.parametrize("settings", METHODS)
def test_impulses_are_no_energy_from_nowhere(settings: dict[str, Any], every: int) -> None:
    """A blow of 5000 J on what had 0.5 J."""
    run = cs.simulate(top(2.0), 0.3, 0.05, events=kick(0.12), every=every, **settings)
    assert len(run.time) < 10
    assert float(run.energy["kinetic"][-1]) > 5000.0
    assert run.status.ok, run.status.message


@pytest.mark.parametrize("every", [1, 4])
@pytest.mark.parametrize("settings", METHODS)
def test_coarse_runs_of_a_few_steps(settings: dict[str, Any], every: int) -> None:
    """A pendulum on a spring that starts at rest, in steps of a sixth of a swing."""
    model = cs.Model("pendulum", gravity=(0, 0, -9.81))
    bob = model.add(cs.RigidBody("bob", 1.0, (1, 0, 0), (0.01, 0.02, 0.02)))
    model.add(cs.Revolute("hinge", cs.GROUND, bob, at=(0, 0, 0), axis=(0, 1, 0), damping=0.1))
    model.add(cs.Spring("spring", cs.GROUND.at((0, 0, 1)), bob, stiffness=5.0, length=1.0))
    run = cs.simulate(model, 2.4, 0.3, every=every, **settings)
    assert len(run.time) < 10
    assert run.status.ok, run.status.message


@pytest.mark.parametrize("settings", METHODS)
def test_what_is_driven_between_stored_times(settings: dict[str, Any]) -> None:
    """Work between stored times is not seen: a push that is over when the next state is stored says nothing."""
    model = cs.Model("cart")
    cart = model.add(cs.RigidBody("cart", 1.0, (0, 0, 0), np.eye(3)))
    model.add(cs.Prismatic("rail", cs.GROUND, cart, axis=(1, 0, 0)))
    model.add(cs.Force("push", cart, ["10*exp(-((t - 0.15)/0.02)**2)", "0", "0"]))
    run = cs.simulate(model, 0.4, 0.002, every=100, **settings)
    assert len(run.time) == 3
    assert float(run.energy["kinetic"][-1]) > 0.01
    assert run.status.ok, run.status.message
