"""Laws of users that join any number of places: closed forms, tendons, the law between two places, errors."""

import pickle

import numpy as np
import pytest

import cosserat as cs

K, A0 = 20.0, 0.4
METHODS = [
    ("galilean", "generalized-alpha", 2), ("galilean", "energy-momentum", 2), ("floating", "generalized-alpha", 2),
    ("floating", "runge-kutta", 4),
]  # fmt: skip
MASSES = np.array([1.0, 2.0, 3.0])


def area(t, frames, twists, p):
    """E = k/2 (A - A0)^2 of the triangle: forces -k (A - A0) dA/dx, dA/dx = n x (edge opposite to the corner)/2."""
    n = np.cross(frames[1, :3, 3] - frames[0, :3, 3], frames[2, :3, 3] - frames[0, :3, 3])
    twice = np.sqrt(n[0] ** 2 + n[1] ** 2 + n[2] ** 2)
    out = np.zeros((3, 6))
    for i in range(3):
        edge = frames[(i + 2) % 3, :3, 3] - frames[(i + 1) % 3, :3, 3]
        F = -0.5 * p["k"] * (0.5 * twice - p["A0"]) * np.cross(n / twice, edge)
        for j in range(3):
            out[i, j] = frames[i, 0, j] * F[0] + frames[i, 1, j] * F[1] + frames[i, 2, j] * F[2]
    return out


def triangle(law=area, **options):
    model = cs.Model("triangle")
    points = [(0, 0, 0), (1, 0, 0), (0.2, 0.9, 0.1)]
    speeds = [(0.1, 0.2, 0.3), (-0.2, 0.1, 0.5), (0.3, -0.4, 0.2)]
    corners = [
        model.add(cs.RigidBody(f"b{i}", mass=MASSES[i], com=points[i], inertia=(0.1, 0.2, 0.3), velocity=speeds[i],
                               angular_velocity=(1, 2, i)))
        for i in range(3)
    ]  # fmt: skip
    model.add(cs.StateLoad("skin", corners[0], law, {"k": K, "A0": A0}, other=corners[1:], **options))
    return model


@pytest.mark.parametrize(("formulation", "integrator", "order"), METHODS)
def test_a_law_of_the_area_of_a_triangle(formulation, integrator, order):
    """Energy and momentum are kept with the order of the method; momentum by energy-momentum steps to rounding."""
    drifts, slips, ends, unbalanced = [], [], [], []
    for step in (0.02, 0.01, 0.005):
        run = cs.simulate(triangle(), 1.0, step, formulation=formulation, integrator=integrator)
        assert run.status.ok
        x = np.array([run.position(f"b{i}").values for i in range(3)])
        size = 0.5 * np.linalg.norm(np.cross(x[1] - x[0], x[2] - x[0]), axis=1)
        energy = run.energy.kinetic.values + 0.5 * K * (size - A0) ** 2
        momentum = run.momentum.values
        drifts.append(np.ptp(energy))
        slips.append(np.abs(momentum - momentum[0]).max())
        unbalanced.append(np.abs(run.energy.balance).max())
        ends.append(x[:, -1])
    assert np.abs(run.energy.work).max() > 0.1
    assert np.log2(drifts[0] / drifts[1]) == pytest.approx(order, abs=0.2)
    assert np.log2(np.abs(ends[0] - ends[1]).max() / np.abs(ends[1] - ends[2]).max()) == pytest.approx(order, abs=0.2)
    assert drifts[-1] < 1e-4
    assert unbalanced[-1] < 1e-4
    if integrator == "energy-momentum":
        assert max(slips) < 1e-11
    else:
        assert np.log2(slips[0] / slips[1]) == pytest.approx(order, abs=0.2)


def cable(t, frames, twists, p):
    """A tendon of stiffness k, damping c and rest length, through the origins of all places."""
    n = len(frames)
    way, ahead = np.zeros((n, 3)), np.zeros((n, 3))
    length, rate = 0.0, 0.0
    for i in range(n):
        for j in range(3):
            for k in range(3):
                ahead[i, j] += frames[i, j, k] * twists[i, k]
    for i in range(n - 1):
        way[i] = frames[i + 1, :3, 3] - frames[i, :3, 3]
        long = np.sqrt(np.sum(way[i] ** 2))
        way[i] /= long
        length += long
        rate += np.sum(way[i] * (ahead[i + 1] - ahead[i]))
    pull = p["k"] * (length - p["rest"]) + p["c"] * rate
    out = np.zeros((n, 6))
    for i in range(n):
        F = pull * way[i]
        if i > 0:
            F -= pull * way[i - 1]
        for j in range(3):
            out[i, j] = frames[i, 0, j] * F[0] + frames[i, 1, j] * F[1] + frames[i, 2, j] * F[2]
    return out


