"""The derived equations of the Reissner beam, tested weakly on the element's own fields, against the element.

The element interpolates the strain between its nodes, f = f0 + B v(e, y) + C y, with the strains B and C of linear
statics and a measure v that is quadratic in the relative vector e and the inner turn y. On this strain, the weak form
of the derived beam is the element's forces and stiffness in any deformation. The field of frames is the helix between
the nodes with the inner displacement of linear statics, H_A exp(xi d) exp(eta(xi)); its exact strain is f through
second order. So with that, forces agree through second order in the deformation (what is added to the stretch, see
`compile.elements`, is taken away here), wherever a uniform strain is in balance they are exact, and the virtual work
of any smooth deformation converges with the second order of the element's length. Matter is on the line of
`compile.matter`: inertia and weight agree in any deformation.
"""

import numpy as np
import pytest
from scipy.linalg import expm

import cosserat as cs
from cosserat.compile import elements, mesh
from cosserat.compile.build import compile_model
from cosserat.compile.compiled import frame_to_row, row_to_frame
from cosserat.compile.mesh import beam_matrices
from cosserat.kernels.integrate import load_stages
from cosserat.kernels.residual import add_inertia, forces
from cosserat.kernels.tangent import assemble
from cosserat.lie import se3, so3
from cosserat.solve.memory import new_memory

sp = pytest.importorskip("sympy")
from cosserat.symbolic import SE3, PoincareChetayev, media, product  # noqa: E402

A = np.array([[np.sin(3.0 * i + 7.0 * j * j) for j in range(6)] for i in range(6)])
SIZE = np.sqrt([60.0, 30.0, 20.0, 1.0, 2.0, 5.0])
COUPLED = SIZE[:, None] * (np.eye(6) + 0.08 * (A + A.T)) * SIZE
LENGTH = 0.7
Z, W = np.polynomial.legendre.leggauss(14)
XI, WEIGHT = 0.5 * (1 + Z), 0.5 * W


class Element:
    """A free beam of one element (or more), straight or curved, and its equations."""

    def __init__(
        self, curved=False, stiffness=COUPLED, mass=(1, 1, 1, 0.03, 0.01, 0.02), gravity=(0, 0, -1), elements_=1,
        rise=0.2,
    ):  # fmt: skip
        section = cs.Section(stiffness=stiffness, mass=mass)
        stiffness_matrix = stiffness if np.ndim(stiffness) == 2 else np.diag(stiffness)
        rise = rise if elements_ == 1 else 0.0  # many elements: the same reference in all
        arc = lambda s: (0.5 * np.sin(1.4 * s), 0.5 * (1 - np.cos(1.4 * s)), rise * s)  # noqa: E731
        line = {"curve": arc} if curved else {"points": [(0, 0, 0), (LENGTH, 0, 0)]}
        model = cs.Model("element", gravity=gravity)
        beam = model.add(cs.Beam("beam", section=section, elements=elements_, **line))
        self.compiled = compile_model(model)
        self.memory = new_memory(self.compiled, self.compiled.sampler.sample(np.zeros(1)))
        self.memory.problem.solver.settings[0] = 1.0
        load_stages(self.memory)
        self.trial = self.memory.problem.trial
        self.d0 = self.compiled.system.elements.d0[0]
        self.length = np.linalg.norm(self.d0[:3])
        self.matrices = beam_matrices(beam, self.compiled.beams["beam"])[0]
        self.gravity = np.array(gravity, dtype=float)
        turn = elements.across(self.d0[None])[0]  # sections stand across the helix
        self.section = turn @ stiffness_matrix @ turn.T
        self.inputs = self.memory.problem.inputs

    def forces(self):
        """Internal forces and, subtracted, the weight on both nodes, (12,), in their frames."""
        forces(self.memory.address, 0)
        return self.trial.residual[:2].ravel().copy()

    def strained(self, d):
        """Nodal forces at a relative vector d, without weight, as the slope of the strain energy, (6,)."""
        self.inputs.gravity[:] = 0.0
        self.trial.frame[1] = frame_to_row(row_to_frame(self.trial.frame[0]) @ se3.exp(d))
        return se3.tangent(d).T @ self.forces()[6:]

    def stiffness(self):
        """Derivatives (6, 6) of nodal forces by motions of nodes, by pair of nodes, after `forces`."""
        solver = self.memory.problem.solver
        solver.tangent[...], solver.coefficients[:] = np.eye(6), (0, 0, 1, 1, 0)
        solver.blocks[:] = 0.0
        assemble(self.memory.address, 0, self.trial.frame, self.trial.twist)
        return {tuple(pair): solver.blocks[k] for k, pair in enumerate(self.compiled.blocks)}

    def derived(self):
        """The Reissner beam of its sections, by the workbench; strains are those beyond the reference's."""
        rest = sp.Matrix(self.d0 / self.length)
        K = sp.Matrix(self.section)
        if np.allclose(self.d0, [self.length, 0, 0, 0, 0, 0], atol=1e-14):
            return media.reissner_beam(stiffness=K), {f"{n}{i}": 0.0 for n in "nm" for i in (1, 2, 3)}
        M = media.beam_matrices()[0]
        return PoincareChetayev(SE3, lambda v, f: media.form(M, v) - media.form(K, f - rest), ("t", "X")), {}


