"""Laws of mechanics: free fall, balance of energy and momentum."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from cosserat.lie import so3

from .answers import DURATION, SHARP, STEP, Violation, answers_of, run_of
from .mechanism import LINKS, TOUCHING, Mechanism, Part
from .relations_same import rng_of


def released(mechanism: Mechanism) -> Mechanism:
    """The mechanism without the ground, loads, drives and strained springs, at rest."""
    still = idle(mechanism)
    spots = {p.name: [v for k, v in p.given.items() if k in ("parent", "child", "a", "b")] for p in still.parts}
    held = {p.name for p in still.parts if p.kind in TOUCHING or any(s.grounded for s in spots[p.name])}
    return replace(still, parts=tuple(p for p in still.parts if p.name not in held and not p.uses() & held))


def idle(mechanism: Mechanism) -> Mechanism:
    """The mechanism as it is held, but without weight, loads, drives and strained springs, at rest."""
    kept = []
    for part in mechanism.parts:
        if part.kind not in ("Force", "Torque", "DistributedLoad"):
            given = {k: v for k, v in part.given.items() if k not in ("motion", "effort", "length")}
            given |= {"target": 0.0} if part.kind == "Servo" else {}
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
        if part.kind in ("Force", "Torque", "DistributedLoad", "Damper", "Servo"):
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
    """The error of the energy balance falls with the square of the step, for work and dissipation of all kinds.

    It need not do so before steps follow the vibrations that loads wake as they set in: the fastest of a beam have the
    angular frequency c/r, c the speed of waves of shear and r the radius of gyration, 1e4/s to 1e5/s. Until then the
    error may fall slowly, but never rise.
    """
    duration = DURATION / 2 + (_RINGS + STEP if mechanism.jumps() else 0.0)
    errors: list[float] = []
    # numerical damping takes energy from vibrations of beams that no step resolves, and not with the square of the step
    enough = 1e-3 if mechanism.of("Beam") else 1e-6
    for n in (1, 2, 4, 8, 16, 32):
        run = run_of(mechanism, step=STEP / 4 / n, duration=duration, newton_tolerance=SHARP)
        energy = run.energy
        parts = [np.ptp(energy[k].values) for k in ("kinetic", "strain", "potential", "work", "dissipated")]
        found = energy["balance"].values[_settled(mechanism, run.time)]
        errors.append(float(np.abs(found).max()) / max(*parts, 1e-6))
        if n < 4:
            continue
        if errors[-1] <= max(enough, 0.4 * errors[-2], 0.2 * errors[-3]):
            return
        if errors[-1] > errors[-2]:
            break
    raise Violation("energy balance " + ", ".join(f"{e:.1e}" for e in errors) + " as the step is halved")


_RINGS = 20 * STEP / 4  # twenty of the longest steps of `balance`


def _settled(mechanism: Mechanism, time: Any) -> Any:
    """Times away from jumps of loads.

    There the accelerations of the method alternate, by a factor -alpha_m/(1 - alpha_m) from step to step, -8/11 for rho
    = 0.9, and velocities are off by as much times the step: of first order. After twenty steps 1/600 is left of that.
    """
    kept = np.ones(len(time), dtype=bool)
    for moment in mechanism.jumps():
        kept &= (time < moment - STEP / 4) | (time > moment + _RINGS)
    return kept


def grounded(mechanism: Mechanism) -> list[Any]:
    """Joints with the ground."""
    return [p for p in mechanism.joints if p.given["parent"].grounded or p.given["child"].grounded]


def resultant(mechanism: Mechanism) -> None:
    """The change of momentum is the sum of weight, dead forces and reactions of the ground."""
    parts = [p for p in mechanism.parts if p.kind not in (*LINKS, *TOUCHING) and not p.given.get("follower")]
    plain = unswitched(replace(mechanism, parts=tuple(parts)))

    def found(run: Any) -> tuple[Any, Any, float]:
        p = run.momentum.values[:, :3]
        force = np.zeros_like(p)
        size = 1e-3
        for joint in grounded(plain):
            sign = 1.0 if joint.given["parent"].grounded else -1.0
            force += sign * run.reaction(joint.name).values[:, :3]
            size = max(size, np.abs(run.reaction(joint.name).values[:, :3]).max())
        weight = first_moment(run)[0] * np.array(plain.gravity)
        force += weight
        for load in plain.of("Force", "DistributedLoad"):
            force += applied(run, load, run.time)
        return force, p, size + float(np.abs(weight).max())

    _demand_impulses(plain, "momentum and forces", found)


def _demand_impulses(plain: Mechanism, what: str, found: Callable[[Any], tuple[Any, Any, float]]) -> None:
    """Changes of momenta are the impulses of forces; `found` gives forces, momenta and the size of forces.

    A first step that does not resolve how loads begin to act is taken in parts, and what acts within it is not stored:
    then the forces must do from its end on, and all of them once it is short enough to be taken as a whole.
    """
    errors: list[list[float]] = [[], []]  # from the start, and from the end of the first step
    for n in (2, 4, 8, 16):
        run = run_of(plain, step=STEP / n, duration=DURATION / 4, newton_tolerance=SHARP)
        force, p, size = found(run)
        impulses = 0.5 * (run.time[1] - run.time[0]) * (force[1:] + force[:-1])
        for first, row in enumerate(errors):
            away = np.abs(np.cumsum(impulses[first:], axis=0) - (p[first + 1 :] - p[first])).max()
            row.append(float(away / size / run.time[-1]))
        fallen = [len(row) > 1 and row[-1] <= max(1e-4, 0.6 * row[-2]) for row in errors]
        if fallen[0]:
            return
        if n > 2 and not fallen[1]:
            break
    shown = (", ".join(f"{e:.1e}" for e in row) for row in errors)
    raise Violation(f"{what} differ by {next(shown)}, without the first step {next(shown)} as the step is halved")


def unswitched(mechanism: Mechanism) -> Mechanism:
    """Loads that act all the time: a trapezoidal rule would miss the moment of a jump."""

    def change(part: Part) -> Part:
        return part.but(vector=[f.split("*step")[0].split("*(1 - step")[0] if isinstance(f, str) else f
                                for f in part.given["vector"]])  # fmt: skip

    return mechanism.mapped(change, "Force", "Torque")


def first_moment(run: Any) -> tuple[float, Any]:
    """Mass, and mass times the position of the centre of mass (3,), in the reference configuration."""
    mass, moment = 0.0, np.zeros(3)
    for body in run.model.bodies:
        mass += body.mass
        moment += body.mass * np.asarray(body.com)
    nodes, weights = np.polynomial.legendre.leggauss(8)
    step = 1e-5
    for beam in run.model.beams:
        for s, w in zip(0.5 * (nodes + 1), 0.5 * weights):
            ends = [beam.at(s + d).position for d in (-step, step)]
            M, H = beam.section_at(s)[1], beam.at(s).frame()
            share = w * M[0, 0] * float(np.linalg.norm(ends[1] - ends[0])) / (2 * step)
            mass += share
            moment += share * (H[:3, 3] + H[:3, :3] @ so3.vee(-M[:3, 3:] / M[0, 0]))
    return mass, moment


def angular(mechanism: Mechanism) -> None:
    """The change of angular momentum is the moment of weight, dead loads and reactions of the ground."""
    left_out = (*LINKS, *TOUCHING, "DistributedLoad")
    parts = [p for p in mechanism.parts if p.kind not in left_out and not p.given.get("follower")]
    plain = unswitched(replace(mechanism, parts=tuple(parts)))

    def found(run: Any) -> tuple[Any, Any, float]:
        h, momentum = run.time[1] - run.time[0], run.momentum.values
        _, start = first_moment(run)
        centre = np.vstack((start, start + np.cumsum(0.5 * h * (momentum[1:, :3] + momentum[:-1, :3]), axis=0)))
        moment = np.cross(centre, plain.gravity)
        size = float(np.abs(moment).max()) + 1e-3
        for joint in grounded(plain):
            wrench, child = run.reaction(joint.name).values, joint.given["child"]
            sign = -1.0 if child.grounded else 1.0
            x = np.array(joint.given["at"])
            if not child.grounded:
                x = run.position(f"{child.owner}.at({child.at})" if np.ndim(child.at) == 0 else
                                 run.model[child.owner].at(joint.given["at"])).values  # fmt: skip
            moment += sign * (np.cross(x, wrench[:, :3]) + wrench[:, 3:])
            size = max(size, float(np.abs(moment).max()))
        for load in plain.of("Force", "Torque"):
            component = run.model[load.name]
            if load.kind == "Force":
                moment += np.cross(run.position(component.place).values, component.force.sample(run.time))
            else:
                moment += component.moment.sample(run.time)
        return moment, momentum[:, 3:], size

    _demand_impulses(plain, "angular momentum and moments", found)


def applied(result: Any, load: Part, times: Any) -> Any:
    """Dead force of a load over time (nt, 3)."""
    component = result.model[load.name]
    if component.force is None:
        return np.zeros((len(times), 3))
    values = component.force.sample(times)
    return values * (component.beam.length if load.kind == "DistributedLoad" else 1.0)