def laced(own, stiffness=60.0):
    """A flexible arm with a body on a ball joint, and a cable from the ground through both, one place twice."""
    model = cs.Model("laced", gravity=(0, 0, -9.81))
    section = cs.Section(stiffness=[1e5, 1e5, 1e5, 200.0, 200.0, 300.0], mass=[1.0, 1.0, 1.0, 1e-3, 1e-3, 1e-3])
    arm = model.add(cs.Beam("arm", points=[(0, 0, 0), (1, 0, 0)], section=section, elements=4))
    tool = model.add(cs.RigidBody("tool", mass=0.5, com=(1.1, 0, 0), inertia=0.01 * np.eye(3)))
    model.add(cs.Revolute("hinge", cs.GROUND, arm.start, axis=(0, 1, 0), stiffness=100.0, damping=1.0))
    model.add(cs.Universal("wrist", arm.end, tool, at=(1, 0, 0), axes=((0, 1, 0), (0, 0, 1)), stiffness=5.0))
    through = [tool.at((1.2, 0, 0.1)), arm.at(0.5), cs.GROUND.at((0, 0.3, 1)), arm.at(0.5), tool.at((1.1, 0.1, 0))]
    k = cs.Parameter("k", stiffness)
    if own:
        model.add(cs.StateLoad("cable", through[0], cable, {"k": k, "c": 2.0, "rest": 3.0}, other=through[1:]))
    else:
        model.add(cs.Tendon("cable", through, stiffness=k, rest_length=3.0, damping=2.0))
    return model


@pytest.mark.parametrize("formulation", ["galilean", cs.Floating(modes=4)], ids=["galilean", "floating"])
def test_a_law_of_a_length_is_a_tendon(formulation):
    """Equilibrium, modes, linear model and motion, also through the ground and twice through a place."""
    mine, tendon = laced(True), laced(False)
    places = [np.asarray(cs.equilibrium(m, formulation=formulation).position("tool")) for m in (mine, tendon)]
    np.testing.assert_allclose(places[0], places[1], atol=1e-9)
    sounds = [cs.modes(m, 6, formulation=formulation).frequencies for m in (mine, tendon)]
    np.testing.assert_allclose(sounds[0], sounds[1], rtol=1e-7)
    linear = [cs.linearize(m, ["tool.fz"], ["tool.z"], formulation=formulation) for m in (mine, tendon)]
    poles = [np.linalg.eigvals(model.A) for model in linear]
    for pole in poles[0]:
        assert np.min(np.abs(poles[1] - pole)) < 1e-6 * abs(pole)
    how = {} if formulation == "galilean" else {"formulation": "floating", "modes": 4}
    runs = [cs.simulate(m, 0.2, 2e-3, **how) for m in (mine, tendon)]
    a, b = (run.position("tool").values for run in runs)
    assert np.abs(b - b[0]).max() > 0.01
    assert np.abs(a - b).max() < 1e-7
    both = [run.energy for run in runs]
    gained = both[1].strain.values - both[1].strain.values[0] + both[1].dissipated.values
    mine_gained = both[0].strain.values - both[0].strain.values[0] + both[0].dissipated.values - both[0].work.values
    # the work of a law is a quadrature over stored steps, the energy of a tendon is known
    np.testing.assert_allclose(mine_gained, gained, atol=2e-3 * np.abs(gained).max())


def test_it_is_a_tendon_on_paths_in_stability_and_in_gradients():
    mine, tendon = laced(True), laced(False)
    ends = [np.asarray(cs.continuation(m, "k", 60.0, 120.0).position("tool"))[-1] for m in (mine, tendon)]
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-7)
    found = [cs.stability(m, "k", [60.0, 120.0], n=4).eigenvalues for m in (mine, tendon)]
    np.testing.assert_allclose(found[0], found[1], rtol=1e-6)
    for form in ({}, {"formulation": "floating", "modes": 4}):
        slopes = [
            cs.gradient(m, lambda end: end.position("tool")[-1, 2], "k", 0.05, 5e-3, **form).parameters["k"]
            for m in (mine, tendon)
        ]
        assert slopes[0] == pytest.approx(slopes[1], rel=1e-6)


def repel(t, frame, twist, other_frame, other_twist, p):
    """Magnets and a damper between two places, which also twist each other."""
    gap, rate = np.zeros(3), -twist[:3].copy()
    for i in range(3):
        for j in range(3):
            gap[i] += frame[j, i] * (other_frame[j, 3] - frame[j, 3])
            for k in range(3):
                rate[i] += frame[j, i] * other_frame[j, k] * other_twist[k]
    distance = np.sqrt(np.sum(gap**2))
    wrench = np.zeros(6)
    wrench[:3] = -p["q"] * gap / distance**3 + 0.1 * rate
    wrench[3] = 0.2 * gap[1] - 0.1 * twist[3]
    return wrench


