"""Nonsense passed to the symbolic workbench and to groups: always an error of ours that names the argument."""

import contextlib

import numpy as np
import pytest
import sympy as sp

import cosserat as cs
from cosserat import lie, symbolic
from cosserat.errors import CosseratError
from cosserat.symbolic import SO3, Connection, PoincareChetayev, QuasiVelocities, euler_poincare

NAN = float("nan")
I = np.eye(3)
SCALED = PoincareChetayev(SO3, lambda w: sp.Symbol("a") * w.dot(w))


def rod():
    section = cs.Section(stiffness=np.eye(6), mass=np.eye(6))
    return cs.Beam("rod", points=[(0, 0, 0), (1, 0, 0)], section=section, elements=2, velocity=(1, 0, 0))


def moved(**changes):
    given = {"velocity": [1, 2, 3], "duration": 1.0, "step": 0.1, "values": {"a": 1.0}} | changes
    return SCALED.motion(**given)


def solved(group=SO3, **changes):
    given = {"inertia": I, "velocity": (1, 0, 0), "duration": 1.0, "step": 0.1} | changes
    return euler_poincare(group, **given)


CASES = {
    "lagrangian is text": (lambda: PoincareChetayev(SO3, "w1_t**2"), "lagrangian is 'w1_t"),
    "lagrangian is None": (lambda: PoincareChetayev(SO3, None), "lagrangian is None"),
    "lagrangian fails": (lambda: PoincareChetayev(SO3, lambda w: w[7]), "velocities have 3 components"),
    "lagrangian is a relation": (lambda: PoincareChetayev(SO3, lambda w: w[0] > 0), "pass an expression"),
    "parameters are None": (lambda: PoincareChetayev(SO3, lambda: 1, parameters=None), "parameters are None"),
    "forces are a number": (lambda: PoincareChetayev(SO3, lambda w: w[0], forces=3), "forces are 3; pass 3"),
    "forces are text": (lambda: PoincareChetayev(SO3, lambda w: w[0], forces="abc"), "forces have 0 components"),
    "side": (lambda: symbolic.media.planar_beam().boundary_at("X", 3), "pass -1 for the start"),
    "values are a list": (lambda: moved(values=[1]), "pass a dict"),
    "a value is nan": (lambda: moved(values={"a": NAN}), r"values\['a'\]"),
    "a value is text": (lambda: moved(values={"a": "x"}), r"values\['a'\]"),
    "velocity is nan": (lambda: moved(velocity=[1, NAN, 3]), "velocity is"),
    "velocity is text": (lambda: moved(velocity="abc"), "velocity is 'abc'; pass 3 numbers"),
    "start of another size": (lambda: moved(start=np.eye(4)), r"start has the matrix \(4, 4\)"),
    "start is no rotation": (lambda: moved(start=2 * np.eye(3)), "start is no element of SO3"),
    "start is no rotation either": (lambda: solved(start=2 * np.eye(3)), "start is no element of SO3"),
    "step is text": (lambda: moved(step="x"), "step is 'x'"),
    "too many steps": (lambda: moved(duration=1e9, step=1e-9), "too many"),
    "inertia is text": (lambda: solved(inertia="a"), "inertia is 'a'"),
    "inertia is negative": (lambda: solved(inertia=np.diag([1.0, -2.0, 3.0])), "inertia is not positive definite"),
    "inertia is zero": (lambda: solved(inertia=0 * I), "inertia is singular"),
    "group is text": (lambda: solved(group="SO3"), "group is 'SO3'"),
    "force is a number": (lambda: solved(force=3), "pass a function of"),
    "velocity nan": (lambda: solved(velocity=(NAN, 0, 0), conserving=True), "must be finite"),
    "ragged basis": (lambda: symbolic.Group([[[1, 2], [3]]]), "not a list of matrices"),
    "no basis": (lambda: symbolic.Group([]), "basis"),
    "basis nan": (lambda: symbolic.Group([[[NAN, 0], [0, 0]]]), "finite"),
    "R of text": (lambda: symbolic.R("x"), r"R\(n\): the dimension is 'x'"),
    "GA(0)": (lambda: symbolic.GA(0), "pass a whole number of 1 or more"),
    "SL(1)": (lambda: lie.SL(1), "pass a whole number of 2 or more"),
    "Heisenberg(0)": (lambda: lie.Heisenberg(0), "pass a whole number of 1 or more"),
    "constants are text": (lambda: lie.MatrixGroup.from_structure_constants("x"), "pass an array"),
    "action": (lambda: symbolic.semidirect(SO3, None), "the action is None"),
    "factor": (lambda: symbolic.product(3), "got 3 for a group"),
    "path is text": (lambda: Connection(SO3, {"t": [1, 0, 0]}).holonomy("x"), "pass corners"),
    "no steps": (lambda: Connection(SO3, {"t": [1, 0, 0]}).holonomy([(0,), (1,)], steps=0), "steps is 0"),
    "fields are None": (lambda: QuasiVelocities(("x",), None), "fields are None"),
    "no Lagrangian": (lambda: QuasiVelocities(("x",), [[1]]).equations(None), "lagrangian is None"),
    "potential is text": (lambda: symbolic.check_potential("x**2", [sp.Symbol("x")]), "pass a SymPy expression"),
    "variables are text": (lambda: symbolic.check_potential(sp.Symbol("x") ** 2, "x"), "pass symbols"),
    "model is text": (lambda: symbolic.intrinsic(rod(), 0.2, 0.1, model="m"), "model is 'm'; pass a Model"),
    "tolerance": (lambda: symbolic.intrinsic(rod(), 0.2, 0.1, tolerance=-1), "tolerance is -1"),
    "duration is text": (lambda: symbolic.intrinsic(rod(), "x", 0.1), "duration is 'x'"),
    "momentum of text": (lambda: lie.Momentum("a", None), "no array of numbers"),
    "tensor is None": (lambda: symbolic.media.floating_body(*10 * [None]), "a tensor is None"),
    "setting": (lambda: symbolic.media.rigid_body("body"), "pass 'material' or 'spatial'"),
}


