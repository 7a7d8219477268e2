"""Tracking, criticals and bad input of `stability`, `stability_map` and `campbell`."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import brentq

import cosserat as cs
from cosserat.errors import CosseratError, ParameterError, SolveError


def column(elements: int = 8, strong: float = 1.0) -> cs.Model:
    model = cs.Model("column")
    P, unused = cs.Parameter("P", 3.0), cs.Parameter("unused", 1.0)
    section = cs.Section(stiffness=[1e5, 1e5, 1e5, 1, 1, strong], mass=[1, 1, 1, 2e-6, 1e-6, 1e-6])
    beam = model.add(cs.Beam("beam", points=[(0, 0, 0), (1, 0, 0)], section=section, elements=elements))
    model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
    model.add(cs.Force("tip", beam.end, (-P, 0, 0), follower=True))
    model.add(cs.Torque("nothing", beam.end, (0, 0, 0 * unused)))
    return model


def oscillators(mass: float = 1.0) -> cs.Model:
    """Two masses on springs that do not know of one another: their frequencies cross at k = 4."""
    model = cs.Model("oscillators")
    k = cs.Parameter("k", 1.0)
    for name, stiffness, y in (("a", k, 0.0), ("b", 4.0, 1.0)):
        body = model.add(cs.RigidBody(name, mass=mass, com=(0, y, 0), inertia=np.eye(3)))
        model.add(cs.Prismatic(f"slide_{name}", cs.GROUND, body, axis=(1, 0, 0), stiffness=stiffness))
    return model


def test_modes_are_followed_through_a_crossing():
    found = cs.stability(oscillators(), "k", np.linspace(1, 9, 6))
    rising = np.abs(found.eigenvalues.imag[:, 0])
    assert_allclose(rising, np.sqrt(found.values), rtol=1e-12)
    assert_allclose(np.abs(found.eigenvalues.imag[:, 2]), 2.0, rtol=1e-12)
    assert found.critical == []
    assert found.stable.all()
    assert "stable throughout" in repr(found)


def inverted() -> cs.Model:
    """A mass on a rod that stands upright on a spring: s^2 = w - k."""
    k, w = cs.Parameter("k", 1.0), cs.Parameter("w", 1.0)
    model = cs.Model("inverted", gravity=(0, 0, -w))
    body = model.add(cs.RigidBody("bob", mass=1, com=(0, 0, 1), inertia=1e-13 * np.eye(3)))
    model.add(cs.Revolute("foot", cs.GROUND, body.at((0, 0, 0)), axis=(0, 1, 0), stiffness=k))
    return model


def test_divergence_ends():
    found = cs.stability(inverted(), "k", np.linspace(0, 3, 5))
    (critical,) = found.critical
    assert (critical.kind, critical.loss, critical.modes) == ("divergence", False, 1)
    assert_allclose(critical.value, 1.0, rtol=1e-9)
    assert critical.frequency == 0.0
    assert str(critical).startswith("end of divergence at 1")
    assert_allclose(found.growth, [1, 0.5, 0, 0, 0], atol=1e-9)


def test_column_alike_in_both_planes():
    """Every eigenvalue is double; both planes flutter together."""
    found = cs.stability(column(), "P", np.linspace(0, 30, 16), n=4)
    (critical,) = found.critical
    assert (critical.kind, critical.modes) == ("flutter", 2)
    alone = cs.stability(column(strong=5.0), "P", np.linspace(0, 30, 16), n=4).critical[0]
    assert alone.modes == 1
    assert_allclose([critical.value, alone.value], 20.05, rtol=2e-3)  # eight elements


def test_parameters_are_put_back():
    model = column()
    cs.stability(model, "P", [0, 10], n=2)
    assert model.parameters["P"] == 3.0
    with pytest.raises(CosseratError):
        cs.stability(model, "P", [0, np.inf], n=2)
    assert model.parameters["P"] == 3.0


def test_parameters_of_the_model_itself():
    """A parameter that changes masses, not loads: frequencies fall with the root of the mass."""
    model = cs.Model("swing", gravity=(0, 0, -9.81))
    m = cs.Parameter("m", 1.0)
    body = model.add(cs.RigidBody("bob", mass=m, com=(0, 0, -1), inertia=0.5 * np.eye(3)))
    model.add(cs.Revolute("pivot", cs.GROUND, body.at((0, 0, 0)), axis=(0, 1, 0)))
    found = cs.stability(model, m, [1.0, 2.0, 5.0])
    expected = np.sqrt(found.values * 9.81 / (found.values + 0.5))
    assert_allclose(np.abs(found.eigenvalues.imag[:, 0]), expected, rtol=1e-9)


def test_equilibrium_is_found_anew():
    """A pendulum pushed aside by a dead force hangs at atan(P / m g): frequency^2 = sqrt(g^2 + P^2) for m = l = 1."""
    model = cs.Model("wind", gravity=(0, 0, -9.81))
    P = cs.Parameter("P", 0.0)
    bob = model.add(cs.RigidBody("bob", mass=1, com=(0, 0, -1), inertia=1e-12 * np.eye(3)))
    model.add(cs.Revolute("pivot", cs.GROUND, bob.at((0, 0, 0)), axis=(0, 1, 0)))
    model.add(cs.Force("wind", bob, (P, 0, 0)))
    found = cs.stability(model, "P", np.linspace(0, 20, 5))
    assert_allclose(np.abs(found.eigenvalues.imag[:, 0]), (9.81**2 + found.values**2) ** 0.25, rtol=1e-8)
    start = cs.equilibrium(model)
    again = cs.stability(model, "P", np.linspace(5, 20, 4), about=start)
    assert_allclose(again.eigenvalues[-1], found.eigenvalues[-1], rtol=1e-8)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1.0], "two numbers or more"),
        ([], "two numbers or more"),
        ("abc", "two numbers or more"),
        ([[0, 1], [2, 3]], "two numbers or more"),
        ([0, 1, np.nan], "value number 3 .* nan"),
        ([0, 2, 1], "after 2 comes 1"),
        ([0, 1, 1], "after 1 comes 1"),
        ([1, 1], "after 1 comes 1"),
    ],
)
def test_bad_values(values, message):
    with pytest.raises(SolveError, match=message):
        cs.stability(column(), "P", values)


def test_unknown_parameter():
    with pytest.raises(ParameterError, match=r"'Q'; parameters: 'P', 'unused'"):
        cs.stability(column(), "Q", [0, 1])


def test_parameter_without_effect():
    with pytest.raises(ParameterError, match="nothing changes when parameter 'unused' goes from 0 to 7"):
        cs.stability(column(), "unused", [0, 3, 7])
    with pytest.raises(ParameterError, match="nothing changes when parameter 'unused'"):
        cs.stability_map(column(), {"P": [0, 1], "unused": [0, 1]})


def test_no_equilibrium():
    """A pendulum driven by more torque than its weight can balance."""
    model = cs.Model("motor", gravity=(0, 0, -9.81))
    T = cs.Parameter("T", 0.0)
    bob = model.add(cs.RigidBody("bob", mass=1, com=(0, 0, -1), inertia=np.eye(3)))
    model.add(cs.Revolute("pivot", cs.GROUND, bob.at((0, 0, 0)), axis=(0, 1, 0)))
    model.add(cs.Torque("motor", bob, (0, T, 0)))
    with pytest.raises(SolveError, match=r"no equilibrium at T = 9\.8\d* .*continuation"):
        cs.stability(model, "T", [0, 4, 8, 12])
    assert model.parameters["T"] == 0.0


@pytest.mark.parametrize("values", [[0, 20], [0, 3, 6], [0, 10], np.linspace(0, 20, 11)])
@pytest.mark.parametrize("formulation", ["galilean", "floating"])
def test_snap_through_between_values(values, formulation):
    """Two springs in a flat arch snap through at 3.02 N; the arch that hangs down is no continuation."""
    model, P = cs.Model("arch"), cs.Parameter("P", 0.0)
    apex = model.add(cs.RigidBody("apex", mass=1, com=(0, 0, 0.2), inertia=np.eye(3)))
    model.add(cs.Prismatic("rail", cs.GROUND, apex, axis=(0, 0, 1)))
    for x in (-1, 1):
        model.add(cs.Spring(f"spring{x + 1}", cs.GROUND.at((x, 0, 0)), apex, stiffness=1000))
    model.add(cs.Force("load", apex, (0, 0, -P)))
    with pytest.raises(SolveError, match=r"no equilibrium at P = 3\.\d* .*continuation"):
        cs.stability(model, "P", values, formulation=formulation)


@pytest.mark.parametrize("values", [np.linspace(0, 4000, 13), np.linspace(0, 2824.6, 4), [0, 1600, 3200]])
def test_imperfect_column(values):
    """A column that a side load bends never buckles; its other branch, bent against that load, is another path."""
    model, P = cs.Model("mast"), cs.Parameter("P", 0.0)
    alloy = cs.Material(E=70e9, nu=0.33, rho=2700)
    mast = model.add(cs.Beam("mast", [(0, 0, 0), (0, 0, 3)], section=cs.Tube(0.05, 0.046), material=alloy))
    model.add(cs.Fixed("clamp", cs.GROUND, mast.start))
    model.add(cs.Force("load", mast.end, (0, 0, -P)))
    model.add(cs.Force("side", mast.at(0.5), (20, 0, 0)))
    try:
        answer = str(cs.stability(model, "P", values, n=3))
    except SolveError as error:
        answer = str(error)
    assert "stable throughout" in answer or "with cs.continuation" in answer


def test_bad_start():
    with pytest.raises(SolveError, match="about=3 is not understood"):
        cs.stability(column(), "P", [0, 1], about=3)
    turning = cs.equilibrium(column(), spin=(5, 0, 0))
    with pytest.raises(SolveError, match="about turns; pass its spin"):
        cs.stability(column(), "P", [0, 1], about=turning)


@pytest.mark.parametrize("n", [0, -1, 2.5, True, "x"])
def test_bad_number_of_modes(n):
    with pytest.raises(SolveError, match="how many modes"):
        cs.stability(column(), "P", [0, 1], n=n)


def test_two_parameters_at_once():
    with pytest.raises(SolveError, match="two parameters with two lists"):
        cs.stability(oscillators(), ("k",), ([0, 1],))
    with pytest.raises(SolveError, match="two parameters with their values"):
        cs.stability_map(oscillators(), {"k": [0, 1]})


def test_map_by_two_names():
    found = cs.stability(inverted(), ("k", "w"), (np.linspace(0, 2, 6), np.linspace(0.5, 1.5, 4)))
    assert isinstance(found, cs.StabilityMap)
    (curve,) = found.boundary
    assert_allclose(curve.points[:, 0], curve.points[:, 1], rtol=1e-9)
    assert set(curve.kinds) == {"divergence"}
    assert np.array_equal(found.stable, found.values[0][:, None] > found.values[1])
    assert found.plot().axes[0].get_ylabel() == "w"
    assert "% stable" in repr(found)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"axis": (0, 0, 0)}, "no direction"),
        ({"axis": 3}, "no direction"),
        ({"orders": (0,)}, "not a positive integer"),
        ({"center": (0, 0)}, "three finite numbers"),
    ],
)
def test_bad_campbell(options, message):
    with pytest.raises(SolveError, match=message):
        cs.campbell(column(), [0, 1], **options)


def test_campbell_across_gravity():
    model = column()
    model.gravity = (0, -9.81, 0)
    with pytest.raises(SolveError, match="not along the axis"):
        cs.campbell(model, [1, 2], n=2)


def test_results_can_be_drawn(tmp_path):
    found = cs.stability(column(), "P", np.linspace(0, 30, 7), n=3)
    figure = found.plot(path=tmp_path / "stability.png")
    assert [a.get_ylabel() for a in figure.axes] == ["frequency (Hz)", "imaginary part (rad/s)", "real part (1/s)"]
    assert (tmp_path / "stability.png").stat().st_size > 10_000
    assert found.data["frequency"].dims == ("P", "mode")
    speeds = cs.campbell(oscillators(), [0.0, 1.0, 2.5], n=2)
    assert speeds.plot(path=tmp_path / "campbell.png").axes[0].get_xlabel() == "spin (rad/s)"
    assert "critical speeds" in repr(speeds)


@pytest.mark.parametrize("formulation", [None, "floating"])
@pytest.mark.parametrize("values", [[10.0, 5.0, 0.0], [9.0, 0.05, 0.01]])
def test_values_far_apart_keep_to_one_equilibrium(values, formulation):
    """A bar on a spring that softens, k q = m g l / 2 cos q: Newton's method would leap over to another turn of it."""
    model, k = cs.Model("bar", gravity=(0, 0, -1)), cs.Parameter("k", 10.0)
    bar = model.add(cs.RigidBody.bar("bar", (0, 0, 0), (1, 0, 0), mass=1.0))
    model.add(cs.Revolute("hinge", cs.GROUND, bar.at((0, 0, 0)), axis=(0, 1, 0), stiffness=k))
    found = cs.stability(model, "k", values, n=1, formulation=formulation)
    q = np.array([brentq(lambda q, k=k: k * q - 0.5 * np.cos(q), 0.0, 3.0) for k in values])
    assert np.allclose(found.eigenvalues[:, 0].imag ** 2, 3.0 * (np.array(values) + 0.5 * np.sin(q)), rtol=1e-9)
