"""Results and trees go through pickles and copies, also where the model holds functions that cannot."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import cosserat as cs


def arm(motion):
    model = cs.Model("arm", gravity=(0, 0, -9.81))
    P = cs.Parameter("P", 1.0)
    section, steel = cs.Rod(0.02), cs.materials.STEEL
    beam = model.add(cs.Beam("beam", points=[(0, 0, 0), (1, 0, 0)], section=section, material=steel, elements=2))
    model.add(cs.Revolute("drive", cs.GROUND, beam.start, axis=(0, 0, 1), motion=motion))
    model.add(cs.DistributedLoad("wind", beam, force=(0, 0.5 * P, 0)))
    return model


def chain():
    model = cs.Model("chain", gravity=(0, 0, -9.81))
    bob = model.add(cs.RigidBody.sphere("bob", diameter=0.1, mass=1.0, com=(1, 0, 0)))
    model.add(cs.Revolute("pivot", cs.GROUND, bob.at((0, 0, 0)), axis=(0, 1, 0), damping=0.1))
    model.add(cs.Force("push", bob, ("t", 0, 0)))
    return model


WAYS = {"pickle": lambda x: pickle.loads(pickle.dumps(x)), "copy": copy.copy, "deepcopy": copy.deepcopy}
MOTIONS = {"formula": "0.1*t", "function": lambda t: 0.1 * t}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("motion", MOTIONS)
@pytest.mark.parametrize("settings", ({}, {"formulation": "floating", "modes": 2}), ids=("galilean", "floating"))
def test_runs(way, motion, settings):
    run = cs.simulate(arm(MOTIONS[motion]), duration=0.05, step=0.01, **settings)
    other = WAYS[way](run)
    assert other.position("beam.end").identical(run.position("beam.end"))
    assert other.reaction("drive").identical(run.reaction("drive"))
    assert other.section_force("beam", 0.5).identical(run.section_force("beam", 0.5))
    assert other.energy.identical(run.energy)
    assert other.status == run.status
    if motion == "formula":
        assert other.model == run.model
    assert pickle.loads(pickle.dumps(other)).time.tolist() == run.time.tolist()  # also one that was read


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("motion", MOTIONS)
def test_equilibria_and_modes(way, motion):
    model = arm(MOTIONS[motion])
    rest, modes = cs.equilibrium(model), cs.modes(model, 2)
    other, vibration = WAYS[way](rest), WAYS[way](modes)
    np.testing.assert_array_equal(other.position("beam.end"), rest.position("beam.end"))
    assert other.parameters == rest.parameters
    np.testing.assert_array_equal(vibration.frequencies, modes.frequencies)
    np.testing.assert_array_equal(vibration.shape(1, "beam.end"), modes.shape(1, "beam.end"))
    assert vibration.components.identical(modes.components)
    assert vibration.status == modes.status


@pytest.mark.parametrize("way", WAYS)
def test_paths(way):
    path = cs.continuation(arm("0.1*t"), "P", 0.0, 1.0)
    before = path.position("beam.end")
    other = WAYS[way](path)
    np.testing.assert_array_equal(other.position("beam.end"), before)
    np.testing.assert_array_equal(other.equilibrium(-1).reaction("drive"), path.equilibrium(-1).reaction("drive"))


@pytest.mark.parametrize("way", WAYS)
def test_trees(way):
    q, v, tau = np.array([0.3]), np.array([0.7]), np.array([0.1])
    tree = cs.Tree(chain())
    tree.set_time(2.0)
    other = WAYS[way](tree)
    wanted = tree.forward_dynamics(q, v, tau)
    tree.forward_dynamics(-q, v, tau)  # nothing is shared
    np.testing.assert_array_equal(other.forward_dynamics(q, v, tau), wanted)
    elastic = cs.FlexibleTree(arm(None), modes=2)
    zero = np.zeros(3)
    np.testing.assert_array_equal(WAYS[way](elastic).mass_matrix(zero), elastic.mass_matrix(zero))


def test_models():
    """A model goes to another process with formulas; a function of no module is told by what has it."""
    model = arm(MOTIONS["formula"])
    assert pickle.loads(pickle.dumps(model)) == model
    for motion in (MOTIONS["function"], (lambda t: 0.1 * t, lambda t: 0.1, lambda t: 0.0)):
        with pytest.raises(cs.CosseratError, match="joint 'drive': motion is a Python function that cannot be sent"):
            pickle.dumps(arm(motion))
        joint = arm(motion)["drive"]
        assert copy.copy(joint) == joint


def test_what_is_printed():
    tree = cs.Tree(chain())
    zero = tree.neutral()
    found = cs.gradient(arm("0.1*t"), lambda end: end.position("beam.end")[-1, 1], ["P", "start"], 0.02, 0.01)
    assert repr(tree) == "<Tree of model 'chain': 1 coordinates>"
    assert repr(tree.integrate(0.1, 0.05, zero, zero)) == "<TreeMotion: 3 stored times to t = 0.1 s, finished>"
    assert "position" in repr(tree.forward_kinematics(zero))
    assert repr(found).startswith(f"<Gradient of {found.value:.9g}: d/dP = ")
    assert repr(found).endswith(", start>")
