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
    [({"formulation": "floating"}, 1e-12), ({}, 1e-10), ({"integrator": "energy-momentum"}, 1e-10)],
    ids=["floating", "alpha", "energy-momentum"],
)
def test_same_motion(pair, how, apart):
    one, two = (cs.simulate(mechanism(k, pair), 0.5, step=2e-3, **how) for k in (False, True))
    assert two.status.ok
    assert np.abs(one.position("body").values - two.position("body").values).max() < apart


def test_same_analyses():
    one, two = mechanism(False), mechanism(True)
    assert cs.equilibrium(one).position("body") == pytest.approx(cs.equilibrium(two).position("body"), abs=1e-13)
    assert cs.modes(one, 2).frequencies == pytest.approx(cs.modes(two, 2).frequencies, rel=1e-12)
    a, b = cs.Tree(one), cs.Tree(two)
    assert np.linalg.eigvalsh(a.mass_matrix([0.2, 0.4])) == pytest.approx(np.linalg.eigvalsh(b.mass_matrix([0.4, 0.2])))


def test_symbols():
    symbolic = pytest.importorskip("cosserat.symbolic")
    pytest.importorskip("sympy")
    model, q, v = mechanism(True), np.array([0.3, 0.2]), np.array([1.0, 2.0])
    found = symbolic.lagrange(model).compile().forward_dynamics(q, v)
    assert found == pytest.approx(cs.Tree(model).forward_dynamics(q, v, np.zeros(2)), rel=1e-10)


def gimbal(apart, spin=(0.5, -1.0, 2.0)):
    """A body on a ball joint, or on three hinges with two frames in a row; it starts with a spin."""
    model = cs.Model("gimbal", gravity=(0.5, 0.3, -9.81))
    com = (0.3, 0.1, 0.5)
    moves = {"angular_velocity": spin, "velocity": np.cross(spin, com)}
    body = model.add(cs.RigidBody("body", mass=2, com=com, inertia=(0.1, 0.2, 0.25), **moves))
    if not apart:
        model.add(cs.Spherical("ball", cs.GROUND, body.at((0, 0, 0))))
        return model
    frames = [model.add(cs.IntermediateFrame(name)) for name in ("outer", "inner")]
    for axis, a, b in zip(np.eye(3), (cs.GROUND, *frames), (*frames, body), strict=True):
        model.add(cs.Revolute(f"hinge {axis.argmax()}", a, b, axis=axis, at=(0, 0, 0)))
    return model


@pytest.mark.parametrize("how", [{}, {"integrator": "energy-momentum"}, {"formulation": "floating"}], ids=str)
def test_a_ball_from_three_hinges(how):
    one, two = (cs.simulate(gimbal(apart), 0.4, step=1e-3, **how) for apart in (False, True))
    assert two.status.ok
    apart = 1e-5 if how.get("formulation") else 1e-9  # other coordinates are integrated there
    assert np.abs(one.position("body").values - two.position("body").values).max() < apart
    assert np.abs(one.energy.kinetic - two.energy.kinetic).max() < 1e3 * apart


@pytest.mark.parametrize("formulation", ["galilean", "floating"])
def test_frames_that_move_alone(formulation):
    def refused(model, name, joints):
        with pytest.raises(cs.CosseratError, match=f"frame '{name}': it has no mass and can move alone.*: {joints}; "):
            cs.simulate(model, 0.1, step=0.01, formulation=formulation)

    alone = cs.Model("alone", gravity=(0, 0, -1))
    alone.add(cs.Revolute("turn", cs.GROUND, alone.add(cs.IntermediateFrame("frame")), axis=(0, 1, 0)))
    refused(alone, "frame", "'turn'")
    leaf = mechanism(True)
    leaf.add(cs.Prismatic("slot", "body", leaf.add(cs.IntermediateFrame("tip")), axis=(1, 0, 0), at=(0, 0, 1)))
    refused(leaf, "tip", "'slot'")
    coaxial = mechanism(False)
    frame = coaxial.add(cs.IntermediateFrame("ring", at=(1, 0, 0)))
    coaxial.add(cs.Revolute("a", "body", frame, axis=(0, 0, 1), at=(1, 0, 0)))
    lamp = coaxial.add(cs.RigidBody.sphere("lamp", 0.1, mass=1.0, com=(1, 0, 0)))
    coaxial.add(cs.Revolute("b", frame, lamp, axis=(0, 0, 1), at=(1, 0, 0)))
    refused(coaxial, "ring", "'a', 'b'")
    refused(_with(mechanism(False), cs.IntermediateFrame("loose")), "loose", "none")
    allowed = mechanism(False)  # a mark on the body, a driven one, and one with a rotor
    allowed.add(cs.Fixed("weld", "body", allowed.add(cs.IntermediateFrame("mark")), at=(0, 0, 1)))
    driven = allowed.add(cs.IntermediateFrame("hand"))
    allowed.add(cs.Revolute("clock", cs.GROUND, driven, axis=(0, 0, 1), motion="t"))
    assert cs.simulate(allowed, 0.1, step=0.01, formulation=formulation).status.ok


def _with(model, component):
    model.add(component)
    return model


def test_files(tmp_path):
    cs.save_model(mechanism(True), tmp_path / "pair.yaml")
    assert cs.load_model(tmp_path / "pair.yaml") == mechanism(True)
