"""The guarded cases: models as functions of how fine their meshes are, and the numbers that are read off them."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import cosserat as cs

from ..random.generator import random_mechanism
from ..random.mechanism import build
from ..random.relations_linear import held

Numbers = dict[str, list[float]]
RUBBER = cs.Material(E=2e7, nu=0.3, rho=1200, damping=2e-4)
DURATION, STEP, INSTANTS = 0.15, 1e-3, (0.05, 0.1, 0.15)


def _beam(name: str, a: Any, b: Any, n: int, **more: Any) -> cs.Beam:
    return cs.Beam(name, points=[a, b], section=cs.Rectangle(0.03, 0.05), material=RUBBER, elements=n, **more)


def arm(fine: int = 1) -> cs.Model:
    """A driven beam with another on a hinge, under weight."""
    model = cs.Model("arm", gravity=(0, 0, -9.81))
    upper = model.add(_beam("upper", (0, 0, 0), (0.6, 0, 0), 4 * fine))
    lower = model.add(_beam("lower", (0.6, 0, 0), (0.6, 0.5, 0), 4 * fine))
    model.add(cs.Revolute("shoulder", cs.GROUND, upper.start, axis=(0, 0, 1), motion="0.5*(1 - cos(6*t))"))
    model.add(cs.Revolute("elbow", upper.end, lower.start, axis=(1, 0, 0), stiffness=3.0, damping=0.05))
    return model


def frame(fine: int = 1) -> cs.Model:
    """A portal of three beams with a heavy body on it and a load from the side that grows."""
    model = cs.Model("frame", gravity=(0, 0, -9.81))
    left = model.add(_beam("left", (0, 0, 0), (0, 0, 0.5), 3 * fine, up=(1, 0, 0)))
    top = model.add(_beam("top", (0, 0, 0.5), (0.6, 0, 0.5), 3 * fine))
    right = model.add(_beam("right", (0.6, 0, 0.5), (0.6, 0, 0), 3 * fine, up=(1, 0, 0)))
    crate = model.add(cs.RigidBody.box("crate", size=(0.1, 0.1, 0.1), mass=0.5, com=(0.6, 0, 0.55)))
    for name, a, b in (("a", cs.GROUND, left.start), ("b", left.end, top.start), ("c", top.end, right.start)):
        model.add(cs.Fixed(name, a, b))
    model.add(cs.Spherical("foot", cs.GROUND, right.end))
    model.add(cs.Fixed("bolt", top.end, crate, at=(0.6, 0, 0.5)))
    model.add(cs.Force("side", top.start, ("3*smoothstep(t, 0, 0.2)", "sin(10*t)", 0)))
    return model


def arc(fine: int = 1) -> cs.Model:
    """A quarter of a circle with a follower force at its end."""
    model = cs.Model("arc")
    hook = model.add(
        cs.Beam("hook", curve=("0.4*sin(pi/2*s)", "0.4*(1 - cos(pi/2*s))", 0), section=cs.Rod(0.04), material=RUBBER,
                elements=6 * fine)
    )  # fmt: skip
    bob = model.add(cs.RigidBody.sphere("bob", diameter=0.1, mass=0.8, com=(0.4, 0.4, 0)))
    model.add(cs.Fixed("clamp", cs.GROUND, hook.start))
    model.add(cs.Fixed("weld", hook.end, bob))
    model.add(cs.Force("push", hook.end, ("2*sin(8*t)", "cos(8*t) - 1", 0.8), follower=True))
    return model


def baton(fine: int = 1) -> cs.Model:
    """A free beam that spins and stretches, with a body on a spring and a damper."""
    model = cs.Model("baton", gravity=(0, 0, -9.81))
    spin = ["-3*y", "3*x", 0.5, 0, 0, 3]
    rod = model.add(_beam("rod", (-0.4, 0, 0), (0.4, 0, 0), 6 * fine, velocity=spin))
    ball = model.add(cs.RigidBody.sphere("ball", diameter=0.1, mass=0.4, com=(0, 0.4, 0.1), velocity=(-1.2, 0, 0.5)))
    model.add(cs.Spring("cord", rod.end, ball, stiffness=60.0, damping=0.5, length=0.4))
    return model


def four_bar(fine: int = 1) -> cs.Model:
    """A spatial loop: crank, coupler on a ball and a universal joint, rocker."""
    model = cs.Model("loop", gravity=(0, 0, -9.81))
    bar = {"section": cs.Rod(0.03), "material": cs.materials.NYLON}
    crank = model.add(cs.RigidBody.bar("crank", start=(0, 0, 0), end=(0, 0, 0.2), **bar))
    rod = model.add(cs.RigidBody.bar("rod", start=(0, 0, 0.2), end=(0.6, 0.1, 0.3), **bar))
    rocker = model.add(cs.RigidBody.bar("rocker", start=(0.6, 0.1, 0.3), end=(0.6, 0.1, 0), **bar))
    model.add(cs.Revolute("motor", cs.GROUND, crank.at((0, 0, 0)), axis=(0, 1, 0), effort="0.2*sin(9*t)"))
    model.add(cs.Spherical("ball", crank.at((0, 0, 0.2)), rod.at((0, 0, 0.2))))
    model.add(cs.Universal("cross", rod.at((0.6, 0.1, 0.3)), rocker.at((0.6, 0.1, 0.3)), axes=((1, 0, 0), (0, 1, 0))))
    model.add(cs.Revolute("pin", cs.GROUND, rocker.at((0.6, 0.1, 0)), axis=(0, 1, 0), friction=cs.Friction(0.02, 0.3)))
    return model


def top(fine: int = 1) -> cs.Model:
    """A heavy top."""
    model = cs.Model("top", gravity=(0, 0, -9.81))
    body = model.add(
        cs.RigidBody("body", mass=1.5, com=(0.1, 0, 0.3), inertia=(0.02, 0.02, 0.01), angular_velocity=(0, 1, 30),
                     velocity=(0.3, 3, -0.1))
    )  # fmt: skip
    model.add(cs.Spherical("tip", cs.GROUND, body.at((0, 0, 0))))
    return model


def seeded(seed: int) -> Callable[[int], cs.Model]:
    """A random rigid mechanism."""
    return lambda fine=1: build(random_mechanism(seed, controlled=False).rigid())


RIGID = {"four_bar": four_bar, "top": top, **{f"random {seed}": seeded(seed) for seed in (0, 23, 29, 39, 45, 48)}}
ELASTIC = {"arm": arm, "frame": frame, "arc": arc, "baton": baton}


def resting(seed: int) -> Callable[[int], cs.Model]:
    """A random rigid mechanism with springs in all its freedoms."""
    return lambda fine=1: build(held(random_mechanism(seed, controlled=False).rigid()))


RESTING = {"frame": frame, "arc": arc, **{f"random {seed}": resting(seed) for seed in (4, 23, 43)}}


def motion(model: cs.Model, step: float = STEP, **settings: Any) -> Numbers:
    """Numbers of a run at some instants, by place and joint; the frame starts from its rest under weight."""
    start = "equilibrium" if model.name == "frame" else "reference"
    run = cs.simulate(model, DURATION, step=step, start=start, **settings)
    assert run.status.ok, run.status.message
    at = [int(np.argmin(np.abs(run.time - t))) for t in INSTANTS]
    found: Numbers = {}
    for body in model.bodies:
        found[f"position {body.name}"] = run.position(body.name).values[at].ravel().tolist()
        found[f"spin {body.name}"] = run.angular_velocity(body.name).values[at].ravel().tolist()
    for beam in model.beams:
        found[f"position {beam.name}.end"] = run.position(f"{beam.name}.end").values[at].ravel().tolist()
        found[f"velocity {beam.name}.end"] = run.velocity(f"{beam.name}.end").values[at].ravel().tolist()
    for joint in model.joints:
        found[f"reaction {joint.name}"] = run.reaction(joint.name).values[at].ravel().tolist()
    for key in ("kinetic", "strain", "potential", "work", "dissipated"):
        found[f"energy {key}"] = run.energy[key].values[at].tolist()
    return found


def rest(model: cs.Model) -> Numbers:
    """Numbers of an equilibrium, and of the slowest modes about it."""
    found = cs.equilibrium(model, time=0.1)
    assert found.status.ok, found.status.message
    numbers: Numbers = {}
    for body in model.bodies:
        numbers[f"position {body.name}"] = found.position(body.name).tolist()
    for beam in model.beams:
        numbers[f"position {beam.name}.end"] = found.position(f"{beam.name}.end").tolist()
    for joint in model.joints:
        numbers[f"reaction {joint.name}"] = found.reaction(joint.name).tolist()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cs.CosseratWarning)
        values = cs.modes(model, 4, about=found, time=0.1).eigenvalues
    numbers["eigenvalue sizes"] = np.sort(np.abs(values)).tolist()
    return numbers


def computed() -> dict[str, Callable[[], Numbers]]:
    """What the tests compute, at ordinary steps and meshes."""
    found: dict[str, Callable[[], Numbers]] = {}
    for name, make in RIGID.items():
        found[f"{name}, galilean"] = lambda make=make: motion(make())
        found[f"{name}, floating"] = lambda make=make: motion(make(), formulation="floating")
        found[f"{name}, energy-momentum"] = lambda make=make: motion(make(), integrator="energy-momentum")
    for name, make in ELASTIC.items():
        found[f"{name}, galilean"] = lambda make=make: motion(make())
    for name in ("arm", "arc"):
        found[f"{name}, floating"] = lambda make=ELASTIC[name]: motion(make(), formulation="floating", modes=8)
    for name, make in RESTING.items():
        found[f"{name}, at rest"] = lambda make=make: rest(make())
    return found
