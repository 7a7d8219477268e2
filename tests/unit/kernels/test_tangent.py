"""The assembled iteration matrix against central differences of the equations of motion on the manifold."""

import numpy as np
import pytest

import cosserat as cs
from cosserat.model.joints import Friction

ANY_AXIS = (0.48, -0.6, 0.64)
INERTIA = np.array([[2.0, 0.1, -0.2], [0.1, 3.0, 0.3], [-0.2, 0.3, 4.0]])
ROD = cs.Section(
    stiffness=[50.0, 30.0, 20.0, 6.0, 4.0, 5.0], mass=[1.0, 1.0, 1.0, 0.3, 0.1, 0.2]
)  # soft, so that differences are accurate


def scalars(n, first=1.0):
    return tuple(first + 0.5 * i for i in range(n))


def joint(kind, parent, child):
    """A joint of a kind with everything that a freedom can carry."""
    cls = getattr(cs, kind)
    n = len(cls.freedoms)
    options = {}
    if kind in ("Revolute", "Prismatic", "Screw", "Cylindrical"):
        options["axis"] = ANY_AXIS
    if kind in ("Planar", "PlanarTranslation"):
        options["normal"] = ANY_AXIS
    if kind == "Universal":
        options["axes"] = (ANY_AXIS, (0.8, 0.0, -0.6))
    if kind == "Screw":
        options["pitch"] = 0.3
    if n:
        rotations = 3 if cls.isotropic else 0
        k = scalars(n - rotations) + (2.0,) * rotations
        options["stiffness"] = k
        options["damping"] = tuple(0.5 * v for v in k)
        options["friction"] = tuple(Friction(0.7, speed=0.8) for _ in range(n))
        options["effort"] = scalars(n, 0.3)
    return cls("joint", parent, child, **options)


KINDS = [
    "Fixed", "Revolute", "Prismatic", "Screw", "Cylindrical", "Planar", "PlanarTranslation", "Spherical", "Universal",
    "Free",
]  # fmt: skip


def pair_of_bodies(kind):
    model = cs.Model(kind, gravity=(1.0, -2.0, -3.0))
    a = model.add(cs.RigidBody("a", mass=1.5, com=(0.2, 0.1, 0.0), inertia=INERTIA))
    b = model.add(cs.RigidBody("b", mass=2.5, com=(1.0, -0.3, 0.4), inertia=INERTIA[::-1, ::-1]))
    model.add(joint(kind, a.at((0.5, 0.2, 0.3)), b.at((0.5, 0.2, 0.3))))
    return model


def beam_under_loads():
    """Everything that is not a joint: beam, gravity, spring, damper, loads dead, follower and distributed."""
    model = cs.Model("beam and loads", gravity=(0.5, -1.0, -2.0))
    arc = lambda s: (np.sin(s), 1 - np.cos(s), 0.3 * s)  # noqa: E731
    beam = model.add(cs.Beam("rod", curve=arc, section=ROD, elements=2))
    hub = model.add(cs.RigidBody("hub", mass=1.5, com=(1.5, 0.1, 0.0), inertia=INERTIA))
    ground, corner = cs.GROUND.at((0.3, -1.0, 0.5)), hub.at((1.2, 0.5, 0.1))
    model.add(cs.Spring("spring", ground, corner, stiffness=3.0, length=0.4, damping=0.7))
    model.add(cs.Damper("damper", hub.at((1.7, 0.0, 0.2)), beam.end, damping=0.9))
    routed = [ground, corner, beam.end, hub.at((1.7, 0.0, 0.2)), beam.at(0.5), beam.start]  # some of them twice
    elastic = {"stiffness": 1.5, "rest_length": 2.0, "damping": 0.4}
    model.add(cs.Tendon("tendon", routed, **elastic, tension=0.8, offset=(0.1, 0.2, 0)))
    model.add(cs.Tendon("taut", routed[:4], stiffness=1.0, damping=0.1, tension=0.5, rest_length=0.1, slack=True))
    model.add(cs.Force("dead force", hub.at((1.6, 0.2, 0.2)), (1.0, 2.0, -1.0)))
    model.add(cs.Torque("dead torque", beam.end, (0.3, -0.4, 0.5)))
    model.add(cs.Wrench("follower", beam.at(0.5), (1.0, -0.5, 0.3, 0.2, 0.1, -0.6), follower=True))
    model.add(cs.DistributedLoad("torque", beam, moment=(0.3, -0.2, 0.4)))
    model.add(cs.DistributedLoad("suction", beam, force=("0.2*s", 0.3, "1 - s"), moment=("s", 0, 0), follower=True))
    model.add(cs.DistributedLoad("wind", beam, force=(0.2, 0.5, -0.4)))
    model.add(cs.DistributedLoad("pressure", beam, force=(0.0, 0.6, 0.1), moment=(0.1, 0.0, 0.2), follower=True))
    return model


def curved_law(t, frame, twist, parameters):
    """Depends on everything, smoothly."""
    wrench = np.zeros(6)
    for i in range(3):
        wrench[i] = -parameters["c"] * twist[i] * np.sqrt(1.0 + twist[3] ** 2) + 0.3 * frame[i, 0] * frame[1, 3]
        wrench[3 + i] = np.sin(frame[i, 3]) - parameters["k"] * twist[3 + i] ** 3 + 0.2 * t
    return wrench


def mutual_law(t, frame, twist, other_frame, other_twist, parameters):
    wrench = np.zeros(6)
    gap = other_frame[:3, 3] - frame[:3, 3]
    for i in range(3):
        for j in range(3):
            wrench[i] += parameters["k"] * frame[j, i] * gap[j] * np.sqrt(1.0 + gap[0] ** 2)
        wrench[3 + i] = 0.4 * (other_twist[3 + i] - twist[3 + i]) * (1.0 + other_twist[0] ** 2)
    return wrench


