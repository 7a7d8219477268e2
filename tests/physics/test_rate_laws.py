"""Laws that see the rate of the twist: added mass, against closed forms and against the fluids of the library."""

import numpy as np
import pytest

import cosserat as cs

DENSITY, DIAMETER, MASS, G = 1000.0, 0.2, 6.0, 9.81
DISPLACED = DENSITY * np.pi * DIAMETER**3 / 6
METHODS = [
    ("galilean", "generalized-alpha"), ("galilean", "energy-momentum"), ("floating", "generalized-alpha"),
    ("floating", "runge-kutta"),
]  # fmt: skip


def water(t, frame, twist, rate, parameters):
    """Buoyancy and added mass of a sphere, whose acceleration in its own axes is rate + w x v."""
    wrench = np.zeros(6)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        acceleration = rate[i] + twist[3 + j] * twist[k] - twist[3 + k] * twist[j]
        wrench[i] = 9.81 * parameters["m"] * frame[2, i] - 0.5 * parameters["m"] * acceleration
    return wrench


def sphere(own, stiffness=0.0, spin=(1.0, 2.0, 3.0), law=water, mass=DISPLACED):
    """A sphere in water: by a law of the user's own, or by the library's."""
    fluid = None if own else cs.Fluid(density=DENSITY)
    model = cs.Model("sphere", gravity=(0, 0, -G), fluid=fluid)
    moving = {} if spin is None else {"velocity": (0.3, 0, 0), "angular_velocity": spin}
    ball = model.add(cs.RigidBody.sphere("ball", diameter=DIAMETER, mass=MASS, **moving))
    if own:
        model.add(cs.StateLoad("water", ball, law, {"m": mass}))
    else:
        model.add(cs.Buoyancy("lift", ball))
        model.add(cs.AddedMass.sphere("carried", ball, diameter=DIAMETER))
    if stiffness:
        model.add(cs.Spring("spring", cs.GROUND.at((0, 0, 1)), ball, stiffness=stiffness))
    return model


@pytest.mark.parametrize(("formulation", "integrator"), METHODS)
def test_a_sphere_sinks_as_it_should(formulation, integrator):
    """a = (m_d - m) g/(m + m_d/2), however it spins; the error of steps is of second order or better."""
    exact = (DISPLACED - MASS) * G / (MASS + DISPLACED / 2)
    errors = []
    for step in (0.02, 0.01):
        run = cs.simulate(sphere(True), 0.5, step, formulation=formulation, integrator=integrator)
        assert run.status.ok
        assert run.acceleration("ball").values[-1] == pytest.approx([0, 0, exact], abs=1e-8)
        errors.append(np.abs(run.position("ball").values[-1] - [0.15, 0, 0.5 * exact * 0.25]).max())
    assert errors[1] < 1e-4
    assert errors[0] / errors[1] > 3.7


@pytest.mark.parametrize(("formulation", "integrator"), METHODS)
def test_it_moves_as_in_the_fluids_of_the_library(formulation, integrator):
    # the conserving scheme keeps the momentum of a fluid, but takes a law halfway through the step
    exact, off = integrator != "energy-momentum", []
    for step in (0.005, 0.0025):
        runs = [
            cs.simulate(sphere(own, 200.0), 0.5, step, formulation=formulation, integrator=integrator)
            for own in (True, False)
        ]
        one, two = (run.position("ball").values for run in runs)
        off.append(np.abs(one - two).max())
    assert off[1] < (1e-9 if exact else 5e-6)
    assert exact or off[0] / off[1] > 3.9
    kinetic = [run.monitors.energies()["kinetic"] for run in runs]
    assert kinetic[0] == pytest.approx(kinetic[1], rel=1e-8 if exact else 1e-3)


@pytest.mark.parametrize("formulation", ["galilean", "floating"])
def test_an_oscillating_sphere(formulation):
    """omega^2 = k/(m + m_d/2) along a spring: modes, linear model and stability know the inertia of the law."""
    k = 500.0
    omega = np.sqrt(k / (MASS + DISPLACED / 2))
    model = sphere(True, k)
    found = cs.modes(model, 6, formulation=formulation)
    assert 2 * np.pi * found.frequencies[-1] == pytest.approx(omega, rel=1e-9)
    linear = cs.linearize(model, ["ball.fz"], ["ball.z"], formulation=formulation)
    assert np.min(np.abs(np.linalg.eigvals(linear.A) - 1j * omega)) < 1e-7
    assert linear.transfer(2.0j)[0, 0] == pytest.approx(1 / (k - (MASS + DISPLACED / 2) * 4.0), rel=1e-7)
    m = cs.Parameter("m", DISPLACED)
    railed = sphere(True, mass=m, spin=None)
    railed.add(cs.Prismatic("rail", cs.GROUND, "ball", axis=(0, 0, 1), stiffness=k))
    swept = cs.stability(railed, m, [0.5 * DISPLACED, DISPLACED], n=2, formulation=formulation)
    for value, some in zip((0.5 * DISPLACED, DISPLACED), swept.eigenvalues, strict=True):
        assert np.min(np.abs(some - 1j * np.sqrt(k / (MASS + value / 2)))) < 1e-6


