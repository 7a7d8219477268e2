"""Beams of media that users describe: closed forms, conservation, and the same answers from every solver."""

import numpy as np
import pytest
from scipy.optimize import brentq

import cosserat as cs

sp = pytest.importorskip("sympy")
from cosserat.symbolic import strain, twist  # noqa: E402

E1, E2, E3, K1, K2, K3 = strain
EA, GA, GJ, EI, RHO = 1e5, 4e5, 4.0, 5.0, 2.0
BEND = K2**2 + K3**2
KINETIC = (RHO * twist[:3, :].dot(twist[:3, :]) + 1e-3 * twist[3:, :].dot(twist[3:, :])) / 2
QUADRATIC = (EA * E1**2 + GA * (E2**2 + E3**2) + GJ * K1**2 + EI * BEND) / 2
STIFFENING = QUADRATIC + EA * 30 * E1**4 / 4 + 8 * BEND**2 / 4 + 60 * E1 * BEND / 2
LINEAR = cs.Section(stiffness=[EA, GA, GA, GJ, EI, EI], mass=[RHO] * 3 + [1e-3] * 3)


def rod(elements=4, load=(0, 0, 0), couple=(0, 0, 0), clamped=True, **beam):
    model = cs.Model("rod")
    rod = model.add(cs.Beam("rod", points=[(0, 0, 0), (1, 0, 0)], elements=elements, **beam))
    if clamped:
        model.add(cs.Fixed("clamp", cs.GROUND, rod.start))
        model.add(cs.Force("force", rod.end, load))
        model.add(cs.Torque("couple", rod.end, couple, follower=True))
    return model


def medium(potential=STIFFENING, **more):
    return cs.Medium(KINETIC, potential, **more)


def test_tension_is_exact():
    still = cs.equilibrium(rod(load=(2e4, 0, 0), medium=medium()))
    stretch = brentq(lambda e: EA * (e + 30 * e**3) - 2e4, 0, 1, xtol=1e-15)
    assert still.position("rod.end")[0] == pytest.approx(1 + stretch, abs=1e-13)
    assert still.section_force("rod", 0.3) == pytest.approx([2e4, 0, 0, 0, 0, 0], abs=1e-8)
    assert still.strain("rod", 0.3) == pytest.approx([stretch, 0, 0, 0, 0, 0], abs=1e-13)
    energy = EA * (stretch**2 / 2 + 30 * stretch**4 / 4)
    assert still.energy["strain"] == pytest.approx(energy, rel=1e-12)


def test_pure_bending_is_exact():
    # a couple bends and, through E1 BEND, shortens: slopes of the potential by e1 and k3 are 0 and M
    M = 9.0
    still = cs.equilibrium(rod(couple=(0, 0, M), medium=medium()))

    def curvature(k):
        e = brentq(lambda e: EA * (e + 30 * e**3) + 30 * k**2, -0.5, 0.5, xtol=1e-16)
        return e, (EI + 60 * e) * k + 8 * k**3 - M

    k = brentq(lambda k: curvature(k)[1], 0.1, 3, xtol=1e-15)
    e = curvature(k)[0]
    expected = np.array([np.sin(k), 1 - np.cos(k), 0]) * (1 + e) / k
    assert still.position("rod.end") == pytest.approx(expected, abs=1e-12)
    assert still.strain("rod", 0.6) == pytest.approx([e, 0, 0, 0, 0, k], abs=1e-12)


def test_curved_reference():
    """A ring that opens: the strain is measured from the curved reference."""
    M, R = 4.0, 0.5
    model = cs.Model("bow")
    curve = (f"{R}*sin(2*s)", f"{R}*(1 - cos(2*s))", "0*s")
    bow = model.add(cs.Beam("bow", curve=curve, elements=6, up=(0, 0, 1), medium=medium(QUADRATIC + 2 * BEND**2)))
    model.add(cs.Fixed("clamp", cs.GROUND, bow.start))
    model.add(cs.Torque("couple", bow.end, (0, 0, -M), follower=True))
    still = cs.equilibrium(model)
    k = brentq(lambda k: EI * k + 8 * k**3 + M, -3, 0, xtol=1e-15)
    turn = still.rotation("bow.end")
    assert np.arctan2(turn[1, 0], turn[0, 0]) == pytest.approx(2 + 2 * R * k, abs=2e-8)


def test_bent_rod():
    """A tip force bends it unevenly: towards the solution of the ordinary equations."""
    gap = np.array([cs.equilibrium(rod(n, (0, 6, 0), medium=medium())).position("rod.end") for n in (4, 8, 16)])
    gap -= _elastica(6.0)
    assert np.abs(gap[0]).max() < 5e-5
    assert np.abs(gap[2]).max() < 5e-6


