"""Inertia: shapes against textbook values and against clouds of particles, laws, wrenches, errors."""

import math

import numpy as np
import pytest

from cosserat.errors import GeometryError
from cosserat.lie import Frame, Inertia, Twist, se3, shapes, so3


@pytest.fixture
def cloud(rng):
    """Twenty particles: masses (n,) and positions (n, 3)."""
    return rng.uniform(0.1, 1.0, 20), rng.standard_normal((20, 3)) + [1.0, 2.0, 3.0]


# ------------------------------------------------------------------------ shapes


@pytest.mark.parametrize(
    ("body", "moments"),
    [
        (shapes.box((1, 2, 3), mass=12), (13, 10, 5)),
        (shapes.cylinder(2, 3, mass=12), (21, 21, 24)),
        (shapes.cylinder(2, 3, mass=12, axis="x"), (24, 21, 21)),
        (shapes.cylinder(2, 3, inner_radius=1, mass=12), (24, 24, 30)),
        (shapes.cylinder(2, 3, inner_radius=2, mass=12), (33, 33, 48)),  # thin shell: m R^2 about its axis
        (shapes.sphere(2, mass=5), (8, 8, 8)),
        (shapes.sphere(3, inner_radius=3, mass=2), (12, 12, 12)),  # thin shell: 2/3 m R^2
        (shapes.sphere(2, inner_radius=1, mass=7), (0.4 * 31, 0.4 * 31, 0.4 * 31)),
        (shapes.ellipsoid((1, 2, 3), mass=5), (13, 10, 5)),
        (shapes.bar(6, mass=2), (0, 6, 6)),
        (shapes.bar(6, mass=2, axis="y"), (6, 0, 6)),
        (shapes.plate((2, 4), mass=3), (4, 1, 5)),
        (shapes.disk(2, mass=3), (3, 3, 6)),
        (shapes.hoop(2, mass=3), (6, 6, 12)),
        (shapes.cone(2, 8, mass=10), (30, 30, 12)),
        (shapes.point(4), (0, 0, 0)),
    ],
)
def test_textbook_moments(body, moments):
    assert np.diag(body.central) == pytest.approx(moments, rel=1e-14, abs=1e-14)
    assert np.array_equal(body.central, np.diag(np.diag(body.central)))
    assert np.array_equal(body.com, np.zeros(3))


@pytest.mark.parametrize(
    ("body", "mass"),
    [
        (shapes.box((1, 2, 3), density=2), 12),
        (shapes.cylinder(2, 3, inner_radius=1, density=2), 18 * math.pi),
        (shapes.sphere(3, density=1), 36 * math.pi),
        (shapes.sphere(2, inner_radius=1, density=3), 28 * math.pi),
        (shapes.ellipsoid((1, 2, 3), density=1), 8 * math.pi),
        (shapes.bar(6, density=0.5), 3),
        (shapes.plate((2, 4), density=0.5), 4),
        (shapes.disk(2, density=1), 4 * math.pi),
        (shapes.hoop(2, density=1), 4 * math.pi),
        (shapes.cone(3, 2, density=1), 6 * math.pi),
    ],
)
def test_masses_from_density(body, mass):
    assert body.mass == pytest.approx(mass, rel=1e-14)


def test_square_plate_of_the_exercise():
    """[Lerbet17] exercise 9 with the areal density m/(4 l^2): I_3 = 2 m l^2/3."""
    m, l = 1.7, 0.3
    body = shapes.plate((2 * l, 2 * l), density=m / (4 * l * l))
    assert body.mass == pytest.approx(m)
    assert body.central[2, 2] == pytest.approx(2 * m * l * l / 3)


def test_cone_and_ellipsoid_by_integration():
    def cells(half, inside):
        n = 120
        axes = [np.linspace(-h, h, n, endpoint=False) + h / n for h in half]
        x, y, z = np.array(np.meshgrid(*axes, indexing="ij")).reshape(3, -1)
        kept = np.array([x, y, z])[:, inside(x, y, z)].T
        return Inertia.from_points(np.full(len(kept), 1 / len(kept)), kept)

    # base at z = -0.4, apex at z = 1.2
    cone = cells((1, 1, 1.2), lambda x, y, z: (z > -0.4) & (np.hypot(x, y) < (1.2 - z) / 1.6))
    assert cone.isclose(shapes.cone(1, 1.6, mass=1), 1e-3)
    ball = cells((1, 0.8, 0.5), lambda x, y, z: x**2 + (y / 0.8) ** 2 + (2 * z) ** 2 < 1)
    assert ball.isclose(shapes.ellipsoid((1, 0.8, 0.5), mass=1), 1e-3)


