"""Servos and armatures as a user writes them: what they take, what they refuse, files."""

import numpy as np
import pytest

import cosserat as cs


def model_of(joint, **given):
    model = cs.Model("m")
    body = model.add(cs.RigidBody.sphere("ball", diameter=0.2, mass=1.0))
    model.add(joint("joint", cs.GROUND, body, **given))
    return model


def test_what_a_servo_refuses():
    hinge = model_of(cs.Revolute, axis=(0, 0, 1))
    with pytest.raises(cs.CosseratError, match=r"servo 's': joint names 'knee'; coordinates of the model: 'joint'"):
        hinge.add(cs.Servo("s", "knee", kp=1.0))
    with pytest.raises(cs.CosseratError, match="kp and kd are both 0"):
        cs.Servo("s", "joint")
    with pytest.raises(cs.CosseratError, match=r"servo 's': limit is 0; it must be greater than 0"):
        cs.Servo("s", "joint", kp=1.0, limit=0.0)
    with pytest.raises(cs.CosseratError, match=r"servo 's': kd is -1; it must not be negative"):
        cs.Servo("s", "joint", kd=-1.0)
    with pytest.raises(cs.CosseratError, match="servo 's': target must be a number"):
        cs.Servo("s", "joint", target=[1, 2], kp=1.0)
    hinge.add(cs.Servo("s", "joint", kp=1.0))
    with pytest.raises(cs.CosseratError, match="has the servo 's' already"):
        hinge.add(cs.Servo("t", "joint", kp=1.0))
    with pytest.raises(cs.CosseratError, match="joint 'joint' is needed by servo 's'"):
        hinge.remove("joint")
    table = model_of(cs.Planar, normal=(0, 0, 1))
    with pytest.raises(cs.CosseratError, match=r"name one coordinate: 'joint.x', 'joint.y', 'joint.rz'"):
        table.add(cs.Servo("s", table["joint"], kp=1.0))
    with pytest.raises(cs.CosseratError, match=r"name one coordinate: 'joint.x'"):
        table.add(cs.Servo("s", "joint", kp=1.0))
    ball = model_of(cs.Spherical)
    with pytest.raises(cs.CosseratError, match="of kind spherical, whose coordinates are those of a rotation vector"):
        ball.add(cs.Servo("s", "joint.rx", kp=1.0))
    driven = model_of(cs.Revolute, axis=(0, 0, 1), motion="t")
    with pytest.raises(cs.CosseratError, match="whose motion is prescribed"):
        driven.add(cs.Servo("s", "joint", kp=1.0))


def test_what_armatures_refuse():
    with pytest.raises(cs.CosseratError, match="armature cannot be given to a spherical joint"):
        model_of(cs.Spherical, armature=1.0)
    with pytest.raises(cs.CosseratError, match="armature is -1; it must not be negative"):
        model_of(cs.Revolute, axis=(0, 0, 1), armature=-1.0)
    with pytest.raises(cs.CosseratError, match="armature must be a number or a Parameter"):
        model_of(cs.Revolute, axis=(0, 0, 1), armature="heavy")
    with pytest.raises(cs.CosseratError, match="armature must have one entry per freedom"):
        model_of(cs.Cylindrical, axis=(0, 0, 1), armature=1.0)
    loop = cs.Model("loop")
    bars = [loop.add(cs.RigidBody.bar(f"b{i}", (i, 0, 0), (i + 1, 0, 0), mass=1.0)) for i in range(2)]
    half = [0.1, 0.0]
    for k, (a, b) in enumerate(((cs.GROUND, bars[0]), (bars[0], bars[1]), (bars[1], cs.GROUND))):
        loop.add(cs.Cylindrical(f"j{k}", a.at((k, 0, 0)), b.at((k, 0, 0)), axis=(0, 0, 1), armature=half))
    with pytest.raises(cs.CosseratError, match="needs an armature in all of its freedoms or in none"):
        cs.simulate(loop, 0.1, step=0.01, formulation="floating")
    with pytest.raises(cs.CosseratError, match="joint 'joint': this call takes the inertia of bodies"):
        cs.composed_vectors(model_of(cs.Revolute, axis=(0, 0, 1), armature=1.0), [0.0])


def test_files_hold_servos_and_armatures(tmp_path):
    kp = cs.Parameter("kp", 3.0)
    model = model_of(cs.Cylindrical, axis=(0, 0, 1), armature={"rz": cs.Armature(1e-4, 50.0), "z": kp})
    model.add(cs.Servo("lift", "joint.z", target="0.1*sin(t)", kp=kp, kd=0.5, limit=4.0))
    model.add(cs.Servo("turn", "joint.rz", target=kp, kp=2.0))
    cs.save_model(model, tmp_path / "m.yaml")
    again = cs.load_model(tmp_path / "m.yaml")
    assert again == model
    assert again["joint"].armature == (3.0, 0.25)
    again.set(kp=5.0)
    assert (again["lift"].kp, again["joint"].armature[0]) == (5.0, 5.0)
    assert float(again["turn"].target.sample([0.0])[0]) == 5.0
    assert "kp 5, kd 0.5, limit 4" in again.summary()
    assert model.copy() == model
    run = cs.simulate(model, 0.1, step=0.01)
    run.save(tmp_path / "run.nc")
    stored = cs.load_run(tmp_path / "run.nc")
    for name in ("coordinate", "effort"):
        assert np.array_equal(getattr(stored, name)("joint"), getattr(run, name)("joint"))
    assert np.allclose(stored.energy["kinetic"], run.energy["kinetic"], rtol=1e-12)


def test_a_file_locates_what_is_wrong(tmp_path):
    text = (
        "bodies:\n- {kind: sphere, name: ball, diameter: 0.2, mass: 1}\n"
        "joints:\n- {kind: Revolute, name: joint, parent: ground, child: ball, axis: [0, 0, 1]}\n"
        "servos:\n- {name: s, joint: knee, kp: 1}\n"
    )
    (tmp_path / "m.yaml").write_text(text)
    with pytest.raises(cs.CosseratError, match=r"m.yaml.*servos\[0\].*names 'knee'; coordinates of the model: 'joint'"):
        cs.load_model(tmp_path / "m.yaml")


def test_symbols_know_them():
    sp = pytest.importorskip("sympy")
    model = model_of(cs.Revolute, axis=(0, 0, 1), armature=cs.Armature(cs.Parameter("J", 0.2), 3.0), at=(1, 0, 0))
    model.add(cs.Servo("s", "joint", target="sin(t)", kp=cs.Parameter("kp", 2.0), kd=0.5, limit=1.5))
    from cosserat.symbolic import lagrange

    equations = lagrange(model)
    J, q, v, t = sp.Symbol("J"), equations.q[0], equations.v[0], sp.Symbol("t")
    values = {J: 0.2, sp.Symbol("kp"): 2.0, q: 0.4, v: 0.3, t: 0.7}
    tree = cs.Tree(model)
    tree.set_time(0.7)
    M = float(equations.mass_matrix.subs(values)[0])
    assert M == pytest.approx(float(tree.mass_matrix(np.array([0.4]))[0, 0]), rel=1e-12)
    h = float(equations.bias.subs(values)[0])
    assert h == pytest.approx(float(tree.inverse_dynamics(*np.array([[0.4], [0.3], [0.0]]))[0]), rel=1e-10)
    assert float(equations.bias.subs({**values, q: -4.0})[0]) == pytest.approx(-1.5, rel=1e-10)
