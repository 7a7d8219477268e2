"""What must hold exactly for beam elements of any kind in any deformation, whatever is approximated.

One beam of each kind, its nodes moved and turned at random by a radian or so, at random velocities.
"""

import numpy as np
import pytest

import cosserat as cs
from cosserat.compile.build import compile_model
from cosserat.compile.compiled import frame_to_row, row_to_frame
from cosserat.compile.matter import nodal_mass
from cosserat.compile.mesh import beam_matrices
from cosserat.compile.series import POINTS, skew
from cosserat.kernels.integrate import load_stages
from cosserat.kernels.residual import add_inertia, forces
from cosserat.lie import se3, so3
from cosserat.solve.memory import new_memory

FORCE, MOMENT, GRAVITY = np.array([2.0, -3.0, 5.0]), np.array([0.4, 0.3, -0.7]), np.array([1.0, -2.0, -9.0])


def helix(s):
    return np.sin(2 * s), 1 - np.cos(2 * s), 0.6 * s


def section(offset=(0.0, 0.0), coupled=0.0, scale=1.0, turn=0.0):
    """A section with its mass off the axis by (y, z), coupled stiffness, turned about the axis."""
    A = np.array([[np.sin(3.0 * i + 7.0 * j * j) for j in range(6)] for i in range(6)])
    size = np.sqrt([60.0, 30.0, 20.0, 1.0, 2.0, 5.0])
    K = size[:, None] * (np.eye(6) + coupled * (A + A.T)) * size
    c = np.array([0.0, *offset])
    J = np.diag([0.03, 0.01, 0.02]) + (c @ c) * np.eye(3) - np.outer(c, c)
    C = np.array([[0, -c[2], c[1]], [c[2], 0, -c[0]], [-c[1], c[0], 0]])
    M = np.block([[np.eye(3), -C], [C, J]])
    R = np.kron(np.eye(2), so3.exp(np.array([turn, 0, 0])))
    return cs.Section(stiffness=scale * R @ K @ R.T, mass=scale * R @ M @ R.T)


KINDS = {
    "straight": ("line", section()),
    "curved": ("helix", section()),
    "tapered": ("line", (section(), section(scale=0.3))),
    "pretwisted": ("line", lambda s: section(turn=2.0 * s, offset=(0.1, 0.05))),
    "offset": ("helix", section(offset=(0.2, -0.1))),
    "coupled": ("helix", (section(coupled=0.08, offset=(0.1, 0.2)), section(coupled=0.08, scale=0.5))),
}


def beam_of(kind, elements=3):
    shape, law = KINDS[kind]
    line = {"points": [(0, 0, 0), (1, 0.5, 0.2)]} if shape == "line" else {"curve": helix}
    return cs.Beam("beam", section=law, elements=elements, velocity=(0, 0, 0), **line)


