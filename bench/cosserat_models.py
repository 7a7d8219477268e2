"""The benchmark problems in this package, through its public interface only."""

from __future__ import annotations

import time

import numpy as np

import cosserat as cs
import problem
from problem import Timing


def _section() -> cs.Tube:
    return cs.Tube(
        outer_diameter=problem.OUTER_DIAMETER,
        inner_diameter=problem.INNER_DIAMETER,
        shear_factor=problem.SHEAR_FACTOR,
    )


def _material() -> cs.Material:
    return cs.Material(E=problem.E, nu=problem.NU, rho=problem.RHO)


def _arm(name: str, x0: float, elements: int) -> cs.Beam | cs.RigidBody:
    """Return an arm along x from x0: a beam, or a rigid bar if it has no elements."""
    start, end = (x0, 0.0, 0.0), (x0 + problem.LENGTH, 0.0, 0.0)
    if elements:
        return cs.Beam(name, points=[start, end], section=_section(), material=_material(), elements=elements)
    ring = problem.ring()
    axial, across = ring.inertia[0] * problem.LENGTH, ring.inertia[1] * problem.LENGTH
    mass = ring.mass * problem.LENGTH
    across += mass * problem.LENGTH**2 / 12
    com = (x0 + problem.LENGTH / 2, 0.0, 0.0)
    return cs.RigidBody(name, mass=mass, com=com, inertia=np.diag([axial, across, across]))


def manipulator_model(variant: str) -> cs.Model:
    """Return a variant of the two-link manipulator, one of ``problem.VARIANTS``."""
    elements = problem.VARIANTS[variant]
    L = problem.LENGTH
    model = cs.Model(f"two-link {variant}", gravity=problem.GRAVITY)
    arm1 = model.add(_arm("arm1", 0.0, elements))
    arm2 = model.add(_arm("arm2", L, elements))
    if elements:
        root, end1, start2 = arm1.start, arm1.end, arm2.start
    else:
        root, end1, start2 = arm1.at((0, 0, 0)), arm1.at((L, 0, 0)), arm2.at((L, 0, 0))
    z = (0.0, 0.0, 1.0)
    model.add(cs.Revolute("shoulder", cs.GROUND, root, axis=z, motion=lambda t: t - np.sin(t)))
    model.add(cs.Revolute("elbow", end1, start2, axis=z))
    return model


def cantilever_model(elements: int) -> cs.Model:
    """Return the clamped arm."""
    model = cs.Model("cantilever", gravity=problem.GRAVITY)
    arm = model.add(_arm("arm", 0.0, elements))
    model.add(cs.Fixed("clamp", cs.GROUND, arm.start))
    return model


def _run(model: cs.Model, tip: str | cs.Place, duration: float, step: float, started: float) -> Timing:
    run = cs.simulate(model, duration=duration, step=step, rho=problem.RHO_INF)
    total = time.process_time() - started
    if not run.status.ok:
        raise RuntimeError(f"{model.name}: {run.status}")
    return Timing(np.asarray(run.time), np.asarray(run.position(tip)), run.stats["solve_seconds"], total)


def manipulator(variant: str, steps: int) -> Timing:
    """Run a variant of the two-link manipulator."""
    started = time.process_time()
    model = manipulator_model(variant)
    tip = "arm2.end" if problem.VARIANTS[variant] else model["arm2"].at((2 * problem.LENGTH, 0, 0))
    return _run(model, tip, problem.DURATION, problem.DURATION / steps, started)


def cantilever(elements: int, steps: int) -> Timing:
    """Run the clamped arm under sudden gravity for `steps` steps of 1 ms."""
    started = time.process_time()
    model = cantilever_model(elements)
    return _run(model, "arm.end", steps * problem.CANTILEVER_STEP, problem.CANTILEVER_STEP, started)
