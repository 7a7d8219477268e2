"""Arguments that make no sense: a located error, or an answer; no other exception, and nothing that lasts."""

from __future__ import annotations

import decimal
import fractions
import signal
import time
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import cosserat as cs

MANY = [200, pytest.param(3000, marks=pytest.mark.slow)]
FEW = [60, pytest.param(1000, marks=pytest.mark.slow)]


class Mute:
    """Cannot print itself."""

    def __repr__(self) -> str:
        raise RuntimeError("no")


def boom(*_: Any) -> Any:
    raise RuntimeError("boom")


HOSTILE: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    1,
    -1,
    2,
    3,
    10**9,
    10**400,
    -(10**5000),
    0.5,
    -0.5,
    1e300,
    -1e300,
    1e-300,
    np.nan,
    np.inf,
    -np.inf,
    1j,
    "",
    " ",
    "x",
    "t",
    "1/0",
    "body",
    "joint",
    "beam.end",
    "ground",
    "a\0b",
    "(" * 500,
    b"x",
    [],
    (),
    {},
    set(),
    [1],
    [1, 2, 3],
    (0, 0, 0),
    (1, 0, 0),
    (np.nan, 0, 0),
    (1e300, 1e300, 1e300),
    [[1, 2], [3]],
    [[1, 2, 3]] * 3,
    np.eye(3),
    -np.eye(3),
    np.zeros((0, 3)),
    np.zeros((3, 3)),
    np.eye(6),
    np.array(1.0),
    np.array([np.nan]),
    np.array(["a"]),
    np.array([None, 1, 2], dtype=object),
    np.float32(2),
    np.int8(3),
    np.bool_(True),
    np.str_("x"),
    np.datetime64("2020-01-01"),
    decimal.Decimal("0.1"),
    fractions.Fraction(1, 3),
    object(),
    Mute(),
    boom,
    lambda: 1.0,
    lambda t: t,
    lambda t: [t, t, t],
    lambda t: None,
    lambda t: np.nan,
    lambda t: "x",
    lambda *a: np.zeros(6),
    (boom, boom, boom),
    {"rx": 1},
    {"a": None},
    float,
    cs.GROUND,
    cs.Parameter("p", 1.0),
    2 * cs.Parameter("p", 1.0),
    cs.materials.STEEL,
    cs.Rod(0.1),
    range(3),
    slice(3),
    iter([1, 2, 3]),
    np.random.default_rng(0),
    type,
    Exception("x"),
    ...,
    NotImplemented,
)


def body(name: str = "body") -> cs.RigidBody:
    return cs.RigidBody.box(name, size=(1, 1, 1), mass=1.0, com=(1, 0, 0))


def beam(name: str = "beam") -> cs.Beam:
    points, steel = [(0, 0, 0), (1, 0, 0)], cs.materials.STEEL
    return cs.Beam(name, points=points, section=cs.Rod(0.01), material=steel, elements=2)