class Lab:
    """A free beam with nodes anywhere, and the line of its matter."""

    def __init__(self, kind, rng, gravity=(0, 0, 0), **load):
        model = cs.Model(kind, gravity=tuple(gravity))
        self.beam = model.add(beam_of(kind))
        if load:
            model.add(cs.DistributedLoad("load", self.beam, **load))
        self.compiled = compile_model(model)
        self.memory = new_memory(self.compiled, self.compiled.sampler.sample(np.zeros(1)))
        self.memory.problem.solver.settings[0] = 1.0
        load_stages(self.memory)
        self.trial, self.n = self.memory.problem.trial, self.compiled.n_nodes
        mesh = self.compiled.beams["beam"]
        self.pairs = mesh.pairs
        d0 = self.compiled.system.elements.d0
        self.matrices, _, _ = beam_matrices(self.beam, mesh)
        self.length = np.linalg.norm(d0[:, :3], axis=1)
        self.mesh = mesh
        self.rng = rng

    def scramble(self):
        for i in range(self.n):
            H = row_to_frame(self.trial.frame[i]) @ se3.exp(self.rng.uniform(-1, 1, 6) * [0.4, 0.4, 0.4, 1, 1, 1])
            self.trial.frame[i] = frame_to_row(H)
        return self

    def frames(self):
        rows = self.trial.frame[: self.n]
        return rows[:, :9].reshape(-1, 3, 3), rows[:, 9:]

    def residual(self, inertia=False):
        """Forces and moments (n, 3) each on the nodes, in space; of inertia alone if wanted."""
        forces(self.memory.address, 0)
        if inertia:
            self.trial.residual[:] = 0.0
            add_inertia(self.memory.address)
        R, _ = self.frames()
        r = self.trial.residual[: self.n]
        return np.einsum("nij,nj->ni", R, r[:, :3]), np.einsum("nij,nj->ni", R, r[:, 3:])

    def resultant(self, f, m, point):
        _, x = self.frames()
        return f.sum(axis=0), (m + np.cross(x - point, f)).sum(axis=0)

    def columns(self, e):
        R, x = self.frames()
        a, b = self.pairs[e]
        return np.column_stack((x[a], R[a], x[b], R[b]))

    def second_moments(self):
        """Of all matter, where it is now: Z G Z^T, and what the tensors Y of the nodes stand for."""
        found = np.zeros((3, 3))
        for e, mass in enumerate(self.matrices.mass):
            Z = self.columns(e)
            found += Z @ mass[:64].reshape(8, 8) @ Z.T
            R_a, R_b, Y_a, Y_b = Z[:, 1:4], Z[:, 5:], mass[64:73].reshape(3, 3), mass[73:].reshape(3, 3)
            J = R_a @ Y_a @ R_a.T @ R_b @ Y_b @ R_b.T
            found += 0.5 * np.trace(J + J.T) * np.eye(3) - J - J.T
        return found

    def axis(self, e):
        """Positions (points, 3) on the axis of element e, and their weights."""
        weight = 0.5 * np.polynomial.legendre.leggauss(6)[1]
        return self.matrices.axis[e] @ self.columns(e).T, weight * self.length[e]


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


def test_line_is_the_reference_beam_and_runs_through_the_nodes(kind, rng):
    lab = Lab(kind, rng)
    z = 0.5 * (1 + np.polynomial.legendre.leggauss(6)[0])
    for e, (a, _) in enumerate(lab.pairs):
        x, _ = lab.axis(e)
        d = lab.compiled.system.elements.d0[e]
        H = row_to_frame(lab.trial.frame[a])
        np.testing.assert_allclose(x, [(H @ se3.exp(s * d))[:3, 3] for s in z], atol=1e-14)
    np.testing.assert_allclose(lab.matrices.axis[:, :, 0] + lab.matrices.axis[:, :, 4], 1.0, atol=1e-14)


def test_total_mass_and_second_moments_of_the_reference(kind, rng):
    """Sum over elements of Z G Z^T: the second moments of the body, by many sections."""
    lab = Lab(kind, rng)
    found = lab.second_moments()
    point, weight = np.polynomial.legendre.leggauss(10)
    wanted, total = np.zeros((3, 3)), 0.0
    for e, (a, b) in enumerate(lab.pairs):
        left, right = lab.mesh.s[a], lab.mesh.s[b]
        d = lab.compiled.system.elements.d0[e]
        for p, w in zip(0.5 * (1 + point), 0.5 * weight):
            M = lab.beam.section_at(left + p * (right - left))[1]
            H = row_to_frame(lab.trial.frame[a]) @ se3.exp(p * d)
            c = np.array([M[5, 1] - M[4, 2], M[3, 2] - M[5, 0], M[4, 0] - M[3, 1]]) / (2 * M[0, 0])
            second = 0.5 * np.trace(M[3:, 3:]) * np.eye(3) - M[3:, 3:] - M[0, 0] * np.outer(c, c)
            x = H[:3, 3] + H[:3, :3] @ c
            wanted += w * lab.length[e] * (M[0, 0] * np.outer(x, x) + H[:3, :3] @ second @ H[:3, :3].T)
            total += w * lab.length[e] * M[0, 0]
    np.testing.assert_allclose(found, wanted, atol=1e-9 * np.abs(wanted).max())
    assert lab.compiled.system.nodes.mass.sum() == pytest.approx(total, rel=1e-9)


