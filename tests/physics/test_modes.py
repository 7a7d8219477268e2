"""Modes of mechanisms with closed forms: pendulums, chains, loops, pre-stressed beams, damping, free motions."""

import numpy as np
import pytest

import cosserat as cs

TURN = 2 * np.pi


def omega(found):
    return TURN * found.frequencies


def chain(masses, springs, dampers=None):
    """Bodies on a line along x, each held to the one before; springs has one entry per body."""
    model = cs.Model("chain", gravity=(0, 0, 0))
    before = cs.GROUND
    for k, mass in enumerate(masses):
        body = model.add(cs.RigidBody(f"m{k}", mass=mass, com=(k + 1.0, 0, 0), inertia=[0.1, 0.1, 0.1]))
        damping = 0.0 if dampers is None else dampers[k]
        joint = cs.Prismatic(
            f"j{k}", before, body, axis=(1, 0, 0), at=(k + 1.0, 0, 0), stiffness=springs[k], damping=damping
        )
        model.add(joint)
        before = body
    return model


def chain_matrices(masses, springs):
    """Mass and stiffness in the absolute displacements."""
    K = np.zeros((len(masses), len(masses)))
    for k, c in enumerate(springs):
        K[k, k] += c
        if k:
            K[k - 1, k - 1] += c
            K[k, k - 1] -= c
            K[k - 1, k] -= c
    return np.diag(masses), K


def test_chain_of_masses_and_springs():
    n = 8
    found = cs.modes(chain([2.0] * n, [300.0] * n), n)
    expected = 2 * np.sqrt(300 / 2) * np.sin((2 * np.arange(1, n + 1) - 1) * np.pi / (2 * (2 * n + 1)))
    np.testing.assert_allclose(omega(found), expected, rtol=1e-11)
    shape = [found.shape(0, f"m{k}")[0] for k in range(n)]
    first = np.sin(np.arange(1, n + 1) * np.pi / (2 * n + 1))
    np.testing.assert_allclose(shape / np.linalg.norm(shape), first / np.linalg.norm(first), atol=1e-9)
    np.testing.assert_allclose(2.0 * np.sum(np.square(shape)), 1.0, rtol=1e-10)  # x^T M x


def test_fewer_modes_than_asked_for():
    found = cs.modes(chain([1.0, 1.0], [10.0, 10.0]), 50)
    assert len(found) == 2


def test_damped_chain_against_its_state_matrix():
    masses, springs, dampers = [1.0, 3.0, 0.5], [100.0, 50.0, 20.0], [0.3, 4.0, 0.1]
    found = cs.modes(chain(masses, springs, dampers), 3)
    (M, K), (_, D) = chain_matrices(masses, springs), chain_matrices(masses, dampers)
    A = np.block([[np.zeros((3, 3)), np.eye(3)], [-np.linalg.solve(M, K), -np.linalg.solve(M, D)]])
    values = np.linalg.eigvals(A)
    values = values[values.imag > 0]
    values = values[np.argsort(values.imag)]
    np.testing.assert_allclose(found.eigenvalues, values, rtol=1e-10)
    np.testing.assert_allclose(found.damping, -values.real / np.abs(values), rtol=1e-9)
    np.testing.assert_allclose(cs.modes(found.model, 3, damped=False).damping, 0)
    x = np.array([found.shape(1, f"m{k}")[0] for k in range(3)])
    s = found.eigenvalues[1]
    np.testing.assert_allclose((s**2 * M + s * D + K) @ x, 0, atol=1e-9 * np.abs(K).max())


@pytest.mark.parametrize("ratio", [0.01, 0.5, 0.999, 3.0])
def test_damped_oscillator(ratio):
    m, k = 2.0, 800.0
    w = np.sqrt(k / m)
    found = cs.modes(chain([m], [k], [2 * ratio * m * w]), 2)
    if ratio < 1:
        assert len(found) == 1
        np.testing.assert_allclose(found.damping, ratio, rtol=1e-9)
        np.testing.assert_allclose(omega(found), w * np.sqrt(1 - ratio**2), rtol=1e-8)
    else:
        np.testing.assert_allclose(found.frequencies, 0)
        np.testing.assert_allclose(found.damping, 1)
        expected = -w * (ratio + np.array([-1, 1]) * np.sqrt(ratio**2 - 1))
        np.testing.assert_allclose(found.eigenvalues, expected, rtol=1e-9)
        assert "overdamped" in found.summary()
    assert found.stable


