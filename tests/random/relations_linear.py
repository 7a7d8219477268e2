"""Statics and linear models against the nonlinear solvers: differences of `equilibrium` and of `simulate`, modes."""

from __future__ import annotations

import warnings
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.linalg import expm

import cosserat as cs

from .answers import NotApplicable, Unanswered, Violation, run_of
from .mechanism import FREEDOMS, Mechanism, Part, Spot, build, place_text
from .relations_laws import grounded
from .relations_same import UNITS, rng_of

PUSH = 1e-3  # N: small for bodies of about a kilogram and springs of about a hundred newtons per metre


def held(mechanism: Mechanism) -> Mechanism:
    """The mechanism with a spring in every freedom, constant loads and no drives, at rest: it has an equilibrium."""
    if not grounded(mechanism):
        raise NotApplicable("nothing holds it")

    def change(part: Part) -> Part:
        given = {k: v for k, v in part.given.items() if k not in ("motion", "friction")}
        if part.kind in FREEDOMS:
            given["stiffness"] = {n: 40.0 if n.startswith("r") else 400.0 for n in FREEDOMS[part.kind]}
            given = {k: v for k, v in given.items() if k != "stiffness" or v}
        if "effort" in given:
            given["effort"] = {n: _constant(f) for n, f in given["effort"].items()}
        for key in ("vector", "force", "moment"):
            if key in given:
                given[key] = [_constant(f) for f in given[key]]
        return replace(part, given={**given, **{k: [0.0] * 3 for k in ("velocity", "spin") if k in given}})

    return replace(mechanism, parts=tuple(change(p) for p in mechanism.parts))


def _constant(f: Any) -> Any:
    """The size of a signal instead of its course."""
    return 0.5 * float(f.split("*")[0]) if isinstance(f, str) else f


def pushed(mechanism: Mechanism) -> tuple[Mechanism, list[str]]:
    """With a force of nearly nothing on the last body, and places whose positions are looked at."""
    spots = mechanism.spots()
    name = mechanism.bodies[-1].name
    last = name if name in spots else f"{name}.at(0.5)"
    direction = rng_of(mechanism).normal(size=3).tolist()
    force = Part("Force", "push", {"place": spots[last], "vector": [0.0] * 3, "follower": False, "along": direction})
    return replace(mechanism, parts=(*mechanism.parts, force)), [place_text(s) for s in spots.values()]


def with_push(mechanism: Mechanism, size: float) -> cs.Model:
    return build(
        mechanism.mapped(
            lambda p: p.but(vector=[size * a for a in p.given["along"]]) if "along" in p.given else p, "Force"
        )
    )


def rest(model: cs.Model, start: Any = None) -> cs.Equilibrium:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cs.CosseratWarning)
        found = cs.equilibrium(model, start=start)
    if not found.status.ok:
        raise Unanswered(f"equilibrium: {found.status.message}")
    return found


def _at_rest(mechanism: Mechanism) -> tuple[Mechanism, list[str], cs.Model, Any, Any]:
    mechanism, places = pushed(held(mechanism))
    model = with_push(mechanism, 0.0)
    about = rest(model)
    inputs = [f"{place_text(mechanism.of('Force')[-1].given['place'])}.f{a}" for a in "xyz"]
    linear = cs.linearize(model, inputs, [*places, *(f"{p}.velocity" for p in places)], about=about)
    return mechanism, places, model, about, linear


def gain(mechanism: Mechanism) -> None:
    """The response of the linear model at frequency zero is the difference of equilibria."""
    mechanism, places, _, about, linear = _at_rest(mechanism)
    direction = np.array(mechanism.of("Force")[-1].given["along"])
    expected = (linear.D - linear.C @ np.linalg.solve(linear.A, linear.B))[: 3 * len(places)].real @ direction
    moved = [
        np.concatenate([rest(with_push(mechanism, size), start=about).position(p) for p in places])
        for size in (PUSH, -PUSH)
    ]
    found = (moved[0] - moved[1]) / (2 * PUSH)
    away = np.abs(found - expected).max() / max(np.abs(expected).max(), 1e-6)
    if not away <= 1e-5:
        raise Violation(f"static gain of the linear model and difference of equilibria differ by {away:.1e}")


