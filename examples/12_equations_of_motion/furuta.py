"""Furuta's pendulum: its equations in symbols, a linear model for control, and both ways to its motion.

A motor turns an arm about the vertical; a pendulum hangs from the end of the arm and is to be balanced upright. The
equations are derived from the model, printed, linearized about the upright position, and run beside the recursions.
"""

import numpy as np
import sympy as sp

import cosserat as cs
from cosserat import symbolic

m, L, r, g = (cs.Parameter(n, x) for n, x in {"m": 0.1, "L": 0.4, "r": 0.25, "g": 9.81}.items())
model = cs.Model("furuta", gravity=(0, 0, -g))
arm = model.add(cs.RigidBody.bar("arm", (0, 0, 0), (r, 0, 0), mass=0.2))
rod = model.add(cs.RigidBody.bar("rod", (r, 0, 0), (r, 0, L), mass=m))
model.add(cs.Revolute("phi", cs.GROUND, arm.at((0, 0, 0)), axis=(0, 0, 1)))
model.add(cs.Revolute("theta", arm.at((r, 0, 0)), rod.at((r, 0, 0)), axis=(1, 0, 0), damping=1e-4))

equations = symbolic.lagrange(model)
print(equations.latex({"phi": r"\varphi", "theta": r"\theta"}))

# About the upright position the weight pushes the rod further away, and the motor reaches all four states.
linear = equations.linearize(inputs=["tau_phi"])
assert sp.expand(linear.K[1, 1] + sp.Symbol("m") * sp.Symbol("g") * sp.Symbol("L") / 2) == 0
values = {"m": sp.Rational(1, 10), "L": sp.Rational(2, 5), "r": sp.Rational(1, 4), "g": sp.Rational(981, 100)}
assert equations.linearize(values, ["tau_phi"]).controllability().rank() == 4

# The compiled equations give the accelerations of the recursions, and a motion that keeps its energy.
compiled, tree = equations.compile(), cs.Tree(model)
q, v = np.array([0.0, 0.1]), np.array([0.5, 0.0])
assert np.allclose(compiled.forward_dynamics(q, v), tree.forward_dynamics(q, v, np.zeros(2)), rtol=1e-12)
motion = compiled.motion(q, v, duration=2.0, step=1e-3)
start, end = (tree.energy(motion.q[i], motion.v[i]).total for i in (0, -1))
print(f"the rod falls to {np.degrees(motion.q[:, 1].max()):.0f} degrees; energy {start:.4f} J, after 2 s {end:.4f} J")
assert motion.q[:, 1].max() > 3.0
assert 0.0 < start - end < 0.05 * abs(start) + 0.05
