"""Frames, twists, wrenches and affine tensors: laws of transformation and invariants."""

import numpy as np
import pytest

from cosserat.errors import GeometryError
from cosserat.lie import (
    AffineForm,
    CoTorsor,
    Frame,
    FrameChange,
    Point,
    Torsor,
    Twist,
    Wrench,
    comoment,
    se3,
    so3,
)


@pytest.fixture
def H_ab(rng):
    return Frame.from_matrix(se3.random(rng))


@pytest.fixture
def twist(rng):
    return Twist.from_array(rng.standard_normal(6))


@pytest.fixture
def wrench(rng):
    return Wrench.from_array(rng.standard_normal(6))


@pytest.fixture
def change(rng):
    return FrameChange(rng.standard_normal(3), rng.standard_normal((3, 3)))


def skew(rng, d):
    A = rng.standard_normal((d, d))
    return A - A.T


# ------------------------------------------------------------------------ frames


def test_frame_maps_points_and_vectors(H_ab, rng):
    s = rng.standard_normal((4, 3))
    assert H_ab.point(s) == pytest.approx((H_ab.matrix @ np.vstack((s.T, np.ones(4))))[:3].T)
    assert H_ab.vector(s[1] - s[0]) == pytest.approx(H_ab.point(s[1]) - H_ab.point(s[0]))
    assert H_ab.inverse().point(H_ab.point(s)) == pytest.approx(s)


def test_frame_group(H_ab, rng):
    H_bc = Frame.exp(rng.standard_normal(6))
    assert (H_ab @ H_bc).matrix == pytest.approx(H_ab.matrix @ H_bc.matrix)
    assert (H_ab @ H_ab.inverse()).isclose(Frame())
    assert not H_ab.isclose(H_bc)
    assert Frame.exp(H_ab.log()).isclose(H_ab)
    assert H_ab.adjoint == pytest.approx(se3.adjoint(H_ab.matrix))
    assert Frame() == Frame()
    assert hash(Frame()) == hash(Frame())
    assert Frame() != H_ab


def test_frame_is_checked_and_immutable(H_ab):
    with pytest.raises(GeometryError, match=r"Frame: rotation: R\^T R differs"):
        Frame(2 * np.eye(3))
    with pytest.raises(GeometryError, match="Frame: origin"):
        Frame(origin=(1, 2))
    with pytest.raises(GeometryError, match="last row"):
        Frame.from_matrix(np.ones((4, 4)))
    with pytest.raises(AttributeError, match="immutable"):
        H_ab.origin = np.zeros(3)
    with pytest.raises(ValueError, match="read-only"):
        H_ab.origin[0] = 1.0


# ------------------------------------------------------------------------ twists and wrenches


def test_twist_law_is_that_of_the_velocity_field(H_ab, twist, rng):
    """The velocity of a material point does not depend on the frame in which it is computed."""
    s = rng.standard_normal(3)
    in_a = twist.carried_by(H_ab)
    assert in_a.velocity_at(H_ab.point(s)) == pytest.approx(H_ab.vector(twist.velocity_at(s)))
    assert in_a.array == pytest.approx(H_ab.adjoint @ twist.array)
    assert in_a.seen_from(H_ab).isclose(twist)


def test_twist_law_in_the_printed_form(H_ab, twist):
    """[deSaxce26] (20): theta = P theta' P~^-1, with theta = (Upsilon K)."""
    change = FrameChange.of(H_ab)
    theta = change.P @ twist.matrix @ np.linalg.inv(change.matrix)
    assert twist.carried_by(H_ab).matrix == pytest.approx(theta)


def test_wrench_law_is_that_of_forces_at_points(H_ab, rng):
    f, s = rng.standard_normal((2, 3))
    wrench = Wrench.force(f, at=s)
    assert wrench.carried_by(H_ab).isclose(Wrench.force(H_ab.vector(f), at=H_ab.point(s)))
    assert wrench.moment_at(s) == pytest.approx(np.zeros(3), abs=1e-15)
    assert wrench.carried_by(H_ab).array == pytest.approx(H_ab.inverse().adjoint.T @ wrench.array)
    assert wrench.carried_by(H_ab).seen_from(H_ab).isclose(wrench)