@pytest.mark.parametrize("name", CASES)
def test_nonsense_is_answered_by_name(name):
    make, message = CASES[name]
    with pytest.raises(CosseratError, match=message):
        make()


def pendulum():
    model = cs.Model("pendulum", gravity=(0, 0, -9.81))
    bob = model.add(cs.RigidBody("bob", mass=1.0, com=(1, 0, 0), inertia=(1, 1, 1)))
    model.add(cs.Revolute("q", cs.GROUND, bob, axis=(0, 1, 0), at=(0, 0, 0)))
    return model


PENDULUM = pendulum()
EQUATIONS = symbolic.lagrange(PENDULUM)
COMPILED = EQUATIONS.compile(jit=False)
VECTORS = symbolic.composed_vectors(PENDULUM)
FLAT = Connection(SO3, {"t": [0, 0, 0], "S": [0, 0, 0]})
X = sp.Symbol("x")
TAKERS = {
    "lagrange": symbolic.lagrange,
    "names": lambda j: symbolic.lagrange(PENDULUM, names=j),
    "potentials": lambda j: symbolic.lagrange(PENDULUM, potentials={"q": j}),
    "laws": lambda j: symbolic.lagrange(PENDULUM, forces={"bob": j}),
    "composed_vectors": symbolic.composed_vectors,
    "of_body": lambda j: VECTORS.of_body(VECTORS.velocities, j),
    "quadratic": lambda j: VECTORS.quadratic(j, 0),
    "about": lambda j: EQUATIONS.linearize(j),
    "inputs": lambda j: EQUATIONS.linearize({}, j),
    "combined": lambda j: EQUATIONS.combined(j, ["a"]),
    "combined names": lambda j: EQUATIONS.combined([[1]], j),
    "latex names": lambda j: EQUATIONS.latex(j),
    "latex notation": lambda j: EQUATIONS.latex(notation=j),
    "notation": lambda j: SCALED.equations(j),
    "state": lambda j: COMPILED.motion(j, [0.0], 0.1, 0.01),
    "efforts": lambda j: COMPILED.motion([0.0], [0.0], 0.1, 0.01, efforts=j),
    "parameters": lambda j: COMPILED.motion([0.0], [0.0], 0.1, 0.01, parameters=j),
    "position": lambda j: EQUATIONS.mechanism.position(j),
    "forms": lambda j: Connection(SO3, j),
    "column": lambda j: Connection(SO3, {"t": j}),
    "field": FLAT.covariant_derivative,
    "momenta": FLAT.covariant_divergence,
    "other form": lambda j: FLAT.torsion(j),
    "transported": lambda j: FLAT.parallel_transport([(0, 0), (1, 0)], j),
    "field of elements": lambda j: Connection.of_field(SO3, j, ("t",)),
    "parameters of a field": lambda j: Connection.of_field(SO3, sp.eye(3), j),
    "horizontal": lambda j: FLAT.horizontal(sp.eye(3), [1, 0], j),
    "ad": SO3.ad,
    "Ad": SO3.Ad,
    "left form": lambda j: SO3.left_form(j, X),
    "group": lambda j: PoincareChetayev(j, lambda w: 0),
    "reference": lambda j: PoincareChetayev(SO3, lambda w, x: w.dot(w), ("t", "X"), reference=j),
    "order": lambda j: solved(order=j),
    "end": lambda j: symbolic.media.planar_beam().boundary_at(j, 1),
    "variables": lambda j: symbolic.check_potential(X**2, j),
    "reference of a potential": lambda j: symbolic.check_potential(X**2, [X], reference=j),
    "coordinates": lambda j: QuasiVelocities(j, [[1]]),
    "names of velocities": lambda j: QuasiVelocities(("x",), [[1]], names=j),
    "table": cs.chain_from_dh,
    "bodies": lambda j: cs.chain_from_dh([(0, 0, 1, 0)], bodies=j),
}
JUNK = (None, 3, NAN, "x y", [1, [2]], {"a": 1}, np.zeros((2, 2)), sp.Symbol("z"), object())


@pytest.mark.parametrize("name", TAKERS)
def test_junk_is_no_bare_exception(name):
    for junk in JUNK:
        with contextlib.suppress(CosseratError):
            TAKERS[name](junk)