def double_pendulum():
    model = cs.Model("double pendulum", gravity=(0, 0, -9.81))
    links = []
    for k in range(2):
        ends = (0, 0, -1.0 * k), (0, 0, -1.0 * k - 1)
        links.append(model.add(cs.RigidBody.bar(f"link{k}", start=ends[0], end=ends[1], mass=1.0)))
    model.add(cs.Revolute("top", cs.GROUND, links[0].at((0, 0, 0)), axis=(0, 1, 0)))
    model.add(cs.Revolute("middle", links[0].at((0, 0, -1)), links[1].at((0, 0, -1)), axis=(0, 1, 0)))
    return model


def test_double_pendulum():
    """M = ml^2 [[4/3, 1/2], [1/2, 1/3]], K = mgl [[3/2, 0], [0, 1/2]] in absolute angles."""
    found = cs.modes(double_pendulum(), 5)
    M, K = np.array([[4 / 3, 1 / 2], [1 / 2, 1 / 3]]), 9.81 * np.diag([1.5, 0.5])
    expected = np.sqrt(np.sort(np.linalg.eigvals(np.linalg.solve(M, K)).real))
    assert len(found) == 2
    np.testing.assert_allclose(omega(found), expected, rtol=1e-10)


def test_pendulum_standing_up_is_unstable():
    model = cs.Model("inverted", gravity=(0, 0, -9.81))
    body = model.add(cs.RigidBody("rod", mass=1.0, com=(0, 0, 0.5), inertia=[1 / 12, 1 / 12, 1e-3]))
    model.add(cs.Revolute("hinge", cs.GROUND, body, axis=(0, 1, 0), at=(0, 0, 0)))
    found = cs.modes(model, 3, about="reference")
    assert found.rigid == 0
    assert not found.stable
    assert found.frequencies.tolist() == [0.0]
    np.testing.assert_allclose(found.eigenvalues, [np.sqrt(1.5 * 9.81)], rtol=1e-10)
    assert found.damping.tolist() == [-1.0]
    assert "UNSTABLE: divergence" in found.summary()
    assert "UNSTABLE" in repr(found)
    model.add(cs.Force("jet", body, (0, 0, -3.0), follower=True))
    assert not np.signbit(cs.modes(model, 3, about="reference").frequencies).any()  # nobody wants to read -0


def parallelogram(stiffness):
    """Four revolutes about the same axis: three of the spatial constraints are redundant."""
    model = cs.Model("parallelogram", gravity=(0, 0, 0))
    a, c = (0, 0, 0), (2, 0, 0)
    b, d = (0, 1, 0), (2, 1, 0)
    left = model.add(cs.RigidBody.bar("left", start=a, end=b, mass=1.0))
    top = model.add(cs.RigidBody.bar("top", start=b, end=d, mass=3.0))
    right = model.add(cs.RigidBody.bar("right", start=c, end=d, mass=1.0))
    z = (0, 0, 1)
    model.add(cs.Revolute("A", cs.GROUND, left.at(a), axis=z, stiffness=stiffness))
    model.add(cs.Revolute("B", left.at(b), top.at(b), axis=z))
    model.add(cs.Revolute("C", cs.GROUND, right.at(c), axis=z))
    model.add(cs.Revolute("D", right.at(d), top.at(d), axis=z))
    return model


@pytest.mark.filterwarnings("ignore:.*redundant")
def test_closed_loop_with_redundant_constraints():
    """I phi" + k phi = 0 with I = 2 m l^2 / 3 + m_top l^2."""
    found = cs.modes(parallelogram(50.0), 4)
    assert len(found) == 1
    np.testing.assert_allclose(omega(found), np.sqrt(50.0 / (2 / 3 + 3)), rtol=1e-9)
    shares = found.components["strain"].sel(mode=0)
    assert float(shares.sel(component="A")) == pytest.approx(1)
    assert found.location(0) == "top"
    assert float(found.components["kinetic"].sel(mode=0, component="top")) == pytest.approx(3 / (3 + 2 / 3))


@pytest.mark.filterwarnings("ignore:.*redundant")
def test_mechanism_without_springs_has_a_free_motion():
    found = cs.modes(parallelogram(0.0), 4)
    assert found.rigid == 1
    assert found.eigenvalues.tolist() == [0.0]
    top, left = found.shape(0, "top"), found.rotation(0, "left")
    np.testing.assert_allclose(top, [-left[2], 0, 0], atol=1e-9)
    assert "free motion" in found.summary()


