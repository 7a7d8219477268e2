"""Floating runs start by themselves as Galilean ones do; arrays of nodes are made when results ask for them."""

import warnings

import numpy as np
import pytest

import cosserat as cs
from cosserat.errors import CosseratWarning, ModelError

FLOATING = {"formulation": "floating"}


def four_bar(crank: dict | None = None, swing: dict | None = None, redundant: bool = False) -> cs.Model:
    """Three rods in a plane loop: with hinges alone, or with joints that demand nothing twice."""
    model = cs.Model("loop", gravity=(0, 0, -9.81))
    corners = np.array([(0, 0, 0), (0, 0, 0.3), (0.5, 0, 0.5), (0.6, 0, 0)], dtype=float)
    for name, a, b, given in zip("abc", corners, corners[1:], (crank, {}, swing), strict=False):
        model.add(cs.RigidBody(name, mass=1.0, com=0.5 * (a + b), inertia=(0.02, 0.02, 0.02), **(given or {})))
    axis = {"axis": (0, 1, 0)}
    model.add(cs.Revolute("j0", cs.GROUND, "a", at=corners[0], **axis))
    model.add(cs.Revolute("j1", "a", "b", at=corners[1], **axis))
    if redundant:
        model.add(cs.Revolute("j2", "b", "c", at=corners[2], **axis))
        model.add(cs.Revolute("j3", cs.GROUND, "c", at=corners[3], **axis))
    else:
        model.add(cs.Spherical("j2", "b", "c", at=corners[2]))
        model.add(cs.Cylindrical("j3", cs.GROUND, "c", at=corners[3], **axis))
    return model


def both(model: cs.Model) -> tuple[cs.Run, cs.Run]:
    """A Galilean run and a floating one."""
    return cs.simulate(model, 2e-3, step=1e-3), cs.simulate(model, 2e-3, step=1e-3, **FLOATING)


def apart(runs: tuple[cs.Run, cs.Run], names: str) -> float:
    """How much velocities and angular velocities of bodies differ at the start."""
    found = [np.array([[run.velocity(n)[0], run.angular_velocity(n)[0]] for n in names]) for run in runs]
    return float(np.abs(found[0] - found[1]).max())


@pytest.mark.parametrize("redundant", [False, True])
def test_velocities_follow_from_one_that_is_described(redundant: bool) -> None:
    model = four_bar(crank={"angular_velocity": (0, 2.0, 0)}, redundant=redundant)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        runs = both(model)
    assert apart(runs, "abc") < 1e-9
    assert float(np.abs(runs[1].angular_velocity("c")[0]).max()) > 0.5


def test_parts_that_nothing_tells_have_the_least_kinetic_energy() -> None:
    model = cs.Model("chain")
    model.add(cs.RigidBody("a", mass=1.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1), angular_velocity=(0, 0, 3.0)))
    model.add(cs.RigidBody("b", mass=1.0, com=(1.5, 0, 0), inertia=(0.1, 0.1, 0.1)))
    model.add(cs.Revolute("ja", cs.GROUND, "a", axis=(0, 0, 1), at=(0, 0, 0)))
    model.add(cs.Revolute("jb", "a", "b", axis=(0, 0, 1), at=(1, 0, 0)))
    runs = both(model)
    assert apart(runs, "ab") < 1e-9
    assert float(runs[1].angular_velocity("b")[0, 2]) == pytest.approx(-0.5 * 3.0 / (0.25 + 0.1), rel=1e-9)


def test_velocities_that_fit_nothing_are_refused_in_the_same_words() -> None:
    model = four_bar(crank={"angular_velocity": (0, 2.0, 0)}, swing={"angular_velocity": (0, -5.0, 0)})
    said = []
    for formulation in ("galilean", "floating"):
        with pytest.raises(ModelError) as caught:
            cs.simulate(model, 2e-3, step=1e-3, formulation=formulation)
        said.append(str(caught.value))
    assert said[0] == said[1]
    assert "its initial angular velocity violates" in said[0]


def test_constraints_that_others_imply_are_named_in_the_same_words() -> None:
    model, said = four_bar(redundant=True), []
    for formulation in ("galilean", "floating"):
        with pytest.warns(CosseratWarning, match="redundant") as caught:
            cs.simulate(model, 2e-3, step=1e-3, formulation=formulation)
        said.append([str(w.message) for w in caught if "redundant" in str(w.message)])
    assert said[0] == said[1]


def test_arrays_of_nodes_are_made_when_they_are_asked_for() -> None:
    run = cs.simulate(four_bar(), 2e-3, step=1e-3, **FLOATING)
    assert "compiled" not in vars(run.trajectory.source)
    assert run.position("a").shape == (3, 3)
    assert "compiled" in vars(run.trajectory.source)


def test_results_are_of_the_model_as_it_was() -> None:
    runs = []
    for _ in range(2):
        model, size = cs.Model("arm", gravity=(0, 0, -9.81)), cs.Parameter("d", 0.02)
        line, steel = [(0, 0, 0), (1, 0, 0)], cs.materials.STEEL
        beam = model.add(cs.Beam("arm", points=line, section=cs.Rod(size), material=steel, elements=4))
        model.add(cs.Revolute("hinge", cs.GROUND, beam.start, axis=(0, 1, 0)))
        model.add(cs.RigidBody("tip", mass=cs.Parameter("m", 2.0), com=(1, 0, 0), inertia=(0.1, 0.1, 0.1)))
        model.add(cs.Fixed("weld", beam.end, "tip"))
        runs.append(cs.simulate(model, 0.02, step=2e-3, modes=2, **FLOATING))
    model.set(d=0.05, m=9.0)
    model.add(cs.RigidBody("late", mass=1.0, com=(5, 5, 5), inertia=(1, 1, 1)))
    model.gravity = (0, 0, -1.0)
    for ask in (lambda run: run.reaction("hinge"), lambda run: run.section_force("arm", 0.3)):
        first, later = (np.asarray(ask(run)) for run in runs)
        assert np.array_equal(first, later)
    assert runs[1].model.parameters == {"d": 0.05, "m": 9.0}
