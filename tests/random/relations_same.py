"""Relations between two ways to describe or run the same thing: equal up to rounding and Newton's tolerance."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import cosserat as cs

from .answers import (
    DURATION,
    PARTS,
    SHARP,
    STEP,
    Answers,
    NotApplicable,
    Violation,
    answers_of,
    demand,
    distance,
    run_of,
)  # fmt: skip
from .mechanism import BODIES, FREEDOMS, MIXED, Mechanism, Observer, Part, build

UNITS = (
    Observer(length=1e3, mass=1e3, time=1e3),  # mm, g, ms
    Observer(length=1e-3, mass=1e-6, time=1.0 / 3600.0),  # km, kt, h
    Observer(length=39.37, mass=2.2046, time=1.0),
)
SWAPPED = ("Fixed", "Revolute", "Prismatic", "Screw", "Cylindrical", "Universal", "Spherical")


def rng_of(mechanism: Mechanism) -> np.random.Generator:
    """Numbers of a relation's own, the same whenever it looks at the mechanism."""
    return np.random.default_rng([7, *mechanism.name.encode()])


_LAST: list[Any] = []


def first_answers(mechanism: Mechanism) -> Answers:
    """Answers of the mechanism as it was made; kept for the next relation that looks at the same one."""
    if not (_LAST and _LAST[0] is mechanism and _LAST[1] == PARTS[-1]):
        _LAST[:] = [mechanism, PARTS[-1], answers_of(run_of(mechanism, newton_tolerance=SHARP), mechanism)]
    return dict(_LAST[2])


def units(mechanism: Mechanism) -> None:
    """Other units of length, mass and time describe the same motion."""
    first = first_answers(mechanism)
    see = UNITS[int(rng_of(mechanism).integers(len(UNITS)))]
    # Newton's tolerance compares rotations with lengths, whose ratio depends on units: ask for more than is compared
    second = answers_of(run_of(mechanism, see, newton_tolerance=0.1 * SHARP), mechanism, see)
    demand(first, second, 1e-6, "other units")


def observer(mechanism: Mechanism) -> None:
    """Turned and moved axes describe the same motion."""
    if any(p.kind in ("Planar", "PlanarTranslation") and "motion" in p.given for p in mechanism.joints):
        raise NotApplicable("coordinates in a plane are along axes that the world's x axis fixes")
    first = first_answers(mechanism)
    see = Observer.turned(rng_of(mechanism))
    demand(first, answers_of(run_of(mechanism, see, newton_tolerance=SHARP), mechanism, see), 1e-6, "turned axes")


def clock(mechanism: Mechanism) -> None:
    """A clock that shows another time at the start describes the same motion."""
    first = first_answers(mechanism)
    see = Observer(clock=4.0)
    demand(first, answers_of(run_of(mechanism, see, newton_tolerance=SHARP), mechanism, see), 1e-6, "other clock")


def every(mechanism: Mechanism) -> None:
    """Storing every third step stores every third state."""
    model, steps = build(mechanism), {"duration": 48 * STEP}
    whole = answers_of(run_of(mechanism, model=model, **steps), mechanism, at=slice(None, None, 3))
    demand(whole, answers_of(run_of(mechanism, model=model, every=3, **steps), mechanism), 0.0, "every=3", ("energy",))


def parameters(mechanism: Mechanism) -> None:
    """Numbers that are set later are numbers: of gravity, masses, joints, springs and loads."""
    first = answers_of(run_of(mechanism), mechanism)
    symbols: dict[str, float] = {}

    def symbol(value: float) -> Any:
        name = f"p{len(symbols)}"
        symbols[name] = value
        return cs.Parameter(name, 1.25 * value if value else 0.5)

    model = build(mechanism, symbol=symbol)
    model.set(**symbols)
    demand(first, answers_of(run_of(mechanism, model=model), mechanism), 1e-9, "parameters set later")


def order(mechanism: Mechanism) -> None:
    """The order of components means nothing."""
    first = first_answers(mechanism)
    demand(first, answers_of(run_of(shuffled(mechanism), newton_tolerance=SHARP), mechanism), 1e-6, "other order")


def shuffled(mechanism: Mechanism) -> Mechanism:
    """The same parts in another order: bodies before what is put on them, servos after their joints."""
    parts = [mechanism.parts[i] for i in rng_of(mechanism).permutation(len(mechanism.parts))]
    return replace(mechanism, parts=tuple(sorted(parts, key=lambda p: (p.kind not in BODIES, p.kind == "Servo"))))


