"""Time the derivation of equations of motion against SymPy's own methods, and compiled equations against `Tree`.

All in one run, CPU time, best of a few. Pendulums of n links in a plane with joint angles, masses, lengths and gravity
as symbols: M(q) and the forces of M a = f(q, v), as each method gives them without simplification.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import sympy as sp
from sympy.physics import mechanics as me

import cosserat as cs
from cosserat import symbolic


def chain(n: int) -> cs.Model:
    """n bars hanging from each other."""
    g = cs.Parameter("g", 9.81)
    model = cs.Model(f"pendulum of {n}", gravity=(0, -g, 0))
    before, x = cs.GROUND, 0.0
    for i in range(n):
        m, L, J = (cs.Parameter(f"{name}{i}", 1.0) for name in "mLJ")
        body = model.add(cs.RigidBody(f"b{i}", mass=m, com=(x + L / 2, 0, 0), inertia=(J, J, J)))
        model.add(cs.Revolute(f"q{i}", before, body, at=(x, 0, 0), axis=(0, 0, 1)))
        before, x = body, x + L
    return model


def here(n: int) -> tuple[sp.Matrix, sp.Matrix]:
    """`symbolic.lagrange`."""
    equations = symbolic.lagrange(chain(n))
    return equations.mass_matrix, -equations.bias


def _sympy_bodies(n: int) -> tuple[Any, ...]:
    q, u = me.dynamicsymbols(f"q:{n}"), me.dynamicsymbols(f"u:{n}")
    g, t = sp.Symbol("g"), me.dynamicsymbols._t
    N = me.ReferenceFrame("N")
    O = me.Point("O")
    O.set_vel(N, 0)
    frames, bodies, loads, before, angle = [], [], [], O, 0
    for i in range(n):
        m, L, J = sp.symbols(f"m{i} L{i} J{i}")
        angle = angle + q[i]
        A = N.orientnew(f"A{i}", "Axis", [angle, N.z])
        frames.append(A)
        G = before.locatenew(f"G{i}", L / 2 * A.x)
        G.v2pt_theory(before, N, A)
        after = before.locatenew(f"P{i}", L * A.x)
        after.v2pt_theory(before, N, A)
        bodies.append(me.RigidBody(f"b{i}", G, A, m, (me.inertia(A, J, J, J), G)))
        loads.append((G, -m * g * N.y))
        before = after
    return N, O, q, u, t, bodies, loads


def kane(n: int) -> tuple[sp.Matrix, sp.Matrix]:
    """SymPy's KanesMethod."""
    N, _, q, u, t, bodies, loads = _sympy_bodies(n)
    method = me.KanesMethod(N, q, u, kd_eqs=[a.diff(t) - b for a, b in zip(q, u, strict=True)])
    method.kanes_equations(bodies, loads)
    return method.mass_matrix, method.forcing


def lagrange(n: int) -> tuple[sp.Matrix, sp.Matrix]:
    """SymPy's LagrangesMethod."""
    N, O, q, _, _, bodies, _ = _sympy_bodies(n)
    for body in bodies:
        body.potential_energy = body.mass * sp.Symbol("g") * body.masscenter.pos_from(O).dot(N.y)
    L = me.Lagrangian(N, *bodies)
    method = me.LagrangesMethod(L, q, frame=N)
    method.form_lagranges_equations()
    return method.mass_matrix, method.forcing


def timed(function: Callable[..., Any], *args: Any, best: int = 2) -> float:
    """Least CPU time (s)."""
    least = np.inf
    for _ in range(best):
        sp.core.cache.clear_cache()
        start = time.process_time()
        function(*args)
        least = min(least, time.process_time() - start)
    return least


def derivations(sizes: tuple[int, ...]) -> None:
    """Print a table of times."""
    print(f"{'links':>5} {'lagrange (here)':>16} {'KanesMethod':>12} {'LagrangesMethod':>16}   seconds of CPU")
    for n in sizes:
        own = timed(here, n)
        print(f"{n:5d} {own:16.3f} {timed(kane, n, best=1):12.3f} {timed(lagrange, n, best=1):16.3f}", flush=True)


