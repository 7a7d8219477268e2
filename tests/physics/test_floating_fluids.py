"""Inertia of fluids in floating frames and trees: the same motion, modes and energies as among nodes."""

import numpy as np
import pytest

import cosserat as cs


def balloon(anchored=True):
    """A light ellipsoid with its mass below its middle, on an arm in a wind; its fluid moves, too."""
    model = cs.Model("airship", gravity=(0, 0, -9.81), fluid=cs.Fluid(density=1.2, velocity=(0.5, 0.2, 0)))
    hull = model.add(cs.RigidBody("hull", mass=3.0, com=(1.0, 0, -0.1), inertia=(0.5, 0.8, 0.9)))
    if anchored:
        model.add(cs.Universal("mast", cs.GROUND, hull.at((0, 0, 0)), axes=((0, 1, 0), (0, 0, 1))))
    model.add(cs.Buoyancy("lift", hull, volume=2.0, centre=(1.0, 0, 0)))
    model.add(cs.AddedMass.ellipsoid("air", hull, (1.2, 0.63, 0.63), centre=(1.0, 0, 0)))
    return model


@pytest.mark.parametrize("anchored", [True, False])
def test_added_mass_of_a_body(anchored):
    runs = [cs.simulate(balloon(anchored), 1.0, 0.002, formulation=f) for f in ("galilean", "floating")]
    a, b = (run.position("hull").values for run in runs)
    assert np.max(np.abs(a - b)) < 2e-5 * np.max(np.abs(a - a[0]))
    for run in runs:
        energy = run.energy
        assert np.max(np.abs(energy["balance"].values)) < 2e-4 * np.max(energy["kinetic"].values)
    for word in ("kinetic", "potential", "work"):
        a, b = (run.energy[word].values for run in runs)
        np.testing.assert_allclose(a - a[0], b - b[0], atol=2e-4 * np.max(np.abs(a - a[0])) + 1e-9)


def hose(speed, elements=8):
    """A hanging hose, fluid inside and around."""
    model = cs.Model("hose", gravity=(0, 0, -9.81), fluid=cs.Fluid(density=20.0, velocity=(0.3, 0, 0)))
    section = cs.Section(stiffness=[1e5, 1e5, 1e5, 1.0, 1.0, 1.0], mass=[0.5, 0.5, 0.5, 1e-3, 1e-3, 1e-3])
    beam = model.add(cs.Beam("hose", points=[(0, 0, 0), (0, 0, -1)], section=section, elements=elements))
    model.add(cs.Fixed("tap", cs.GROUND, beam.start))
    model.add(cs.PipeFlow("water", beam, mass=0.3, speed=speed))
    model.add(cs.Morison("around", beam, diameter=0.1, drag=1.0))
    return model


def test_morison_and_pipe_in_both_formulations():
    floating = cs.Floating(modes=12)
    rests = [cs.equilibrium(hose(1.0), formulation=f) for f in (None, floating)]
    assert all(rest.status.ok for rest in rests)
    a, b = (rest.position("hose.end") for rest in rests)
    np.testing.assert_allclose(a, b, atol=2e-4)
    found = [cs.modes(hose(1.0), 4, about=rest, formulation=f) for rest, f in zip(rests, (None, floating), strict=True)]
    np.testing.assert_allclose(found[1].eigenvalues, found[0].eigenvalues, rtol=5e-3)
    model = hose(1.0)
    model.add(cs.Force("push", "hose.end", ["0", "0.02*sin(3*t)", "0"]))
    runs = [
        cs.simulate(model, 1.0, 0.005, start="equilibrium", **options)
        for options in ({}, {"formulation": "floating", "modes": 12})
    ]
    a, b = (run.position("hose.end").values for run in runs)
    assert np.max(np.abs(a - b)) < 0.02 * np.max(np.abs(a - a[0]))
    for run in runs:
        assert np.max(np.abs(run.energy["balance"].values)) < 2e-2 * np.max(run.energy["kinetic"].values)


def test_trees_know_added_mass():
    """Inverse dynamics of a body in a tree: the added mass has inertia and no weight."""
    model = balloon()
    tree = cs.Tree(model)
    bare = cs.Model("bare", gravity=(0, 0, -9.81), fluid=model.fluid)
    hull = bare.add(cs.RigidBody("hull", mass=3.0, com=(1.0, 0, -0.1), inertia=(0.5, 0.8, 0.9)))
    bare.add(cs.Universal("mast", cs.GROUND, hull.at((0, 0, 0)), axes=((0, 1, 0), (0, 0, 1))))
    bare.add(cs.Buoyancy("lift", hull, volume=2.0, centre=(1.0, 0, 0)))
    still = np.zeros(2)
    without = cs.Tree(bare).inverse_dynamics(still, still, still)
    model.fluid = cs.Fluid(density=1.2)
    np.testing.assert_allclose(cs.Tree(model).inverse_dynamics(still, still, still), without, atol=1e-12)
    assert np.all(np.diag(tree.mass_matrix(still)) > np.diag(cs.Tree(bare).mass_matrix(still)) + 0.3)