def state_loads():
    """Laws of users at a body and a beam, between two bodies, to the ground."""
    model = cs.Model("laws", gravity=(0.5, -1.0, -2.0))
    beam = model.add(cs.Beam("rod", points=[(0, 0, 0), (1, 0, 0)], section=ROD, elements=2))
    hub = model.add(cs.RigidBody("hub", mass=1.5, com=(1.5, 0.1, 0.0), inertia=INERTIA))
    given = {"c": 0.7, "k": cs.Parameter("k", 0.3)}
    model.add(cs.StateLoad("at a point", hub.at((1.2, 0.5, 0.1)), curved_law, given))
    model.add(cs.StateLoad("on the beam", beam.at(0.5), curved_law, {"c": 0.2, "k": 0.1}))
    model.add(cs.StateLoad("between", hub.at((1.7, 0.0, 0.2)), mutual_law, {"k": 0.8}, other=beam.end))
    model.add(cs.StateLoad("to the ground", beam.end, mutual_law, {"k": 0.5}, other=cs.GROUND.at((0, 1, 0))))
    return model


def damped_beam():
    model = cs.Model("Kelvin-Voigt")
    soft = cs.Material(E=1000.0, nu=0.3, rho=10.0, damping=0.3)
    shape, line = cs.Rectangle(0.3, 0.4), [(0, 0, 0), (1, 0, 0)]
    model.add(cs.Beam("rod", points=line, section=shape, material=soft, elements=2, velocity=(1, 0, 0)))
    return model


def blades():
    """Sections with very different stiffnesses; one element turns too far for its second-order energy."""
    model = cs.Model("blades", gravity=(0.5, -1.0, -2.0))
    blade = cs.Section(stiffness=[50.0, 30.0, 20.0, 6.0, 4.0, 20.0], mass=[1.0, 1.0, 1.0, 0.3, 0.1, 0.2])
    arc = lambda s: (np.sin(s), 1 - np.cos(s), 0.3 * s)  # noqa: E731
    model.add(cs.Beam("curved", curve=arc, section=blade, elements=3))
    model.add(cs.Beam("straight", points=[(0, 1, 0), (0, 2, 0)], section=blade, elements=3))
    return model


def medium_of_a_user():
    """A potential that couples all strains, is not a polynomial, and has a prestress."""
    pytest.importorskip("sympy")
    model = cs.Model("medium", gravity=(0.5, -1.0, -2.0))
    kinetic = "(v1**2 + v2**2 + v3**2)/2 + 0.15*w1**2 + 0.05*w2**2 + 0.1*w3**2 + 0.1*(v2*w3 - v3*w2)"
    potential = (
        "25*(e1 - 0.1)**2 + 15*e2**2 + 10*e3**2 + 3*k1**2 + 2*k2**2 + 2.5*k3**2 + 4*e1*k3 + 6*sin(e2)*k1*e1"
        " + a*cosh(k2 + e1/2) + 3*(k1**2 + k2**2 + k3**2)**2 - 5*e3**3 + log(1 + k3**2*e1**2)"
    )
    arc = lambda s: (np.sin(s), 1 - np.cos(s), 0.3 * s)  # noqa: E731
    model.add(cs.Beam("rod", curve=arc, medium=cs.Medium(kinetic, potential, {"a": 2.0}, damping=0.05), elements=2))
    line = [(0, 1, 0), (0, 2, 0)]
    model.add(cs.Beam("other", points=line, medium=cs.Medium(kinetic, f"{potential} - 3*e1", {"a": 1.0}), elements=1))
    return model


MODELS = {kind: (lambda kind=kind: pair_of_bodies(kind)) for kind in KINDS}
MODELS |= {"beam under loads": beam_under_loads, "damped beam": damped_beam, "blades": blades}
MODELS["state loads"] = state_loads
MODELS["medium"] = medium_of_a_user


@pytest.fixture(params=MODELS)
def lab(request, laboratory, rng):
    lab = laboratory(MODELS[request.param]())
    lab.scramble(rng, angle=0.15 if request.param == "blades" else 0.5)
    return lab


def compare(found, expected):
    np.testing.assert_allclose(found, expected, atol=1e-6 * np.abs(expected).max(initial=1.0))


def test_mass(lab):
    r_a, phi_a = lab.differences("rate")
    n = 6 * lab.n
    compare(lab.matrix(1.0, 0.0, 0.0)[:n, :n], r_a)
    assert not phi_a.any()


def test_damping_and_gyroscopic_terms(lab):
    r_v, phi_v = lab.differences("twist")
    n = 6 * lab.n
    compare((lab.matrix(0.0, 1.0, 1.0) - lab.matrix(0.0, 0.0, 1.0))[:n, :n], r_v)
    assert not phi_v.any()


def test_stiffness_and_constraint_gradients(lab):
    lab.trial.rate[:] = 0.0
    lab.trial.twist[: lab.n] *= 0.5
    inertia_free = lab.differences("frame")
    n = 6 * lab.n
    S = lab.matrix(0.0, 0.0, 1.0)
    compare(S[:n, :n], inertia_free[0])
    rows = np.arange(6)[None] < lab.compiled.system.joints.n_rows[:, None]
    keep = rows.ravel()
    compare(S[n:, :n][keep], 3.0 * inertia_free[1][keep])
    compare(S[:n, n:][:, keep], 3.0 * inertia_free[1][keep].T)
    diagonal = np.diag(S)[n:]
    np.testing.assert_allclose(diagonal, np.where(keep, -3e-3, -3.0))


def test_joints_hold_where_they_were_put(lab):
    _, phi = lab.equations()
    np.testing.assert_allclose(phi, 0.0, atol=1e-14)
