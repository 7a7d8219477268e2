"""One model in two formulations: floating frames with modes against the Galilean finite elements."""

from __future__ import annotations

import numpy as np
import pytest

import cosserat as cs


@pytest.fixture(scope="module")
def runs(manipulator) -> tuple[cs.Run, list[cs.Run], np.ndarray]:
    model, span = manipulator(), (0.1, 1e-3)
    galilean = cs.simulate(model, *span)
    floating = [cs.simulate(model, *span, formulation="floating", modes=m) for m in (1, 4, 8)]
    rigid = cs.simulate(manipulator(E=68.9e14), *span)
    return galilean, floating, (galilean.position("arm2.end") - rigid.position("arm2.end")).values


def away(a: cs.Run, b: cs.Run) -> float:
    return float(np.linalg.norm((a.position("arm2.end") - b.position("arm2.end")).values, axis=1).max())


def test_the_manipulator_converges_with_the_number_of_modes(runs) -> None:
    galilean, floating, bent = runs
    deflection = np.linalg.norm(bent, axis=1).max()
    assert 3e-3 < deflection < 0.01
    errors = [away(run, galilean) / deflection for run in floating]
    assert errors[0] > 1e-3
    assert errors[1] < 1e-3
    assert errors[2] < 1e-4
    assert errors[1] < 0.2 * errors[0]
    assert errors[2] < 0.2 * errors[1]


def test_accessors_of_the_run_agree(runs) -> None:
    galilean, (_, _, floating), _ = runs
    assert floating.status.ok
    for name in ("shoulder", "elbow"):
        one, two = galilean.reaction(name).values, floating.reaction(name).values
        assert np.abs(one - two)[50:].max() < 0.02 * np.abs(one).max()
        assert np.allclose(galilean.coordinate(name), floating.coordinate(name), atol=1e-6)
    effort = galilean.effort("shoulder").values
    assert np.abs(effort - floating.effort("shoulder").values).max() < 1e-3 * np.abs(effort).max()
    for key in ("kinetic", "strain", "potential", "work"):
        one, two = galilean.energy[key].values, floating.energy[key].values
        scale = np.abs(galilean.energy.potential.values).max()
        assert np.abs(one - one[0] - two + two[0]).max() < 2e-3 * scale
    assert floating.constraint_violation.values.max() < 1e-12
    middle = "arm1.at(0.4)"
    speed = galilean.velocity(middle).values
    assert np.abs(speed - floating.velocity(middle).values).max() < 5e-3 * np.abs(speed).max()
    assert "generalized-alpha" in floating.report()
    assert "arm1.position" in floating.data


def test_energy_balance_of_a_floating_run(runs) -> None:
    energy = runs[1][1].energy
    scale = max(float(np.ptp(energy[k].values)) for k in ("kinetic", "strain", "potential"))
    assert np.abs(energy.balance.values).max() < 1e-3 * scale


def test_frequencies_are_equal(manipulator) -> None:
    model = manipulator(motion="0 * t", gravity=(0, 0, 0))
    tree = cs.FlexibleTree(model, modes=16)
    M = tree.mass_matrix(tree.neutral())[1:, 1:]  # the shoulder is held
    K = np.zeros_like(M)
    for body in tree.modal_bodies.values():
        k = tree.coordinates.index(f"{body.name}.mode1") - 1
        K[k : k + body.n_modes, k : k + body.n_modes] = body.stiffness
    root = np.linalg.inv(np.linalg.cholesky(M))
    squares = np.linalg.eigvalsh(root @ K @ root.T)
    found = np.sqrt(squares[1:7]) / (2 * np.pi)  # the first is the free elbow
    every = np.asarray(cs.modes(model, 7).frequencies)
    expected = every[every > 1e-3][:6]
    assert found == pytest.approx(expected, rel=1e-5)


SPIN_UP = {5: (-1.265464e-2, -0.4684762), 7: (-1.861826e-2, -0.5713118)}
"""Tip of the beam of Kane, Ryan and Banerjee (1987), see tests/literature/test_kane_1987_spin_up.py."""


def spin_up(**options) -> np.ndarray:
    def angle(t):
        return 6 / 15 * (t**2 / 2 + (15 / (2 * np.pi)) ** 2 * (np.cos(2 * np.pi * t / 15) - 1))

    model = cs.Model("spin-up")
    section = cs.Section(stiffness=[2.8e7, 1e7, 1e7, 1.4e4, 1.4e4, 1.4e4], mass=[1.2, 1.2, 1.2, 1.2e-3, 6e-4, 6e-4])
    beam = model.add(cs.Beam("blade", points=[(0, 0, 0), (10, 0, 0)], section=section, elements=8))
    model.add(cs.Revolute("hub", cs.GROUND, beam.start, axis=(0, 0, 1), motion=angle))
    run = cs.simulate(model, 7.0, 0.02, **options)
    turn, (x, y, _) = angle(run.time), run.position("blade.end").values.T
    return np.stack((np.cos(turn) * x + np.sin(turn) * y - 10, -np.sin(turn) * x + np.cos(turn) * y), axis=1)


@pytest.fixture(scope="module")
def spinning() -> np.ndarray:
    return spin_up(formulation="floating", modes=6)


@pytest.mark.parametrize("t", SPIN_UP)
def test_spin_up_with_stiffening_agrees(spinning, t: int) -> None:
    assert spinning[round(t / 0.02)] == pytest.approx(SPIN_UP[t], abs=5e-3)


def test_spin_up_without_stiffening_does_not(spinning) -> None:
    plain = spin_up(formulation="floating", modes=6, stiffening=False)
    galilean = spin_up()
    assert np.abs(spinning - galilean).max() < 5e-3
    assert np.abs(plain - galilean)[-1].max() > 0.5
