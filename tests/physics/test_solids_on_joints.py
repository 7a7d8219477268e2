"""Solids meshed by finite elements ride on joints: a blade against the beam it should be, a bracket as a pendulum."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("skfem")

import cosserat as cs

BAR = cs.Material(E=2e9, nu=0.0, rho=2700)  # without lateral contraction a clamp adds nothing to beam theory
ALLOY = cs.Material(E=70e9, nu=0.3, rho=2700)
ENDS = {"root": "x_min", "tip": "x_max"}
SWEEP = "0.3 * (t / 0.4 - sin(2 * pi * t / 0.4) / (2 * pi))"  # starts and ends at rest
STEPS = {"duration": 0.4, "step": 2e-3, "rho": 0.7}


def swept(part, root) -> cs.Model:
    model = cs.Model("sweep", gravity=(0, 0, -9.81))
    body = model.add(part)
    model.add(cs.Revolute("hub", cs.GROUND, root(body), axis=(0, 0, 1), motion=SWEEP))
    return model


def local(run: cs.Run, tip: str) -> np.ndarray:
    """Displacement of the tip, seen from the hub."""
    turn = run.coordinate("hub").values
    x, y, z = run.position(tip).values.T
    return np.stack((np.cos(turn) * x + np.sin(turn) * y - 1, -np.sin(turn) * x + np.cos(turn) * y, z), axis=1)


@pytest.fixture(scope="module")
def galilean() -> cs.Run:
    section = cs.Rectangle(width=0.04, height=0.08)
    beam = cs.Beam("blade", points=[(0, 0, 0), (1, 0, 0)], section=section, material=BAR, elements=16)
    return cs.simulate(swept(beam, lambda b: b.start), **STEPS)


@pytest.fixture(scope="module")
def solid() -> cs.Run:
    mesh = cs.SolidMesh.box((1, 0.04, 0.08), (20, 1, 2), origin=(0, -0.02, -0.04))
    points = {"top": (0.26, 0.0, 0.03), "side": (0.26, 0.015, 0.0)}
    body = cs.modal_body_from_mesh("blade", mesh, BAR, ENDS, modes=6, recovery=points, stiffening=True)
    return cs.simulate(swept(body, lambda b: b.at("root")), formulation="floating", **STEPS)


def test_a_solid_blade_bends_as_the_beam_does(galilean, solid) -> None:
    one, two = local(galilean, "blade.end"), local(solid, "blade.tip")
    deflection = np.abs(one).max(axis=0)
    assert deflection[1] > 2e-3
    assert deflection[2] > 2e-3
    assert np.abs(one - two).max() < 0.02 * deflection[1:].min()
    torque = galilean.effort("hub").values
    assert np.abs(torque - solid.effort("hub").values)[5:].max() < 0.02 * np.abs(torque).max()


def test_its_stresses_are_those_of_bending(galilean, solid) -> None:
    """sigma = My z / Iy - Mz y / Iz, with the moments of the beam."""
    My, Mz = galilean.section_force("blade", 0.26).values[:, 4:].T
    top, side = (solid.stress("blade", point).sel(component="xx").values for point in ("top", "side"))
    Iy, Iz = 0.04 * 0.08**3 / 12, 0.08 * 0.04**3 / 12
    assert np.abs(top - My * 0.03 / Iy).max() < 0.1 * np.abs(top).max()  # it falls into its weight and vibrates
    assert np.mean(top) == pytest.approx(np.mean(My) * 0.03 / Iy, rel=0.03)
    assert np.abs(side + Mz * 0.015 / Iz).max() < 0.03 * np.abs(side).max()


def test_a_bracket_swings_as_a_pendulum() -> None:
    """Energy of a stiff L about its hinge: J omega^2 / 2 = m g (drop of the centre of mass)."""
    mesh = cs.SolidMesh.box((0.2, 0.05, 0.2), (8, 1, 8))
    middle = mesh.points[mesh.cells].mean(axis=1)
    mesh = cs.SolidMesh(mesh.points, mesh.cells[(middle[:, 0] < 0.05) | (middle[:, 2] < 0.05)])
    feet = {"foot": lambda x: x[2] > 0.2 - 1e-9, "toe": lambda x: x[0] > 0.2 - 1e-9}
    model = cs.Model("bracket", gravity=(0, 0, -9.81))
    body = model.add(cs.modal_body_from_mesh("bracket", mesh, ALLOY, feet, modes=4))
    model.add(cs.Revolute("hinge", cs.GROUND, body.at("foot"), axis=(0, 1, 0)))
    run = cs.simulate(model, 0.6, 2e-3, formulation="floating")

    blocks = [((0.025, 0.1), (0.05, 0.2)), ((0.125, 0.025), (0.15, 0.05))]  # centre and size in x and z
    masses = np.array([2700 * 0.05 * w * h for _, (w, h) in blocks])
    arms = np.array([(x - 0.025, z - 0.2) for (x, z), _ in blocks])
    J = sum(m * (w**2 + h**2) / 12 + m * a @ a for m, (_, (w, h)), a in zip(masses, blocks, arms, strict=True))
    com = masses @ arms / masses.sum()
    length, start = np.linalg.norm(com), np.arctan2(com[0], -com[1])
    angle, rate = run.coordinate("hinge").values, run.coordinate_rate("hinge").values
    drop = length * (np.cos(start - angle) - np.cos(start))
    expected = 2 * masses.sum() * 9.81 * drop / J
    assert angle.max() == pytest.approx(2 * start, rel=2e-3)
    np.testing.assert_allclose(rate**2, expected, atol=3e-3 * expected.max())
    assert np.abs(run.energy.balance).max() < 1e-4 * run.energy.kinetic.max()


def test_a_rotating_solid_is_pulled_though_its_modes_only_bend() -> None:
    """sigma = rho omega^2 (L^2 - x^2) / 2."""
    mesh = cs.SolidMesh.box((1, 0.04, 0.08), (16, 1, 1), origin=(0, -0.02, -0.04))
    bar = cs.Material(E=70e9, nu=0.0, rho=2700)
    point = {"inside": (0.31, 0.003, 0.002)}
    body = cs.modal_body_from_mesh("bar", mesh, bar, ENDS, modes=2, boundary="cantilever", recovery=point)
    model = cs.Model("rotor")
    model.add(body)
    model.add(cs.Revolute("hub", cs.GROUND, body.at("root"), axis=(0, 0, 1), motion="20 * t"))
    run = cs.simulate(model, 0.05, 5e-3, formulation="floating")
    stress = run.stress("bar", "inside").sel(component="xx").values
    assert stress == pytest.approx(2700 * 20**2 * (1 - 0.31**2) / 2, rel=5e-4)
    strain = run.strain("bar", "inside").sel(component="xx").values
    assert strain == pytest.approx(stress / 70e9, rel=1e-3)