def beam_model(elements=40, ends="clamped", tension=0.0, gravity=(0, 0, 0)):
    """EI = m = L = 1 in the plane x, z; slender. Pinned: at the end the beam may slide along x."""
    model = cs.Model("beam", gravity=gravity)
    across = 1.3 if ends != "pinned" else 50.0
    section = cs.Section(stiffness=[1e6, 1e6, 1e6, 1e2, 1, across], mass=[1, 1, 1, 2e-6, 1e-6, 1e-6])
    beam = model.add(cs.Beam("beam", points=[(0, 0, 0), (1, 0, 0)], section=section, elements=elements))
    if ends == "clamped":
        model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
    elif ends == "pinned":
        carriage = model.add(cs.RigidBody("carriage", mass=1e-6, com=(1, 0, 0), inertia=[1e-9] * 3))
        model.add(cs.Revolute("left", cs.GROUND, beam.start, axis=(0, 1, 0)))
        model.add(cs.Prismatic("rail", cs.GROUND, carriage, axis=(1, 0, 0), at=(1, 0, 0)))
        model.add(cs.Revolute("right", carriage, beam.end, axis=(0, 1, 0), at=(1, 0, 0)))
    if tension:
        model.add(cs.Force("tension", beam.end, (tension, 0, 0)))
    return model


@pytest.mark.parametrize("tension", [-0.9, -0.5, 0.5, 5.0, 40.0])
def test_axial_load_shifts_squared_frequencies(tension):
    """Simply supported: omega_k^2 = (k pi)^4 (1 + N / (k pi)^2), N in units of EI / L^2."""
    N = tension * np.pi**2
    found = cs.modes(beam_model(ends="pinned", tension=N), 2)
    k = np.array([1, 2])
    expected = (k * np.pi) ** 2 * np.sqrt(1 + N / (k * np.pi) ** 2)
    np.testing.assert_allclose(omega(found), expected, rtol=5e-4)


def test_string():
    """A beam under a tension that dwarfs its bending stiffness vibrates as a string: f_k = k / 2 sqrt(N / m)."""
    N = 4e3
    found = cs.modes(beam_model(80, ends="pinned", tension=N), 6)
    in_plane = [i for i in range(6) if abs(found.shape(i, "beam.at(0.4)")[2]) > 0.1][:3]
    k = np.arange(1, 4)
    stretched = 1 + N / 1e6  # the string is longer and thinner under the tension
    expected = k / 2 * np.sqrt(N / stretched) * np.sqrt(1 + (k * np.pi) ** 2 / N)
    np.testing.assert_allclose(found.frequencies[in_plane], expected, rtol=1e-4)


def test_column_above_its_buckling_load():
    found = cs.modes(beam_model(ends="pinned", tension=-1.2 * np.pi**2), 2)
    assert found.unstable.tolist() == [True, False]
    np.testing.assert_allclose(found.eigenvalues[0], np.pi**2 * np.sqrt(0.2), rtol=2e-3)


def test_kelvin_voigt_damping_is_proportional():
    """D = tau K damps a mode with the ratio tau omega / 2."""

    def strip(tau):
        model = cs.Model("strip", gravity=(0, 0, 0))
        material = cs.Material(E=70e9, nu=0.3, rho=2700, damping=tau)
        section = cs.Rectangle(width=0.03, height=0.004)
        beam = model.add(
            cs.Beam("strip", points=[(0, 0, 0), (0.5, 0, 0)], section=section, material=material, elements=20)
        )
        model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
        return model

    tau = 1e-4
    damped, plain = cs.modes(strip(tau), 4), cs.modes(strip(0.0), 4)
    assert damped.damped
    assert not plain.damped
    w = omega(plain)
    np.testing.assert_allclose(np.abs(damped.eigenvalues), w, rtol=1e-7)
    np.testing.assert_allclose(damped.damping, tau * w / 2, rtol=1e-6)