def _elastica(F):
    """Tip of the clamped rod under a dead force across, by shooting over its equations."""
    from scipy.integrate import solve_ivp

    def strains(n1, n2, m):
        """Both slopes inverted: e1 for a curvature first, then the curvature."""
        k, e1 = m / EI, 0.0
        for _ in range(12):
            r = np.array([EA * (e1 + 30 * e1**3) + 30 * k**2 - n1, (EI + 60 * e1) * k + 8 * k**3 - m])
            J = np.array([[EA * (1 + 90 * e1**2), 60 * k], [60 * k, EI + 60 * e1 + 24 * k**2]])
            e1, k = np.array([e1, k]) - np.linalg.solve(J, r)
        return e1, n2 / GA, k

    def rates(s, y):
        _, _, a, m = y
        c, d = np.cos(a), np.sin(a)
        e1, e2, k = strains(F * d, F * c, m)
        g = (1 + e1) * c - e2 * d
        return [g, (1 + e1) * d + e2 * c, k, -g * F]

    def tip(m0):
        return solve_ivp(rates, (0, 1), [0, 0, 0, m0], rtol=1e-11, atol=1e-12).y[:, -1]

    m0 = brentq(lambda m: tip(m)[3], 1, 8, xtol=1e-12)
    return np.array([*tip(m0)[:2], 0])


def test_quadratic_is_the_built_in_beam():
    given = dict(elements=5, load=(0, 20, 3), couple=(1, 0, 2))
    one, other = rod(section=LINEAR, **given), rod(medium=medium(QUADRATIC), **given)
    a, b = (cs.simulate(m, 0.05, step=1e-3) for m in (one, other))
    assert np.abs(a.position("rod.end").values - b.position("rod.end").values).max() < 1e-13
    assert np.abs(a.section_force("rod", 0.2).values - b.section_force("rod", 0.2).values).max() < 1e-9
    assert cs.modes(one, 6).frequencies == pytest.approx(cs.modes(other, 6).frequencies, rel=1e-13)


def test_prestrain_moves_the_reference():
    """U(e1 - a): the rod is a rod without stress whose length is (1 + a)."""
    a = 0.03
    shifted = STIFFENING.subs(E1, E1 - a)
    still = cs.equilibrium(rod(medium=medium(shifted)))
    assert still.position("rod.end") == pytest.approx([1 + a, 0, 0], abs=1e-13)
    assert np.abs(still.section_force("rod", 0.5)).max() < 1e-8
    assert medium(shifted).prestress == pytest.approx([EA * (-a - 30 * a**3), 0, 0, 0, 0, 0])


@pytest.mark.parametrize("prestrain", [0.0, 0.01])
def test_energy_and_momentum_are_kept(prestrain):
    potential = STIFFENING.subs(E1, E1 - prestrain)
    field = ("3", "6*x*x", "4*x")
    model = rod(6, clamped=False, medium=medium(potential), velocity=field)
    run = cs.simulate(model, 0.2, step=5e-4, integrator="energy-momentum")
    total = run.energy.total.values
    assert run.status.ok
    assert np.ptp(run.energy.strain.values) > 0.1
    assert np.ptp(total) < 1e-11 * abs(total).max()
    p = run.momentum.values
    assert np.abs(p - p[0]).max() < 1e-10
    damped = cs.simulate(model, 0.2, step=5e-4)
    assert np.abs(run.position("rod.end").values - damped.position("rod.end").values)[-1].max() < 3e-3


def test_modes_about_a_stretched_state():
    model = rod(12, (2e4, 0, 0), medium=medium())
    still = cs.equilibrium(model)
    e = brentq(lambda e: EA * (e + 30 * e**3) - 2e4, 0, 1)
    along = np.sqrt(EA * (1 + 90 * e**2) / RHO) / 4
    found = cs.modes(model, 12, about=still)
    assert np.abs(found.frequencies / along - 1).min() < 1e-6
    assert found.stable
    linear = cs.linearize(model, ["rod.end.fx"], ["rod.end.x", "rod.at(0.5).stretch", "rod.at(0.5).N"], about=still)
    gain = (linear.D - linear.C @ np.linalg.solve(linear.A, linear.B))[:, 0]
    give = 1 / (EA * (1 + 90 * e**2))
    assert gain == pytest.approx([give, give, 1], rel=1e-8)


