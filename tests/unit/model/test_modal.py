"""Modal bodies as plain data: places, equality, copies, summary, recovery; matrices given by the user."""

import numpy as np
import pytest

import cosserat as cs
from cosserat.errors import CosseratError
from cosserat.lie import so3


def random_body(name="wing", seed=0, **kwargs):
    rng = np.random.default_rng(seed)
    inertia = cs.ModalInertia.from_fields(rng.uniform(1, 2, 9), rng.normal(size=(9, 3)), rng.normal(size=(9, 3, 2)))
    root = cs.Interface(position=(0, 0, 0), shape=np.zeros((6, 2)))
    tip = cs.Interface(position=(1, 2, 3), shape=rng.normal(size=(6, 2)), rotation=so3.exp([0.1, 0.2, 0.3]))
    stress = cs.RecoveryPoint(position=(0.5, 0, 0), strain=rng.normal(size=(6, 2)), stress=rng.normal(size=(6, 2)))
    given = {
        "stiffness": [3.0, 4.0], "damping": [[0.1, 0], [0, 0.2]], "interfaces": {"root": root, "tip": tip},
        "clamp": "root", "position": (1, 0, 0), "rotation": so3.exp([0, 0, np.pi / 2]), "recovery": {"skin": stress},
    }  # fmt: skip
    return cs.ModalBody(name, inertia, **(given | kwargs))


def test_places():
    body = random_body()
    model = cs.Model("m")
    model.add(body)
    np.testing.assert_allclose(body.at("tip").position, (1 - 2, 1, 3), atol=1e-14)
    place = model.place("wing.tip")
    assert place == body.at("tip")
    assert place != body.at("root")
    assert place.label == "wing.tip"
    R = so3.exp([0, 0, np.pi / 2]) @ so3.exp([0.1, 0.2, 0.3])
    np.testing.assert_allclose(place.frame()[:3, :3], R, atol=1e-14)
    hinge = model.add(cs.Revolute("hinge", cs.GROUND, "wing.root", axis=(0, 0, 1)))
    load = model.add(cs.Force("push", "wing.tip", (0, 0, 1)))
    model.validate()
    assert hinge.child == body.at("root")
    assert load.place.owner is body


def test_plain_data():
    body, same, other = random_body(), random_body(), random_body(seed=1)
    assert body == same
    assert body != other
    assert body != random_body(stiffness=[3.0, 4.1])
    model = cs.Model("m")
    model.add(body)
    model.add(cs.Fixed("clamp", cs.GROUND, body.at("root")))
    copy = model.copy()
    assert copy == model
    assert copy["wing"] is not body
    assert model.modal_bodies == (body,)
    assert not model.bodies
    text = model.summary()
    assert "modal bodies" in text
    assert "2 modes" in text
    assert "8 absolute freedoms" in text
    assert "2 modes" in repr(body)
    assert body.coordinate_names == ("wing.mode1", "wing.mode2")
    with pytest.raises(ValueError, match="read-only"):
        body.inertia.modal_mass[0, 0] = 1.0


def test_frequencies_and_recovery():
    body = random_body()
    M, K = body.inertia.modal_mass, body.stiffness
    expected = np.sqrt(np.sort(np.linalg.eigvals(np.linalg.solve(M, K)).real)) / (2 * np.pi)
    np.testing.assert_allclose(body.frequencies, expected)
    q = np.array([2.0, -1.0])
    np.testing.assert_allclose(body.stress("skin", q), body.recovery["skin"].stress @ q)
    np.testing.assert_allclose(body.strain("skin", [q, q])[1], body.recovery["skin"].strain @ q)
    with pytest.raises(CosseratError, match="no recovery point 'fin'; recovery points: 'skin'"):
        body.stress("fin", q)
    with pytest.raises(CosseratError, match="must hold 2 modal coordinates"):
        body.stress("skin", [1.0, 2.0, 3.0])