def test_free_free_beam_keeps_six_motions():
    model = beam_model(60, ends="free")
    found = cs.modes(model, 6)
    assert found.rigid == 6
    assert found.frequencies[:6].tolist() == [0.0] * 6
    effective = found.participation["effective_mass"]
    np.testing.assert_allclose(effective[:6].sum("mode"), effective["total"], rtol=1e-6)
    np.testing.assert_allclose(effective[6:].values, 0, atol=1e-9)
    for i in range(6):
        rotation = found.rotation(i, "beam.start")
        np.testing.assert_allclose(found.rotation(i, "beam.end"), rotation, atol=1e-5)
        moved = found.shape(i, "beam.start") + np.cross(rotation, [1.0, 0, 0])
        np.testing.assert_allclose(found.shape(i, "beam.end"), moved, atol=1e-5)


def test_chain_of_many_free_links_with_beams():
    """Twelve hinged flexible links: more free motions than a block has vectors."""
    model = cs.Model("chain", gravity=(0, 0, 0))
    section = cs.Section(stiffness=[1e6, 1e6, 1e6, 10, 10, 10], mass=[1, 1, 1, 2e-4, 1e-4, 1e-4])
    before = cs.GROUND
    for k in range(12):
        link = model.add(cs.Beam(f"l{k}", points=[(k, 0, 0), (k + 1, 0, 0)], section=section, elements=4))
        model.add(cs.Revolute(f"j{k}", before, link.start, axis=(0, 0, 1), at=(k, 0, 0)))
        before = link.end
    found = cs.modes(model, 4)
    assert found.rigid == 12
    assert np.all(found.frequencies[12:] > 0.01)


@pytest.mark.parametrize("clamped", [True, False])
def test_large_groups_of_equal_frequencies(clamped):
    """Seven equal beams beside each other: every frequency seven times, or 42 free motions."""
    model = cs.Model("comb", gravity=(0, 0, 0))
    section = cs.Section(stiffness=[1e6, 1e6, 1e6, 10, 1, 2], mass=[1, 1, 1, 2e-6, 1e-6, 1e-6])
    for k in range(7):
        tooth = model.add(cs.Beam(f"tooth{k}", points=[(0, k, 0), (1, k, 0)], section=section, elements=8))
        if clamped:
            model.add(cs.Fixed(f"clamp{k}", cs.GROUND, tooth.start))
    found = cs.modes(model, 16)
    assert found.rigid == (0 if clamped else 42)
    single = cs.Model("one", gravity=(0, 0, 0))
    tooth = single.add(cs.Beam("tooth", points=[(0, 0, 0), (1, 0, 0)], section=section, elements=8))
    if clamped:
        single.add(cs.Fixed("clamp", cs.GROUND, tooth.start))
    one = cs.modes(single, 3)
    expected = np.repeat(one.frequencies[one.rigid :], 7)[:16]
    np.testing.assert_allclose(found.frequencies[found.rigid :], expected, rtol=1e-7)


def test_shapes_between_nodes_follow_the_beam():
    found = cs.modes(beam_model(40), 2)
    coarse = cs.modes(beam_model(8), 2)
    for s in (0.31, 0.5, 0.77):
        a, b = found.shape(0, f"beam.at({s})"), coarse.shape(0, f"beam.at({s})")
        np.testing.assert_allclose(np.abs(a), np.abs(b), atol=5e-3)


def test_effective_masses_of_a_cantilever():
    """61.3 %, 18.8 %, 6.47 % of the mass (Blevins)."""
    found = cs.modes(beam_model(40), 6)
    z = found.participation["effective_mass"].sel(direction="z").values
    np.testing.assert_allclose(np.sort(z)[::-1][:3], [0.61308, 0.18830, 0.06474], rtol=2e-3)


def test_sparse_and_dense_agree():
    """The same beam with as many modes as need dense algebra, and with few: the lowest are the same."""
    model = beam_model(30)
    few, many = cs.modes(model, 3), cs.modes(model, 60)
    assert len(many) == 60
    np.testing.assert_allclose(few.frequencies, many.frequencies[:3], rtol=1e-8)


def test_modes_are_orthogonal_and_balance(rng):
    model = beam_model(60)
    found = cs.modes(model, 8)
    from cosserat.solve.analyses.points import point_at
    from cosserat.solve.linear.matrices import matrices_at

    matrices = matrices_at(point_at(model))
    X, M, K = found.shapes, matrices.mass, matrices.stiffness
    np.testing.assert_allclose(X.T @ (M @ X), np.eye(8), atol=1e-8)
    np.testing.assert_allclose(X.T @ (K @ X), np.diag(omega(found) ** 2), atol=1e-6 * omega(found)[-1] ** 2)
    np.testing.assert_allclose(matrices.constraints @ X, 0, atol=1e-10)