def step_response(mechanism: Mechanism) -> None:
    """A small push sets the mechanism in motion as it does the linear model."""
    mechanism, places, _, about, linear = _at_rest(mechanism)
    direction = np.array(mechanism.of("Force")[-1].given["along"])
    duration, errors = 0.05, []
    size = len(linear.A)
    grown = expm(np.block([[linear.A, (linear.B @ direction)[:, None]], [np.zeros((1, size + 1))]]) * duration)
    outputs = (linear.C @ grown[:size, -1] + linear.D @ direction)[: 3 * len(places)]
    for step in (1e-3, 5e-4):
        ends = []
        for push in (PUSH, -PUSH):
            other = with_push(mechanism, push)
            run = run_of(mechanism, model=other, duration=duration, step=step, start=about, newton_tolerance=1e-10)
            ends.append(np.concatenate([run.position(p).values[-1] for p in places]))
        found = (ends[0] - ends[1]) / (2 * PUSH)
        errors.append(float(np.abs(found - outputs).max() / max(np.abs(outputs).max(), 1e-6)))
    # fast vibrations of beams, which no step resolves, carry a small share of a displacement
    if not (errors[-1] <= (5e-3 if mechanism.of("Beam") else 1e-4) or errors[-1] <= 0.4 * errors[-2]):
        raise Violation(f"step response differs by {errors[0]:.1e}, {errors[1]:.1e} as the step is halved")


def eigenvalues(mechanism: Mechanism) -> None:
    """`modes` has the eigenvalues of the linear model: frequencies and damping."""
    mechanism, _, model, about, linear = _at_rest(mechanism)
    found = cs.modes(model, 6, about=about)
    exact = linear.eigenvalues
    scale = np.abs(found.eigenvalues).max()
    for s in found.eigenvalues:
        away = np.abs(exact - s).min() / max(abs(s), 1e-3 * scale)
        if not away <= 1e-6:
            raise Violation(f"mode {s:.6g} is no eigenvalue of the linear model (nearest differs by {away:.1e})")
    slow = exact[(exact.imag >= 0) & (np.abs(exact) < 0.999 * scale)]
    if len(found.eigenvalues) >= 6:
        for s in slow:
            away = min(np.abs(found.eigenvalues - s).min(), np.abs(found.eigenvalues - s.conjugate()).min())
            if s.imag > 1e-6 * scale and not away <= 1e-5 * scale:
                raise Violation(f"eigenvalue {s:.6g} of the linear model is missing among the modes")


def mode_units(mechanism: Mechanism) -> None:
    """Frequencies and damping do not depend on units."""
    mechanism = held(mechanism)
    first = cs.modes(build(mechanism), 5)
    see = UNITS[int(rng_of(mechanism).integers(len(UNITS)))]
    second = cs.modes(build(mechanism, see), 5)
    a, b = first.eigenvalues, second.eigenvalues * see.time
    if len(a) != len(b):
        raise Violation(f"{len(a)} modes in SI units, {len(b)} in others")
    away = np.abs(np.sort(np.abs(a)) - np.sort(np.abs(b))).max() / np.abs(a).max()
    if not away <= 1e-7:
        raise Violation(f"eigenvalues differ by {away:.1e} in other units")