INERTIA = {"rhoA": 1.0, "rhoIp": 0.03, "rhoI2": 0.01, "rhoI3": 0.02}


def statics(element):
    """Displacements (6, 6), strains and their rates per e, at x in [0, 1], of linear statics between held nodes."""
    ad, S, L = se3.bracket(element.d0), np.linalg.inv(element.section), element.length

    def gathered(x):
        nodes, weights = 0.5 * x * (1 + Z), 0.5 * x * W
        return sum(w * L * expm(s * ad) @ S @ expm(s * ad).T for s, w in zip(nodes, weights))

    first = np.linalg.solve(gathered(1.0), expm(ad) @ se3.tangent(element.d0))  # stress at the start, per e

    def at(x):
        stress = expm(x * ad).T @ first
        move = expm(-x * ad) @ gathered(x) @ first
        return move, S @ stress, S @ ad.T @ stress / L

    return at


@pytest.mark.parametrize("curved", [False, True])
def test_linear_statics_solves_the_derived_equations(curved):
    """The element's field satisfies them at every point, and the ends carry the forces of its stiffness."""
    element = Element(curved)
    problem, loads = element.derived()
    residual = problem.residual({**INERTIA, **loads})
    rest, at, L = element.d0 / element.length, statics(element), element.length
    for e in np.eye(6):
        for x in (0.0, 0.3, 1.0):
            _, strain, slope = (part @ e for part in at(x))
            both = [residual(eta={"X": rest + s * strain}, rate={("X", "X"): s * slope}) for s in (1.0, -1.0)]
            assert np.abs(both[0] - both[1]).max() < 1e-10 * np.abs(element.section @ strain / L).max()
    element.inputs.gravity[:] = 0.0
    forces(element.memory.address, 0)
    block = element.stiffness()
    stress = [element.section @ at(x)[1] for x in (0.0, 1.0)]
    step = se3.tangent(element.d0)
    for node, wanted in ((0, -stress[0]), (1, stress[1])):
        np.testing.assert_allclose(block[node, 1] @ step, wanted, atol=1e-10 * np.abs(stress).max())


def weak(element, d, residual, at):
    """What the derived equations do over variations of d, (6,): inside the element, and at its ends."""
    e, L = d - element.d0, element.length
    inner = lambda x: at(x)[0] - x * se3.tangent(x * element.d0)  # noqa: E731
    points = 0.5 * (1 - np.cos(np.pi * np.arange(21) / 20))  # for derivatives along the beam
    shapes = [inner(x) for x in points]
    D = _differentiation(points)
    slopes = np.einsum("ij,jab->iab", D, shapes)
    strain = []
    for N, dN in zip(shapes, slopes):
        eta = N @ e
        strain.append((se3.adjoint(se3.exp(-eta)) @ d + se3.tangent(eta) @ dN @ e) / L)
    strain = np.array(strain)
    rate = D @ strain / L

    def moved(x, N):
        eta = N @ e
        return se3.adjoint(se3.exp(-eta)) @ (x * se3.tangent(x * d)) + se3.tangent(eta) @ N

    inside = [
        moved(x, N).T @ residual(eta={"X": f}, rate={("X", "X"): df})
        for x, N, f, df in zip(points, shapes, strain, rate)
    ]
    rest = element.d0 / L
    ends = moved(1.0, shapes[-1]).T @ element.section @ (strain[-1] - rest)
    return ends + L * _quadrature(points) @ np.array(inside)


