"""Higher pairs as lower ones with frames without mass between them: the same motion in both formulations."""

import numpy as np
import pytest

import cosserat as cs


def mechanism(apart, pair="cylindrical"):
    model = cs.Model("pair", gravity=(0.5, 0.3, -9.81))
    body = model.add(cs.RigidBody("body", mass=2, com=(0.3, 0.1, 0.5), inertia=(0.1, 0.2, 0.25)))
    if pair == "cylindrical":
        if apart:
            frame = model.add(cs.IntermediateFrame("frame"))
            model.add(cs.Revolute("turn", cs.GROUND, frame, axis=(0, 1, 0)))
            model.add(cs.Prismatic("slide", frame, body, axis=(0, 1, 0), at=(0, 0, 0)))
        else:
            model.add(cs.Cylindrical("pair", cs.GROUND, body, axis=(0, 1, 0), at=(0, 0, 0)))
    elif apart:
        frame = model.add(cs.IntermediateFrame("frame"))
        model.add(cs.Revolute("first", cs.GROUND, frame, axis=(1, 0, 0)))
        model.add(cs.Revolute("second", frame, body, axis=(0, 1, 0), at=(0, 0, 0)))
    else:
        model.add(cs.Universal("pair", cs.GROUND, body, axes=((1, 0, 0), (0, 1, 0)), at=(0, 0, 0)))
    model.add(cs.Spring("spring", cs.GROUND, body, stiffness=50))
    return model


@pytest.mark.parametrize("pair", ["cylindrical", "universal"])
@pytest.mark.parametrize(
    ("how", "apart"),
    [({"formulation": "floating"}, 1e-12), ({}, 5e-6), ({"integrator": "energy-momentum"}, 5e-6)],
    ids=["floating", "alpha", "energy-momentum"],
)
def test_same_motion(pair, how, apart):
    one, two = (cs.simulate(mechanism(k, pair), 0.5, step=2e-3, **how) for k in (False, True))
    assert two.status.ok
    assert np.abs(one.position("body").values - two.position("body").values).max() < apart


def test_same_analyses():
    one, two = mechanism(False), mechanism(True)
    assert cs.equilibrium(one).position("body") == pytest.approx(cs.equilibrium(two).position("body"), abs=1e-9)
    assert cs.modes(one, 2).frequencies == pytest.approx(cs.modes(two, 2).frequencies, rel=1e-6)
    a, b = cs.Tree(one), cs.Tree(two)
    assert np.linalg.eigvalsh(a.mass_matrix([0.2, 0.4])) == pytest.approx(np.linalg.eigvalsh(b.mass_matrix([0.4, 0.2])))


def test_symbols_and_a_frame_alone():
    symbolic = pytest.importorskip("cosserat.symbolic")
    pytest.importorskip("sympy")
    model, q, v = mechanism(True), np.array([0.3, 0.2]), np.array([1.0, 2.0])
    found = symbolic.lagrange(model).compile().forward_dynamics(q, v)
    assert found == pytest.approx(cs.Tree(model).forward_dynamics(q, v, np.zeros(2)), rel=1e-10)
    alone = cs.Model("alone", gravity=(0, 0, -1))
    alone.add(cs.Revolute("turn", cs.GROUND, alone.add(cs.IntermediateFrame("frame")), axis=(0, 1, 0)))
    with pytest.raises(cs.CosseratError, match="model 'alone': nothing in it has mass"):
        cs.simulate(alone, 0.1, step=0.01)


def test_files(tmp_path):
    cs.save_model(mechanism(True), tmp_path / "pair.yaml")
    assert cs.load_model(tmp_path / "pair.yaml") == mechanism(True)