def peaks(mechanism: Mechanism) -> None:
    """Near its first lightly damped mode the frequency response is largest where the mode says."""
    mechanism, _, model, about, linear = _at_rest(mechanism)
    values = cs.modes(model, 6, about=about).eigenvalues
    light = [k for k, s in enumerate(values) if s.imag > 0 and -s.real < 0.002 * abs(s)]
    alone = [k for k in light if not np.any(np.abs(np.delete(values, k).imag - values[k].imag) < 0.2 * values[k].imag)]
    if not alone:
        raise NotApplicable("all modes are damped much or near each other")
    around = 1j * values[alone[0]].imag * np.array([0.97, 1.002, 1.03])
    place = place_text(mechanism.of("Force")[-1].given["place"])
    response = cs.frequency_response(model, f"{place}.fx", f"{place}.x", np.abs(around) / (2 * np.pi), about=about)
    sizes = np.abs(response.data.values).reshape(3)
    exact = [abs(linear.transfer(complex(z))[linear.outputs.index(f"{place}.x"), 0]) for z in around]
    if not np.allclose(sizes, exact, rtol=1e-6):
        raise Violation(f"frequency response {sizes} is not the transfer function {exact}")
    every = np.abs([linear.transfer(complex(z))[: len(linear.outputs) // 2] for z in around]).max(axis=(1, 2))
    if not every[1] > max(every[0], every[2]):
        raise Violation(f"no peak at the mode of {around[1].imag:.4g} rad/s: {every}")


def spot_of(mechanism: Mechanism) -> Spot:
    return mechanism.of("Force")[-1].given["place"]


def moving(mechanism: Mechanism) -> None:
    """About a moment of a run, accelerations of the linear model are differences of accelerations of the solver."""
    if any("motion" in p.given for p in mechanism.joints):
        raise NotApplicable("drives move while one looks")
    mechanism, places = pushed(mechanism)
    run = run_of(mechanism, duration=0.1, step=0.002, newton_tolerance=1e-10)
    place = place_text(spot_of(mechanism))
    linear = cs.linearize(run.model, [f"{place}.f{a}" for a in "xyz"], [f"{p}.velocity" for p in places], about=run)
    direction = np.array(mechanism.of("Force")[-1].given["along"])
    expected = linear.C @ linear.B @ direction
    ends = []
    for push in (1.0, -1.0):
        start = run_of(mechanism, model=with_push(mechanism, push), start=run, duration=1e-6, step=1e-6)
        ends.append(np.concatenate([start.acceleration(p).values[0] for p in places]))
    found = (ends[0] - ends[1]) / 2
    away = np.abs(found - expected).max() / max(np.abs(found).max(), 1e-3)
    if not away <= 1e-6:
        raise Violation(f"accelerations under a push in motion differ by {away:.1e}")


def moving_tree(mechanism: Mechanism) -> None:
    """About a moment of a run of a rigid tree, the state matrix is that of the recursion in joint coordinates."""
    single = ("Fixed", "Revolute", "Prismatic", "Screw", "Cylindrical", "Universal")
    mechanism = mechanism.rigid()
    fixed = all(p.kind == "Fixed" for p in mechanism.joints)
    if fixed or any(p.kind not in single for p in mechanism.joints) or not grounded(mechanism):
        raise NotApplicable("not a tree of rigid bodies on simple joints")
    kept = [
        replace(p, given={k: v for k, v in p.given.items() if k not in ("motion", "effort", "friction")})
        for p in mechanism.parts
        if p.kind not in ("Force", "Torque")
    ]
    plain = replace(mechanism, parts=tuple(kept))
    errors = [_away_from_recursion(plain, step) for step in (2e-3, 1e-3)]  # the run's accelerations are of second order
    if not (errors[-1] <= 1e-5 or 3.0 * errors[-1] <= errors[-2]):
        raise Violation(f"state matrix in motion and recursion differ by {errors[0]:.1e}, {errors[1]:.1e}")


def _away_from_recursion(mechanism: Mechanism, step: float) -> float:
    run = run_of(mechanism, duration=0.1, step=step, newton_tolerance=1e-10)
    tree, linear, names = cs.Tree(run.model), cs.linearize(run.model, about=run), run.model.coordinates
    if tuple(names) != tuple(linear.coordinates):
        raise NotApplicable("other coordinates than those of the joints")
    q, v = (
        np.concatenate([np.atleast_1d(read(j.name).values[-1]) for j in mechanism.joints if FREEDOMS[j.kind]])
        for read in (run.coordinate, run.coordinate_rate)
    )
    n = len(names)
    exact = tree.forward_dynamics_derivatives(q, v, np.zeros(n))
    wanted = np.hstack((exact.dq, exact.dv))
    return float(np.abs(linear.A[n:] - wanted).max() / max(np.abs(wanted).max(), 1.0))


def mesh(mechanism: Mechanism) -> None:
    """Finer meshes approach one equilibrium, at least with the second order."""
    if not mechanism.of("Beam"):
        raise NotApplicable("no beam")
    mechanism = held(mechanism)
    states = []
    for n in (1, 2, 4, 8):
        finer = mechanism.mapped(lambda p, n=n: p.but(elements=n * p.given["elements"]), "Beam")
        found = rest(build(finer))
        states.append(np.concatenate([found.position(place_text(s)) for s in mechanism.spots().values()]))
    errors = [float(np.abs(b - a).max()) / mechanism.extent for a, b in pairwise(states)]
    if not (errors[-1] <= 1e-7 or errors[-1] * 2.5 <= errors[-2]):
        raise Violation(f"finer meshes move places by {', '.join(f'{e:.1e}' for e in errors)}")


def verdict(mechanism: Mechanism) -> None:
    """Where `compare` says that modes are within their range, they are: also inside of beams."""
    if not mechanism.of("Beam"):
        raise NotApplicable("no beam")
    mechanism = mechanism.mapped(lambda p: p.but(elements=p.given["elements"] + 3), "Beam")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cs.CosseratWarning)
        both = cs.compare(build(mechanism), 0.05, step=1e-3, modes=4)
    if not both.within_range:
        raise NotApplicable("compare warns")
    for beam in mechanism.of("Beam"):
        for s in (0.25, 0.5, 0.75, 1.0):
            place = f"{beam.name}.at({s})"
            here, there, finer = (r.position(place).values for r in (both.galilean, both.floating, both.finer))
            moved = np.abs(here - here[0]).max()
            away, left = np.abs(here - there).max(), np.abs(here - finer[: len(here)]).max()
            if away > 0.1 * moved + 10 * left + 1e-5 * mechanism.extent:
                raise Violation(f"compare is content, but {place} differs by {away:.1e} of {moved:.1e} m")
