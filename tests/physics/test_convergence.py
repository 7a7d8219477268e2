"""Orders of convergence in time and space, and what adaptive steps promise."""

from itertools import pairwise

import numpy as np
import pytest

import cosserat as cs


def swinging_beam(elements=4, load=None):
    """A soft pendulum beam, started from its equilibrium under a side load that is let go smoothly."""
    model = cs.Model("swinging beam", gravity=(0, 0, -9.81))
    section = cs.Section(stiffness=[500, 300, 300, 2, 2, 2], mass=[1, 1, 1, 0.02, 0.01, 0.01])
    beam = model.add(cs.Beam("beam", points=[(0, 0, 0), (0, 0, -1)], section=section, elements=elements))
    model.add(cs.Revolute("hinge", cs.GROUND, beam.start, axis=(0, 1, 0), damping=0.05))
    push = load or (lambda t: (2 * np.sin(4 * t) ** 2, 0 * t, 0 * t))
    model.add(cs.Force("push", beam.end, push))
    return model


@pytest.mark.parametrize(
    "integrator, rho", [("generalized-alpha", 0.9), ("generalized-alpha", 0.6), ("energy-momentum", 0.9)]
)
def test_second_order_in_time(integrator, rho):
    model = swinging_beam()
    ends = []
    for h in (2e-3, 1e-3, 5e-4, 2.5e-4):
        run = cs.simulate(model, 0.8, h, integrator=integrator, rho=rho, start="equilibrium", every=round(0.1 / h))
        assert run.status.ok
        ends.append(np.concatenate((run.position("beam.end"), run.velocity("beam.end")), axis=1)[1:])
    change = [np.sqrt(np.mean((b - a) ** 2)) for a, b in pairwise(ends)]
    order = np.log2(np.array(change[:-1]) / change[1:])
    assert order[-1] > 1.85, order


def test_jump_of_a_load_at_the_end_of_a_step_gives_the_right_impulse():
    model = cs.Model("kick")
    model.add(cs.RigidBody("m", mass=2.0, com=(0, 0, 0), inertia=np.eye(3)))
    model.add(cs.Force("kick", "m", lambda t: (np.where(t < 0.5, 4.0, 0.0), 0 * t, 0 * t)))
    for integrator in ("generalized-alpha", "energy-momentum"):
        run = cs.simulate(model, 1.0, 1e-2, integrator=integrator)
        assert float(run.velocity("m")[-1, 0]) == pytest.approx(1.0, abs=1e-6)


def test_fourth_order_in_space_of_statics():
    model = lambda n: bent(n)  # noqa: E731
    fine = model(64)
    errors = [np.linalg.norm(model(n) - fine) for n in (4, 8, 16)]
    assert errors[0] / errors[1] > 12
    assert errors[1] / errors[2] > 12


def bent(elements):
    """Tip of a curved cantilever under a force and a moment, large deflections in the plane."""
    section = cs.Section(stiffness=[1e5, 1e5, 1e5, 3, 3, 3], mass=[1, 1, 1, 1, 1, 1])
    model = cs.Model("bent")
    arc = lambda s: (np.sin(s), 1 - np.cos(s), 0 * s)  # noqa: E731
    beam = model.add(cs.Beam("beam", curve=arc, section=section, elements=elements, up=(0, 0, 1)))
    model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
    model.add(cs.Wrench("load", beam.end, (2, 4, 0, 0, 0, -1)))
    result = cs.equilibrium(model)
    assert result.status.ok
    return np.asarray(result.position("beam.end"))


def test_tapered_beam_is_exact_in_linear_statics():
    """A conical cantilever, tip load: deflection by quadrature of x^2 / EI(x), with few elements."""
    d0, d1, L, P, E = 0.04, 0.02, 1.0, 1e-3, 70e9
    model = cs.Model("tapered")
    material = cs.Material(E=E, nu=0.3, rho=2700)
    section = (cs.Rod(diameter=d0, shear_factor=1e6), cs.Rod(diameter=d1, shear_factor=1e6))
    beam = model.add(cs.Beam("beam", points=[(0, 0, 0), (L, 0, 0)], section=section, material=material, elements=4))
    model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
    model.add(cs.Force("load", beam.end, (0, 0, P)))
    tip = float(cs.equilibrium(model).position("beam.end")[2])
    x, w = np.polynomial.legendre.leggauss(40)
    x = (x + 1) / 2
    I = np.pi / 64 * (d0 + (d1 - d0) * x) ** 4
    exact = np.sum(w / 2 * P * (L - x) ** 2 / (E * I))
    assert tip == pytest.approx(exact, rel=1e-5)


@pytest.mark.parametrize("tolerance", [1e-3, 1e-4, 1e-5])
def test_adaptive_steps_follow_the_tolerance(tolerance):
    model = swinging_beam()
    fine = cs.simulate(model, 1.0, 1e-4, start="equilibrium").position("beam.end").values[-1]
    run = cs.simulate(model, 1.0, tolerance=tolerance, start="equilibrium")
    assert run.status.ok
    error = np.linalg.norm(run.position("beam.end").values[-1] - fine)
    assert error < 10 * tolerance  # the extent is 1 m
    assert len(run.time) < 10_000


def test_smaller_tolerance_takes_more_steps():
    model = swinging_beam()
    counts = [cs.simulate(model, 1.0, tolerance=t, start="equilibrium").stats["steps"] for t in (1e-3, 1e-4, 1e-5)]
    assert counts[0] < counts[1] < counts[2]


@pytest.mark.parametrize("bending", [(2.0, 2.0), (2.0, 6.0)])
@pytest.mark.parametrize("curved", [False, True])
def test_fourth_order_in_large_spatial_deflections(bending, curved):
    """Bending about both axes and twist, of sections that bend alike and not."""
    ends = []
    for n in (8, 16, 64):
        model = cs.Model("cantilever")
        section = cs.Section(stiffness=[1e4, 1e4, 1e4, 0.7, *bending], mass=[1, 1, 1, 1, 1, 1])
        shape = {"curve": lambda q: (np.sin(q), 1 - np.cos(q), 0 * q)} if curved else {"points": [(0, 0, 0), (1, 0, 0)]}
        beam = model.add(cs.Beam("beam", **shape, section=section, elements=n))
        model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
        model.add(cs.Wrench("load", beam.end, force=(0, 3.0, 2.0), moment=(1.0, 0, 0)))
        result = cs.equilibrium(model)
        assert result.status.ok, result.status.message
        ends.append(np.asarray(result.position("beam.end")))
    errors = [np.linalg.norm(end - ends[-1]) for end in ends[:-1]]
    assert errors[1] < 1.5e-6
    assert np.log2(errors[0] / errors[1]) > 3.3