def test_rigid_motion_of_a_deformed_beam(kind, rng):
    """No strain rate; kinetic energy, momentum and angular momentum are those of its second moments, and constant."""
    lab = Lab(kind, rng).scramble()
    v, omega = rng.normal(size=3), rng.normal(size=3)
    R, x = lab.frames()
    for i in range(lab.n):
        lab.trial.twist[i, :3] = R[i].T @ (v + np.cross(omega, x[i]))
        lab.trial.twist[i, 3:] = R[i].T @ omega
        # steady turning: twists in the nodes' axes stay the same up to the turn of the translation
        lab.trial.rate[i, :3] = R[i].T @ np.cross(v, omega)
        lab.trial.rate[i, 3:] = 0.0
    second = lab.second_moments()
    nodes = lab.compiled.system.nodes
    mass = nodes.mass.sum()
    first = sum(nodes.mass[i] * x[i] + R[i] @ nodes.moment[i] for i in range(lab.n))
    J = np.trace(second) * np.eye(3) - second
    f, m = lab.residual(inertia=True)
    force, moment = lab.resultant(f, m, np.zeros(3))
    # rates of momentum and angular momentum about the origin: a point x has the acceleration omega x (omega x x) + c
    c = np.cross(omega, v) + np.cross(v, omega)
    np.testing.assert_allclose(force, mass * c + np.cross(omega, np.cross(omega, first)), atol=1e-11)
    np.testing.assert_allclose(moment, np.cross(first, c) + np.cross(omega, J @ omega), atol=1e-10)
    run = _as_run(lab)
    wanted = 0.5 * mass * v @ v + v @ np.cross(omega, first) + 0.5 * omega @ J @ omega
    assert run == pytest.approx(wanted, rel=1e-12)


def _as_run(lab):
    """Kinetic energy of the trial state, from the momenta that the kernels know."""
    total = 0.0
    for e, (a, b) in enumerate(lab.pairs):
        R, _ = lab.frames()
        Z = []
        for node in (a, b):
            t = lab.trial.twist[node]
            Z += [R[node] @ t[:3], R[node] @ so3.hat(t[3:])]
        Z, mass = np.column_stack(Z), lab.matrices.mass[e]
        total += 0.5 * np.trace(Z @ mass[:64].reshape(8, 8) @ Z.T)
        Y = mass[64:].reshape(2, 3, 3)
        total += (R[a] @ Y[0] @ lab.trial.twist[a, 3:]) @ (R[b] @ Y[1] @ lab.trial.twist[b, 3:])
    return total


def test_free_fall_is_a_translation(kind, rng):
    """A uniform acceleration g balances gravity at every node, in any deformation."""
    lab = Lab(kind, rng, gravity=GRAVITY).scramble()
    still = Lab(kind, rng)
    still.trial.frame[:] = lab.trial.frame
    R, _ = lab.frames()
    forces(lab.memory.address, 0)
    lab.trial.rate[: lab.n, :3] = np.einsum("nji,j->ni", R, GRAVITY)
    add_inertia(lab.memory.address)
    forces(still.memory.address, 0)
    np.testing.assert_allclose(lab.trial.residual, still.trial.residual, atol=1e-12)


def test_weight_and_line_loads_have_the_resultants_of_the_line(kind, rng):
    point = rng.normal(size=3)
    lab = Lab(kind, rng, force=FORCE, moment=MOMENT).scramble()
    bare = Lab(kind, rng)
    bare.trial.frame[:] = lab.trial.frame
    loaded, free = lab.residual(), bare.residual()
    force, moment = lab.resultant(free[0] - loaded[0], free[1] - loaded[1], point)
    lines = [lab.axis(e) for e in range(len(lab.pairs))]
    length = sum(w.sum() for _, w in lines)
    wanted = sum((w[:, None] * np.cross(x - point, FORCE)).sum(axis=0) for x, w in lines) + length * MOMENT
    np.testing.assert_allclose(force, length * FORCE, atol=1e-12)
    np.testing.assert_allclose(moment, wanted, atol=1e-12)
    # internal forces alone have no resultant
    for part in bare.resultant(*free, point):
        np.testing.assert_allclose(part, 0.0, atol=1e-10)


def test_line_moments_have_no_resultant_force(kind, rng):
    for follower in (False, True):
        lab = Lab(kind, rng, moment=MOMENT, follower=follower).scramble()
        force, _ = lab.resultant(*lab.residual(), np.zeros(3))
        np.testing.assert_allclose(force, 0.0, atol=1e-10)