def test_a_body_with_six_different_inertias():
    """Kirchhoff's equations by a law: the same as the added mass of an ellipsoid."""
    fluid = cs.Fluid(density=DENSITY)
    axes = (0.3, 0.2, 0.1)

    def ellipsoid(own):
        model = cs.Model("ellipsoid", fluid=None if own else fluid)
        moving = {"velocity": (0.5, 0.2, -0.1), "angular_velocity": (2, -1, 1)}
        body = model.add(cs.RigidBody("body", mass=30.0, com=(0, 0, 0), inertia=(0.2, 0.3, 0.4), **moving))
        if own:
            numbers = {f"a{i}": float(value) for i, value in enumerate(np.diag(carried))}
            model.add(cs.StateLoad("water", body, kirchhoff, numbers))
        else:
            model.add(cs.AddedMass.ellipsoid("water", body, semi_axes=axes))
        return model

    carried = ellipsoid(False)["water"].matrix
    for formulation in ("galilean", "floating"):
        one, two = (cs.simulate(ellipsoid(own), 1.0, 0.005, formulation=formulation) for own in (True, False))
        assert np.abs(one.position("body").values - two.position("body").values).max() < 1e-9


def kirchhoff(t, frame, twist, rate, p):
    """-A rate - (w x P, w x Q + v x P) with (P, Q) = A v, A diagonal."""
    a = np.array([p["a0"], p["a1"], p["a2"], p["a3"], p["a4"], p["a5"]])
    out, momentum = -a * rate, a * twist
    v, w = twist[:3], twist[3:]
    out[:3] -= np.cross(w, momentum[:3])
    out[3:] -= np.cross(w, momentum[3:]) + np.cross(v, momentum[:3])
    return out


def test_a_law_may_own_states_too():
    """A lag beside the inertia: z'' (m + a) = -lag, lag' = (k z - lag)/tau."""

    def lagging(t, frame, twist, rate, p):
        return np.array([0.0, 0.0, -p["a"] * rate[2] - p["lag"], 0.0, 0.0, 0.0, (80.0 * frame[2, 3] - p["lag"]) / 0.1])

    model = cs.Model("lag")
    ball = model.add(cs.RigidBody("ball", mass=1.0, com=(0, 0, 0), inertia=np.eye(3), velocity=(0, 0, 1)))
    model.add(cs.Prismatic("rail", cs.GROUND, ball, axis=(0, 0, 1)))
    model.add(cs.StateLoad("lag", ball, lagging, {"a": 0.5}, states={"lag": 0.0}))
    for formulation in ("galilean", "floating"):
        linear = cs.linearize(model, ["rail"], ["rail"], formulation=formulation)
        wanted = np.roots([1.5 * 0.1, 1.5, 0.0, 80.0])
        found = np.linalg.eigvals(linear.A)
        assert all(np.min(np.abs(found - root)) < 1e-6 for root in wanted)


REFUSED = {
    "not affine": (lambda t, frame, twist, rate, p: -np.abs(rate), "is not affine in the rate"),
    "changing": (lambda t, frame, twist, rate, p: -(1 + twist[0] ** 2) * rate, "has an inertia that changes"),
    "negative elsewhere": (lambda t, frame, twist, rate, p: -(0.1 + frame[0, 3]) * rate, "negative eigenvalues"),
    "of time": (lambda t, frame, twist, rate, p: -(1 + t) * rate, "has an inertia that changes"),
    "negative": (lambda t, frame, twist, rate, p: 1.0 * rate, "without negative eigenvalues"),
    "one-sided": (lambda t, frame, twist, rate, p: np.array([rate[1], 0, 0, 0, 0, 0.0]), "symmetric matrix"),
    "failing": (lambda t, frame, twist, rate, p: np.zeros(6) + p["missing"], "fails where its inertia is asked for"),
}


@pytest.mark.parametrize("law, message", REFUSED.values(), ids=list(REFUSED))
def test_other_laws_are_refused(law, message):
    model = cs.Model("refused")
    ball = model.add(cs.RigidBody.sphere("ball", diameter=0.1, mass=1.0))
    model.add(cs.StateLoad("law", ball, law, {"c": 1.0}))
    with pytest.raises(cs.CosseratError, match=f"load 'law': .*{message}"):
        cs.simulate(model, 0.1, 0.01)


def test_a_rate_is_of_one_place_and_takes_no_derivative():
    body = cs.RigidBody.sphere("ball", diameter=0.1, mass=1.0)
    with pytest.raises(cs.CosseratError, match="derivative is not taken where the law sees the rate"):
        cs.StateLoad("law", body, water, {"m": 1.0}, derivative=lambda t, frame, twist, p: np.zeros((6, 12)))
    with pytest.raises(cs.CosseratError, match="other_twist, parameters"):
        cs.StateLoad("law", body, water, {"m": 1.0}, other=cs.GROUND.at((0, 0, 1)))