# ------------------------------------------------------------------------ laws


def test_huygens_against_particles(cloud, rng):
    masses, points = cloud
    body, P = Inertia.from_points(masses, points), rng.standard_normal(3)
    r = points - P
    exact = sum(m * (a @ a * np.eye(3) - np.outer(a, a)) for m, a in zip(masses, r, strict=True))
    assert body.about(P) == pytest.approx(exact)
    assert body.about(body.com) == pytest.approx(body.central)


def test_moving_a_body_moves_its_particles(cloud, rng):
    masses, points = cloud
    frame = Frame.from_matrix(se3.random(rng))
    moved = Inertia.from_points(masses, points).carried_by(frame)
    assert moved.isclose(Inertia.from_points(masses, frame.point(points)), 1e-11)
    assert moved.seen_from(frame).isclose(Inertia.from_points(masses, points), 1e-11)


def test_mass_matrix_law(cloud, rng):
    """M in a and in b differ by Ad, so that the kinetic energy does not depend on the frame."""
    body, frame = Inertia.from_points(*cloud), Frame.from_matrix(se3.random(rng))
    Ad = frame.inverse().adjoint
    assert body.carried_by(frame).mass_matrix() == pytest.approx(Ad.T @ body.mass_matrix() @ Ad)


def test_joining_bodies(cloud):
    masses, points = cloud
    whole = Inertia.from_points(masses, points)
    parts = Inertia.from_points(masses[:7], points[:7]) + Inertia.from_points(masses[7:], points[7:])
    assert parts.isclose(whole, 1e-11)


def test_a_box_is_two_half_boxes():
    half = shapes.box((1, 2, 3), density=1)
    whole = half.carried_by(Frame(origin=(0.5, 0, 0))) + half.carried_by(Frame(origin=(-0.5, 0, 0)))
    assert whole.isclose(shapes.box((2, 2, 3), density=1))


def test_principal_axes(rng):
    R = so3.random(rng)
    body = Inertia(1.0, central=R @ np.diag([3.0, 1.0, 2.5]) @ R.T)
    moments, axes = body.principal()
    assert moments == pytest.approx([1.0, 2.5, 3.0])
    assert np.linalg.det(axes) == pytest.approx(1.0)
    assert axes @ np.diag(moments) @ axes.T == pytest.approx(body.central)


# ------------------------------------------------------------------------ wrenches


def test_kinetic_wrench_and_energy_against_particles(cloud, rng):
    """[Lerbet17] (22) and (26), summed over particles."""
    masses, points = cloud
    body, twist = Inertia.from_points(masses, points), Twist.from_array(rng.standard_normal(6))
    v = np.array([twist.velocity_at(x) for x in points])
    momentum, M = body.kinetic_wrench(twist), rng.standard_normal(3)
    assert momentum.f == pytest.approx(masses @ v)
    assert momentum.moment_at(M) == pytest.approx(masses @ np.cross(points - M, v))
    assert body.kinetic_energy(twist) == pytest.approx(0.5 * masses @ np.sum(v * v, axis=1))
    assert momentum.array == pytest.approx(body.mass_matrix() @ twist.array)
    assert 0.5 * momentum.power(twist) == pytest.approx(body.kinetic_energy(twist))  # (27)


def test_angular_momentum_at_the_special_points(cloud, rng):
    """[Lerbet17] (23) at any point F of the body, (24) at a fixed point, (25) at G."""
    body, twist = Inertia.from_points(*cloud), Twist.from_array(rng.standard_normal(6))
    momentum, F = body.kinetic_wrench(twist), rng.standard_normal(3)
    at_F = body.about(F) @ twist.omega + body.mass * np.cross(body.com - F, twist.velocity_at(F))
    assert momentum.moment_at(F) == pytest.approx(at_F)
    spin = Twist.from_velocity((0, 0, 0), twist.omega, at=F)
    assert body.kinetic_wrench(spin).moment_at(F) == pytest.approx(body.about(F) @ spin.omega)
    assert momentum.moment_at(body.com) == pytest.approx(body.central @ twist.omega)