def test_follower_loads_have_the_resultants_of_turned_sections(kind, rng):
    """Sections turn by R_A exp(psi), psi the turn of the helix and of the inner statics."""
    point = rng.normal(size=3)
    lab = Lab(kind, rng, force=FORCE, moment=MOMENT, follower=True).scramble()
    bare = Lab(kind, rng)
    bare.trial.frame[:] = lab.trial.frame
    loaded, free = lab.residual(), bare.residual()
    force, moment = lab.resultant(free[0] - loaded[0], free[1] - loaded[1], point)
    (R, _), d0, z = lab.frames(), lab.compiled.system.elements.d0, POINTS
    wanted = np.zeros((2, 3))
    for e, (a, b) in enumerate(lab.pairs):
        H_a, H_b = (row_to_frame(lab.trial.frame[i]) for i in (a, b))
        strain = se3.log(se3.inverse(H_a) @ H_b) - d0[e]
        x, weight = lab.axis(e)
        for g in range(len(z)):
            there = lab.mesh.frames[a, :3, :3] @ so3.exp(z[g] * d0[e, 3:])
            turn = R[a] @ so3.exp(z[g] * d0[e, 3:] + lab.matrices.turn[e, g] @ strain) @ there.T
            wanted[0] += weight[g] * turn @ FORCE
            wanted[1] += weight[g] * (np.cross(x[g] - point, turn @ FORCE) + turn @ MOMENT)
    np.testing.assert_allclose(force, wanted[0], atol=1e-11)
    np.testing.assert_allclose(moment, wanted[1], atol=1e-11)


def test_the_inner_turn_ends_at_the_nodes(kind, rng):
    """Interpolated to z = 0 and 1, C is zero and (0, 1); tapers are no polynomials."""
    lab = Lab(kind, rng)
    z = POINTS
    powers = np.linalg.inv(np.vander(z, len(z), increasing=True))
    C = np.einsum("kg,egab->ekab", powers, lab.matrices.turn)
    np.testing.assert_allclose(C[:, 0], 0.0, atol=2e-4)
    np.testing.assert_allclose(C.sum(axis=1), np.broadcast_to(np.eye(3, 6, 3), (len(C), 3, 6)), atol=2e-4)


def test_loads_are_derivatives_of_their_potential(kind, rng):
    """Work of a dead line load over a small motion of one node against the change of f . (integral of the line)."""
    lab = Lab(kind, rng, force=FORCE).scramble()
    bare = Lab(kind, rng)
    bare.trial.frame[:] = lab.trial.frame
    forces(lab.memory.address, 0)
    forces(bare.memory.address, 0)
    load = bare.trial.residual - lab.trial.residual
    potential = lambda: sum((w @ x) @ FORCE for x, w in (lab.axis(e) for e in range(len(lab.pairs))))  # noqa: E731
    start = lab.trial.frame.copy()
    for i in range(lab.n):
        for k in range(6):
            ends = []
            for sign in (1, -1):
                lab.trial.frame[:] = start
                step = np.zeros(6)
                step[k] = sign * 1e-5
                lab.trial.frame[i] = frame_to_row(row_to_frame(start[i]) @ se3.exp(step))
                ends.append(potential())
            assert (ends[0] - ends[1]) / 2e-5 == pytest.approx(load[i, k], abs=1e-8)


@pytest.mark.parametrize("bend", [1.0, 2.0, 3.1])
def test_mass_of_far_bent_elements_is_positive(bend, rng):
    """Straight elements bent by up to pi, about any axis; and elements of a ring that are made so."""
    from cosserat.compile.elements import element_matrices

    for law in ([1e5, 4e4, 4e4, 8.0, 10.0, 10.0], [1e4, 4e2, 4e3, 8.0, 10.0, 10.0], [1e6, 4e5, 4e5, 1e-3, 1.0, 1e-2]):
        axis = rng.normal(size=3)
        made = np.zeros((3, 6))
        made[:, 0] = 10 ** rng.uniform(-2, 0, 3)
        made[1, 5] = made[2, 4] = bend
        S, M = np.diag(1 / np.array(law)), np.diag([1, 1, 1, 2e-4, 1e-4, 1e-4])
        G = element_matrices(made, np.tile(S, (3, 6, 1, 1)), np.tile(M, (3, 6, 1, 1))).mass
        for w in (bend * axis / np.linalg.norm(axis), np.zeros(3), np.array([0, 0, bend])):
            mass = nodal_mass(G, np.tile(so3.exp(w), (3, 1, 1)))
            size = 1 / np.sqrt(np.diagonal(mass, axis1=1, axis2=2))
            assert np.linalg.eigvalsh(size[:, :, None] * mass * size[:, None]).min() > 0