def test_tensors_are_the_integrals_of_their_definition():
    """[Boyer05] before (62), summed particle by particle."""
    rng = np.random.default_rng(7)
    m, X, Phi = rng.uniform(1, 2, 5), rng.normal(size=(5, 3)), rng.normal(size=(5, 3, 2))
    body = cs.ModalInertia.from_fields(m, X, Phi)
    hat = so3.hat
    assert body.mass == pytest.approx(m.sum())
    np.testing.assert_allclose(body.first_moment, m @ X)
    J_rr = sum(w * hat(x).T @ hat(x) for w, x in zip(m, X))
    np.testing.assert_allclose(body.inertia, J_rr)
    for a in range(2):
        f = Phi[:, :, a]
        np.testing.assert_allclose(body.linear_coupling[a], m @ f)
        np.testing.assert_allclose(body.angular_coupling[a], m @ np.cross(X, f))
        np.testing.assert_allclose(body.inertia_gradient[a], sum(w * hat(x).T @ hat(y) for w, x, y in zip(m, X, f)))
        for b in range(2):
            g = Phi[:, :, b]
            assert body.modal_mass[a, b] == pytest.approx(np.sum(m[:, None] * f * g))
            np.testing.assert_allclose(body.cross_coupling[a, b], m @ np.cross(f, g), atol=1e-12)
            expected = sum(w * hat(x).T @ hat(y) for w, x, y in zip(m, f, g))
            np.testing.assert_allclose(body.inertia_hessian[a, b], expected)


def test_a_mass_matrix_in_place_of_particles():
    rng = np.random.default_rng(8)
    m, X, Phi = rng.uniform(1, 2, 5), rng.normal(size=(5, 3)), rng.normal(size=(5, 3, 2))
    assert cs.ModalInertia.from_fields(np.diag(m), X, Phi).matrix() == pytest.approx(
        cs.ModalInertia.from_fields(m, X, Phi).matrix()
    )


def test_initial_velocity_and_idle_bodies():
    moving = cs.Model("m")
    moving.add(random_body(velocity=(1, 0, 0), angular_velocity=(0, 0, 2)))
    moving.validate()
    assert moving["wing"].velocity.tolist() == [1, 0, 0]
    assert moving["wing"].angular_velocity.tolist() == [0, 0, 2]
    still = cs.Model("m")
    still.add(random_body())
    with pytest.warns(cs.CosseratWarning, match="'wing': attached to nothing"):
        still.validate()


def test_solid_mesh_box():
    mesh = cs.SolidMesh.box((1, 2, 3), (2, 3, 4), origin=(1, 1, 1))
    assert mesh.volume == pytest.approx(6.0)
    assert len(mesh.cells) == 6 * 24
    assert len(mesh.nodes("y_max")) == 3 * 5
    assert (mesh.points[mesh.nodes(lambda x: x[0] > 1.9), 0] == 2.0).all()
    flipped = cs.SolidMesh(mesh.points, mesh.cells[:, [1, 0, 2, 3]])
    assert flipped.volume == pytest.approx(6.0)


def test_a_body_made_with_a_parameter_refuses_other_values() -> None:
    d = cs.Parameter("d", 0.02)
    beam = cs.Beam("arm", points=[(0, 0, 0), (1, 0, 0)], section=cs.Rod(d), material=cs.materials.STEEL, elements=4)
    model = cs.Model("m")
    body = model.add(cs.modal_body(beam, modes=2))
    ball = model.add(cs.RigidBody.sphere("ball", diameter=d, mass=1.0, com=(1, 0, 0)))
    model.add(cs.Fixed("root", cs.GROUND, body.at("start")))
    model.add(cs.Fixed("tip", body.at("end"), ball))
    model.validate()
    with pytest.raises(cs.CosseratError, match=r"modal body 'arm': it was computed with d = 0\.02, which is now 0\.03"):
        model.set(d=0.03)
    assert d.value == 0.02
    twin = model.copy()
    with pytest.raises(cs.CosseratError, match="make the body anew"):
        twin.set(d=0.03)
