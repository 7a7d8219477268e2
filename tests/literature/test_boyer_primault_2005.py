"""F. Boyer, D. Primault, Poincare-Chetayev equations and flexible multi-body systems (2005), with misprints corrected.

The equations that the workbench derives, term by term: the Reissner beam (47)-(49), the elastic body in its floating
frame (63), the rigid body in both settings (31)-(32); and the engine's bodies at random states.
"""

import numpy as np
import pytest
import sympy as sp

import cosserat as cs
from cosserat import lie
from cosserat.symbolic import media
from cosserat.symbolic.evaluate import function


def is_zero(column):
    return all(sp.expand(e) == 0 for e in column)


def split(column):
    return column[:3, :], column[3:6, :]


def test_reissner_beam_47():
    beam = media.reissner_beam()
    (V, W), (G, K) = split(beam.eta["t"]), split(beam.eta["X"])
    (Vt, Wt), (Gx, Kx) = split(beam.jets.rate["t", "t"]), split(beam.jets.rate["X", "X"])
    mass, stiffness = media.beam_matrices()
    rhoA, rhoJ, H_d, H_r = mass[0, 0], mass[3:, 3:], stiffness[:3, :3], stiffness[3:, 3:]
    n, m = sp.Matrix(sp.symbols("n1:4", real=True)), sp.Matrix(sp.symbols("m1:4", real=True))
    N, M = H_d * (G - sp.Matrix([1, 0, 0])), H_r * K  # (48), with U where L is printed
    linear = rhoA * (Vt + W.cross(V)) - (H_d * Gx + K.cross(N) + n)
    angular = rhoJ * Wt + W.cross(rhoJ * W) - (H_r * Kx + K.cross(M) + G.cross(N) + m)
    assert is_zero(beam.field - sp.Matrix([*linear, *angular]))
    # (49), corrected: (M, N)(0) = -F-, (M, N)(L) = +F+
    F = beam.boundary_forces
    assert is_zero(beam.boundary_at("X", -1) - (F + sp.Matrix([*N, *M])))
    assert is_zero(beam.boundary_at("X", 1) - (F - sp.Matrix([*N, *M])))
    assert all(v == 0 for v in beam.defect)  # frame indifference
    assert len([c for c in beam.conserved() if c.side == "left"]) == 6


def test_reissner_beam_in_space_is_the_material_one_carried_over():
    """(29) with the defect (26) and gravity: Ad(g)^-T times (27) at every state that is compatible."""
    material, spatial = (media.reissner_beam(setting=s, gravity=True) for s in ("material", "spatial"))
    rng = np.random.default_rng(0)
    names = {s.name for s in material.field.free_symbols - set(material.jets.variables())}
    values = {name: (0 if name[0] in "nm" else rng.uniform(1, 2)) for name in names}
    left, right = material.residual(values), spatial.residual(values)
    g = lie.SE3.random(rng)
    Ad = lie.SE3.adjoint(g)
    eta = {p: rng.standard_normal(6) for p in ("t", "X")}
    rate = {(p, p): rng.standard_normal(6) for p in ("t", "X")}
    # Spatial eta = Ad(g) eta; its derivative along p: Ad(g) (d_p eta_p + [eta_p, eta_p]) = Ad(g) d_p eta_p.
    carried = {p: Ad @ v for p, v in eta.items()}
    rates = {pair: Ad @ v for pair, v in rate.items()}
    mixed = rng.standard_normal(6)
    rate["X", "t"], rate["t", "X"] = mixed, mixed - lie.SE3.bracket(eta["X"]) @ eta["t"]
    for p, q in (("X", "t"), ("t", "X")):
        rates[p, q] = Ad @ (rate[p, q] + lie.SE3.bracket(eta[q]) @ eta[p])
    assert np.abs(left(g, eta, rate) - Ad.T @ right(g, carried, rates)).max() < 1e-10


def particles(rng, n=7, modes=2):
    return rng.uniform(0.5, 1.5, n), rng.standard_normal((n, 3)), 0.3 * rng.standard_normal((n, 3, modes))


def floating(inertia, stiffness, gravity=(0, 0, 0)):
    names = ("mass", "first_moment", "inertia", "modal_mass", "linear_coupling", "angular_coupling", "cross_coupling",
             "inertia_gradient", "inertia_hessian")  # fmt: skip
    return media.floating_body(*(getattr(inertia, name) for name in names), stiffness, gravity)