def _buckling():
    """P (stretch + P/GA) = (pi/2)^2 (bending stiffness), both at the compressed state."""

    def gap(P):
        e = brentq(lambda e: EA * (e + 30 * e**3) + P, -0.5, 0, xtol=1e-16)
        return P * (1 + e + P / GA) - (np.pi / 2) ** 2 * (EI + 3e4 * e)

    return brentq(gap, 1, 20)


def test_buckling_load_of_a_rod_that_softens():
    P = cs.Parameter("P", 1.0)
    potential = QUADRATIC + EA * 30 * E1**4 / 4 + sp.Symbol("c") * E1 * BEND / 2
    of = cs.Medium(KINETIC, potential, {"c": cs.Parameter("c", 3e4)})
    model = rod(8, (-P, 0, 0), medium=of)
    critical = _buckling()
    assert critical < 9  # of 12.3 for the linear rod
    found = cs.stability(model, "P", np.linspace(2, 11, 4)).critical[0]
    assert found.kind == "divergence"
    assert found.value == pytest.approx(critical, rel=1e-5)
    path = cs.continuation(model, "P", 0.0, 10.0)
    assert path.point("branch 1").value == pytest.approx(found.value, rel=1e-6)
    model.set(c=0.0)
    linear = cs.stability(model, "P", np.linspace(10, 14, 3)).critical[0].value
    assert linear == pytest.approx((np.pi / 2) ** 2 * EI, rel=1e-3)


def test_files(tmp_path):
    P = cs.Parameter("c", 60.0)
    potential = QUADRATIC + EA * 30 * E1**4 / 4 + sp.Symbol("c") * E1 * BEND / 2
    model = rod(4, (2e3, 5, 0), medium=cs.Medium(KINETIC, potential, {"c": P}, damping=1e-4))
    cs.save_model(model, tmp_path / "rod.yaml")
    again = cs.load_model(tmp_path / "rod.yaml")
    assert again == model
    run = cs.simulate(model, 0.01, step=1e-3)
    run.save(tmp_path / "rod.nc")
    stored = cs.load_run(tmp_path / "rod.nc")
    for quantity in ("section_force", "strain"):
        one, other = (getattr(r, quantity)("rod", 0.3).values for r in (run, stored))
        assert np.array_equal(one, other)
        assert np.abs(one).max() > 0
    assert np.array_equal(run.energy.strain.values, stored.energy.strain.values)


def test_floating_frames_take_the_stiffness_at_zero_strain():
    given = dict(elements=6, load=(0, 0.05, 0))
    run = cs.simulate(rod(section=LINEAR, **given), 0.2, step=2e-3, formulation="floating", modes=4)
    with pytest.warns(cs.CosseratWarning, match="beam 'rod': its potential is not quadratic"):
        other = cs.simulate(rod(medium=medium(), **given), 0.2, step=2e-3, formulation="floating", modes=4)
    assert np.abs(run.position("rod.end").values - other.position("rod.end").values).max() < 1e-12
    galilean = cs.simulate(rod(medium=medium(), **given), 0.2, step=2e-3)
    assert np.abs(galilean.position("rod.end").values - other.position("rod.end").values).max() < 1e-4
    shifted = medium(QUADRATIC.subs(E1, E1 - 0.01))
    with pytest.raises(cs.CosseratError, match=r"beam 'rod': its medium has the section force \(-1000, 0"):
        cs.simulate(rod(medium=shifted, **given), 0.1, step=1e-3, formulation="floating", modes=4)


def test_a_potential_that_ends():
    """A chain that locks: the logarithm has no value beyond its limit, and the run says so."""
    locking = QUADRATIC - 0.5 * EA * 1e-4 * sp.log(1 - E1**2 / 1e-2)
    still = cs.equilibrium(rod(load=(1e5, 0, 0), medium=medium(locking)))
    assert still.status.ok
    assert 1.09 < still.position("rod.end")[0] < 1.1
    ending = QUADRATIC + 100 * (1 - 10 * E1) ** sp.Rational(5, 2)
    model = rod(4, medium=medium(ending), clamped=False, velocity=("2000*x", "0", "0"))
    run = cs.simulate(model, 0.01, step=1e-4)
    assert not run.status.ok
    assert "beam 'rod'" in run.status.detail