def both(t, frames, twists, p):
    """The same, with its opposite: w_b = -Ad(H_ab)^T w."""
    out = np.zeros((2, 6))
    out[0] = repel(t, frames[0], twists[0], frames[1], twists[1], p)
    R = np.dot(np.ascontiguousarray(frames[1, :3, :3].T), np.ascontiguousarray(frames[0, :3, :3]))
    F, M = np.dot(R, out[0, :3]), np.dot(R, out[0, 3:])
    x = np.dot(np.ascontiguousarray(frames[1, :3, :3].T), frames[1, :3, 3] - frames[0, :3, 3])
    out[1, :3], out[1, 3:] = -F, -(M - np.cross(x, F))
    return out


def magnets(law, other, **options):
    model = cs.Model("magnets")
    a = model.add(cs.RigidBody("a", mass=1.0, com=(0, 0, 0), inertia=np.eye(3), angular_velocity=(0.3, 1.0, 0.2)))
    b = model.add(cs.RigidBody("b", mass=2.0, com=(1, 0, 0), inertia=np.eye(3), velocity=(-0.2, 0.5, 0.1)))
    there = b.at((0.8, 0, 0.1))
    model.add(cs.StateLoad("force", a.at((0.2, 0.1, 0)), law, {"q": 0.4}, other=other(there), **options))
    return model


def slopes(t, frames, twists, p):
    """Derivatives of `both` by differences, as the user's own."""
    J, h = np.zeros((12, 24)), 1e-6
    for place in range(2):
        for k in range(12):
            for side in (-1.0, 1.0):
                H, v = frames.copy(), twists.copy()
                if k < 3:
                    H[place, :3, 3] += side * h * frames[place, :3, k]
                elif k < 6:
                    i, j = (k + 1) % 3, (k + 2) % 3
                    c, s = np.cos(h), side * np.sin(h)
                    H[place, :3, i] = c * frames[place, :3, i] + s * frames[place, :3, j]
                    H[place, :3, j] = c * frames[place, :3, j] - s * frames[place, :3, i]
                else:
                    v[place, k - 6] += side * h
                J[:, 12 * place + k] += side / (2 * h) * both(t, H, v, p).ravel()
    return J


def half_slopes(t, frame, twist, other_frame, other_twist, p):
    """Those of `repel`."""
    frames, twists = np.empty((2, 4, 4)), np.empty((2, 6))
    frames[0], frames[1], twists[0], twists[1] = frame, other_frame, twist, other_twist
    return slopes(t, frames, twists, p)[:6]


@pytest.mark.parametrize("formulation", ["galilean", "floating"])
def test_two_places_in_a_list_are_a_place_and_its_other(formulation):
    """Also with derivatives of the user's own, of either form: linear models are the same to 1e-7."""
    given = [
        magnets(repel, lambda b: b),
        magnets(both, lambda b: [b]),
        magnets(both, lambda b: (b,), derivative=slopes),
        magnets(repel, lambda b: b, derivative=half_slopes),
    ]
    runs = [cs.simulate(m, 1.0, 0.01, formulation=formulation) for m in given]
    places = [run.position("a").values for run in runs]
    poles = [
        np.sort_complex(np.linalg.eigvals(cs.linearize(m, ["a.fx"], ["a.x"], about=run, formulation=formulation).A))
        for m, run in zip(given, runs, strict=True)
    ]
    transfer = [
        cs.linearize(m, ["a.fx"], ["b.y"], about=run, formulation=formulation).transfer(0.7j)[0, 0]
        for m, run in zip(given, runs, strict=True)
    ]
    assert len(poles[0]) == 24
    for other, value in zip(places[1:], transfer[1:], strict=True):
        assert np.abs(other - places[0]).max() < 1e-9
        assert abs(value / transfer[0] - 1) < 1e-7


def lagging(t, frames, twists, p):
    """A cable between three places that pulls with a lag: pull' = (k (L - rest) - pull)/tau."""
    out = np.zeros(19)
    wrenches = cable(t, frames, twists, p)
    reach = 0.0
    for i in range(2):
        reach += np.sqrt(np.sum((frames[i + 1, :3, 3] - frames[i, :3, 3]) ** 2))
    out[:18] = wrenches.ravel() * p["pull"] / (p["k"] * (reach - p["rest"]))
    out[18] = (p["k"] * (reach - p["rest"]) - p["pull"]) / p["tau"]
    return out