def _differentiation(x):
    c = np.array([np.prod(x[i] - np.delete(x, i)) for i in range(len(x))])
    D = np.array([[0.0 if i == j else c[i] / c[j] / (x[i] - x[j]) for j in range(len(x))] for i in range(len(x))])
    return D - np.diag(D.sum(axis=1))


def _quadrature(x):
    powers = np.vander(2 * x - 1, len(x), increasing=True)
    moments = [(1 - (-1) ** (k + 1)) / (2 * (k + 1)) for k in range(len(x))]
    return np.linalg.solve(powers.T, moments)


def test_forces_are_the_weak_form_through_second_order(monkeypatch, rng):
    """Of straight elements: curved ones leave out the second order of their bowing, see `compile.elements`."""
    monkeypatch.setattr(elements, "_STRETCH", 0.0)
    monkeypatch.setattr(mesh, "_known_matrices", mesh._known_matrices.__wrapped__)  # not those of the other constant
    element = Element(False)
    problem, loads = element.derived()
    residual, at = problem.residual({**INERTIA, **loads}), statics(element)
    for _ in range(2):
        e = rng.uniform(-1, 1, 6) * [0.1, 0.1, 0.1, 0.5, 0.5, 0.5]
        found = {
            t: np.array([element.strained(element.d0 + t * e), weak(element, element.d0 + t * e, residual, at)])
            for t in (0.16, 0.08, 0.04, -0.16, -0.08, -0.04)
        }
        odd, even = (
            _limit([(found[t] + sign * found[-t]) / 2 / t**k for t in (0.16, 0.08, 0.04)])
            for sign, k in ((-1, 1), (1, 2))
        )
        np.testing.assert_allclose(odd[0], odd[1], atol=1e-10 * np.abs(odd).max())
        np.testing.assert_allclose(even[0], even[1], atol=1e-8 * np.abs(even).max())
        gap = [np.abs(found[t][0] - found[t][1]).max() for t in (0.16, 0.08)]
        assert gap[1] < gap[0] / 6  # the rest is of third order


def _limit(values):
    """Limit for t -> 0 of a series in t^2, from values at t, t/2, t/4."""
    a, b, c = values
    first = (4 * b - a) / 3, (4 * c - b) / 3
    return (16 * first[1] - first[0]) / 15


def inner_turn(element):
    """Strains (6, 3) at x in [0, 1] per inner turn y: the least work of a uniform moment between held nodes."""
    ad, S, L = se3.bracket(element.d0), np.linalg.inv(element.section), element.length

    def carried(x):
        return sum(0.5 * x * w * expm(0.5 * x * (1 - z) * ad).T[:, 3:] for z, w in zip(Z, W, strict=True))

    at = [(w, expm(x * ad), carried(x)) for x, w in zip(XI, WEIGHT, strict=True)]
    flexibility = sum(w * L * E @ S @ E.T for w, E, _ in at)
    mixed = sum(w * L * E @ S @ P for w, E, P in at)
    F = sum(w * L * P.T @ S @ P for w, _, P in at) - mixed.T @ np.linalg.solve(flexibility, mixed)
    held = np.linalg.solve(flexibility, mixed)
    return lambda x: S @ (carried(x) - expm(x * ad).T @ held) @ np.linalg.inv(F)


