"""Small models with known answers, simulated once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import cosserat as cs

GRAVITY = 9.81


def pendulum(**hinge: object) -> cs.Model:
    """A mass 2 kg at 1 m from a hinge about y, at rest on the horizontal; inertia 0.2 about its centre of mass."""
    model = cs.Model("pendulum", gravity=(0, 0, -GRAVITY))
    bob = model.add(cs.RigidBody("bob", mass=2.0, com=(1, 0, 0), inertia=(0.1, 0.2, 0.3)))
    model.add(cs.Revolute("hinge", cs.GROUND, bob.at((0, 0, 0)), axis=(0, 1, 0), **hinge))
    return model


def cantilever(elements: int = 4, **load: object) -> cs.Model:
    """A soft beam of 2 m along x, clamped at its start."""
    section = cs.Section(stiffness=[1e8, 1e8, 1e8, 1e2, 1e2, 1e2], mass=[1, 1, 1, 1e-3, 1e-3, 1e-3])
    model = cs.Model("cantilever", gravity=load.get("gravity", (0, 0, 0)))
    beam = model.add(cs.Beam("beam", points=[(0, 0, 0), (2, 0, 0)], section=section, elements=elements))
    model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
    if "tip" in load:
        model.add(cs.Force("tip", beam.end, load["tip"]))
    if "line" in load:
        model.add(cs.DistributedLoad("line", beam, force=load["line"], follower=load.get("follower", False)))
    return model


@pytest.fixture(scope="session", name="pendulum")
def pendulum_builder() -> Callable[..., cs.Model]:
    return pendulum


@pytest.fixture(scope="session", name="cantilever")
def cantilever_builder() -> Callable[..., cs.Model]:
    return cantilever


@pytest.fixture(scope="session")
def swing() -> cs.Run:
    return cs.simulate(pendulum(), duration=1.0, step=0.005)


@pytest.fixture(scope="session")
def arm() -> cs.Run:
    """A driven flexible arm with a passive second link and a payload: beams, a body, a Python function."""
    model = cs.Model("arm", gravity=(0, 0, -GRAVITY))
    tube = cs.Tube(outer_diameter=0.030, inner_diameter=0.027)
    first = model.add(
        cs.Beam("first", points=[(0, 0, 0), (1, 0, 0)], section=tube, material=cs.materials.ALUMINIUM_6061, elements=3)
    )
    load = model.add(cs.RigidBody.box("load", size=(0.3, 0.1, 0.1), mass=0.5, com=(1.15, 0, 0)))
    model.add(cs.Revolute("drive", cs.GROUND, first.start, axis=(0, 0, 1), motion=lambda t: t - np.sin(t)))
    model.add(cs.Revolute("elbow", first.end, load.at((1, 0, 0)), axis=(0, 0, 1), damping=0.02))
    return cs.simulate(model, duration=1.0, step=0.005)
