"""Flying spaghetti: a very flexible beam in free flight, in the plane and in space.

J. C. Simo, L. Vu-Quoc, On the dynamics of flexible beams under large overall motions - the plane case, part II, J.
Appl. Mech. 53 (1986) 855-863; On the dynamics in space of rods undergoing large motions, CMAME 66 (1988) 125-161. From
(6, 0) (loaded end) to (0, 8); EA = GA = 1e4. Plane: EI = 100, force 8 and moment -80 for 2.5 s. Space: EI = GJ = 500,
loads on a ramp up to 2.5 s and down to 5 s. Positions and energies: spectral solution of the intrinsic equations. The
error falls with the square of the element; the finest meshes of each test extrapolate to the reference.
"""

import numpy as np
import pytest

import cosserat as cs

PLANE = {5.0: (9.7835, 8.2038), 10.0: (22.9705, 6.4122), 15.0: (29.0633, 6.6088)}
SPACE = {5.0: (19.21360, 1.62556, 2.12724), 10.0: (42.83215, 3.69268, 4.38628)}
SPACE_FREE_END = (38.31212, 5.19817, -4.25154)


def spaghetti(EI, rotary, elements, force, moment):
    model = cs.Model("flying spaghetti")
    section = cs.Section(stiffness=[1e4, 1e4, 1e4, EI, EI, EI], mass=[1, 1, 1, *rotary])
    rod = model.add(cs.Beam("rod", points=[(6, 0, 0), (0, 8, 0)], section=section, elements=elements))
    model.add(cs.Wrench("load", rod.start, force=force, moment=moment))
    return model


def plane(elements, step):
    on = lambda t: np.where(t < 2.5, 1.0, 0.0)  # noqa: E731
    force = lambda t: (8 * on(t), 0 * t, 0 * t)  # noqa: E731
    moment = lambda t: (0 * t, 0 * t, -80 * on(t))  # noqa: E731
    run = cs.simulate(spaghetti(100, (10, 10, 10), elements, force, moment), 15.0, step)
    assert run.status.ok, run.status.message
    return run


def space(elements, step):
    M = lambda t: np.where(t < 2.5, 80 * t, np.where(t < 5, 400 - 80 * t, 0.0))  # noqa: E731
    force = lambda t: (M(t) / 10, 0 * t, 0 * t)  # noqa: E731
    moment = lambda t: (0 * t, M(t) / 2, -M(t))  # noqa: E731
    run = cs.simulate(spaghetti(500, (20, 10, 10), elements, force, moment), 10.0, step)
    assert run.status.ok, run.status.message
    return run


def at(run, t, place="rod.start"):
    return run.position(place).sel(time=t, method="nearest").values


@pytest.fixture(scope="module")
def flight():
    return plane(64, 5e-3)


@pytest.mark.parametrize("t", PLANE)
def test_plane_loaded_end(flight, t):
    exact = np.array(PLANE[t])
    assert np.linalg.norm(at(flight, t)[:2] - exact) < 2e-3 * np.linalg.norm(exact)


def test_plane_coarse():
    """40 elements, bent by up to 0.2 rad each, keep the rotary inertia of their sections."""
    run = plane(40, 5e-3)
    for t, exact in PLANE.items():
        assert np.linalg.norm(at(run, t)[:2] - exact) < 4e-4 * np.linalg.norm(exact)


def test_plane_centre_of_mass(flight):
    """x = 3 + 0.4 t^2 up to 2.5 s, then 5.5 + 2 (t - 2.5); y = 4."""
    t = flight.time
    momentum = flight.momentum.values
    exact = np.where(t < 2.5, 8 * t, 20.0)
    np.testing.assert_allclose(momentum[:, 0], exact, atol=2e-3 * 20)
    np.testing.assert_allclose(momentum[:, 1], 0.0, atol=2e-3 * 20)
    s, w = np.polynomial.legendre.leggauss(32)
    points = [flight.position(f"rod.at({(1 + x) / 2:.15f})").values for x in s]
    centre = sum(0.5 * weight * p for weight, p in zip(w, points))
    exact = np.where(t < 2.5, 3 + 0.4 * t**2, 5.5 + 2 * (t - 2.5))
    np.testing.assert_allclose(centre[:, 0], exact, atol=2e-2)
    np.testing.assert_allclose(centre[:, 1], 4.0, atol=2e-2)


def test_plane_energy_after_the_load(flight):
    after = flight.energy.total.sel(time=slice(2.6, 15)).values
    assert after.mean() == pytest.approx(379.7, abs=1.0)
    assert np.ptp(after) < 0.1


@pytest.mark.slow
def test_plane_converged():
    run = plane(240, 2.5e-3)
    for t, exact in PLANE.items():
        np.testing.assert_allclose(at(run, t)[:2], exact, atol=2e-3)


@pytest.fixture(scope="module")
def space_flights():
    return space(32, 2.5e-3), space(64, 2.5e-3)


def test_space_extrapolates_to_the_reference(space_flights):
    """Second order in the element size: (4 fine - coarse) / 3 within 1e-4."""
    coarse, fine = space_flights
    wanted = [(t, "rod.start", x) for t, x in SPACE.items()] + [(10.0, "rod.end", SPACE_FREE_END)]
    for t, place, exact in wanted:
        limit = (4 * at(fine, t, place) - at(coarse, t, place)) / 3
        assert np.linalg.norm(limit - exact) < 1e-4 * np.linalg.norm(exact)
        assert np.linalg.norm(at(fine, t, place) - exact) < 3e-4 * np.linalg.norm(exact)
        error = [np.linalg.norm(at(run, t, place) - exact) for run in space_flights]
        assert error[0] / error[1] > 3


def test_space_energy(space_flights):
    after = space_flights[1].energy.total.sel(time=slice(5.1, 10)).values
    assert after.mean() == pytest.approx(724.436, rel=1e-4)
    assert np.ptp(after) < 1e-3 * 724