class Interpolation:
    """The strain of an element between its nodes, f(x) = f0 + B(x) v + C(x) y with v = e + e Q e/2 - (0, e_w x y).

    B are the strains of linear statics, C those of the inner turn y; only Q is taken from the engine.
    """

    def __init__(self, element):
        problem, _ = element.derived()
        eta = problem.eta["X"]
        self.stress = sp.lambdify([list(eta)], list(-problem.momenta["X"]))  # as derived: dU/df
        self.Q = element.compiled.system.elements.second[0].reshape(6, 6, 6)  # [k, i, j]
        at, turn = statics(element), inner_turn(element)
        self.points = [(w * element.length, at(x)[1], turn(x)) for x, w in zip(XI, WEIGHT, strict=True)]
        self.rest = element.d0 / element.length

    def weak(self, e, y):
        """Work of the derived stress over variations of e and y, (9,)."""
        Qe = np.einsum("kij,k->ij", self.Q, e)
        v, dv = e + 0.5 * Qe @ e, np.eye(6) + Qe
        v[3:] = v[3:] - np.cross(e[3:], y)
        spin = np.array([np.cross(y, unit) for unit in np.eye(3)]).T  # - (de_w x y)
        dv = dv + np.block([[np.zeros((3, 6))], [np.zeros((3, 3)), spin]])
        turned = -np.vstack((np.zeros((3, 3)), np.array([np.cross(e[3:], unit) for unit in np.eye(3)]).T))
        work = 0.0
        for w, B, C in self.points:
            stress = w * np.array(self.stress(self.rest + B @ v + C @ y))
            work = work + np.concatenate((dv.T @ B.T @ stress, (B @ turned + C).T @ stress))
        return work

    def balanced(self, e):
        """The inner turn without work, of which the weak form is a linear function."""
        start = self.weak(e, np.zeros(3))[6:]
        return -np.linalg.solve(np.column_stack([self.weak(e, unit)[6:] - start for unit in np.eye(3)]), start)


@pytest.mark.parametrize("curved", [False, True])
def test_forces_and_stiffness_are_the_weak_form_of_the_interpolated_strain(curved, rng):
    """The derived beam on the strain that the element interpolates, in any deformation; sections are coupled."""
    element = Element(curved)
    field = Interpolation(element)
    for size in (0.1, 0.7, 1.5):
        turn, slip = (x / np.linalg.norm(x) for x in rng.normal(size=(2, 3)))
        e = size * np.concatenate((0.2 * element.length * slip, turn))
        y = field.balanced(e)
        wanted, d = field.weak(e, y)[:6], element.d0 + e
        np.testing.assert_allclose(element.strained(d), wanted, atol=1e-10 * np.abs(wanted).max())
        steps = 1e-30j * np.eye(9)  # polynomials: exact derivatives
        H = np.column_stack([field.weak(e + s[:6], y + s[6:]).imag / 1e-30 for s in steps])
        H = H[:6, :6] - H[:6, 6:] @ np.linalg.solve(H[6:, 6:], H[6:, :6])
        T, force = se3.tangent(d), element.forces()[6:]
        found = T.T @ element.stiffness()[1, 1] @ T
        found += np.column_stack([se3.tangent_derivative(d, unit).T @ force for unit in np.eye(6)])
        np.testing.assert_allclose(found, H, atol=1e-10 * np.abs(H).max())


UNIFORM = {  # strain beyond the reference's, and the section's stiffness: in balance without loads
    "stretch and twist": ((0.4, 0, 0, 3.0, 0, 0), (60, 30, 20, 1, 2, 5)),
    "bending by almost half a turn": ((0, 0, 0, 0, 0, 4.4), (60, 30, 20, 1, 2, 5)),
    "bending about the other axis": ((0, 0, 0, 0, -4.0, 0), (60, 30, 20, 1, 2, 5)),
    "helix": ((0, 0, 0, 2.0, 3.0, -1.0), (60, 30, 20, 2, 2, 2)),
    "unbent arc": ((0, 0, 0, 0, 0, -3.0), (60, 30, 20, 1, 2, 5)),
}


