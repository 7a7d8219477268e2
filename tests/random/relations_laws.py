"""Laws of mechanics: free fall, balance of energy and momentum."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from .answers import DURATION, SHARP, STEP, Violation, answers_of, run_of
from .mechanism import LINKS, Mechanism, Part
from .relations_same import rng_of


def released(mechanism: Mechanism) -> Mechanism:
    """The mechanism without the ground, loads, drives and strained springs, at rest."""
    still = idle(mechanism)
    spots = {p.name: [v for k, v in p.given.items() if k in ("parent", "child", "a", "b")] for p in still.parts}
    return replace(still, parts=tuple(p for p in still.parts if not any(s.grounded for s in spots[p.name])))


def idle(mechanism: Mechanism) -> Mechanism:
    """The mechanism as it is held, but without weight, loads, drives and strained springs, at rest."""
    kept = []
    for part in mechanism.parts:
        if part.kind not in ("Force", "Torque", "DistributedLoad"):
            given = {k: v for k, v in part.given.items() if k not in ("motion", "effort", "length")}
            kept.append(replace(part, given={**given, **{k: [0.0] * 3 for k in ("velocity", "spin") if k in given}}))
    return replace(mechanism, gravity=(0.0, 0.0, 0.0), parts=tuple(kept))


def free_fall(mechanism: Mechanism) -> None:
    """Released with the same velocity everywhere, everything falls as one: x = x0 + v t + g t^2/2, nothing strained."""
    rng = rng_of(mechanism)
    v, g = rng.normal(size=3), 9.81 * rng.normal(size=3)
    falling = replace(released(mechanism), gravity=tuple(g.tolist()))
    falling = falling.mapped(lambda p: p.but(velocity=v.tolist()), "RigidBody", "Beam")
    # a tight tolerance, since the test is whether something exactly zero stays zero; velocities are linear in time, and
    # generalised-alpha and the conserving scheme are exact for that
    run = run_of(falling, newton_tolerance=SHARP)
    found = answers_of(run, falling)
    t = run.time[:, None]
    for key, value in found.items():
        if key[0] == "position":
            value -= value[0] + v * t + 0.5 * g * t**2
        elif key[0] == "velocity":
            value -= v + g * t
    mass = sum(p.given.get("mass", 1.0) for p in falling.bodies)
    limits = {"position": 1e-8, "velocity": 1e-7, "spin": 1e-6, "force": 1e-5 * mass, "moment": 1e-5 * mass,
              "section": 1e-5 * mass}  # fmt: skip
    for key, value in found.items():
        if key[0] in limits and not np.abs(value).max() <= limits[key[0]]:
            raise Violation(f"free fall: {' '.join(key)} is off by {np.abs(value).max():.2e}")


def momentum(mechanism: Mechanism) -> None:
    """Without the ground, gravity and loads, momentum and angular momentum stay what they are (energy-momentum)."""
    rng = rng_of(mechanism)
    thrown = replace(released(mechanism), gravity=(0.0, 0.0, 0.0))
    v, w = rng.normal(size=3), 2.0 * rng.normal(size=3)

    def throw(part: Part) -> Part:
        x = np.array(part.given["com"] if part.kind == "RigidBody" else part.given["from"])
        return part.but(velocity=(v + np.cross(w, x)).tolist(), spin=w.tolist())

    thrown = thrown.mapped(throw, "RigidBody", "Beam")
    run = run_of(thrown, integrator="energy-momentum", newton_tolerance=1e-12)
    p = run.momentum.values
    drift = np.abs(p - p[0]).max() / np.abs(p[0]).max()
    if not drift <= 1e-9:
        raise Violation(f"momentum of a free mechanism drifts by {drift:.2e}")


def conservation(mechanism: Mechanism) -> None:
    """Without dissipation, drives and changing or following loads, the conserving scheme keeps the energy."""
    taken = ("damping", "friction", "motion", "effort")
    kept = []
    for part in mechanism.parts:
        if part.kind in ("Force", "Torque", "DistributedLoad", "Damper"):
            continue
        given = {k: v for k, v in part.given.items() if k not in taken or (k == "damping" and part.kind in LINKS)}
        if part.kind == "Spring":
            given["damping"] = 0.0
        if part.kind == "Beam":
            given["material"] = (*given["material"][:3], 0.0)
        kept.append(replace(part, given=given))
    run = run_of(replace(mechanism, parts=tuple(kept)), integrator="energy-momentum", newton_tolerance=1e-12)
    total, kinetic = run.energy["total"].values, run.energy["kinetic"].values
    potential = run.energy["potential"].values
    scale = max(kinetic.max(), np.ptp(potential), np.ptp(run.energy["strain"].values), 1e-3)
    drift = np.ptp(total) / scale
    if not drift <= 1e-8:
        raise Violation(f"energy of a conservative mechanism drifts by {drift:.2e}")


def balance(mechanism: Mechanism) -> None:
    """The error of the energy balance falls with the square of the step, for work and dissipation of all kinds."""
    errors = []
    for n in (1, 2, 4):
        run = run_of(mechanism, step=STEP / 4 / n, duration=DURATION / 2, newton_tolerance=SHARP)
        energy = run.energy
        parts = [np.ptp(energy[k].values) for k in ("kinetic", "strain", "potential", "work", "dissipated")]
        errors.append(float(np.abs(energy["balance"].values).max()) / max(*parts, 1e-6))
    if errors[-1] > 1e-6 and not errors[-1] <= 0.4 * errors[-2]:
        raise Violation("energy balance " + ", ".join(f"{e:.1e}" for e in errors) + " as the step is halved")


def grounded(mechanism: Mechanism) -> list[Any]:
    """Joints with the ground."""
    return [p for p in mechanism.joints if p.given["parent"].grounded or p.given["child"].grounded]


def resultant(mechanism: Mechanism) -> None:
    """The change of momentum is the sum of weight, dead forces and reactions of the ground."""
    parts = [p for p in mechanism.parts if p.kind not in LINKS and not p.given.get("follower")]
    plain = replace(mechanism, parts=tuple(parts))
    errors = []
    for n in (2, 4):
        run = run_of(plain, step=STEP / n, duration=DURATION / 4, newton_tolerance=SHARP)
        p = run.momentum.values[:, :3]
        force = np.zeros_like(p)
        size = 1e-3
        for joint in grounded(plain):
            sign = 1.0 if joint.given["parent"].grounded else -1.0
            force += sign * run.reaction(joint.name).values[:, :3]
            size = max(size, np.abs(run.reaction(joint.name).values[:, :3]).max())
        weight = total_mass(run) * np.array(plain.gravity)
        force += weight
        for load in plain.of("Force", "DistributedLoad"):
            force += applied(run, load)
        h = run.time[1] - run.time[0]
        middle = 0.5 * h * (force[1:] + force[:-1])
        away = np.abs(np.cumsum(middle, axis=0) - (p[1:] - p[0])).max()
        errors.append(float(away / (size + np.abs(weight).max()) / run.time[-1]))
    if errors[-1] > 1e-4 and not errors[-1] <= 0.6 * errors[-2]:
        raise Violation(f"momentum and forces differ by {errors[0]:.1e}, {errors[1]:.1e} as the step is halved")


def total_mass(run: Any) -> float:
    from cosserat.model.bodies import RigidBody

    model = run.model
    found = 0.0
    for component in model.components:
        if isinstance(component, RigidBody):
            found += component.mass
        elif hasattr(component, "section_at"):
            s, w = np.polynomial.legendre.leggauss(8)
            frames = 0.5 * (s + 1)
            step = 1e-5
            for x, weight in zip(frames, w):
                ends = [component.at(x + d).position for d in (-step, step)]
                speed = np.linalg.norm(ends[1] - ends[0]) / (2 * step)
                found += 0.5 * weight * speed * component.section_at(x)[1][0, 0]
    return found


def applied(run: Any, load: Part) -> Any:
    """Dead force of a load over time (nt, 3)."""
    component = run.model[load.name]
    if component.force is None:
        return np.zeros((len(run.time), 3))
    values = component.force.sample(run.time)
    return values * (component.beam.length if load.kind == "DistributedLoad" else 1.0)
