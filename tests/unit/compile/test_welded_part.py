"""Beams and rigid bodies fixed to each other, reduced to one modal body."""

import numpy as np
import pytest

import cosserat as cs
from cosserat.errors import CosseratError
from cosserat.lie import so3

SECTION = cs.Rectangle(width=0.02, height=0.03)
STEEL = cs.materials.STEEL


def beam(name, a, b, elements=8, **kwargs):
    return cs.Beam(name, points=[a, b], section=SECTION, material=STEEL, elements=elements, **kwargs)


def test_two_beams_in_line_are_one():
    model = cs.Model("two")
    left, right = model.add(beam("left", (0, 0, 0), (1, 0, 0))), model.add(beam("right", (1, 0, 0), (2, 0, 0)))
    model.add(cs.Fixed("weld", left.end, right.start))
    places = {"root": "left.start", "tip": right.end}
    for boundary in ("cantilever", "craig-bampton", "free"):
        body = cs.modal_body(model, modes=4, boundary=boundary, interfaces=places, recovery={"middle": "right.at(0)"})
        one = cs.modal_body(beam("one", (0, 0, 0), (2, 0, 0), 16), modes=4, boundary=boundary)
        np.testing.assert_allclose(body.frequencies, one.frequencies, rtol=1e-7)
        np.testing.assert_allclose(body.inertia.matrix()[:6, :6], one.inertia.matrix()[:6, :6], atol=1e-9)
    assert body.name == "two"


def payload_arm(mass=5.0):
    model = cs.Model("arm")
    arm = model.add(beam("boom", (0, 0, 0), (1, 0, 0), 16))
    R = so3.exp([0.4, 0.1, -0.2])
    load = model.add(cs.RigidBody("load", mass=mass, com=(1.1, 0.05, -0.02), inertia=(0.02, 0.03, 0.04), rotation=R))
    plate = model.add(cs.RigidBody.box("plate", size=(0.1, 0.1, 0.01), mass=0.5, com=(1.2, 0.05, 0)))
    model.add(cs.Fixed("clamp", arm.end, load.at((1, 0, 0))))
    model.add(cs.Fixed("bolt", load.at((1.2, 0.05, 0)), plate))
    return model, arm, load, plate


def test_rigid_bodies_count_with_their_place():
    model, arm, load, plate = payload_arm()
    body = cs.modal_body(model, modes=3, interfaces={"root": arm.start, "tip": arm.end})
    bare = cs.modal_body(arm, modes=3)
    assert body.mass == pytest.approx(bare.mass + 5.5)
    moment = bare.inertia.first_moment + load.mass * load.com + plate.mass * plate.com
    np.testing.assert_allclose(body.inertia.first_moment, moment, atol=1e-12)
    J = bare.inertia.inertia.copy()
    for part in (load, plate):
        J += part.rotation @ part.inertia @ part.rotation.T
        J += part.mass * (part.com @ part.com * np.eye(3) - np.outer(part.com, part.com))
    np.testing.assert_allclose(body.inertia.inertia, J, atol=1e-10)
    # the particles behind the other tensors are the same bodies: tr J_ee = 2 m_ab, axial vector of J_re = alpha
    half = 0.5 * np.trace(body.inertia.inertia_hessian, axis1=2, axis2=3)
    np.testing.assert_allclose(half, body.inertia.modal_mass, atol=1e-3)
    skew = np.swapaxes(body.inertia.inertia_gradient, 1, 2) - body.inertia.inertia_gradient
    alpha = np.stack((skew[:, 2, 1], skew[:, 0, 2], skew[:, 1, 0]), axis=1)
    np.testing.assert_allclose(alpha, body.inertia.angular_coupling, atol=1e-3)
    assert np.abs(body.inertia.angular_coupling).max() > 1.0


