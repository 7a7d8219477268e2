"""Reduced linear models: reactions improve as modes are kept, dampers or not; symmetric stiffness is recognised."""

from itertools import pairwise

import numpy as np
import pytest

import cosserat as cs


def damped_chain(n=2, elements=3):
    """Elastic links that hang on damped hinges, a force on the last one."""
    model = cs.Model("chain", gravity=(0, 0, -9.81))
    before = cs.GROUND
    for i in range(n):
        ends = [(0, 0, -0.5 * i), (0, 0, -0.5 * (i + 1))]
        link = model.add(
            cs.Beam(f"link{i}", points=ends, section=cs.Rod(0.02), material=cs.materials.STEEL, elements=elements)
        )
        model.add(cs.Revolute(f"hinge{i}", before, link.start, axis=(0, 1, 0), damping=0.3))
        before = link.end
    model.add(cs.Force("push", before, ("0", 0, 0)))
    return model


def test_reactions_improve_with_the_number_of_modes():
    linear = cs.linearize(damped_chain(), "push.fx", "hinge0.reaction")
    first = np.sqrt(linear.modes[0][0])
    s = 1j * first * np.linspace(0.1, 1.0, 7)
    exact = np.array([linear.transfer(x) for x in s])
    errors = []
    for n in (1, 4, 10, 19, 25):
        reduced = linear.reduce(n)
        errors.append(np.abs(np.array([reduced.transfer(x) for x in s]) - exact).max() / np.abs(exact).max())
    assert errors[0] < 0.02
    assert errors[1] < 1e-4
    assert all(after < before for before, after in pairwise(errors))


def test_full_number_of_modes_is_the_model_itself():
    linear = cs.linearize(damped_chain(), "push.fx", "hinge0.reaction")
    same = linear.reduce(len(linear.mass))
    assert same.transfer(3j) == pytest.approx(linear.transfer(3j), rel=1e-8, abs=1e-9)


def sagging_chain():
    model = cs.Model("sagging", gravity=(0, 0, -9.81))
    before = cs.GROUND
    for i in range(4):
        bar = model.add(cs.RigidBody.bar(f"bar{i}", start=(i, 0, 0), end=(i + 1, 0, 0), mass=1.0))
        parent = before if i == 0 else before.at((i, 0, 0))
        model.add(cs.Revolute(f"j{i}", parent, bar.at((i, 0, 0)), axis=(0, 1, 0), stiffness=60.0, damping=0.1))
        before = bar
    model.add(cs.Force("push", before.at((4, 0, 0)), (0, 0, "0")))
    return model


def test_modal_response_of_a_bent_chain():
    """Springs bent by the weight and the reactions have unsymmetric stiffnesses, which cancel on allowed motions."""
    model = sagging_chain()
    frequencies = np.linspace(0.1, 3.0, 5)
    direct = cs.frequency_response(model, "push.fz", "j0.reaction", frequencies)
    modal = cs.frequency_response(model, "push.fz", "j0.reaction", frequencies, method="modal", n=4)
    assert modal.data.values == pytest.approx(direct.data.values, rel=1e-6, abs=1e-8)


def test_follower_load_is_still_unsymmetric():
    model = sagging_chain()
    model.add(cs.Force("thrust", model["bar3"].at((4, 0, 0)), (-30.0, 0, 0), follower=True))
    with pytest.raises(cs.CosseratError, match="not symmetric"):
        cs.frequency_response(model, "push.fz", "j0.reaction", [1.0], method="modal")