@pytest.mark.parametrize("formulation", ["galilean", "floating"])
def test_it_may_own_states(formulation):
    """A mass that a lagging cable pulls towards two walls: m x'' = -2 pull (1 - cos^2) x/L about the middle."""
    model = cs.Model("lag")
    mass = model.add(cs.RigidBody("mass", mass=2.0, com=(0, 0, 0), inertia=np.eye(3)))
    model.add(cs.Prismatic("rail", cs.GROUND, mass, axis=(1, 0, 0), stiffness=30.0))
    walls = [cs.GROUND.at((x, 0.6, 0)) for x in (-0.8, 0.8)]
    numbers = {"k": 50.0, "c": 0.0, "rest": 1.0, "tau": 0.2}
    law = cs.StateLoad("cable", mass, swapped, numbers, other=walls, states={"pull": 50.0})
    model.add(law)
    linear = cs.linearize(model, ["rail"], ["rail"], formulation=formulation)
    # length 2 L, L = 1, does not change to first order about the middle: stiffness 2 pull (1/L)(1 - cos^2)
    stiffness = 30.0 + 2 * 50.0 * (1 - 0.8**2)
    poles = np.linalg.eigvals(linear.A)
    assert np.min(np.abs(poles - 1j * np.sqrt(stiffness / 2.0))) < 1e-6
    assert np.min(np.abs(poles + 1 / 0.2)) < 1e-6
    run = cs.simulate(model, 0.5, 0.01, formulation=formulation)
    assert run.status.ok
    assert float(run.law_states[-1, 0]) == pytest.approx(50.0, rel=1e-9)


def swapped(t, frames, twists, p):
    """`lagging` with the first place in the middle of the cable."""
    order = np.array([1, 0, 2])
    H, v = np.empty((3, 4, 4)), np.empty((3, 6))
    for i in range(3):
        H[i], v[i] = frames[order[i]], twists[order[i]]
    found, out = lagging(t, H, v, p), np.zeros(19)
    for i in range(3):
        out[6 * order[i] : 6 * order[i] + 6] = found[6 * i : 6 * i + 6]
    out[18] = found[18]
    return out


def turned_over(t, frames, twists, p):
    return np.zeros((6, 3))


def flat(t, frames, twists, p):
    return np.zeros(18)


def rows(t, frames, twists, p):
    return (0.0, 0.0, 0.0)


def one_sided(t, frames, twists, p):
    out = area(t, frames, twists, p)
    out[2] *= 0.5
    return out


def of_two(t, frame, twist, other_frame, other_twist, p):
    return np.zeros(6)


@pytest.mark.parametrize(
    ("law", "told"),
    [
        (turned_over, "the law must return an array (3, 6), force and moment on each of its places"),
        (flat, "the law must return an array (3, 6)"),
        (rows, "the law must return an array (3, 6)"),
        (one_sided, "the wrenches of its law do not cancel: together they are"),
        (of_two, "law must be a function of (t, frames, twists, parameters)"),
    ],
)
def test_laws_that_cannot_be_are_located(law, told):
    with pytest.raises(cs.CosseratError) as error:
        cs.simulate(triangle(law), 0.1, 0.01)
    assert str(error.value).startswith("load 'skin'")
    assert told in str(error.value)


def test_what_acts_from_outside_need_not_balance():
    assert cs.simulate(triangle(one_sided, balanced=False), 0.1, 0.01).status.ok


def test_a_list_without_places_and_formulas_for_several():
    with pytest.raises(cs.CosseratError, match="load 'skin': other is an empty list"):
        cs.StateLoad("skin", "a", area, other=[])
    with pytest.raises(cs.CosseratError, match="load 'skin': formulas take no other="):
        cs.StateLoad("skin", "a", {"fx": "-x"}, other=["b", "c"])


@pytest.mark.parametrize("formulation", ["galilean", "floating"])
def test_a_law_that_fails_is_named(formulation):
    def torn(t, frames, twists, p):
        return area(t, frames, twists, p) * (np.nan if t > 0.047 else 1.0)

    run = cs.simulate(triangle(torn), 0.1, 0.01, formulation=formulation)
    assert run.status.outcome is cs.Outcome.NOT_FINITE
    assert "the law of load 'skin'" in run.status.message


def test_models_and_runs_are_copied_and_kept(tmp_path):
    model = triangle()
    assert pickle.loads(pickle.dumps(model))["skin"].places == model["skin"].places
    assert "law, also at b1, b2" in str(model.summary())
    run = cs.simulate(pickle.loads(pickle.dumps(model)), 0.1, 0.01)
    run.save(tmp_path / "run.nc")
    np.testing.assert_array_equal(cs.load_run(tmp_path / "run.nc").energy.work, run.energy.work)
    with pytest.raises(cs.CosseratError, match="skin"):
        cs.save_model(model, tmp_path / "model.yaml")