def test_floating_body_63_every_term():
    rng = np.random.default_rng(3)
    inertia = cs.ModalInertia.from_fields(*particles(rng))
    stiffness = np.array([[4.0, 1.0], [1.0, 3.0]])
    residual = floating(inertia, stiffness).residual()
    a, lam = inertia.linear_coupling, inertia.cross_coupling
    J_re, J_ee = inertia.inertia_gradient, inertia.inertia_hessian
    for _ in range(3):
        q, dq, ddq = rng.standard_normal((3, 2))
        V, W, gamma, dW = rng.standard_normal((4, 3))
        ms = inertia.first_moment + q @ a
        J = inertia.inertia + np.einsum("a,aij->ij", q, J_re + J_re.transpose(0, 2, 1))
        J = J + np.einsum("a,b,abij->ij", q, q, J_ee)
        beta = inertia.angular_coupling + np.einsum("c,cvi->vi", q, lam)
        S = lie.so3.hat(ms)
        angular = J @ dW + S @ gamma + beta.T @ ddq + np.cross(W, J @ W)
        angular = angular + 2 * np.einsum("aij,j,a->i", J_re, W, dq) + 2 * np.einsum("baij,j,b,a->i", J_ee, W, q, dq)
        linear = S.T @ dW + inertia.mass * gamma + a.T @ ddq + 2 * np.cross(W, a.T @ dq) + np.cross(W, np.cross(W, ms))
        modal = beta @ dW + a @ gamma + inertia.modal_mass @ ddq + 2 * np.einsum("b,bai,i->a", dq, lam, W)
        modal = modal - np.einsum("i,aji,j->a", W, J_re, W) - np.einsum("b,i,abij,j->a", q, W, J_ee, W) + stiffness @ q
        dV = gamma - np.cross(W, V)  # gamma = V' + W x V
        found = residual((lie.SE3.random(rng), q), {"t": np.r_[V, W, dq]}, {("t", "t"): np.r_[dV, dW, ddq]})
        assert np.abs(found - np.r_[linear, angular, modal]).max() < 1e-12


def test_floating_body_equals_the_engine():
    """(63) with gravity against the generalised Newton-Euler recursion at random states."""
    rng = np.random.default_rng(8)
    beam = cs.Beam("blade", points=[(0, 0, 0), (2, 0, 0)], section=cs.Tube(0.05, 0.04),
                   material=cs.materials.ALUMINIUM_6061, elements=6)  # fmt: skip
    made = cs.modal_body(beam, modes=3, boundary="free")
    body = cs.ModalBody("blade", made.inertia.unstiffened(), made.stiffness, 0 * made.stiffness, made.interfaces)
    gravity = (0.4, -0.7, -9.81)
    model = cs.Model("flight", gravity=gravity)
    model.add(body)
    tree = cs.FlexibleTree(model, boundary="free")
    problem = floating(body.inertia, body.stiffness, gravity)
    residual = problem.residual()
    for _ in range(3):
        q, v = rng.standard_normal((2, 9)) * np.r_[np.ones(6), 0.02 * np.ones(3)]
        a = rng.standard_normal(9)
        tau = tree.inverse_dynamics(q, v, a)
        # The recursion's coordinates of a free body: acceleration and twist in its own frame at q.
        still = np.r_[q[:6], np.zeros(3)]
        frame = tree.frame("blade.start", still) @ lie.SE3.inverse(tree.frame("blade.start", np.zeros(9)))
        found = residual((frame, q[6:]), {"t": v}, {("t", "t"): a})
        assert np.abs(found - tau).max() < 1e-10 * np.abs(tau).max()


@pytest.mark.parametrize("setting", ["material", "spatial"])
def test_rigid_body_31_32_equals_the_engine(setting):
    rng = np.random.default_rng(2)
    body = lie.Inertia(1.7, com=(0.3, -0.2, 0.1), central=np.diag([0.4, 0.5, 0.6]))
    problem = media.rigid_body(setting, gravity=True)
    J, s = body.about((0, 0, 0)), body.mass * body.com
    gravity = np.array([0.5, -1.0, -9.81])
    values = {"m": body.mass} | {f"s{i + 1}": s[i] for i in range(3)} | {f"g{i + 1}": gravity[i] for i in range(3)}
    values |= {f"J{i + 1}{j + 1}": J[i, j] for i in range(3) for j in range(i, 3)}
    residual = problem.residual(values)
    for _ in range(3):
        g, eta, rate = lie.SE3.random(rng), *rng.standard_normal((2, 6))
        wrench = body.newton_euler(lie.Twist.from_array(eta), lie.Twist.from_array(rate)).array
        field = g[:3, :3].T @ gravity
        wrench = wrench - np.r_[body.mass * field, np.cross(s, field)]
        Ad = lie.SE3.adjoint(g)
        if setting == "spatial":
            wrench, eta, rate = np.linalg.solve(Ad.T, wrench), Ad @ eta, Ad @ rate
        assert np.abs(residual(g, {"t": eta}, {("t", "t"): rate}) - wrench).max() < 1e-10


