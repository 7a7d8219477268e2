"""Statics and linear models against the nonlinear solvers: differences of `equilibrium` and of `simulate`, modes."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.linalg import expm

import cosserat as cs
from cosserat.lie import so3

from .answers import NotApplicable, Unanswered, Violation, run_of
from .mechanism import FREEDOMS, TOUCHING, Mechanism, Observer, Part, Spot, build, place_text
from .relations_laws import grounded
from .relations_same import SWAPPED, UNITS, rng_of, shuffled, swapped, turned_round

PUSH = 1e-3  # N: small for bodies of about a kilogram and springs of about a hundred newtons per metre


def held(mechanism: Mechanism, driven: bool = False) -> Mechanism:
    """The mechanism with a spring in every freedom, constant loads and no drives, at rest: it has an equilibrium.

    With `driven`, prescribed motions are those of a moment.
    """
    if not grounded(mechanism):
        raise NotApplicable("nothing holds it")

    def change(part: Part) -> Part:
        given = {k: v for k, v in part.given.items() if k not in ("motion", "friction")}
        if driven and "motion" in part.given:
            given["motion"] = {n: _constant(f) for n, f in part.given["motion"].items()}
        elif part.kind in FREEDOMS:
            given["stiffness"] = {n: 40.0 if n.startswith("r") else 400.0 for n in FREEDOMS[part.kind]}
            given = {k: v for k, v in given.items() if k != "stiffness" or v}
        if "effort" in given:
            given["effort"] = {n: _constant(f) for n, f in given["effort"].items()}
        if "target" in given:
            given["target"] = _constant(given["target"])
        for key in ("vector", "force", "moment"):
            if key in given:
                given[key] = [_constant(f) for f in given[key]]
        return replace(part, given={**given, **{k: [0.0] * 3 for k in ("velocity", "spin") if k in given}})

    return replace(mechanism, parts=tuple(change(p) for p in mechanism.parts))


def demand_unique(mechanism: Mechanism) -> None:
    """What rolls rests where the steps of the iteration bring it."""
    if mechanism.of(*TOUCHING):
        raise NotApplicable("where it rests depends on the way there")


def demand_same_values(a: Any, b: Any, where: str) -> None:
    """Eigenvalues are the same, but for their order."""
    if len(a) != len(b):
        raise Violation(f"{len(a)} modes, {len(b)} {where}")
    away = np.abs(np.sort(np.abs(a)) - np.sort(np.abs(b))).max(initial=0.0) / np.abs(a).max(initial=1e-9)
    if not away <= 1e-7:
        raise Violation(f"eigenvalues differ by {away:.1e} {where}")


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


def rest(model: cs.Model, start: Any = None, **how: Any) -> cs.Equilibrium:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cs.CosseratWarning)
        found = cs.equilibrium(model, start=start, **how)
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


def gain_forces(mechanism: Mechanism) -> None:
    """So are reactions and section forces; and the response to a parameter and to a prescribed motion."""
    mechanism, _ = pushed(held(mechanism, driven=True))
    drives = [(p.name, n) for p in mechanism.joints for n in p.given.get("motion", {})]
    places = [place_text(s) for s in mechanism.spots().values()]
    forces = [j.name for j in mechanism.joints]
    sections = [f"{b.name}.at(0.5)" for b in mechanism.of("Beam")]
    outputs = [*places, *(f"{j}.reaction" for j in forces), *(f"{s}.section_force" for s in sections)]

    def model_of(push: Any, moved: float) -> cs.Model:
        def change(part: Part) -> Part:
            if "along" in part.given:
                return part.but(vector=[push * a for a in part.given["along"]])
            if drives and part.name == drives[0][0]:
                motion = dict(part.given["motion"])
                return part.but(motion={**motion, drives[0][1]: motion[drives[0][1]] + moved})
            return part

        return build(mechanism.mapped(change, "Force", *FREEDOMS))

    def read(found: cs.Equilibrium) -> Any:
        values = [found.position(p) for p in places] + [found.reaction(j) for j in forces]
        return np.concatenate(values + [found.section_force(b, 0.5) for b in (s.split(".")[0] for s in sections)])

    model = model_of(cs.Parameter("P", 0.0), 0.0)
    about = rest(model)
    joint = next((j for j in mechanism.joints if drives and j.name == drives[0][0]), None)
    name = joint and (joint.name if len(FREEDOMS[joint.kind]) == 1 else ".".join(drives[0]))
    for source, change, size in (("P", (1.0, 0.0), PUSH), (name, (0.0, 1.0), 1e-4)):
        if source is None:
            continue
        linear = cs.linearize(model, source, outputs, about=about, drive="acceleration")
        slow = 0.0 if source == "P" else 3e-4j  # of a motion the acceleration is the input
        expected = (linear.transfer(slow) * (slow**2 or 1.0)).real[:, 0]
        ends = [read(rest(model_of(*(sign * size * c for c in change)), start=about)) for sign in (1.0, -1.0)]
        found = (ends[0] - ends[1]) / (2 * size)
        cut = 3 * len(places)
        for what, a, b in (("places", found[:cut], expected[:cut]), ("forces", found[cut:], expected[cut:])):
            nothing = 1e-6 if source == "P" else 1.0  # of a motion: against springs of some hundred newtons per metre
            away = np.abs(a - b).max(initial=0.0) / max(np.abs(b).max(initial=0.0), nothing)
            if not away <= 1e-5:
                raise Violation(f"static gain from {source!r} to {what} and differences of equilibria: {away:.1e}")


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


def stands(mechanism: Mechanism) -> None:
    """`.stable` of an equilibrium is what its modes say, and its status says it too."""
    mechanism = held(mechanism)
    heavy = replace(mechanism, gravity=tuple(4.0 * g for g in mechanism.gravity))  # some buckle, some fall over
    model = build(heavy)
    about = rest(model)
    values = cs.modes(model, 6, about=about).eigenvalues
    rates = values.real / np.maximum(np.abs(values), 1e-12)
    if np.any(np.abs(rates[values.imag == 0.0]) < 1e-9):
        raise NotApplicable("neutral")
    grows = bool(np.any(rates > 1e-6))
    if about.stable is grows or about.stable is None:
        raise Violation(f"stable is {about.stable}, eigenvalues {values}")
    if ("unstable" in about.status.detail) is not grows:
        raise Violation(f"stable is {about.stable}, but the status says {about.status}")


def mode_same(mechanism: Mechanism) -> None:
    """Eigenvalues do not depend on the order of parts, on axes, and on which side of a joint is the parent."""
    mechanism = held(mechanism)
    demand_unique(mechanism)
    first = cs.modes(build(mechanism), 5)
    other = shuffled(mechanism).mapped(swapped, *SWAPPED).mapped(turned_round, "Servo")
    second = cs.modes(build(other, Observer.turned(rng_of(mechanism))), 5)
    demand_same_values(first.eigenvalues, second.eigenvalues, "as another describes the mechanism")


def mode_mesh(mechanism: Mechanism) -> None:
    """Finer meshes approach one set of eigenvalues, at least with the second order."""

    def sizes(finer: Mechanism) -> Any:
        return np.log(np.sort(np.abs(cs.modes(build(finer), 4).eigenvalues))[:3])

    _demand_settling(held(mechanism), sizes, 1e-6, "finer meshes change eigenvalues")


def _demand_settling(mechanism: Mechanism, answer: Callable[[Mechanism], Any], enough: float, what: str) -> None:
    """Differences fall as elements are halved; first terms of the error of either sign may cancel on a coarse mesh."""
    if not mechanism.of("Beam"):
        raise NotApplicable("no beam")
    errors: list[float] = []
    before = answer(mechanism)
    for n in (2, 4, 8, 16, 32):
        now = answer(mechanism.mapped(lambda p, n=n: p.but(elements=n * p.given["elements"]), "Beam"))
        errors.append(float(np.abs(now - before).max()))
        if (n == 8 and errors[-1] <= enough) or (n >= 8 and errors[-1] * 2.5 <= errors[-2]):
            return
        before = now
    raise Violation(f"{what} by {', '.join(f'{e:.1e}' for e in errors)}")


def mode_units(mechanism: Mechanism) -> None:
    """Frequencies and damping do not depend on units."""
    mechanism = held(mechanism)
    first = cs.modes(build(mechanism), 5)
    see = UNITS[int(rng_of(mechanism).integers(len(UNITS)))]
    second = cs.modes(build(mechanism, see), 5)
    demand_same_values(first.eigenvalues, second.eigenvalues * see.time, "in other units")


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


def moving_state(mechanism: Mechanism) -> None:
    """About a moment of a run, what the states do to reactions is what they do in neighbouring runs; beams included."""
    if any("motion" in p.given for p in mechanism.joints) or not mechanism.joints:
        raise NotApplicable("drives move while one looks, or there is no reaction to look at")
    mechanism, _ = pushed(mechanism)
    errors: list[float] = []
    for step in (1e-3, 2.5e-4, 6.25e-5):  # velocities keep joints to second order, once vibrations are resolved
        errors.append(_away_from_neighbours(mechanism, step))
        if errors[-1] <= 1e-4 or (len(errors) > 1 and 8.0 * errors[-1] <= errors[-2]):
            return
    shown = ", ".join(f"{e:.1e}" for e in errors)
    raise Violation(f"reactions in motion and of the linear model differ by {shown} as the step is quartered")


def _away_from_neighbours(mechanism: Mechanism, step: float) -> float:
    push = 100 * PUSH  # differences of reactions stand out from rounding
    places = [b.name for b in mechanism.of("RigidBody")]
    for beam in mechanism.of("Beam"):
        places += [f"{beam.name}.at({k / beam.given['elements']!r})" for k in range(beam.given["elements"] + 1)]
    places = list(dict.fromkeys([*places, place_text(spot_of(mechanism))]))  # all nodes
    run, *others = (
        # reactions have rounding of m eps |x| / h^2, which oscillates and piles up to a hundred times that at rho = 0.9
        run_of(mechanism, model=with_push(mechanism, p), duration=0.02, step=step, newton_tolerance=1e-11, rho=0.5)
        for p in (0.0, push, -push, 2 * push, -2 * push)
    )
    kinds = ("position", "velocity", "rotation", "angular_velocity")
    outputs = [f"{p}.{k}" if k != "position" else p for k in kinds for p in places]
    outputs += [f"{j.name}.reaction" for j in mechanism.joints]
    last, direction = mechanism.of("Force")[-1].given["place"], np.array(mechanism.of("Force")[-1].given["along"])
    linear = cs.linearize(run.model, [f"{place_text(last)}.f{a}" for a in "xyz"], outputs, about=run)
    rows = 12 * len(places)
    states, forces = [], []
    for other in others:
        seen = [getattr(other, k)(p).values[-1] for k in kinds[:2] for p in places]
        turned = [other.rotation(p).values[-1] @ run.rotation(p).values[-1].T for p in places]
        seen += [so3.log(R) for R in turned] + [other.angular_velocity(p).values[-1] for p in places]
        states.append(np.concatenate(seen))
        forces.append(np.concatenate([other.reaction(j.name).values[-1] for j in mechanism.joints]))
    seen, found = (_slope(*values) for values in (states, forces))
    x = np.linalg.lstsq(linear.C[:rows], seen, rcond=None)[0]
    left = np.abs(linear.C[:rows] @ x - seen).max() / max(np.abs(seen).max(), 1e-6)  # what cannot move has rounding
    expected = linear.C[rows:] @ x + push * linear.D[rows:] @ direction
    return float(max(left, np.abs(found - expected).max() / max(np.abs(found).max(), PUSH)))


def _slope(ahead: Any, back: Any, far_ahead: Any, far_back: Any) -> Any:
    """Derivative by differences of fourth order, times the distance to the nearer ones."""
    return (8.0 * (ahead - back) - (far_ahead - far_back)) / 12.0


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
        if p.kind not in ("Force", "Torque", "Servo")
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
    places = [place_text(s) for s in mechanism.spots().values()]

    def positions(finer: Mechanism) -> Any:
        found = rest(build(finer))
        return np.concatenate([found.position(p) for p in places]) / mechanism.extent

    _demand_settling(held(mechanism), positions, 1e-7, "finer meshes move places")


def analyses_floating(mechanism: Mechanism) -> None:
    """Equilibria, reactions and eigenvalues of rigid mechanisms are the same in floating frames."""
    mechanism = held(mechanism.rigid(), driven=True)
    demand_unique(mechanism)
    model = build(mechanism)
    found, one_of_many = [], False
    for formulation in ("galilean", "floating"):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always", cs.CosseratWarning)
            about = rest(model, formulation=formulation)
            sizes = np.sort(np.abs(cs.modes(model, 6, about=about, formulation=formulation).eigenvalues))
        places = np.concatenate([about.position(place_text(s)) for s in mechanism.spots().values()])
        one_of_many = one_of_many or any("redundant constraints" in str(warning.message) for warning in told)
        forces = np.concatenate([about.reaction(j.name) for j in mechanism.joints])
        found.append((places, forces, sizes))
    for what, a, b in zip(("places", "reactions", "eigenvalues"), *found, strict=True):
        if what == "reactions" and one_of_many:
            continue
        if len(a) != len(b):
            raise Violation(f"{len(a)} {what} in the Galilean frame, {len(b)} in floating frames")
        away = np.abs(a - b).max(initial=0.0) / max(np.abs(a).max(initial=0.0), 0.1)
        if not away <= 1e-7:
            raise Violation(f"{what} in floating frames differ by {away:.1e}")


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
