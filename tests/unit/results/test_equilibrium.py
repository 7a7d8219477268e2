"""Static answers against closed forms of beams."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import cosserat as cs

STATIONS = (0.0, 0.1, 0.25, 0.6, 1.0)


@pytest.mark.parametrize("s", STATIONS)
def test_moment_of_a_tip_loaded_cantilever_is_linear(cantilever: Callable[..., cs.Model], s: float) -> None:
    P, L = 1e-3, 2.0
    rest = cs.equilibrium(cantilever(tip=(0, 0, P)))
    assert rest.status.ok
    _, Qy, Qz, T, My, Mz = rest.section_force("beam", s)
    # The part beyond s is pulled up by P at a lever L (1 - s): a moment about -y on the part before it.
    assert (Qz, My) == pytest.approx((P, -P * L * (1 - s)), abs=1e-9)
    assert (Qy, T, Mz) == pytest.approx((0, 0, 0), abs=1e-12)
    assert rest.strain("beam", s)[4] == pytest.approx(-P * L * (1 - s) / 1e2, abs=1e-11)


def test_large_deflection_is_in_balance_at_every_section(cantilever: Callable[..., cs.Model]) -> None:
    F = np.array([1.0, 20.0, 30.0])
    rest = cs.equilibrium(cantilever(tip=tuple(F)))
    end = rest.position("beam.end")
    assert end[2] > 0.2
    for s in STATIONS:
        R, x = rest.rotation(f"beam.at({s})"), rest.position(f"beam.at({s})")
        want = np.concatenate((R.T @ F, R.T @ np.cross(end - x, F)))
        assert np.allclose(rest.section_force("beam", s), want, atol=1e-5)


@pytest.mark.parametrize(
    "load",
    [{"line": (0, 0, -1e-3)}, {"line": (0, 0, -1e-3), "follower": True}, {"gravity": (0, 0, -1e-3)}],
    ids=["dead", "follower", "weight"],
)
def test_moment_under_a_uniform_load_is_a_parabola(cantilever: Callable[..., cs.Model], load: dict) -> None:
    q, L = 1e-3, 2.0
    rest = cs.equilibrium(cantilever(elements=2, **load))
    for s in STATIONS:
        arm = L * (1 - s)
        force = rest.section_force("beam", s)
        assert force[[2, 4]] == pytest.approx([-q * arm, q * arm**2 / 2], abs=1e-9)
    reaction = rest.reaction("clamp")
    assert reaction == pytest.approx([0, 0, q * L, 0, -q * L**2 / 2, 0], abs=1e-6)
    # what the clamp exerts is minus what the beam exerts on its first section
    assert rest.section_force("beam", 0.0) == pytest.approx(-reaction, abs=1e-6)  # 1e8 N times round-off of strain


def test_energy_of_a_cantilever(cantilever: Callable[..., cs.Model]) -> None:
    P, L, EI = 0.1, 2.0, 1e2
    rest = cs.equilibrium(cantilever(tip=(0, 0, P)))
    assert rest.energy["strain"] == pytest.approx(P**2 * L**3 / (6 * EI), rel=1e-4)
    assert rest.constraint_violation < 1e-10


def test_elastic_hinge(pendulum: Callable[..., cs.Model]) -> None:
    rest = cs.equilibrium(pendulum(stiffness=100.0))
    q = rest.coordinate("hinge")
    assert 100.0 * q == pytest.approx(2 * 9.81 * np.cos(q), rel=1e-9)
    assert rest.effort("hinge") == pytest.approx(-100.0 * q)
    assert rest.reaction("hinge")[:3] == pytest.approx([0, 0, 2 * 9.81], abs=1e-8)
    assert "Equilibrium of 'pendulum'" in repr(rest)


def test_plot_of_a_shape(cantilever: Callable[..., cs.Model], tmp_path) -> None:
    rest = cs.equilibrium(cantilever(tip=(0, 0, 20.0)))
    figure = rest.plot(path=tmp_path / "shape.png")
    assert (tmp_path / "shape.png").stat().st_size > 5000
    assert figure.axes[0].get_xlabel() == "x (m)"
    assert figure.axes[0].get_ylabel() == "z (m)"


def test_saved_equilibrium_answers_the_same(tmp_path: Path) -> None:
    """Also after a parameter was set to something else, and as a start for the next solution."""
    model = cs.Model("governor")
    bob = model.add(cs.RigidBody.sphere("bob", diameter=0.1, mass=1.0, com=(1, 0, 0)))
    model.add(cs.Prismatic("arm", cs.GROUND, bob, axis=(1, 0, 0), stiffness=100.0))
    model.add(cs.Force("pull", bob, (cs.Parameter("F", 2.0), 0, 0), follower=True))
    found = cs.equilibrium(model, spin=(0, 0, 3))
    model.set(F=0.0)
    found.save(tmp_path / "rest.nc")
    again = cs.load_equilibrium(tmp_path / "rest.nc")
    assert again.status.ok
    assert again.parameters == {"F": 2.0}
    assert again.coordinate("arm") == pytest.approx((9 + 2) / (100 - 9), rel=1e-12)
    assert np.array_equal(again.reaction("arm"), found.reaction("arm"))
    assert np.array_equal(again.settings["spin"], found.settings["spin"])
    assert again.model.parameters == {"F": 2.0}
    assert cs.equilibrium(model, start=again, spin=(0, 0, 3)).coordinate("arm") == pytest.approx(9 / 91, rel=1e-9)


def test_a_run_is_not_an_equilibrium(tmp_path: Path) -> None:
    model = cs.Model("ball", gravity=(0, 0, -9.81))
    model.add(cs.RigidBody.sphere("ball", diameter=0.1, mass=1.0, com=(0, 0, 0)))
    cs.simulate(model, duration=0.1, step=0.05).save(tmp_path / "run.nc")
    with pytest.raises(cs.CosseratError, match="not an equilibrium; use load_run"):
        cs.load_equilibrium(tmp_path / "run.nc")