def random_section(rng):
    """Full coupling, and five lumps of mass anywhere in the plane of the section."""
    A = rng.normal(size=(6, 6))
    A = A @ A.T
    size = np.sqrt(20 * np.exp(rng.uniform(-1.5, 1.5, 6)) / np.diag(A))
    places = np.column_stack((np.zeros(5), rng.uniform(-0.3, 0.3, 2) + 0.15 * rng.normal(size=(5, 2))))
    arms = np.concatenate((np.broadcast_to(np.eye(3), (5, 3, 3)), -skew(places)), axis=2)
    mass = np.einsum("p,pia,pib->ab", rng.uniform(0.1, 1.0, 5), arms, arms)
    return cs.Section(stiffness=size[:, None] * A * size, mass=mass)


@pytest.mark.parametrize("seed", range(8))
def test_mass_is_positive_however_the_nodes_are_turned(seed):
    """It was not where masses lie far beside the centres: eigenvalues down to -0.3 of those of the diagonal."""
    rng = np.random.default_rng(seed)
    model = cs.Model("free")
    beam = model.add(cs.Beam("b", points=[(0, 0, 0), (0.6, 0, 0)], section=random_section(rng), velocity=(1, 0, 0)))
    compiled = compile_model(model)
    matrices, _, _ = beam_matrices(beam, compiled.beams["b"])
    turns = np.array([so3.exp(w) for w in rng.normal(size=(300, 3)) * 1.5])
    M = nodal_mass(matrices.mass[:1], turns)
    size = np.sqrt(np.diagonal(M, axis1=1, axis2=2))
    assert np.linalg.eigvalsh(M / (size[:, :, None] * size[:, None])).min() > 0


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 1, 0), (0, 0, 1)])
@pytest.mark.parametrize("bend", [0.3, 1.0, 3.0])
def test_bent_elements_keep_the_rotary_inertia_of_their_sections(axis, bend):
    """Bent or twisted about an axis of inertia: what spins about it is the whole J L, not that of blended frames."""
    from cosserat.compile.elements import element_matrices

    J = np.array([0.03, 0.01, 0.02])
    S, M = np.diag(1 / np.array([60.0, 30.0, 20.0, 1.0, 2.0, 5.0])), np.diag([1e-9] * 3 + [*J])
    G = element_matrices(np.eye(6)[:1] * 0.4, np.tile(S, (1, 6, 1, 1)), np.tile(M, (1, 6, 1, 1))).mass
    spin = np.concatenate((np.zeros(3), axis, np.zeros(3), axis))
    found = spin @ nodal_mass(G, so3.exp(bend * np.array(axis, float))[None])[0] @ spin
    assert found == pytest.approx(0.4 * J @ np.array(axis), rel=1e-6)


def test_a_free_arc_falls_without_turning():
    model = cs.Model("drop", gravity=(0, -9.81, 0))
    arc = ("sin(pi/2*s)", "1 - cos(pi/2*s)", "0*s")
    steel = cs.Material(E=210e9, nu=0.3, rho=7800.0)
    model.add(cs.Beam("arc", curve=arc, section=cs.Rod(0.05), material=steel, elements=4))
    run = cs.simulate(model, 0.5, step=0.01)
    assert np.abs(run.angular_velocity("arc.start").values).max() < 1e-8
    assert run.position("arc.start").values[-1, 1] == pytest.approx(-0.5 * 9.81 * 0.25, abs=1e-10)


def test_a_deformed_beam_that_spins_freely_keeps_energy_and_momenta():
    """Bent far, pulled and spinning: the energy-momentum scheme holds what the equations hold."""
    model = cs.Model("spinning")
    model.add(
        cs.Beam(
            "beam", curve=helix, section=section(offset=(0.1, 0.05), coupled=0.05), elements=4,
            velocity=("1 + 3*y", "-3*x + z", "9*x*y"),
        )
    )  # fmt: skip
    run = cs.simulate(model, 1.0, step=0.01, integrator="energy-momentum")
    assert run.status.ok
    total = run.energy.total.values
    assert np.ptp(total) < 1e-9 * total[0]
    assert run.energy.strain.values.max() > 0.05 * total[0]