_JOINT = {
    "name": "j",
    "parent": cs.GROUND,
    "child": body(),
    "stiffness": 1.0,
    "damping": 0.1,
    "friction": 0.1,
    "effort": "t",
}
_MANY = {
    "name": "j",
    "parent": cs.GROUND,
    "child": body(),
    "stiffness": 0,
    "damping": 0,
    "friction": None,
    "effort": None,
}
_AXIS = {**_JOINT, "axis": (0, 0, 1), "at": None, "motion": None}
_LOAD = {"name": "l", "place": body(), "vector": (1, 0, 0), "follower": False}
RECORDS: dict[str, tuple[Any, dict[str, Any]]] = {
    "RigidBody": (
        cs.RigidBody,
        {
            "name": "b",
            "mass": 1,
            "com": (0, 0, 0),
            "inertia": np.eye(3),
            "rotation": None,
            "velocity": None,
            "angular_velocity": None,
            "shape": None,
        },
    ),
    "box": (cs.RigidBody.box, {"name": "b", "size": (1, 1, 1), "mass": 1, "com": (0, 0, 0), "rotation": None}),
    "cylinder": (cs.RigidBody.cylinder, {"name": "b", "diameter": 1, "length": 1, "density": 1, "axis": (0, 0, 1)}),
    "Beam": (
        cs.Beam,
        {
            "name": "b",
            "points": [(0, 0, 0), (1, 0, 0)],
            "section": cs.Rod(0.01),
            "elements": 2,
            "up": None,
            "material": cs.materials.STEEL,
            "velocity": None,
        },
    ),
    "curved": (
        cs.Beam,
        {
            "name": "b",
            "curve": ("s", "s**2", 0),
            "section": cs.Rod(0.01),
            "elements": 2,
            "material": cs.materials.STEEL,
            "velocity": None,
        },
    ),
    "Revolute": (cs.Revolute, _AXIS),
    "Prismatic": (cs.Prismatic, _AXIS),
    "Screw": (cs.Screw, {**_AXIS, "pitch": 0.1}),
    "Cylindrical": (cs.Cylindrical, {**_MANY, "axis": (0, 0, 1), "stiffness": (1, 2)}),
    "Spherical": (cs.Spherical, _MANY),
    "Free": (cs.Free, _MANY),
    "Universal": (cs.Universal, {**_MANY, "axes": ((1, 0, 0), (0, 1, 0))}),
    "Planar": (cs.Planar, {**_MANY, "normal": (0, 0, 1)}),
    "Force": (cs.Force, _LOAD),
    "Torque": (cs.Torque, _LOAD),
    "Wrench": (cs.Wrench, {**_LOAD, "vector": np.ones(6)}),
    "DistributedLoad": (cs.DistributedLoad, {"name": "l", "beam": beam(), "force": (1, 0, 0), "moment": (0, 0, 0)}),
    "Spring": (cs.Spring, {"name": "s", "a": cs.GROUND, "b": body(), "stiffness": 1, "damping": 0.1, "length": 0.5}),
    "Damper": (cs.Damper, {"name": "s", "a": cs.GROUND, "b": body(), "damping": 0.1}),
    "RollingDisc": (cs.RollingDisc, {"name": "d", "centre": body(), "radius": 0.5, "axis": (0, 1, 0)}),
    "KnifeEdge": (cs.KnifeEdge, {"name": "k", "place": body(), "direction": (1, 0, 0)}),
    "Material": (cs.Material, {"E": 1e9, "nu": 0.3, "rho": 1e3, "damping": 0.0, "name": "m"}),
    "Tube": (cs.Tube, {"outer_diameter": 0.2, "inner_diameter": 0.1, "shear_factor": None}),
    "IBeam": (cs.IBeam, {"width": 1, "height": 1, "web_thickness": 0.1, "flange_thickness": 0.1}),
    "Section": (cs.Section, {"stiffness": np.eye(6), "mass": np.eye(6)}),
    "Model": (cs.Model, {"name": "m", "gravity": (0, 0, -9.81)}),
    "Parameter": (cs.Parameter, {"name": "p", "value": 1.0}),
    "Friction": (cs.Friction, {"level": 1.0, "speed": 0.1}),
    "TimeFunction": (cs.TimeFunction, {"source": "t", "where": "here"}),
}


def fuzz(n: int) -> Any:
    return settings(
        max_examples=n, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
    )


