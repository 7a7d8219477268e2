"""Change of observer against paths in space, clouds of particles and closed forms."""

import numpy as np
import pytest

from cosserat.lie import Inertia, MovingFrame, Twist, so3


@pytest.fixture
def observer(rng):
    return MovingFrame(*rng.standard_normal((5, 3)))


def test_a_particle_from_its_path():
    """Velocity and acceleration in 1 of a path given in 2, by differences."""
    w, h, t = np.array([0.3, -0.2, 0.9]), 1e-3, 0.7

    def origin(t):
        return np.array([np.sin(t), t * t, np.cos(2 * t)])

    def R(t):
        return so3.exp(np.sin(t) * w)

    def path_2(t):
        return np.array([t**3, np.cos(t), 1 + t])

    def d(f):
        return (8 * (f(t + h) - f(t - h)) - (f(t + 2 * h) - f(t - 2 * h))) / (12 * h)

    def dd(f):
        inner = 16 * (f(t + h) + f(t - h)) - (f(t + 2 * h) + f(t - 2 * h)) - 30 * f(t)
        return inner / (12 * h * h)

    frame = MovingFrame(origin(t), d(origin), dd(origin), np.cos(t) * w, -np.sin(t) * w)

    def path_1(t):
        return origin(t) + R(t) @ path_2(t)

    v_2, a_2 = R(t) @ d(path_2), R(t) @ dd(path_2)  # what 2 sees, in components along the basis of 1
    assert frame.twist.velocity_at(path_1(t)) + v_2 == pytest.approx(d(path_1), abs=1e-9)
    assert frame.absolute_acceleration(path_1(t), v_2, a_2) == pytest.approx(dd(path_1), abs=1e-7)


def test_twists_compose(observer, rng):
    """[Lerbet17] (43)."""
    relative = Twist.from_array(rng.standard_normal(6))
    absolute = observer.absolute_twist(relative)
    x = rng.standard_normal(3)
    drive = observer.velocity + np.cross(observer.omega, x - observer.origin)
    assert absolute.velocity_at(x) == pytest.approx(drive + relative.velocity_at(x))
    assert observer.relative_twist(absolute).isclose(relative)


def test_kinetic_wrenches_compose(observer, rng):
    """[Lerbet17] (44)."""
    body = Inertia.from_points(rng.uniform(0.1, 1, 9), rng.standard_normal((9, 3)))
    relative = Twist.from_array(rng.standard_normal(6))
    total = observer.drive_kinetic_wrench(body) + body.kinetic_wrench(relative)
    assert body.kinetic_wrench(observer.absolute_twist(relative)).isclose(total)


def test_drive_and_coriolis_wrenches_are_sums_over_particles(observer, rng):
    """[Lerbet17] (45)-(46)."""
    masses, points = rng.uniform(0.1, 1, 9), rng.standard_normal((9, 3)) + 2
    body, relative = Inertia.from_points(masses, points), Twist.from_array(rng.standard_normal(6))
    drive = np.array([observer.drive_acceleration(x) for x in points])
    coriolis = np.array([observer.coriolis_acceleration(relative.velocity_at(x)) for x in points])
    M = rng.standard_normal(3)
    for wrench, gamma in [
        (observer.drive_dynamic_wrench(body), drive),
        (observer.coriolis_dynamic_wrench(body, relative), coriolis),
    ]:
        assert wrench.f == pytest.approx(masses @ gamma)
        assert wrench.moment_at(M) == pytest.approx(masses @ np.cross(points - M, gamma))
    apparent = observer.apparent_wrench(body, relative)
    assert apparent.f == pytest.approx(-masses @ (drive + coriolis))


def test_dynamic_wrenches_compose(observer, rng):
    """[Lerbet17] (47), for a body that moves and turns with respect to both observers."""
    body = Inertia.from_points(rng.uniform(0.1, 1, 9), rng.standard_normal((9, 3)) + 1)
    relative, a_2, alpha_2 = Twist.from_array(rng.standard_normal(6)), *rng.standard_normal((2, 3))
    v_2 = relative.velocity_at(body.com)
    a_1 = observer.absolute_acceleration(body.com, v_2, a_2)
    omega_1 = observer.omega + relative.omega
    alpha_1 = observer.alpha + alpha_2 + np.cross(observer.omega, relative.omega)
    K_1 = body.dynamic_wrench(a_1, omega_1, alpha_1)
    K_2 = body.dynamic_wrench(a_2, relative.omega, alpha_2)
    assert (K_1 + observer.apparent_wrench(body, relative)).isclose(K_2, 1e-11)


def test_merry_go_round():
    """A particle at rest in space, seen from a turntable: it runs backwards on a circle."""
    Omega, r, m = 3.0, 2.0, 1.5
    table, particle = MovingFrame(omega=(0, 0, Omega)), Inertia(m, com=(r, 0, 0))
    relative = table.relative_twist(Twist((0, 0, 0), (0, 0, 0)))
    assert relative.velocity_at((r, 0, 0)) == pytest.approx([0, -Omega * r, 0])
    assert table.drive_acceleration((r, 0, 0)) == pytest.approx([-(Omega**2) * r, 0, 0])
    assert table.coriolis_acceleration((0, -Omega * r, 0)) == pytest.approx([2 * Omega**2 * r, 0, 0])
    centripetal = table.apparent_wrench(particle, relative)
    assert centripetal.f == pytest.approx([-m * Omega**2 * r, 0, 0])


def test_eastward_deviation_of_a_falling_body():
    """Coriolis at the equator pushes a falling body to the east: 2 Omega v."""
    earth = MovingFrame(omega=(0, 0, 7.292115e-5))  # x up, y east, z north
    apparent = earth.apparent_wrench(Inertia(1.0), Twist((-100.0, 0, 0), (0, 0, 0)))
    assert apparent.f == pytest.approx([0, 2 * 7.292115e-5 * 100, 0])


def test_an_observer_in_uniform_translation_adds_nothing(rng):
    train = MovingFrame(origin=rng.standard_normal(3), velocity=(30, 0, 0))
    body = Inertia.from_points(rng.uniform(0.1, 1, 9), rng.standard_normal((9, 3)))
    assert train.apparent_wrench(body, Twist.from_array(rng.standard_normal(6))).array == pytest.approx(0)