def swap(mechanism: Mechanism) -> None:
    """Parent and child of joints change places: coordinates change their sign, the motion stays.

    The discrete equations of a screw differ by the fourth power of the step, and so does what the iteration matrix
    leaves of vibrations after a first step in parts: a shorter one may have to show it.
    """
    other = mechanism.mapped(swapped, *SWAPPED).mapped(turned_round, "Servo")
    for step in (STEP, STEP / 4, STEP / 16):
        first, second = (
            answers_of(run_of(m, step=step, newton_tolerance=SHARP), mechanism) for m in (mechanism, other)
        )
        for joint in mechanism.joints:
            if joint.kind in SWAPPED:
                second["force", joint.name] = -second["force", joint.name]
        found, where = distance(first, second, skip=("moment",))  # about the other side's origin
        if found <= 1e-6:
            return
    raise Violation(f"parents and children swapped: {where} differs by {found:.2e}")


def swapped(part: Part) -> Part:
    given = {**part.given, "parent": part.given["child"], "child": part.given["parent"]}
    if part.kind in MIXED and "effort" in given:
        return part
    for word in ("motion", "effort"):
        if word in given:
            given[word] = {n: f"-({f})" if isinstance(f, str) else -f for n, f in given[word].items()}
            if part.kind == "Universal":
                given[word] = {"rx": given[word]["ry"], "ry": given[word]["rx"]}
    if "axes" in given:
        given["axes"] = given["axes"][::-1]
        for word in ("stiffness", "damping", "armature"):
            if word in given:
                given[word] = {"rx": given[word]["ry"], "ry": given[word]["rx"]}
    return replace(part, given=given)


def turned_round(servo: Part) -> Part:
    target, other = servo.given["target"], {"rx": "ry", "ry": "rx"}
    name = servo.given["coordinate"]
    return servo.but(
        target=f"-({target})" if isinstance(target, str) else -target, coordinate=other.get(name, name)
    )


def halves(mechanism: Mechanism) -> None:
    """A run is its first half followed by its second; forces included where the method keeps them at ends of steps."""
    _demand_halves(mechanism, ("energy", "force", "moment", "section"), integrator="energy-momentum")
    _demand_halves(mechanism, ("energy",), integrator="generalized-alpha")


def halves_floating(mechanism: Mechanism) -> None:
    """The same in floating frames, with both of their methods."""
    _demand_halves(mechanism.rigid(), ("energy",), formulation="floating")
    _demand_halves(mechanism.rigid(), ("energy",), formulation="floating", integrator="runge-kutta")


def _demand_halves(mechanism: Mechanism, skip: tuple[str, ...], **how: Any) -> None:
    settings = {"newton_tolerance": 1e-11, **how}
    whole = run_of(mechanism, **settings)
    model = build(mechanism)
    n = round(DURATION / STEP) // 2
    first = run_of(mechanism, model=model, duration=n * STEP, **settings)
    second = run_of(mechanism, model=model, duration=DURATION - n * STEP, start=first, **settings)
    late = answers_of(whole, mechanism, at=slice(n, None))
    demand(late, answers_of(second, mechanism), 1e-6, f"second half, {how}", skip=skip)
    for joint in mechanism.joints:
        if FREEDOMS[joint.kind]:
            a, b = (r.coordinate(joint.name).values for r in (whole, second))
            if not np.abs(a[n:] - b).max() <= 1e-6 * max(1.0, np.abs(a).max()):
                off = np.abs(a[n:] - b).max()
                raise Violation(f"second half: coordinate of {joint.name} differs by {off:.2e}")


def files(mechanism: Mechanism) -> None:
    """A model that was written and read runs as before, bit by bit; a run that was written and read says the same."""
    model = build(mechanism)
    run = run_of(mechanism, model=model)
    with TemporaryDirectory() as folder:
        cs.save_model(model, Path(folder) / "model.yaml")
        again = cs.load_model(Path(folder) / "model.yaml")
        if again != model:
            raise Violation("a saved model reads back different")
        demand(answers_of(run, mechanism), answers_of(run_of(mechanism, model=again), mechanism), 0.0, "saved model")
        run.save(Path(folder) / "run.nc")
        demand(answers_of(run, mechanism), answers_of(cs.load_run(Path(folder) / "run.nc"), mechanism), 1e-12, "saved")


def copied(mechanism: Mechanism) -> None:
    """A copy of a model is equal to it and runs the same, bit by bit; so does the same model run twice."""
    model = build(mechanism)
    if model.copy() != model:
        raise Violation("a copy of the model is not equal to it")
    first = answers_of(run_of(mechanism, model=model), mechanism)
    demand(first, answers_of(run_of(mechanism, model=model), mechanism), 0.0, "second run")
    demand(first, answers_of(run_of(mechanism, model=model.copy()), mechanism), 0.0, "run of a copy")