def test_frequency_with_a_heavy_tip():
    """Rayleigh: omega^2 = 3 EI / ((M + 33/140 m) L^3), for a payload of no size."""
    model = cs.Model("arm")
    arm = model.add(beam("boom", (0, 0, 0), (1, 0, 0), 16))
    ball = model.add(cs.RigidBody.sphere("ball", diameter=0.02, mass=50.0, com=(1, 0, 0)))
    model.add(cs.Fixed("clamp", arm.end, ball))
    omega = 2 * np.pi * cs.modal_body(model, modes=2, interfaces={"root": "boom.start"}).frequencies
    m = STEEL.rho * 0.02 * 0.03
    for value, (w, h) in zip(omega, ((0.03, 0.02), (0.02, 0.03))):
        EI = STEEL.E * w * h**3 / 12
        assert value == pytest.approx(np.sqrt(3 * EI / (50 + 33 / 140 * m)), rel=2e-3)


def test_initial_velocities():
    spin = lambda x: (-2.0 * x[1] + 0.5, 2.0 * x[0], 0.0)  # noqa: E731
    arm = beam("b", (0, 0, 0), (1, 0, 0), velocity=spin)
    for boundary, at in (("cantilever", 0.0), ("free", 0.5)):
        body = cs.modal_body(arm, modes=3, boundary=boundary)
        np.testing.assert_allclose(body.velocity, (0.5, 2 * at, 0), atol=1e-9)
        np.testing.assert_allclose(body.angular_velocity, (0, 0, 2), atol=1e-9)
        np.testing.assert_allclose(body.rates, 0.0, atol=1e-9)
    bent = beam("b", (0, 0, 0), (1, 0, 0), velocity=lambda x: (0.0, 0.1 * x[0] ** 2, 0.0))
    body = cs.modal_body(bent, modes=4)
    tip = body.interfaces["end"].shape @ body.rates
    assert tip[1] == pytest.approx(0.1, rel=0.05)  # the nearest combination of four modes
    assert cs.modal_body(beam("b", (0, 0, 0), (1, 0, 0)), modes=1).velocity is None


def test_what_is_not_one_body():
    model, *_ = payload_arm()
    with pytest.raises(CosseratError, match="interfaces must be given"):
        cs.modal_body(model, modes=2)
    with pytest.raises(CosseratError, match=r"interfaces\['x'\] is 'load'; name a place on a beam"):
        cs.modal_body(model, modes=2, interfaces={"x": "load"})
    with pytest.raises(CosseratError, match="unknown body 'bom'"):
        cs.modal_body(model, modes=2, interfaces={"x": "bom.start"})
    ground = model.copy()
    ground.add(cs.Fixed("wall", cs.GROUND, "boom.start"))
    with pytest.raises(CosseratError, match="joint 'wall': it leads to the ground"):
        cs.modal_body(ground, modes=2, interfaces={"root": "boom.start"})
    hinge = model.copy()
    other = hinge.add(beam("other", (0, 0, 0), (0, 1, 0)))
    hinge.add(cs.Revolute("hinge", "boom.start", other.start, axis=(0, 0, 1)))
    with pytest.raises(CosseratError, match="joint 'hinge': a part that becomes a modal body has beams, rigid bodies"):
        cs.modal_body(hinge, modes=2, interfaces={"root": "boom.start"})
    loose = model.copy()
    loose.add(cs.RigidBody.sphere("ball", diameter=1, mass=1, com=(5, 5, 5)))
    with pytest.raises(CosseratError, match="body 'ball': no fixed joint leads from it to a beam"):
        cs.modal_body(loose, modes=2, interfaces={"root": "boom.start"})
    apart = model.copy()
    apart.add(beam("other", (0, 1, 0), (0, 2, 0)))
    with pytest.raises(CosseratError, match="beam 'other': no fixed joint connects it to beam 'boom'"):
        cs.modal_body(apart, modes=2, interfaces={"root": "boom.start"})
    double = model.copy()
    double.add(cs.Fixed("second", "boom.start", double["load"].at((0, 0, 0))))
    with pytest.raises(CosseratError, match="joint 'second': body 'load' is fixed to two places"):
        cs.modal_body(double, modes=2, interfaces={"root": "boom.start"})
    rigid = cs.Model("rigid")
    rigid.add(cs.RigidBody.sphere("ball", diameter=1, mass=1))
    with pytest.raises(CosseratError, match="it has no beam"):
        cs.modal_body(rigid, modes=1, interfaces={})