@pytest.mark.parametrize("name", UNIFORM)
def test_uniform_strains_are_exact(name):
    """Where a uniform strain is in balance, the exact strain of Reissner's beam and its forces are the element's."""
    strain, stiffness = UNIFORM[name]
    element = Element(name == "unbent arc", np.diag(np.array(stiffness, dtype=float)), rise=0.0)
    f = element.d0 / element.length + strain
    problem, loads = element.derived()
    residual = problem.residual({**INERTIA, **loads})(eta={"X": f}, rate={("X", "X"): np.zeros(6)})
    assert np.abs(residual).max() < 1e-12 * np.abs(element.section).max()
    stress = np.array(sp.lambdify([list(problem.eta["X"])], list(-problem.momenta["X"]))(f))
    element.strained(element.length * f)
    found = element.forces()
    np.testing.assert_allclose(found, np.concatenate((-stress, stress)), atol=1e-10 * np.abs(stress).max())


def deformed(element, s):
    """A smooth strain far from the reference's, and its slope, per length."""
    L = element.length * len(element.compiled.system.elements.d0)
    strain = [0.2 * np.sin(2 * s), 0.1 * np.cos(3 * s), -0.1 * s, 0.8 * np.cos(s), 1.5 * np.sin(2 * s), 1 + 0.5 * s]
    slope = [0.4 * np.cos(2 * s), -0.3 * np.sin(3 * s), -0.1, -0.8 * np.sin(s), 3 * np.cos(2 * s), 0.5]
    return element.d0 / element.length + np.array(strain), np.array(slope) / L, L


@pytest.mark.parametrize("curved", [False, True])
def test_virtual_work_converges_at_finite_strain(curved):
    """Engine's nodal forces against the derived equations over a smooth test function, on one and the same motion."""
    test = lambda s: np.array([np.sin(s), np.cos(2 * s), s, 0.5 - s, np.exp(-s), np.sin(3 * s)])  # noqa: E731
    gaps = []
    for n in (8, 16, 32):
        element = Element(curved, elements_=n)
        element.inputs.gravity[:] = 0.0
        problem, loads = element.derived()
        residual = problem.residual({**INERTIA, **loads})
        work, H = 0.0, row_to_frame(element.trial.frame[0])
        for i in range(n):
            for x, w in zip(XI, WEIGHT):
                f, slope, L = deformed(element, (i + x) / n)
                work += w * L / n * test((i + x) / n) @ residual(eta={"X": f}, rate={("X", "X"): slope})
            for part in range(8):  # Magnus' method of fourth order
                h = 1 / (8 * n)
                a, b = (deformed(element, i / n + (part + 0.5 + c / np.sqrt(12)) * h)[0] * L * h for c in (-1, 1))
                H = H @ se3.exp((a + b) / 2 + np.sqrt(3) / 12 * se3.bracket(a) @ b)
            element.trial.frame[i + 1] = frame_to_row(H)
        for s, sign in ((0.0, -1.0), (1.0, 1.0)):
            f = deformed(element, s)[0]
            work += sign * test(s) @ element.section @ (f - element.d0 / element.length)
        forces(element.memory.address, 0)
        engine = sum(test(i / n) @ element.trial.residual[i] for i in range(n + 1))
        gaps.append(abs(engine - work) / abs(work))
    assert gaps[-1] < 6e-3
    assert 3.6 < gaps[0] / gaps[1] < 4.4
    assert 3.8 < gaps[1] / gaps[2] < 4.2


def scrambled(element, rng):
    for i in range(2):
        H = row_to_frame(element.trial.frame[i]) @ se3.exp(rng.uniform(-1, 1, 6) * [0.4, 0.4, 0.4, 1, 1, 1])
        element.trial.frame[i] = frame_to_row(H)
    element.trial.twist[:2], element.trial.rate[:2] = rng.normal(size=(2, 2, 6))
    return element


def columns(element, v=None, a=None):
    """x_A, R_A, x_B, R_B (3, 8), or their rates for twists v and, with accelerations a, their second rates."""
    out = []
    for i, row in enumerate(element.trial.frame[:2]):
        R, x = row[:9].reshape(3, 3), row[9:]
        if v is None:
            out += [x, R]
        elif a is None:
            out += [R @ v[i, :3], R @ so3.hat(v[i, 3:])]
        else:
            turn = so3.hat(v[i, 3:])
            out += [R @ (a[i, :3] + turn @ v[i, :3]), R @ (so3.hat(a[i, 3:]) + turn @ turn)]
    return np.column_stack(out)


