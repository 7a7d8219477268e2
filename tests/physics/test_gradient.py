"""`gradient` against differences of whole runs of `simulate`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.physics.test_sweeps import ball, loop, pair, soft_arm

import cosserat as cs
from cosserat.solve.linear.input_columns import CENTRAL

pytestmark = pytest.mark.filterwarnings("ignore:redundant constraints")


def difference(model: cs.Model, name: str, objective: Any, *args: Any, **settings: Any) -> float:
    """Derivative of what `simulate` ends with, by differences of fourth order."""
    value, total = model.parameters[name], 0.0
    for i, weight in CENTRAL:
        model.set(**{name: value + 1e-3 * i * value})
        run = cs.simulate(model, *args, newton_tolerance=1e-12, **settings)
        total += weight / (1e-3 * value) * float(objective(run))
    model.set(**{name: value})
    return total


def height(run: cs.Run) -> Any:
    return run.position("beam.end")[-1, 2]


def swing(run: cs.Run) -> Any:
    return run.position("b")[-1, 0] + run.velocity("b")[-1, 2] ** 2


CASES = [
    (soft_arm, height, {}),
    (soft_arm, height, {"formulation": "floating", "modes": 2}),
    (ball, swing, {"rho": 0.7}),
    (ball, swing, {"formulation": "floating"}),
    (ball, swing, {"formulation": "floating", "integrator": "runge-kutta"}),
    (loop, swing, {"integrator": "energy-momentum"}),
    (loop, swing, {"formulation": "floating"}),
]


@pytest.mark.parametrize(("make", "objective", "settings"), CASES)
def test_parameters(make: Any, objective: Any, settings: Any) -> None:
    model = make()
    found = cs.gradient(model, objective, list(model.parameters), 0.2, 0.01, **settings)
    run = cs.simulate(model, 0.2, 0.01, newton_tolerance=1e-12, **settings)
    assert np.isclose(found.value, float(objective(run)), rtol=1e-10)
    for name, value in found.parameters.items():
        assert np.isclose(value, difference(model, name, objective, 0.2, 0.01, **settings), rtol=1e-6)


def rod(length: cs.Parameter) -> cs.Model:
    """A pendulum, described with its length: parameters in places and in the reference configuration."""
    model = cs.Model("rod", gravity=(0, 0, -9.81))
    body = model.add(cs.RigidBody("bob", 1.0, (length, 0, 0), (0.01, 0.02, 0.02)))
    model.add(cs.Revolute("hinge", cs.GROUND, body, at=(0, 0, 0), axis=(0, 1, 0)))
    return model


@pytest.mark.parametrize("formulation", ["galilean", "floating"])
def test_a_length(formulation: str) -> None:
    length = cs.Parameter("L", 0.7)
    model = rod(length)

    def objective(run: cs.Run) -> Any:
        return run.position("bob")[-1, 2]

    found = cs.gradient(model, objective, length, 0.3, 0.01, formulation=formulation)
    wanted = difference(model, "L", objective, 0.3, 0.01, formulation=formulation)
    assert np.isclose(found.parameters["L"], wanted, rtol=1e-6)


@pytest.mark.parametrize("kind", [cs.Revolute, cs.Prismatic, cs.Spherical])
@pytest.mark.parametrize("formulation", ["galilean", "floating"])
def test_parameters_of_a_prescribed_motion(kind: Any, formulation: str) -> None:
    """They move what is prescribed, and by its velocity and acceleration what hangs on it."""
    size = cs.Parameter("A", 0.4)

    def motion(t: Any) -> Any:
        return size * np.sin(5.0 * t) ** 3

    model = cs.Model("driven", gravity=(0, 0, -9.81))
    one = model.add(cs.RigidBody("one", 1.0, (0.5, 0, 0), (0.02, 0.05, 0.05)))
    two = model.add(cs.RigidBody("two", 0.7, (1.3, 0, 0), (0.02, 0.04, 0.05)))
    how = {"motion": (0, motion, 0)} if kind is cs.Spherical else {"axis": (0.6, 0.8, 0), "motion": motion}
    model.add(kind("drive", cs.GROUND, one, at=(0, 0, 0), **how))
    model.add(cs.Revolute("hinge", one, two, at=(1, 0, 0), axis=(0, 1, 0.1)))

    def objective(run: cs.Run) -> Any:
        return run.position("two")[-1, 2] + 0.3 * run.velocity("two")[-1, 0]

    found = cs.gradient(model, objective, size, 0.2, 0.01, formulation=formulation)
    wanted = difference(model, "A", objective, 0.2, 0.01, formulation=formulation)
    assert np.isclose(found.parameters["A"], wanted, rtol=1e-6)


@pytest.mark.parametrize(
    "settings", [{}, {"integrator": "energy-momentum"}, {"formulation": "floating"}], ids=lambda s: " ".join(s.values())
)
def test_joints_with_springs(settings: Any) -> None:
    """Coordinates of joints, and energies in them, follow the frames."""
    model = cs.Model("spring", gravity=(0, 0.5, -9.81))
    length, stiffness = cs.Parameter("L", 0.7), cs.Parameter("k", 3.0)
    body = model.add(cs.RigidBody("bob", 1.0, (length, 0, 0), (0.01, 0.02, 0.02)))
    model.add(cs.Revolute("hinge", cs.GROUND, body, at=(0, 0, 0), axis=(0, 1, 0), stiffness=stiffness))

    def angle(run: cs.Run) -> Any:
        return run.coordinate("hinge").values.ravel()[-1]

    def strain(run: cs.Run) -> Any:
        return run.energy.strain[-1]

    for objective in (angle, strain):
        found = cs.gradient(model, objective, [length, stiffness], 0.2, 0.01, **settings)
        for name, value in found.parameters.items():
            assert np.isclose(value, difference(model, name, objective, 0.2, 0.01, **settings), rtol=1e-6)


def test_a_length_where_the_first_step_is_taken_in_parts() -> None:
    """A beam whose length changes would be strained without bound if its nodes were held where the method restarts."""
    model, length = cs.Model("arm", gravity=(0, 0, -9.81)), cs.Parameter("L", 0.9)
    section = cs.Rectangle(0.02, 0.015)
    beam = model.add(
        cs.Beam("beam", points=[(0, 0, 0), (length, 0, 0)], section=section, material=cs.materials.NYLON, elements=2)
    )
    model.add(cs.Revolute("hinge", cs.GROUND, beam.start, axis=(0, 1, 0), stiffness=2.0, damping=0.05))
    found = cs.gradient(model, height, length, 0.05, 0.01)
    assert np.isclose(found.parameters["L"], difference(model, "L", height, 0.05, 0.01), rtol=1e-6)


def test_numbers_of_a_round_beam_in_floating_frames() -> None:
    """Its modes come in pairs that are equally fast: any two of their sums are modes as well."""
    names = {"D": 0.02, "nu": 0.3, "E": 3e9, "L": 1.0}
    size, shear, stiffness, length = (cs.Parameter(name, value) for name, value in names.items())
    model = cs.Model("rod", gravity=(0, 3.0, -9.81))
    material = cs.Material(E=stiffness, nu=shear, rho=1100.0)
    points = [(0, 0, 0), (length, 0, 0)]
    beam = model.add(cs.Beam("beam", points=points, section=cs.Rod(size), material=material, elements=3))
    model.add(cs.Revolute("hinge", cs.GROUND, beam.start, axis=(0, 1, 0), stiffness=5.0))
    model.add(cs.Force("push", beam.end, (0, 0.4, 0.2), follower=True))
    settings: dict[str, Any] = {"formulation": "floating", "modes": 4}
    found = cs.gradient(model, height, list(names), 0.05, 0.005, **settings)
    for name, value in found.parameters.items():
        assert np.isclose(value, difference(model, name, height, 0.05, 0.005, **settings), rtol=1e-5)


@pytest.mark.filterwarnings("ignore:steps had to be split")
@pytest.mark.parametrize("duration", [0.01, 0.04])
def test_a_light_beam_in_floating_frames(duration: float) -> None:
    """A unit of its modal coordinates turns its end many times; in the longer run a step is split."""
    model = cs.Model("whip", gravity=(cs.Parameter("g", 4.0), -2.0, -9.81))
    rubber = cs.Material(E=2e7, nu=0.3, rho=1200, damping=1e-3)
    points, section = [(0, 0, 0), (0.25, 0, 0)], cs.Rectangle(0.025, 0.035)
    beam = model.add(cs.Beam("beam", points=points, section=section, material=rubber, elements=3))
    axes = ((0, 1, 0), (0, 0, 1))
    model.add(cs.Universal("root", cs.GROUND, beam.start, axes=axes, stiffness=3.0, damping=0.07))
    bob = model.add(cs.RigidBody("bob", 1.2, (0.4, 0.1, 0.2), (0.01, 0.01, 0.02)))
    model.add(cs.Revolute("tip", beam.end, bob, at=(0.25, 0, 0), axis=(1, 1, 0), effort=2.0))

    def reach(run: cs.Run) -> Any:
        return run.position("bob")[-1, 0]

    settings: dict[str, Any] = {"formulation": "floating", "modes": 2}
    found = cs.gradient(model, reach, "g", duration, 0.01, **settings)
    run = cs.simulate(model, duration, 0.01, newton_tolerance=1e-12, **settings)
    assert (run.stats["steps_split"] > 0) == (duration > 0.01)
    assert found.value == float(reach(run))
    assert np.isclose(found.parameters["g"], difference(model, "g", reach, duration, 0.01, **settings), rtol=1e-8)


@pytest.mark.parametrize("formulation", ["galilean", "floating"])
def test_the_start(formulation: str) -> None:
    """A parameter that is a velocity at the start, and the same as a part of the start."""
    model = pair()

    def objective(run: cs.Run) -> Any:
        return run.position("other")[-1, 2] + run.velocity("one")[-1, 0]

    found = cs.gradient(model, objective, ["w", "start"], 0.2, 0.01, formulation=formulation)
    assert found.start is not None
    if formulation == "galilean":
        assert np.isclose(found.start["one"][2, 1], found.parameters["w"], rtol=1e-8)  # own axes are those of the world
    else:
        name = next(key for key in found.start if key.endswith("z") and "one" in key and "r" not in key.split(".")[-1])
        assert np.isclose(found.start[name][0, 1], found.parameters["w"], rtol=1e-8)


def test_the_start_of_a_damped_beam() -> None:
    """The whole run begins with a whole step; with a velocity of one node, dampers would begin it in parts."""
    speed, spots = cs.Parameter("W", 0.3), np.linspace(0.0, 0.6, 5)
    model = cs.Model("arm", gravity=(0, -9.81, 0))
    alloy = cs.Material(E=70e9, nu=0.33, rho=2700, damping=1e-4)
    link = cs.Beam("beam", [(0, 0, 0), (0.6, 0, 0)], section=cs.Rectangle(0.003, 0.02), material=alloy, elements=4,
                   up=(0, 0, 1), velocity=lambda x: (-speed * x[1], speed * x[0], 0))  # fmt: skip
    model.add(cs.Revolute("joint", cs.GROUND, model.add(link).start, axis=(0, 0, 1), damping=0.01))

    def objective(run: cs.Run) -> Any:
        return run.position("beam.end")[-1, 1]

    found = cs.gradient(model, objective, ["W", "start"], 0.03, 0.01)
    assert found.start is not None
    node = found.start["beam"][:, 1].reshape(5, 6)  # own axes are those of the world
    assert np.isclose(node[:, 1] @ spots + node[:, 5].sum(), found.parameters["W"], rtol=1e-7)


@pytest.mark.parametrize("formulation", ["galilean", "floating"])
def test_samples_of_a_control(formulation: str) -> None:
    """A push that comes and goes within some steps."""
    h = 0.01

    def shape(t: Any) -> Any:
        return np.exp(-(((t - 0.1) / (2.0 * h)) ** 2))

    def model(size: float) -> cs.Model:
        model = ball()
        model.add(cs.Force("push", "b", lambda t: (0, 0, size * shape(t))))
        return model

    def end(size: float) -> float:
        return float(swing(cs.simulate(model(size), 0.2, h, newton_tolerance=1e-12, formulation=formulation)))

    found = cs.gradient(model(0.0), swing, (), 0.2, h, controls=["push.fz", "r"], formulation=formulation)
    assert found.control_names == ("push.fz", "r")
    assert found.controls is not None
    assert found.controls.shape == (len(found.time), 2)
    wanted = sum(weight * end(float(i)) for i, weight in CENTRAL)
    assert np.isclose(found.controls[:, 0] @ shape(found.time), wanted, rtol=1e-6)


def test_what_it_refuses() -> None:
    model = soft_arm()

    def call(wrt: Any = "k", objective: Any = height, *args: Any, **settings: Any) -> Any:
        return cs.gradient(model, objective, wrt, *(args or (0.02, 0.01)), **settings)

    for message, arguments, settings in (
        ("pass 'start' or parameters of the model: 'k', 'P'", ("K",), {}),
        ("pass 'start' or parameters of the model: 'k', 'P'", (5,), {}),
        ("one finite number", ("k", lambda run: run.position("beam.end")[-1]), {}),
        ("gives 'far'; it must give one finite number", ("k", lambda run: "far"), {}),
        ("what adds up over the run", ("k", lambda run: run.energy["work"][-1]), {}),
        (
            "what adds up over the run",
            ("k", lambda run: run.energy.dissipated[-1]),
            {"formulation": "floating", "modes": 2},
        ),
        ("accelerations or reactions", ("k", lambda run: run.reaction("hinge")[-1, 2]), {}),
        ("pass a function of a Run", ("k", 3.0), {}),
        ("integrator", ("k",), {"integrator": "runge-kutta"}),
        ("belong to formulation='floating'", ("k",), {"modes": 3}),
        ("controls are efforts", ("k",), {"controls": ["P"]}),
    ):
        with pytest.raises(cs.CosseratError, match=message):
            call(*arguments, **settings)
    model.add(cs.Force("late", "beam.end", lambda t: (0, 0, 1.0 if t > 0.011 else 0.0)))
    with pytest.raises(cs.CosseratError, match=r"not smooth|change with time"):
        cs.gradient(model, height, "k", 0.02)


def test_the_model_is_left_as_it_was() -> None:
    model = soft_arm()
    cs.gradient(model, height, ["k", "P"], 0.02, 0.01)
    assert model.parameters == {"k": 20.0, "P": 3.0}