def attempt(call: Any, *args: Any, **kwargs: Any) -> Any:
    """What comes out, or None where a located error was raised; any other exception ends the test."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return call(*args, **kwargs)
        except cs.CosseratError:
            return None


@pytest.mark.parametrize("name", RECORDS)
def test_the_arguments_are_sound(name):
    kind, good = RECORDS[name]
    kind(**good)


@pytest.mark.parametrize("n", MANY)
def test_constructors(n):
    pairs = [(name, key) for name, (_, good) in RECORDS.items() for key in (*good, "nonsense")]

    @fuzz(n)
    @given(st.sampled_from(pairs), st.sampled_from(HOSTILE))
    def make(pair: tuple[str, str], value: Any) -> None:
        kind, good = RECORDS[pair[0]]
        made = attempt(kind, **{**good, pair[1]: value})
        if made is not None:
            repr(made)
            if isinstance(made, (cs.RigidBody, cs.Beam)):
                model = cs.Model("m")
                attempt(model.add, made)
                attempt(model.validate)

    make()


def arm() -> cs.Model:
    model = cs.Model("arm", gravity=(0, 0, -9.81))
    first = model.add(body())
    model.add(cs.Revolute("joint", cs.GROUND, first, axis=(0, 1, 0), at=(0, 0, 0), stiffness=cs.Parameter("k", 50.0)))
    return model


ANALYSES: dict[str, tuple[Any, dict[str, Any]]] = {
    "simulate": (
        cs.simulate,
        {
            "duration": 0.02,
            "step": 0.01,
            "formulation": "galilean",
            "integrator": "generalized-alpha",
            "rho": 0.9,
            "start": "reference",
            "start_time": 0.0,
            "every": 1,
            "tolerance": 1e-4,
            "newton_tolerance": None,
        },
    ),
    "floating": (
        cs.simulate,
        {
            "duration": 0.02,
            "step": 0.01,
            "formulation": "floating",
            "rho": 0.9,
            "every": 1,
            "modes": None,
            "boundary": None,
            "stiffening": True,
            "start": "reference",
        },
    ),
    "equilibrium": (cs.equilibrium, {"time": 0.0, "spin": None, "center": (0, 0, 0)}),
    "modes": (cs.modes, {"n": 2, "time": 0.0, "spin": None, "center": (0, 0, 0), "about": None}),
    "stability": (cs.stability, {"parameter": "k", "values": [40.0, 50.0], "n": 2}),
    "continuation": (cs.continuation, {"parameter": "k", "start": 40.0, "stop": 50.0}),
    "linearize": (cs.linearize, {"inputs": "joint", "outputs": "joint"}),
    "frequency_response": (cs.frequency_response, {"inputs": "joint", "outputs": "joint", "frequencies": [1.0, 2.0]}),
    "mass_matrix": (cs.mass_matrix, {"q": np.zeros(1)}),
    "inverse_dynamics": (cs.inverse_dynamics, {"q": np.zeros(1), "v": np.zeros(1), "a": np.zeros(1)}),
    "forward_kinematics": (cs.forward_kinematics, {"q": np.zeros(1)}),
    "jacobian": (cs.jacobian, {"q": np.zeros(1), "place": "body"}),
}


def _late(*_: Any) -> None:
    raise TimeoutError("lasted for more than ten seconds")


@pytest.mark.parametrize("n", FEW)
def test_analyses(n):
    pairs = [(name, key) for name, (_, good) in ANALYSES.items() for key in ("model", *good, "nonsense")]

    @fuzz(n)
    @given(st.sampled_from(pairs), st.sampled_from(HOSTILE))
    def solve(pair: tuple[str, str], value: Any) -> None:
        call, good = ANALYSES[pair[0]]
        before = signal.signal(signal.SIGALRM, _late)
        signal.alarm(10)
        try:
            attempt(call, **{"model": arm(), **good, pair[1]: value})
        finally:
            signal.alarm(0)
            signal.signal(signal.SIGALRM, before)

    solve()


@pytest.fixture(scope="module")
def run() -> cs.Run:
    return cs.simulate(arm(), duration=0.02, step=0.01)


@pytest.mark.parametrize("n", FEW)
def test_questions_to_results(run, n):
    one = (
        "position",
        "velocity",
        "acceleration",
        "rotation",
        "coordinate",
        "effort",
        "reaction",
        "slip",
        "plot",
        "save",
        "show",
        "seen_from",
    )
    two = ("section_force", "strain", "stress")

    @fuzz(n)
    @given(st.sampled_from((*one, *two)), st.sampled_from(HOSTILE))
    def ask(name: str, value: Any) -> None:
        if name == "show" and value is None:
            return
        attempt(getattr(run, name), *((value,) if name in one else (value, value)))

    ask()


@pytest.mark.parametrize("settings", ({}, {"formulation": "floating"}), ids=("galilean", "floating"))
@pytest.mark.parametrize(
    "duration, step",
    [(1.0, 1e-100), (1e15, 1.0), (1e15, 1e-3), (1e15, None), (1e300, 1e290), (1e-300, None), (1.0, 1e-12), (1e9, 1e-6)],
)
def test_budgets_of_time(settings, duration, step):
    """Refused at once, and located."""
    began = time.process_time()
    with pytest.raises(cs.CosseratError, match=r"simulate: (a step of|duration is|step is|storing)"):
        cs.simulate(arm(), duration=duration, step=step, every=10**9 if step == 1e-12 else 1, **settings)
    assert time.process_time() - began < 1.0


METHODS = [
    {"integrator": "generalized-alpha"}, {"integrator": "energy-momentum"}, {"formulation": "floating"},
    {"formulation": "floating", "integrator": "runge-kutta"},
]  # fmt: skip


@pytest.mark.parametrize("duration", [1.0, 10.0])
@pytest.mark.parametrize("method", METHODS, ids=lambda method: "-".join(method.values()))
def test_steps_of_a_load_that_turns_ever_faster(method, duration):
    """Steps shrink until they are the smallest allowed, or would be so long before the end: 20 s over 1 s before."""
    model = cs.Model("ball")
    ball = model.add(cs.RigidBody.sphere("ball", diameter=0.1, mass=1.0))
    model.add(cs.Force("push", ball, lambda t: (0, 0, 1e9 * t * np.sin(1e9 * t * t))))
    cs.simulate(model, 1e-5, **method)  # compiled
    began = time.process_time()
    run = cs.simulate(model, duration, **method)
    assert run.status.outcome is cs.Outcome.STEP_TOO_SMALL
    assert run.time[-1] == run.status.time > 2e-4
    assert run.stats["steps"] <= 4000
    assert time.process_time() - began < 3.0  # 0.4 to 0.9


@pytest.mark.parametrize("elements", (10**9, 10**100, 2**63, 100_001))
def test_budgets_of_elements(elements):
    with pytest.raises(cs.CosseratError, match=r"elements is 1.*at most 100000|elements is 9"):
        cs.Beam("b", points=[(0, 0, 0), (1, 0, 0)], section=cs.Rod(0.1), material=cs.materials.STEEL, elements=elements)


def test_steps_that_shrink_for_ever():
    """A tolerance below rounding is refused; stiffness that no explicit step resolves ends the run with a status."""
    explicit = {"formulation": "floating", "integrator": "runge-kutta"}
    for how in ({}, {"integrator": "energy-momentum"}, {"formulation": "floating"}, explicit):
        with pytest.raises(cs.CosseratError, match="tolerance is 1e-300, below the rounding"):
            cs.simulate(arm(), 1.0, tolerance=1e-300, **how)
    model = arm()
    cs.simulate(model, 0.01, **explicit)  # compiled
    model.set(k=1e22)
    began = time.process_time()
    run = cs.simulate(model, 1.0, **explicit)
    assert run.status.outcome.name == "STEP_TOO_SMALL", run.status
    assert time.process_time() - began < 1.0


CONSTRUCTED = (
    cs.Frame, cs.Twist, cs.lie.Wrench, cs.lie.Inertia, cs.Interface, cs.RecoveryPoint, cs.Outline, cs.ModalInertia,
    cs.SolidMesh, cs.SolidInterface, cs.Flight, cs.Floating, cs.Status, cs.VelocityConstraint, cs.Place,
)  # fmt: skip


@pytest.mark.parametrize("kind", CONSTRUCTED, ids=lambda kind: kind.__name__)
def test_unknown_arguments_of_constructors(kind):
    with pytest.raises(cs.CosseratError, match=rf"{kind.__name__}: unknown argument 'nonsense'; accepted arguments: "):
        kind(nonsense=1)
