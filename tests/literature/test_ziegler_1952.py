"""Ziegler's double pendulum under a follower force, and the two-bar rocket of [Lerbet17] exercise 12.

P in units of k / l. Masses (2, 1): (7/2 - sqrt 2); (1, 1): 2; two uniform bars: (18 - 2 sqrt 7) / 5 with the frequency
1.5059172746 sqrt(k / (m l^2)). Equal dampers, however small, lower these to 41/28 and 74/45. det K = k^2, so there is
no divergence.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import cosserat as cs

SQRT7 = np.sqrt(7.0)
UNDAMPED = {
    (2.0, 1.0, "points"): 3.5 - np.sqrt(2.0),
    (1.0, 1.0, "points"): 2.0,
    (1.0, 1.0, "bars"): (18.0 - 2.0 * SQRT7) / 5.0,
}
DAMPED = {(2.0, 1.0, "points"): 41.0 / 28.0, (1.0, 1.0, "bars"): 74.0 / 45.0}


def pendulum(first: float, second: float, kind: str, damping: float = 0.0, offset: float = 0.0) -> cs.Model:
    """Two links of length 1 with springs 1, masses at their ends or bars; P pushes along the second."""
    model = cs.Model("Ziegler")
    P, c = cs.Parameter("P", 0.0), cs.Parameter("c", damping)
    parent = cs.GROUND
    for i, mass in enumerate((first, second)):
        start, end = (float(i), 0, 0), (i + 1.0, 0, 0)
        if kind == "bars":
            body = cs.RigidBody(
                f"link{i}", mass=mass, com=(i + 0.5, 0, 0), inertia=np.diag([1e-6, mass / 12, mass / 12])
            )
        else:
            body = cs.RigidBody(f"link{i}", mass=mass, com=end, inertia=1e-14 * np.eye(3))
        model.add(body)
        place = parent if i == 0 else parent.at(start)
        model.add(
            cs.Revolute(
                f"hinge{i}",
                place,
                body.at(start),
                axis=(0, 0, 1),
                stiffness=1.0,
                damping=c,
            )
        )
        parent = body
    model.add(cs.Force("thrust", parent.at((2, 0, 0)), (-P, 0, 0), follower=True))
    if offset:
        model.add(cs.Torque("kick", parent, lambda t: (0, 0, offset * np.exp(-(((t - 0.5) / 0.15) ** 2)))))
    return model


@pytest.mark.parametrize("case", UNDAMPED)
@pytest.mark.parametrize("values", [np.linspace(0, 3.5, 8), np.linspace(0.1, 3.0, 30), np.linspace(3.5, 0, 12)])
def test_flutter_load(case, values):
    found = cs.stability(pendulum(*case), "P", values)
    (critical,) = found.critical
    assert critical.kind == "flutter"
    assert critical.loss == (values[0] < values[-1])
    assert_allclose(critical.value, UNDAMPED[case], rtol=1e-8)


def test_frequency_of_the_rocket():
    critical = cs.stability(pendulum(1, 1, "bars"), "P", np.linspace(0, 4, 17)).critical[0]
    assert_allclose(critical.value, (18 - 2 * SQRT7) / 5, rtol=1e-9)
    assert_allclose(2 * np.pi * critical.frequency, 1.5059172746, rtol=1e-8)
    assert critical.eigenvalue == pytest.approx(1.5059172746j, rel=1e-8)


@pytest.mark.parametrize("case", UNDAMPED)
def test_no_divergence(case):
    """However large the force: det K = k^2, so no real eigenvalue goes through zero."""
    found = cs.stability(pendulum(*case), "P", np.linspace(-20, 20, 81))
    assert all(c.kind == "flutter" for c in found.critical)
    # s^2 of all modes: their product is det K / det M, which the load does not change
    products = np.prod(found.eigenvalues, axis=1)
    assert_allclose(products, products[0], rtol=1e-9)


@pytest.mark.parametrize("case", DAMPED)
def test_small_damping_destabilises(case):
    """Critical loads for c = 0.02 and 0.01 are even in c: extrapolated to no damping they miss the undamped one."""
    model = pendulum(*case, damping=0.02)
    values = np.linspace(0, 3, 13)
    critical = []
    for c in (0.02, 0.01):
        model.set(c=c)
        critical.append(cs.stability(model, "P", values).critical[0])
    assert [c.kind for c in critical] == ["flutter", "flutter"]
    limit = (4.0 * critical[1].value - critical[0].value) / 3.0
    assert_allclose(limit, DAMPED[case], rtol=1e-8)
    assert limit < 0.75 * UNDAMPED[case]


def test_map_of_load_and_damping():
    """The boundary P(c) = 41/28 + c^2/2 for c > 0, and its jump at c = 0."""
    found = cs.stability_map(
        pendulum(2, 1, "points"), {"P": np.linspace(0.5, 2.5, 9), "c": np.array([0.0, 0.1, 0.25, 0.5])}, n=2
    )
    points = np.concatenate([curve.points for curve in found.boundary])
    above = points[points[:, 1] > 1e-6]
    assert len(above) >= 3
    assert_allclose(above[:, 0], 41 / 28 + above[:, 1] ** 2 / 2, rtol=1e-8)
    assert np.min(np.abs(points - [3.5 - np.sqrt(2), 0.0]).max(axis=1)) < 1e-8
    assert found.stable[0].all()
    assert not found.stable[-1].any()
    assert set(found.kind[-1]) == {"flutter"}


@pytest.mark.parametrize("factor", [1.01, 0.99])
def test_simulation_agrees(factor):
    """A small kick grows above the flutter load as the eigenvalue says, and does not below it."""
    load = factor * (18 - 2 * SQRT7) / 5
    model = pendulum(1, 1, "bars", offset=1e-7)
    model.set(P=load)
    run = cs.simulate(model, duration=60.0, step=0.01, rho=0.98)
    assert run.status.ok
    angle, time = run.coordinate("hinge1").values, run.time
    early = np.max(np.abs(angle[(time > 2) & (time < 12)]))
    late = np.max(np.abs(angle[time > 50]))
    found = cs.stability(model, "P", [load, 1.0001 * load]).eigenvalues[0]
    fastest = found[np.argmax(found.real)]
    if factor < 1:
        assert fastest.real < 1e-9
        assert late < 3 * early
        return
    assert late > 50 * early
    assert late < 1e-2  # still small
    # after the first seconds the growing mode alone is left: fit exp(s t) through three equidistant samples
    gap = int(round(1.5 / 0.01))
    first = len(time) - 1 - 12 * gap
    samples = angle[first::gap]
    matrix = np.column_stack((samples[1:-1], samples[:-2]))
    p, q = np.linalg.lstsq(matrix, samples[2:], rcond=None)[0]
    s = np.log(np.roots([1, -p, -q]).astype(complex)) / 1.5
    s = s[np.argmax(s.imag)]
    assert_allclose(s.real, fastest.real, rtol=1e-2)
    assert_allclose(s.imag, abs(fastest.imag), rtol=1e-3)