def agreement(n: int = 3) -> float:
    """Greatest relative difference of M and f between `lagrange` here and KanesMethod, at a random state."""
    rng = np.random.default_rng(1)
    M, f = here(n)
    M_k, f_k = kane(n)
    q, u = me.dynamicsymbols(f"q:{n}"), me.dynamicsymbols(f"u:{n}")
    values = rng.normal(size=2 * n)
    ours = dict(zip([sp.Symbol(f"q{i}") for i in range(n)] + [sp.Symbol(f"q{i}_dot") for i in range(n)], values))
    theirs = dict(zip([*u, *q], [*values[n:], *values[:n]]))
    constants = {sp.Symbol(f"{name}{i}"): 0.5 + 0.1 * i for name in "mLJ" for i in range(n)} | {sp.Symbol("g"): 9.81}
    worst = 0.0
    for a, b in ((M, M_k), (f, f_k)):
        A = np.array(a.subs(constants).subs(ours), dtype=float)
        B = np.array(b.subs(constants).subs(theirs), dtype=float)
        worst = max(worst, float(np.abs(A - B).max() / np.abs(A).max()))
    return worst


def calls(sizes: tuple[int, ...]) -> None:
    """Print times of one call of forward dynamics, compiled equations against the recursions."""
    print(f"\n{'links':>5} {'equations':>10} {'Tree':>8} {'compiling':>10}   us per call of forward_dynamics; s")
    for n in sizes:
        model = chain(n)
        tree, compiled = cs.Tree(model), symbolic.lagrange(model).compile()
        rng = np.random.default_rng(0)
        q, v, tau, out = rng.normal(size=n), rng.normal(size=n), np.zeros(n), np.empty(n)
        start = time.process_time()
        a = compiled.forward_dynamics(q, v, tau).copy()
        spent = time.process_time() - start
        assert np.allclose(a, tree.forward_dynamics(q, v, tau), rtol=1e-9)
        times = [np.inf, np.inf]
        for _ in range(7):  # interleaved
            for k, call in enumerate((compiled.forward_dynamics, tree.forward_dynamics)):
                extra = (0.0, out) if k == 0 else (out,)
                start = time.process_time()
                for _ in range(2000):
                    call(q, v, tau, *extra)
                times[k] = min(times[k], (time.process_time() - start) / 2000)
        print(f"{n:5d} {1e6 * times[0]:10.2f} {1e6 * times[1]:8.2f} {spent:10.1f}", flush=True)


def media(elements: int = 20) -> None:
    """Print CPU times per step of a beam: built in, from quadratic energies, and from a nonlinear potential."""
    kinetic = "1.0*(v1**2 + v2**2 + v3**2) + 5e-4*(w1**2 + w2**2 + w3**2)"
    quadratic = "(1e5*e1**2 + 4e4*(e2**2 + e3**2) + 4*k1**2 + 5*(k2**2 + k3**2))/2"
    section = cs.Section(stiffness=[1e5, 4e4, 4e4, 4, 5, 5], mass=[2, 2, 2, 1e-3, 1e-3, 1e-3])
    given: dict[str, dict[str, Any]] = {
        "built in": {"section": section},
        "quadratic": {"medium": cs.Medium(kinetic, quadratic)},
        "prestrained": {"medium": cs.Medium(kinetic, quadratic.replace("1e5*e1**2", "1e5*(e1 - 1e-6)**2"))},
        "nonlinear": {"medium": cs.Medium(kinetic, quadratic + " + 1e6*e1**4 + 2*(k2**2 + k3**2)**2 + 9*e1*k3**2")},
    }
    models = {}
    for name, beam in given.items():
        model = models[name] = cs.Model(name, gravity=(0, 0, -9.81))
        rod = model.add(cs.Beam("rod", points=[(0, 0, 0), (1, 0, 0)], elements=elements, **beam))
        model.add(cs.Revolute("hinge", cs.GROUND, rod.start, axis=(0, 1, 0)))
    print(f"\n{'beam':>12} {'alpha':>8} {'energy-momentum':>16}   us of CPU per step and element; relative to built in")
    integrators = ("generalized-alpha", "energy-momentum")
    best = {key: np.inf for name in models for key in ((name, i) for i in integrators)}
    for _ in range(5):  # interleaved
        for name, model in models.items():
            for integrator in integrators:
                run = cs.simulate(model, 0.5, step=1e-3, integrator=integrator)
                cost = run.stats["solve_seconds"] / run.stats["steps"] / elements
                best[name, integrator] = min(best[name, integrator], cost)
    for name in models:
        costs = [best[name, i] for i in integrators]
        ratios = [c / best["built in", i] for c, i in zip(costs, integrators, strict=True)]
        row = "  ".join(f"{1e6 * c:7.2f} ({r:.2f})" for c, r in zip(costs, ratios, strict=True))
        print(f"{name:>12} {row}", flush=True)


if __name__ == "__main__":
    media()
    print(f"difference to KanesMethod, 3 links: {agreement():.1e}\n")
    derivations((2, 4, 6) if "--quick" not in sys.argv else (2,))
    calls((2, 6) if "--quick" not in sys.argv else (2,))