def test_inertia_and_weight_of_the_line(rng):
    """Momentum balance of the derived beam with the velocities and test functions of the line, in any deformation."""
    slender = np.array([1e12, 1e12, 1e12, 1.0, 2.0, 5.0])  # what shear adds to the inertia vanishes
    element = scrambled(Element(True, slender, (1.3, 1.3, 1.3, 0, 0, 0), (1.0, -2.0, -9.0)), rng)
    beam = media.reissner_beam(sp.diag(1.3, 1.3, 1.3, 0, 0, 0), sp.zeros(6), gravity=True)
    values = {f"{n}{i}": 0.0 for n in "nm" for i in (1, 2, 3)} | dict(zip(("g1", "g2", "g3"), element.gravity))
    residual = beam.residual(values)
    v, a = element.trial.twist[:2], element.trial.rate[:2]
    axis, weight = element.matrices.axis[0], 0.5 * np.polynomial.legendre.leggauss(6)[1] * element.length
    velocity, acceleration = axis @ columns(element, v).T, axis @ columns(element, v, a).T
    wanted = np.zeros(12)
    for g, w in enumerate(weight):
        R, omega = so3.exp(rng.normal(size=3)), rng.normal(size=3)  # whatever the section does
        V = R.T @ velocity[g]
        rate = {("t", "t"): np.concatenate((R.T @ acceleration[g] - np.cross(omega, V), rng.normal(size=3)))}
        H = se3.frame(R, axis[g] @ columns(element).T)
        force = residual(H, {"t": np.concatenate((V, omega)), "X": rng.normal(size=6)}, rate)[:3]
        tests = np.array([axis[g] @ columns(element, y.reshape(2, 6)).T for y in np.eye(12)])
        wanted += w * tests @ (R @ force)
    element.inputs.gravity[:] = 0.0
    elastic = element.forces()
    element.inputs.gravity[:] = element.gravity
    forces(element.memory.address, 0)
    add_inertia(element.memory.address)
    found = element.trial.residual[:2].ravel() - elastic
    np.testing.assert_allclose(found, wanted, atol=1e-10 * np.abs(wanted).max())


def test_an_element_is_a_system_on_two_frames(rng):
    """Its matter, rotary inertia included, as a Lagrangian on SE(3) x SE(3): equations at random states."""
    element = scrambled(Element(False, COUPLED), rng)
    mass = element.matrices.mass[0].round(14)
    G, Y = sp.Matrix(mass[:64].reshape(8, 8)), [sp.Matrix(part.reshape(3, 3)) for part in (mass[64:73], mass[73:])]

    def lagrangian(eta, g):
        rates, places = [], []
        for i, H in enumerate(g):
            R, v, w = H[:3, :3], eta[6 * i : 6 * i + 3, :], eta[6 * i + 3 : 6 * i + 6, :]
            rates += [R * v, R * media.cross(w)]
            places += [H[:3, 3], R]
        speed, place = sp.Matrix.hstack(*rates), sp.Matrix.hstack(*places)
        weight = (place * G)[:, 0] + (place * G)[:, 4]
        turns = [H[:3, :3] * Y[i] * eta[6 * i + 3 : 6 * i + 6, :] for i, H in enumerate(g)]
        product = turns[0].dot(turns[1])
        return sum((speed * G)[i] * speed[i] for i in range(24)) / 2 + product - weight[2]

    problem = PoincareChetayev(product(SE3, SE3), lagrangian)
    v, a = (x[:2].ravel() for x in (element.trial.twist, element.trial.rate))
    frames = tuple(row_to_frame(row) for row in element.trial.frame[:2])
    wanted = problem.residual()(frames, {"t": v}, {("t", "t"): a})
    element.inputs.gravity[:] = 0.0
    elastic = element.forces()
    element.inputs.gravity[:] = element.gravity
    forces(element.memory.address, 0)
    add_inertia(element.memory.address)
    found = element.trial.residual[:2].ravel() - elastic
    np.testing.assert_allclose(found, wanted, atol=1e-10 * np.abs(wanted).max())