@pytest.mark.filterwarnings("ignore:medium. potential is not strictly convex")
def test_a_rod_that_snaps():
    """Bending energy -c k^2/2 + k^4/4: straight it is unstable, and a couple M bends it to k^3 - c k = M."""
    c = cs.Parameter("c", 1.0)
    snapping = cs.Medium(KINETIC, QUADRATIC - EI * K3**2 / 2 - sp.Symbol("c") * K3**2 / 2 + K3**4 / 4, {"c": c})
    assert snapping.stiffness[5, 5] == -1.0
    model = rod(6, couple=(0, 0, 0.5), medium=snapping)
    bent = cs.equilibrium(model)
    k = brentq(lambda k: k**3 - k - 0.5, 1, 2, xtol=1e-15)
    assert bent.stable
    assert bent.strain("rod", 0.4) == pytest.approx([0, 0, 0, 0, 0, k], abs=1e-10)
    assert bent.position("rod.end") == pytest.approx([np.sin(k) / k, (1 - np.cos(k)) / k, 0], abs=1e-10)
    assert bent.energy["strain"] == pytest.approx(k**4 / 4 - k**2 / 2, rel=1e-9)
    straight = rod(6, medium=snapping)
    assert not cs.equilibrium(straight).stable
    left = cs.equilibrium(straight, start=bent)
    assert left.stable
    assert left.strain("rod", 0.4)[5] == pytest.approx(1, abs=1e-9)  # without any force, which three strains have
    model.set(c=-1.0)  # convex now
    k = brentq(lambda k: k**3 + k - 0.5, 0, 2, xtol=1e-15)
    assert cs.equilibrium(model).strain("rod", 0.4)[5] == pytest.approx(k, abs=1e-10)
    model.set(c=1.0)
    free = rod(6, clamped=False, medium=snapping, velocity=("0", "0.3*x*x", "0"))
    run = cs.simulate(free, 1.0, step=4e-3, integrator="energy-momentum")
    assert np.abs(run.strain("rod", 0.5).values[:, 5]).max() > 0.5
    assert np.ptp(run.energy.total.values) < 1e-7 * run.energy.kinetic.values.max()
    with pytest.raises(cs.CosseratError, match="beam 'rod': the potential of its medium is not strictly convex"):
        cs.simulate(straight, 0.1, step=1e-2, formulation="floating", modes=2)


@pytest.mark.filterwarnings("ignore:medium. potential is not smooth")
@pytest.mark.parametrize("n", [1, 3])
def test_rods_with_kinks(n):
    """Away from them: stiffer in tension than in compression, dry in twist, softer beyond a curvature of 1."""
    added = 3e4 * sp.Max(E1, 0) ** 2 + 2 * sp.Abs(K1) + sp.Piecewise((0, K3 < 1), (-2 * (K3 - 1) ** 2, True))
    own = medium(QUADRATIC + added)
    for pull, stiffness in ((2e3, EA + 6e4), (-2e3, EA)):
        still = cs.equilibrium(rod(n, (pull, 0, 0), medium=own))
        assert still.strain("rod", 0.4)[0] == pytest.approx(pull / stiffness, rel=1e-12)
    still = cs.equilibrium(rod(n, couple=(3, 0, 0), medium=own))
    assert still.strain("rod", 0.4)[3] == pytest.approx((3 - 2) / GJ, rel=1e-12)
    still = cs.equilibrium(rod(n, couple=(0, 0, 6), medium=own))
    assert still.strain("rod", 0.4)[5] == pytest.approx(1 + (6 - EI) / (EI - 4), rel=1e-12)
    assert still.energy["strain"] == pytest.approx(EI * 2**2 / 2 - 2, rel=1e-12)


@pytest.mark.filterwarnings("ignore:medium. potential is not smooth")
def test_a_bar_that_is_stiffer_in_tension_swings():
    """A mass on it: half a swing at either stiffness, and the energy kept while it passes the kink."""
    own = cs.Medium(KINETIC * 1e-6, QUADRATIC + 1.5 * EA * sp.Max(E1, 0) ** 2)
    model = cs.Model("bar")
    bar = model.add(cs.Beam("rod", points=[(0, 0, 0), (1, 0, 0)], elements=1, medium=own))
    mass = model.add(cs.RigidBody.sphere("mass", diameter=0.1, mass=3.0, com=(1, 0, 0), velocity=(0.1, 0, 0)))
    model.add(cs.Fixed("clamp", cs.GROUND, bar.start))
    model.add(cs.Fixed("end", bar.end, mass))
    period = np.pi * (np.sqrt(3 / EA) + np.sqrt(3 / (4 * EA)))
    run = cs.simulate(model, period, step=period / 1000, integrator="energy-momentum")
    assert run.status.ok
    assert np.ptp(run.energy.total.values) < 1e-12
    assert run.velocity("mass").values[-1] == pytest.approx([0.1, 0, 0], abs=1e-6)
    assert run.position("mass").values[-1] == pytest.approx([1, 0, 0], abs=1e-6)
    assert run.position("mass").values[:, 0].max() == pytest.approx(1 + 0.1 * np.sqrt(3 / (4 * EA)), abs=1e-8)
