"""Why rho = 1 fails with joints, and what does not: see docs/integrators.md."""

import numpy as np
import pytest

import cosserat as cs


def double_pendulum():
    model = cs.Model("double pendulum", gravity=(0, 0, -9.81))
    tube = cs.Tube(outer_diameter=0.030, inner_diameter=0.027)
    ends = []
    for i in range(2):
        p, q = (1.5 * i, 0, 0), (1.5 * i + 1.5, 0, 0)
        bar = model.add(cs.RigidBody.bar(f"bar{i}", p, q, section=tube, material=cs.materials.ALUMINIUM_6061))
        ends.append((bar.at(p), bar.at(q)))
    model.add(cs.Revolute("shoulder", cs.GROUND, ends[0][0], axis=(0, 1, 0)))
    model.add(cs.Revolute("elbow", ends[0][1], ends[1][0], axis=(0, 1, 0)))
    return model


def alternating(run):
    """Part of the reaction that changes sign from step to step, over time."""
    f = run.reaction("elbow", frame="joint").values[:, :3]
    return np.abs(f[2:] - 2 * f[1:-1] + f[:-2]).max(axis=1) / 4


def test_rho_one_with_joints_warns_and_its_reactions_alternate_more_and_more():
    with pytest.warns(cs.CosseratWarning, match="rho = 1"):
        run = cs.simulate(double_pendulum(), 3.0, 1e-3, rho=1.0, newton_tolerance=1e-5)
    a = alternating(run)
    assert a[-200:].max() > 100 * a[:200].max()


def test_a_little_damping_is_enough():
    a = alternating(cs.simulate(double_pendulum(), 3.0, 1e-3, rho=0.98, newton_tolerance=1e-9))
    assert a[-200:].max() < 1.0


def test_free_beam_at_rho_one_does_not_grow(recwarn):
    model = cs.Model("free")
    tube = cs.Tube(outer_diameter=0.030, inner_diameter=0.027)
    model.add(
        cs.Beam(
            "beam",
            points=[(0, 0, 0), (1.5, 0, 0)],
            section=tube,
            material=cs.materials.ALUMINIUM_6061,
            elements=6,
            velocity=lambda x: (0, 0, 0.3 * (x[0] - 0.75) ** 2),
        )
    )
    run = cs.simulate(model, 0.5, 1e-3, rho=1.0)
    kinetic = run.energy["kinetic"].values
    assert not [w for w in recwarn if issubclass(w.category, cs.CosseratWarning)]
    assert kinetic[-100:].max() < 1.05 * kinetic[:100].max()


def test_energy_momentum_needs_no_damping():
    run = cs.simulate(double_pendulum(), 3.0, 1e-3, integrator="energy-momentum")
    total = run.energy["total"].values
    exchanged = np.ptp(run.energy["kinetic"].values)
    assert np.abs(total - total[0]).max() < 1e-9 * exchanged
