"""Mass matrix, velocity terms and weight of a mechanism, from augmented bodies.

Each link carries, in its own frame, its mass, first moment h and inertia K about its origin, with everything beyond it
heaped up at its joints. Two links meet only in one product of a lever and a first moment: with partial velocities
u_ij = L_ij + w_ij x r and u_lk = m_l L_lk + w_lk x h_l, where r is the lever in link i towards link l,

M_jk = sum_i (w_ij . K_i w_ik + L_ij . (w_ik x h_i) + L_ik . (w_ij x h_i) + m_i L_ij . L_ik)
     + sum_{i < l} (u_ij . R_il u_lk + u_lj . R_il^T u_ik).

Velocity terms and weight follow from the same products with accelerations in place of one partial velocity.
"""

from __future__ import annotations

import itertools
from typing import Any

from cosserat.model.algebra import sp
from cosserat.symbolic.mechanism import SymbolicMechanism
from cosserat.symbolic.vectors import ONE, Vector, add, cross, dot, is_null, mul, mul_t, scale, sub, zeros


class SymbolicInertia:
    """What Newton's laws say of a mechanism, in symbols."""

    def __init__(self, mechanism: SymbolicMechanism) -> None:
        self.mechanism = mechanism
        self.n = len(mechanism.q)
        self.augmented = mechanism.augmented()
        links = range(len(mechanism.data.links))
        self.spins = [mechanism.spins_of(i) for i in links]
        self.levers = {i: self._levers(i) for i in links}
        self.moments = [self._partial(i, h, m) for i, (m, h, _) in enumerate(self.augmented)]

    def _levers(self, l: int) -> list[tuple[int, Vector]]:
        """Links between the ground and link l, each with its lever towards l."""
        path = self.mechanism.paths[l]
        return [(i, self.mechanism.offsets[after]) for i, after in itertools.pairwise(path)]

    def _partial(self, i: int, r: Vector, m: sp.Expr = ONE) -> dict[int, Vector]:
        """m L_ij + w_ij x r by freedom j; with a first moment for r the momentum of a link in its own spin alone."""
        found = {j: cross(w, r) for j, w in self.spins[i].items()}
        for j, u in self.mechanism.slides[i].items():
            found[j] = add(found.get(j, zeros()), scale(m, u))
        return {j: u for j, u in found.items() if not is_null(u)}

    def mass_matrix(self) -> sp.Matrix:
        """M (n, n)."""
        terms: list[list[list[sp.Expr]]] = [[[] for _ in range(self.n)] for _ in range(self.n)]

        def put(j: int, k: int, value: sp.Expr) -> None:
            terms[max(j, k)][min(j, k)].append(value)

        for l, (m, h, K) in enumerate(self.augmented):
            spins, slides = self.spins[l], self.mechanism.slides[l]
            for j, w in spins.items():
                turned = mul(K, w)
                for k, other in spins.items():
                    if k <= j:
                        put(j, k, dot(other, turned))
            for j, u in slides.items():
                for k, other in slides.items():
                    if k <= j:
                        put(j, k, m * dot(u, other))
                for k, w in spins.items():
                    value = dot(u, cross(w, h))
                    put(j, k, 2 * value if j == k else value)
            for i, r in self.levers[l]:
                R = self.mechanism.rotation(i, l)
                carried = {k: mul(R, u) for k, u in self.moments[l].items()}
                for j, u in self._partial(i, r).items():
                    for k, other in carried.items():
                        value = dot(u, other)
                        put(j, k, 2 * value if j == k else value)
        for k, value in self.mechanism.armatures().items():
            put(k, k, value)
        return sp.Matrix(self.n, self.n, lambda j, k: sp.Add(*terms[max(j, k)][min(j, k)]))

    def coriolis(self) -> sp.Matrix:
        """Terms (n, 1) of products of velocities."""
        mechanism = self.mechanism
        terms: list[list[sp.Expr]] = [[] for _ in range(self.n)]
        omega: list[Vector] = []
        beta: list[Vector] = []  # angular accelerations without those of the coordinates
        slip: list[Vector] = []  # the same of the origin against the parent
        for i, link in enumerate(mechanism.data.links):
            own = add(zeros(), *(scale(mechanism.v[j], w) for j, w in mechanism.spins[i].items()))
            slide = add(zeros(), *(scale(mechanism.v[j], u) for j, u in mechanism.slides[i].items()))
            turning = add(zeros(), *(scale(mechanism.v[j], w) for j, w in self.spins[i].items()))
            before = zeros() if link.parent < 0 else mul_t(mechanism.rotation(link.parent, i), beta[link.parent])
            carried = sub(turning, own)
            omega.append(turning)
            beta.append(add(before, cross(carried, own)))
            slip.append(zeros() if is_null(slide) else add(cross(turning, slide), cross(carried, slide)))

        def put(products: dict[int, Vector], acceleration: Vector) -> None:
            for j, u in products.items():
                terms[j].append(dot(u, acceleration))

        def carried_by(i: int, r: Vector) -> Vector:
            """Acceleration of a point r fixed to link i, against its origin."""
            return add(cross(beta[i], r), cross(omega[i], cross(omega[i], r)))

        for l, (m, h, K) in enumerate(self.augmented):
            put(self.spins[l], add(mul(K, beta[l]), cross(omega[l], mul(K, omega[l])), cross(h, slip[l])))
            pulled = add(scale(m, slip[l]), carried_by(l, h))
            put(mechanism.slides[l], pulled)
            for i, r in self.levers[l]:
                R = mechanism.rotation(i, l)
                put(self._partial(i, r), mul(R, pulled))
                put(self.moments[l], mul_t(R, add(slip[i], carried_by(i, r))))
        return sp.Matrix([sp.Add(*row) for row in terms])

    def weight(self) -> sp.Matrix:
        """Efforts (n, 1) that hold the weight at rest."""
        terms: list[list[Any]] = [[] for _ in range(self.n)]
        if not is_null(self.mechanism.gravity):
            for l in range(len(self.augmented)):
                g = mul_t(self.mechanism.rotation(-1, l), self.mechanism.gravity)
                for j, u in self.moments[l].items():
                    terms[j].append(-dot(u, g))
        return sp.Matrix([sp.Add(*row) for row in terms])

    def potential(self) -> sp.Expr:
        """Potential energy of gravity, zero at the world origin."""
        mechanism, parts = self.mechanism, []
        for l, link in enumerate(mechanism.data.links):
            for m, c, _ in mechanism.bodies_of(l) if link.bodies else ():
                parts.append(-m * dot(mechanism.gravity, mechanism.world_position(l, c)))
        return sp.Add(*parts)