def test_wrench_law_in_matrix_form(H_ab, wrench):
    """[deSaxce26] (33), with the sign of the orbital term that keeps the pairing."""
    R, C = H_ab.rotation, H_ab.origin
    Pi = wrench.f @ R.T
    L = R @ so3.hat(wrench.m) @ R.T + np.outer(Pi, C) - np.outer(C, Pi)
    assert wrench.carried_by(H_ab).matrix == pytest.approx(np.vstack((Pi, L)))


def test_power_is_invariant_and_is_the_printed_pairing(H_ab, twist, wrench):
    power = wrench.power(twist)
    assert wrench.carried_by(H_ab).power(twist.carried_by(H_ab)) == pytest.approx(power, rel=1e-13)
    trace = np.trace(wrench.matrix[1:] @ twist.matrix[:, 1:])
    assert wrench.f @ twist.v - 0.5 * trace == pytest.approx(power, rel=1e-14)
    assert power == pytest.approx(wrench.array @ twist.array, rel=1e-14)
    assert comoment(wrench.moment_field(), twist) == pytest.approx(power, rel=1e-14)


def test_comoment_does_not_depend_on_the_point(twist, rng):
    other = Twist.from_array(rng.standard_normal(6))
    for M in rng.standard_normal((3, 3)):
        value = twist.omega @ other.velocity_at(M) + other.omega @ twist.velocity_at(M)
        assert value == pytest.approx(comoment(twist, other), rel=1e-12)
    assert comoment(twist, other) == pytest.approx(comoment(other, twist))
    line = Twist((0, 0, 1), (0, 0, -1))
    assert comoment(line, line) < 0  # a form, not a scalar product


def test_bracket_is_that_of_fields_and_of_se3(twist, rng):
    """[Lerbet17] (3): [X, Y](M) = omega_X x Y(M) - omega_Y x X(M) for every M."""
    other = Twist.from_array(rng.standard_normal(6))
    bracket = twist.bracket(other)
    for M in rng.standard_normal((3, 3)):
        field = np.cross(twist.omega, other.velocity_at(M)) - np.cross(other.omega, twist.velocity_at(M))
        assert bracket.velocity_at(M) == pytest.approx(field)
    assert bracket.array == pytest.approx(se3.bracket(twist.array) @ other.array)


def test_material_and_spatial_components_of_a_motion(rng):
    """Left and right Maurer-Cartan forms of a motion, from its path by differences."""
    H0, eta, h = se3.random(rng), rng.standard_normal(6), 1e-5

    def path(t):
        return se3.exp([np.sin(t), t * t, t, t, 2 * t, -t]) @ H0 @ se3.exp(t * eta)

    H = path(0.4)
    H_dot = (path(0.4 + h) - path(0.4 - h)) / (2 * h)
    material, spatial = Twist.material(H, H_dot), Twist.spatial(H, H_dot)
    frame = Frame.from_matrix(path(0.4))
    assert material.carried_by(frame).isclose(spatial, 1e-9)
    assert frame.vector(material.v) == pytest.approx(H_dot[:3, 3], abs=1e-9)  # body components of x_dot
    x_dot = spatial.velocity_at(frame.origin)  # [deSaxce26] (40)
    assert x_dot == pytest.approx(H_dot[:3, 3], abs=1e-9)
    assert H_dot == pytest.approx(H @ se3.hat(material.array), abs=1e-9)
    assert not material.isclose(spatial, 1e-2)


def test_twist_from_the_velocity_of_a_point(rng):
    v, omega, at = rng.standard_normal((3, 3))
    assert Twist.from_velocity(v, omega, at).velocity_at(at) == pytest.approx(v)


def test_a_torque_has_the_same_moment_everywhere(rng):
    torque = Wrench.torque((1, 2, 3))
    assert torque.moment_at(rng.standard_normal(3)) == pytest.approx([1, 2, 3])
    couple = Wrench.force((0, 0, 5), at=(1, 0, 0)) - Wrench.force((0, 0, 5))
    assert couple == Wrench.torque((0, -5, 0))


