"""Parameters of beams in floating frames: modes of a round one turn freely in their plane; answers must not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cosserat as cs

MODES = 6
FRAMES = cs.Floating(modes=MODES)
SECTIONS = pytest.mark.parametrize("section", ["round", "flat"])
NAMES = ("E", "rho", "width")


def cantilever(section: str) -> cs.Model:
    """An oblique cantilever under its weight and a force at its end."""
    model = cs.Model("cantilever", gravity=(0, 1.0, -9.81))
    width = cs.Parameter("width", 0.03)
    shape: Any = cs.Rod(diameter=width) if section == "round" else cs.Rectangle(width=width, height=1.3 * width)
    stuff = cs.Material(E=cs.Parameter("E", 5e9), nu=0.3, rho=cs.Parameter("rho", 1200.0), damping=1e-4)
    beam = model.add(cs.Beam("b", [(0, 0, 0), (1, 0.3, 0)], section=shape, material=stuff, elements=6))
    model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
    model.add(cs.Force("push", beam.end, (0, 0.2, 0.1)))
    return model


@SECTIONS
def test_linear_models(section: str) -> None:
    """Gains of positions and reactions against those of the elements, at rest and below the first frequency."""
    model = cantilever(section)
    for name in NAMES:
        exact, found = (cs.linearize(model, [name], ["b.end", "clamp.reaction"], formulation=f) for f in (None, FRAMES))
        for s in (0.0, 20.0j):
            a, b = exact.transfer(s), found.transfer(s)
            for rows in (slice(0, 3), slice(3, 9)):
                assert np.abs(a - b)[rows].max() < 1e-3 * np.abs(a)[rows].max()


@pytest.mark.parametrize(("name", "end"), [("E", 6e9), ("width", 0.033)])
def test_paths(name: str, end: float) -> None:
    model = cantilever("round")
    start = model.parameters[name]
    exact, found = (cs.continuation(model, name, start, end, formulation=f) for f in (None, FRAMES))
    assert found.status.ok
    assert np.abs(exact.position("b.end")[-1] - found.position("b.end")[-1]).max() < 1e-6


def test_gradients() -> None:
    """Against differences of runs whose modes are made anew."""
    model = cantilever("round")
    how: dict[str, Any] = {"step": 1e-3, "formulation": "floating", "modes": MODES}

    def objective(run: cs.Run) -> float:
        return float(run.position("b.end").values[-1] @ np.array([1.0, 2.0, 3.0]))

    found = cs.gradient(model, objective, list(NAMES), 0.02, **how).parameters
    for name in NAMES:
        value, ends = model.parameters[name], []
        for part in (1e-4, -1e-4):
            model.set(**{name: value * (1.0 + part)})
            ends.append(objective(cs.simulate(model, 0.02, **how)))
        model.set(**{name: value})
        assert found[name] == pytest.approx((ends[0] - ends[1]) / (2e-4 * value), rel=1e-5)


@SECTIONS
@pytest.mark.parametrize("name", NAMES[:2])
def test_runs_that_go_on_with_another_material(section: str, name: str) -> None:
    """The beam is where it was, as fast as it was, and goes on as its elements do."""
    model = cantilever(section)
    how: dict[str, Any] = {"step": 1e-3, "formulation": "floating", "modes": MODES}
    first = cs.simulate(model, 0.1, **how)
    model.set(**{name: 1.3 * model.parameters[name]})
    found, exact = cs.simulate(model, 0.05, start=first, **how), cs.simulate(model, 0.05, step=1e-3, start=first)
    assert np.abs(found.position("b.end")[0] - first.position("b.end")[-1]).max() < 1e-9
    assert np.abs(found.velocity("b.end")[0] - first.velocity("b.end")[-1]).max() < 1e-6
    assert np.abs(found.position("b.end") - exact.position("b.end")).max() < 5e-6


def test_a_body_like_another() -> None:
    """Interfaces that tell all shapes: combined as those of the other body, whatever its frequencies."""
    parts = {f"part{k}": k / 6 for k in range(1, 6)}
    first, other = (cs.Material(E=E, nu=0.3, rho=1200.0) for E in (5e9, 5.01e9))
    line: Any = [(0, 0, 0), (1, 0.3, 0)]
    beams = [cs.Beam("b", line, section=cs.Rod(0.03), material=stuff, elements=6) for stuff in (first, other)]
    body = cs.modal_body(beams[0], modes=MODES, interfaces=parts)
    again = cs.modal_body(beams[1], modes=MODES, interfaces=parts, like=body)
    for key, end in body.interfaces.items():
        assert np.abs(again.interfaces[key].shape - end.shape).max() < 1e-6 * np.abs(end.shape).max() + 1e-9
    assert again.frequencies == pytest.approx(np.sqrt(5.01 / 5.0) * body.frequencies, rel=1e-8)


def square(modes: int) -> tuple[cs.Model, cs.Floating]:
    """A cantilever that bends as easily to both sides, of whose pairs of modes an odd number keeps only one."""
    model = cs.Model("cantilever", gravity=(0, 0, -9.81))
    section = cs.Rectangle(width=cs.Parameter("width", 0.02), height=0.02)
    stuff = cs.Material(E=5e9, nu=0.3, rho=1000.0)
    beam = model.add(cs.Beam("b", [(0, 0, 0), (0.8, 0, 0)], section=section, material=stuff, elements=8))
    model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
    model.add(cs.Force("push", beam.end, (0, 3.0, 0)))
    model.add(cs.Spring("stay", cs.GROUND.at((0.4, 0.2, 1)), beam.at(0.5), stiffness=30.0))
    return model, cs.Floating(modes=modes)


@pytest.mark.parametrize("modes", [1, 3, 6])
def test_modes_that_are_kept_in_part(modes: int) -> None:
    """A section next to a square bends sooner to one side: the shapes that were kept are still those that are meant."""
    model, frames = square(modes)
    outputs = ["b.end.y", "b.end.z", "clamp.reaction", "b.at(0.3).section_force"]
    exact, found = (cs.linearize(model, ["width"], outputs, formulation=f).transfer(0.0) for f in (None, frames))
    for rows in (slice(0, 1), slice(2, 8), slice(8, 14)):
        assert np.abs(exact - found)[rows].max() < 2e-3 * np.abs(exact)[rows].max()