def test_sagging_beam_about_its_equilibrium():
    """Gravity bends the beam: the reference is not in balance, and the equilibrium is found by itself."""
    model = beam_model(20, gravity=(0, 0, -3.0))
    found = cs.modes(model, 2)
    same = cs.modes(model, 2, about=cs.equilibrium(model))
    np.testing.assert_allclose(found.frequencies, same.frequencies, rtol=1e-7)
    assert not np.allclose(found.frequencies, cs.modes(beam_model(20), 2).frequencies, rtol=1e-3)


def test_modes_predict_a_simulation():
    """A plucked beam hanging under gravity rings at the first frequency found about its rest."""
    model = cs.Model("pendulum beam", gravity=(0, 0, -9.81))
    section = cs.Section(stiffness=[1e4, 1e4, 1e4, 10, 3, 3], mass=[1, 1, 1, 2e-3, 1e-3, 1e-3])
    beam = model.add(cs.Beam("beam", points=[(0, 0, 0), (0, 0, -1)], section=section, elements=6, up=(1, 0, 0)))
    model.add(cs.Revolute("hinge", cs.GROUND, beam.start, axis=(0, 1, 0)))
    model.add(cs.Force("pluck", beam.end, lambda t: (np.where(t > 0, 0.0, 1e-3), 0 * t, 0 * t)))
    period = 1 / cs.modes(model, 1, time=1.0).frequencies[0]
    run = cs.simulate(model, 12 * period, period / 100, start="equilibrium", rho=0.3)  # fast modes die out
    x = run.position(beam.end).values[:, 0]
    i = np.nonzero((x[:-1] < 0) & (x[1:] >= 0))[0]
    times = run.time[i] - x[i] * (run.time[i + 1] - run.time[i]) / (x[i + 1] - x[i])
    assert np.diff(times)[4:].mean() == pytest.approx(period, rel=1e-3)


def test_a_body_apart_from_the_structure_adds_six_free_motions() -> None:
    def frequencies(stone: bool) -> np.ndarray:
        model = cs.Model("flight")
        metal = cs.Material(E=2e10, nu=0.3, rho=2700.0)
        points = [(0, 0, 0), (2, 0, 0)]
        boom = model.add(cs.Beam("boom", points=points, section=cs.Rod(0.03), material=metal, elements=6))
        wheel = model.add(cs.RigidBody.cylinder("wheel", diameter=0.3, length=0.1, mass=1.0, com=(2, 0, 0)))
        model.add(cs.Revolute("axle", boom.end, wheel.at((2, 0, 0)), axis=(0, 0, 1)))
        if stone:
            model.add(cs.RigidBody.sphere("stone", diameter=0.1, mass=1.0, com=(0, 5, 0)))
        found = cs.modes(model, 4)
        assert found.rigid == (13 if stone else 7)
        return found.frequencies[found.rigid :]

    np.testing.assert_allclose(frequencies(True), frequencies(False), rtol=1e-9)


def test_modes_do_not_follow_later_changes_of_the_model():
    """Names of springs belong to the model that was solved, also where they are asked for later."""
    model = cs.Model("two springs")
    body = model.add(cs.RigidBody("body", mass=1.0, com=(0, 0, 0), inertia=np.eye(3)))
    model.add(cs.PlanarTranslation("plane", cs.GROUND, body, normal=(0, 0, 1)))
    for name, end in (("soft", (1, 0, 0)), ("stiff", (0, 1, 0))):
        model.add(cs.Spring(name, cs.GROUND.at(end), body, stiffness=1.0 if name == "soft" else 4.0))
    found = cs.modes(model, 2)
    model.remove("soft")
    model.add(cs.Spring("other", cs.GROUND.at((0, 0, 1)), body, stiffness=2.0))
    model.add(cs.RigidBody("more", mass=1.0, com=(1, 1, 1), inertia=np.eye(3)))
    shares = found.components["strain"]
    assert float(shares.sel(mode=0, component="soft")) == pytest.approx(1.0)
    assert float(shares.sel(mode=1, component="stiff")) == pytest.approx(1.0)
    with pytest.raises(cs.CosseratError, match="more"):
        found.shape(0, "more")