@pytest.mark.parametrize("kind", [Twist, Wrench])
def test_vector_space(kind, rng):
    a, b = rng.standard_normal((2, 6))
    A, B = kind.from_array(a), kind.from_array(b)
    assert (2 * A - B * 3 + -B).array == pytest.approx(2 * a - 4 * b)
    assert kind.from_array(a) == A
    assert hash(kind.from_array(a)) == hash(A)
    assert A != B
    assert eval(repr(A)) == A
    with pytest.raises(TypeError):
        A + a[0]
    with pytest.raises(AttributeError, match="immutable"):
        A.v = a[:3]
    with pytest.raises(GeometryError, match="pass 6 numbers"):
        kind.from_array(a[:3])


def test_twists_and_wrenches_do_not_add(twist, wrench):
    with pytest.raises(TypeError):
        twist + wrench


# ------------------------------------------------------------------------ affine tensors


def test_affine_form_of_a_point_is_invariant(change, rng):
    point, form = Point(rng.standard_normal(3)), AffineForm(0.7, rng.standard_normal(3))
    assert form.seen_from(change)(point.seen_from(change)) == pytest.approx(form(point), rel=1e-12)
    assert form.seen_from(change).row == pytest.approx(form.row @ change.matrix)  # (13)
    assert change.matrix @ point.seen_from(change).column == pytest.approx(point.column)  # (13)


def test_changes_of_frame_compose(change, rng):
    other = FrameChange(rng.standard_normal(3), rng.standard_normal((3, 3)))
    point = Point(rng.standard_normal(3))
    both = point.seen_from(change).seen_from(other)
    assert point.seen_from(change @ other).V == pytest.approx(both.V)
    assert (change @ change.inverse()).matrix == pytest.approx(np.eye(4), abs=1e-12)


def test_torsor_of_forms_and_cotorsor_of_points_are_invariant(change, rng):
    torsor = Torsor(rng.standard_normal(3), skew(rng, 3))
    cotorsor = CoTorsor(rng.standard_normal(3), skew(rng, 3))
    a, b = (AffineForm(rng.standard_normal(), rng.standard_normal(3)) for _ in range(2))
    value = torsor(a, b)
    moved = torsor.seen_from(change)
    assert moved(a.seen_from(change), b.seen_from(change)) == pytest.approx(value, rel=1e-11)
    assert torsor(b, a) == pytest.approx(-value)
    p, q = (Point(rng.standard_normal(3)) for _ in range(2))
    value = cotorsor(p, q)
    moved = cotorsor.seen_from(change)
    assert moved(p.seen_from(change), q.seen_from(change)) == pytest.approx(value, rel=1e-11)
    assert cotorsor(q, p) == pytest.approx(-value)
    pairing = torsor.pair(cotorsor)
    assert torsor.seen_from(change).pair(cotorsor.seen_from(change)) == pytest.approx(pairing, rel=1e-10)


def test_torsor_and_cotorsor_in_four_dimensions(rng):
    change = FrameChange(rng.standard_normal(4), rng.standard_normal((4, 4)))
    torsor = Torsor(rng.standard_normal(4), skew(rng, 4))
    cotorsor = CoTorsor(rng.standard_normal(4), skew(rng, 4))
    pairing = torsor.seen_from(change).pair(cotorsor.seen_from(change))
    assert pairing == pytest.approx(torsor.pair(cotorsor), rel=1e-9)


def test_wrenches_are_euclidean_torsors_and_twists_cotorsors(H_ab, twist, wrench):
    change = FrameChange.of(H_ab)
    assert wrench.torsor().seen_from(change).matrix == pytest.approx(wrench.seen_from(H_ab).torsor().matrix)
    assert twist.cotorsor().seen_from(change).matrix == pytest.approx(twist.seen_from(H_ab).cotorsor().matrix)
    assert wrench.torsor().pair(twist.cotorsor()) == pytest.approx(wrench.power(twist))


def test_affine_errors():
    with pytest.raises(GeometryError, match="singular"):
        FrameChange((0, 0), [[1, 1], [1, 1]])
    with pytest.raises(GeometryError, match="Torsor: the second part is not skew"):
        Torsor((1, 2), np.eye(2))
    with pytest.raises(GeometryError, match="CoTorsor"):
        CoTorsor((1, 2), np.zeros((3, 3)))