def test_dynamic_wrench_against_particles(cloud, rng):
    """[Lerbet17] (28): the sum of m times acceleration, and of its moments."""
    masses, points = cloud
    body = Inertia.from_points(masses, points)
    a_G, omega, alpha, M = rng.standard_normal((4, 3))
    r = points - body.com
    gamma = a_G + np.cross(alpha, r) + np.cross(omega, np.cross(omega, r))
    wrench = body.dynamic_wrench(a_G, omega, alpha)
    assert wrench.f == pytest.approx(masses @ gamma)
    assert wrench.moment_at(M) == pytest.approx(masses @ np.cross(points - M, gamma))


def test_newton_euler_is_the_rate_of_the_spatial_momentum(cloud, rng):
    """The body wrench, carried to the fixed frame, is d/dt of the momentum seen there."""
    body = Inertia.from_points(*cloud)
    H, eta, eta_dot = se3.random(rng), rng.standard_normal(6), rng.standard_normal(6)

    def momentum(t):
        frame = Frame.from_matrix(H @ se3.exp(t * eta + 0.5 * t * t * eta_dot))  # to second order in t
        return body.kinetic_wrench(Twist.from_array(eta + t * eta_dot)).carried_by(frame)

    h = 1e-4
    rate = (momentum(h) - momentum(-h)).array / (2 * h)
    wrench = body.newton_euler(Twist.from_array(eta), Twist.from_array(eta_dot))
    assert wrench.carried_by(Frame.from_matrix(H)).array == pytest.approx(rate, rel=1e-5, abs=1e-4)


def test_both_forms_of_the_dynamic_wrench_agree(cloud, rng):
    body = Inertia.from_points(*cloud)
    twist, rate = Twist.from_array(rng.standard_normal(6)), Twist.from_array(rng.standard_normal(6))
    acceleration = rate.velocity_at(body.com) + np.cross(twist.omega, twist.velocity_at(body.com))
    direct = body.dynamic_wrench(acceleration, twist.omega, rate.omega)
    assert body.newton_euler(twist, rate).isclose(direct, 1e-10)


# ------------------------------------------------------------------------ errors


def test_impossible_inertias_are_refused():
    with pytest.raises(GeometryError, match=r"hub: mass: got -1; pass a number above zero"):
        Inertia(-1, name="hub")
    with pytest.raises(GeometryError, match="hub: central inertia is not symmetric"):
        Inertia(1, central=[[1, 0.5, 0], [0, 1, 0], [0, 0, 1]], name="hub")
    with pytest.raises(GeometryError, match=r"principal moment .* is negative"):
        Inertia(1, central=np.diag([-1.0, 1.0, 1.0]))
    with pytest.raises(GeometryError, match="triangle inequality"):
        Inertia(1, central=np.diag([1.0, 1.0, 2.1]))
    with pytest.raises(GeometryError, match="not finite"):
        Inertia(1, central=np.full((3, 3), np.nan))
    Inertia(1, central=np.diag([1.0, 1.0, 2.0]))  # a flat body is the limit, and allowed


def test_triangle_inequality_is_checked_in_any_axes(rng):
    R = so3.random(rng)
    with pytest.raises(GeometryError, match="triangle inequality"):
        Inertia(1, central=R @ np.diag([1.0, 1.0, 2.1]) @ R.T)
    Inertia(1, central=R @ np.diag([1.0, 1.0, 2.0]) @ R.T)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: shapes.box((1, 1, 1)), "box: pass mass or density"),
        (lambda: shapes.box((1, 1, 1), mass=1, density=1), "one of them"),
        (lambda: shapes.box((1, 0, 1), mass=1), "box: size: got 0"),
        (lambda: shapes.cylinder(1, 2, inner_radius=3, mass=1), "inner_radius 3 exceeds radius 1"),
        (lambda: shapes.cylinder(1, 2, mass=1, axis="w"), "axes: 'x', 'y', 'z'"),
        (lambda: shapes.sphere(1, inner_radius=1, density=1), "pass mass instead of density"),
        (lambda: shapes.bar(math.inf, mass=1), "bar: length: got inf"),
        (lambda: shapes.plate((1, 2, 3), mass=1), "plate: size"),
    ],
)
def test_shape_errors(make, message):
    with pytest.raises(GeometryError, match=message):
        make()
