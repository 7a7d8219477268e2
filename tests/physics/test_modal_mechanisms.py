"""Mechanisms of modal bodies made of beams, against the same mechanisms of beams in the Galilean formulation."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import cosserat as cs

ALLOY = cs.Material(E=70e9, nu=0.3, rho=2700, damping=2e-4)
GRAVITY = (0, 0, -9.81)


class Kit:
    """Adds beams to a model, as they are or as modal bodies."""

    def __init__(self, name: str, modal: bool, gravity=GRAVITY) -> None:
        self.model, self.modal = cs.Model(name, gravity=gravity), modal

    def beam(self, name: str, start, end, **options) -> tuple[cs.Place, cs.Place]:
        """Its two ends."""
        beam = cs.Beam(name, points=[start, end], section=cs.Rod(0.03), material=ALLOY, elements=6)
        part = self.model.add(cs.modal_body(beam, **options) if self.modal else beam)
        return (part.at("start"), part.at("end")) if self.modal else (part.start, part.end)

    def add(self, part):
        return self.model.add(part)


def reversed_joint(modal: bool) -> cs.Model:
    kit = Kit("reversed", modal)
    start, _ = kit.beam("b", (0, 0, 0), (1, 0, 0), modes=8)
    kit.add(cs.Revolute("j", start, cs.GROUND, axis=(0, 1, 0), stiffness=30, damping=0.2))
    return kit.model


def free_modes_on_a_hinge(modal: bool) -> cs.Model:
    kit = Kit("free", modal)
    start, end = kit.beam("b", (0, 0, 0), (1, 0, 0), modes=14, boundary="free")
    kit.add(cs.Revolute("j", cs.GROUND, start, axis=(0, 1, 0)))
    kit.add(cs.Force("f", end, ("5 * sin(9 * t)", 0, "8 * sin(7 * t)"), follower=True))
    return kit.model


def loop(modal: bool) -> cs.Model:
    kit = Kit("loop", modal)
    corners = [(0, 0, 0), (0, 0, 0.3), (1, 0, 0.5), (1, 0, 0)]
    options = {"modes": 6, "boundary": "craig-bampton"}
    bars = [kit.beam(name, corners[k], corners[k + 1], **options) for k, name in enumerate("abc")]
    kit.add(cs.Revolute("ja", cs.GROUND, bars[0][0], axis=(0, 1, 0), motion="2 * sin(2 * t)**2"))
    kit.add(cs.Revolute("jb", bars[0][1], bars[1][0], axis=(0, 1, 0)))
    kit.add(cs.Revolute("j", bars[1][1], bars[2][0], axis=(0, 1, 0)))
    kit.add(cs.Revolute("jd", cs.GROUND, bars[2][1], axis=(0, 1, 0)))
    return kit.model


def springs(modal: bool) -> cs.Model:
    kit = Kit("springs", modal)
    start, end = kit.beam("b", (0, 0, 0), (1, 0, 0), modes=4, boundary="craig-bampton")
    ball = kit.add(cs.RigidBody.sphere("ball", diameter=0.1, mass=2, com=(1, 0, -0.5)))
    kit.add(cs.Spherical("j", cs.GROUND, start))
    kit.add(cs.Spring("down", end, ball, stiffness=400, damping=3))
    kit.add(cs.Spring("up", end, cs.GROUND.at((1, 0.2, 1)), stiffness=200))
    return kit.model


def satellite(modal: bool) -> cs.Model:
    kit = Kit("satellite", modal, (0, 0, 0))
    hub = kit.add(cs.RigidBody.box("hub", size=(0.2, 0.2, 0.2), mass=20))
    for name, y in (("b", 1), ("c", -1)):
        start, _ = kit.beam(name, (0, 0.1 * y, 0), (0, 1.3 * y, 0), modes=4)
        kit.add(cs.Fixed("j" if y > 0 else "k", hub.at((0, 0.1 * y, 0)), start))
    kit.add(cs.Torque("t", hub, ("30 * sin(12 * t)", 0, "20 * sin(8 * t)")))
    return kit.model


@pytest.mark.filterwarnings("ignore:redundant constraints")
@pytest.mark.parametrize("build", [reversed_joint, free_modes_on_a_hinge, loop, springs, satellite])
def test_against_the_galilean_formulation(build: Callable[[bool], cs.Model]) -> None:
    options = {"duration": 0.15, "step": 1e-3, "rho": 0.6}
    galilean = cs.simulate(build(False), **options)
    floating = cs.simulate(build(True), formulation="floating", **options)
    assert floating.status.ok
    asked = {
        "place": (lambda run: run.position("b.end"), 1e-4),
        "velocity": (lambda run: run.velocity("b.end"), 1e-3),
        "reaction": (lambda run: run.reaction("j")[:, [0, 2]], 0.01),
        "momentum": (lambda run: run.momentum, 1e-3),
    }
    for name, (ask, allowed) in asked.items():
        one, two = (ask(run).values[40:] for run in (galilean, floating))
        assert np.abs(one - two).max() < allowed * np.abs(one - one[0]).max(), name
    energy = floating.energy
    scale = max(np.ptp(energy[key].values) for key in ("kinetic", "strain", "potential", "work"))
    assert np.abs(energy.balance.values).max() < 2e-4 * scale
    assert floating.constraint_violation.values.max() < 1e-12