@pytest.mark.parametrize("strain", [(1, 0, 0, 0.9, -0.7, 1.1), (1.2, 0, 0, 1.5, 0, 0), (0.9, 0, 0, 0, 0, 0)])
def test_uniform_strains_that_solve_the_derived_equations_are_the_engines_equilibria(strain):
    """Where the derived field equation holds with uniform strain, the boundary equation gives the follower end load.

    Moments along the curvature (GJ = EI), stretch with twist, compression: the engine's elements are helices too.
    """
    stiffness = np.diag([300.0, 200.0, 200.0, 4.0, 4.0, 4.0])
    arch = media.arch()
    names = ("EA", "GA2", "GA3", "GJ", "EI2", "EI3")
    values = dict(zip(names, np.diag(stiffness))) | {f"{n}{i}": 0.0 for n in "nm" for i in (1, 2, 3)}
    eta = {"S": np.array(strain, dtype=float)}
    assert np.abs(arch.residual(values)(None, eta)).max() < 1e-13
    forces = {s.name: 0.0 for s in arch.boundary_forces}
    end = function(arch, arch.boundary_at("S", 1), values | forces, "test")(None, eta).ravel()
    wrench = -end  # boundary_at = F - sigma
    model = cs.Model("helix")
    section = cs.Section(stiffness=stiffness, mass=np.eye(6))
    beam = model.add(cs.Beam("beam", points=[(0, 0, 0), (2, 0, 0)], section=section, elements=5))
    model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
    model.add(cs.Wrench("load", beam.end, force=wrench[:3], moment=wrench[3:], follower=True))
    found = cs.equilibrium(model)
    for s in (0.4, 1.0):
        H = lie.SE3.exp(2 * s * np.array(strain))
        assert np.abs(found.position(beam.at(s)) - H[:3, 3]).max() < 1e-10
        assert np.abs(found.rotation(beam.at(s)) - H[:3, :3]).max() < 1e-10


def test_body_in_a_fluid_equals_the_engine():
    """Kirchhoff's equations with weight and buoyancy: the accelerations of a body with added mass in random motion."""
    rng = np.random.default_rng(6)
    X = rng.standard_normal((6, 6))
    added, gravity, density, volume = X @ X.T / 3, 9.81, 1000.0, 2e-3
    R = lie.so3.exp(rng.standard_normal(3))
    v, w, centre = rng.standard_normal((3, 3))
    model = cs.Model("diver", gravity=(0, 0, -gravity), fluid=cs.Fluid(density=density))
    J = np.diag([0.3, 0.4, 0.5])
    body = model.add(
        cs.RigidBody("diver", mass=2.5, com=(0, 0, 0), inertia=J, rotation=R, velocity=R @ v, angular_velocity=R @ w)
    )
    model.add(cs.AddedMass("water", body, added))
    model.add(cs.Buoyancy("lift", body, volume=volume, centre=R @ centre))
    run = cs.simulate(model, 1e-3, 1e-3)
    linear = run.acceleration("diver", frame="body").values[0] - np.cross(w, v)
    found = np.concatenate((linear, run.angular_acceleration("diver", frame="body").values[0]))
    M = added + np.diag([2.5, 2.5, 2.5, *np.diag(J)])
    values = {f"M{i + 1}{j + 1}": M[i, j] for i in range(6) for j in range(i, 6)}
    values |= {"W": 2.5 * gravity, "B": density * gravity * volume}
    values |= {f"b{i + 1}": 0.0 for i in range(3)} | {f"c{i + 1}": centre[i] for i in range(3)}
    g = np.eye(4)
    g[:3, :3] = R
    expected = media.kirchhoff_body().dynamics(values)(0.0, g, np.concatenate((v, w)))
    assert np.abs(found - expected).max() < 1e-10 * np.abs(expected).max()


def test_an_arch_integrated_along_its_length_is_the_engines_equilibrium():
    """[deSaxce26] 8.2, the three steps along S: the strain at the clamp gives the arch and the load at its end.

    The engine, loaded with it, finds the same shape, with an error that falls at second order or faster.
    """
    stiffness = np.array([900.0, 300.0, 400.0, 3.0, 4.0, 6.0])
    names = ("EA", "GA2", "GA3", "GJ", "EI2", "EI3")
    values = dict(zip(names, stiffness)) | {f"{n}{i}": 0.0 for n in "nm" for i in (1, 2, 3)}
    start = np.array([1.003, -0.006, 0.008, 0.5, -0.7, 0.9])
    arch = media.arch().motion(start, 1.0, 0.02, values=values, order=8)
    assert np.ptp(arch.momentum_map, axis=0).max() < 1e-10  # the spatial wrench is the same in all sections
    wrench = -arch.momentum[-1]
    errors = []
    for n in (8, 16):
        model = cs.Model("arch")
        section = cs.Section(stiffness=np.diag(stiffness), mass=np.eye(6))
        beam = model.add(cs.Beam("beam", points=[(0, 0, 0), (1, 0, 0)], section=section, elements=n))
        model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
        model.add(cs.Wrench("load", beam.end, force=wrench[:3], moment=wrench[3:], follower=True))
        found = cs.equilibrium(model)
        exact = {s: arch.matrices[round(50 * s)][:3, 3] for s in (0.5, 1.0)}
        errors.append(max(np.abs(found.position(beam.at(s)) - x).max() for s, x in exact.items()))
    assert errors[1] < 1e-4
    assert errors[0] / errors[1] > 3.5
