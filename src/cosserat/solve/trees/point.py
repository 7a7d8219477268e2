"""`TreePoint`: a state of a tree about which it is linearised; what `linear.point.Point` is for nodes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import null_space
from scipy.sparse import csc_matrix

from cosserat.compile.compiled import CompiledModel
from cosserat.compile.flexible_arrays import pack_seats
from cosserat.errors import SolveError
from cosserat.lie.protocol import Array
from cosserat.model.model import Model
from cosserat.results.mechanism import JointInfo, Mechanism, mechanism_of
from cosserat.results.modes import Modes
from cosserat.results.quantities import Quantity
from cosserat.results.trajectory import Trajectory
from cosserat.solve.balance.standing import all_have_potentials
from cosserat.solve.linear.basis import Basis, constant, leading
from cosserat.solve.linear.elastic import change_in_elements
from cosserat.solve.linear.inner import Inner, inner_of
from cosserat.solve.linear.matrices import LEFT_BY_DIFFERENCES, LEFT_BY_ROUNDING, Matrices, Slips
from cosserat.solve.linear.point import EQUILIBRIUM, MOTION, ROTATION, OperatingPoint
from cosserat.solve.memory import new_memory
from cosserat.solve.relative.seat_motion import seat_rows, seats_at
from cosserat.solve.trees.shares import participation, tree_shares
from cosserat.solve.trees.system import Slopes, TreeState, TreeSystem

_BALANCED = 1e-6  # force that is left, relative to the largest that acts
_IMPLIED = 1e-9  # singular value of constraints, relative to the largest, of what others imply
_ASYMMETRY = 1e-8  # of the stiffness, entries relative to the diagonal, that rounding leaves


@dataclass
class TreePoint:
    """A state of a tree with the inputs of its time.

    Attributes
    ----------
    kind : "equilibrium", "steady rotation", "steady motion" or "moment of a run"
    """

    system: TreeSystem
    state: TreeState
    kind: str = EQUILIBRIUM
    controlled: bool = False
    flow: None = None

    def __post_init__(self) -> None:
        if self.kind == EQUILIBRIUM and np.any(self.system.turning):
            self.kind = ROTATION
        self.state = self.system.settled(self.state)

    @property
    def turning(self) -> bool:
        """Whether constraints turn with its motion: coordinates of trees do not."""
        return False

    @property
    def compiled(self) -> CompiledModel:
        """The nodes that results read."""
        return self.system.compiled

    @property
    def model(self) -> Model:
        """The model that is linearised."""
        return self.system.model

    @property
    def time(self) -> float:
        """Of the inputs (s)."""
        return self.state.t

    @cached_property
    def mechanism(self) -> Mechanism:
        """Names, places and joints, as results see them."""
        return mechanism_of(self.compiled)

    @cached_property
    def slopes(self) -> Slopes:
        """Derivatives of the equations."""
        self.system.load(self.state.t)
        return self.system.slopes(self.state)

    @cached_property
    def jacobian(self) -> Array:
        """Increments (6 nodes, n) of the nodes."""
        return self.system.jacobian(self.state.q)

    @cached_property
    def combinations(self) -> Array:
        """Combinations (m, k) of the constraints that no others imply."""
        rows = self.slopes.rows
        if not len(rows):
            return np.zeros((0, 0))
        scaled = rows * self.unit
        norms = np.linalg.norm(scaled, axis=1)
        norms[norms == 0.0] = 1.0
        U, sizes, _ = np.linalg.svd(scaled / norms[:, None])
        rank = int(np.sum(sizes > _IMPLIED * np.max(sizes, initial=1e-300)))
        return np.eye(len(rows)) if rank == len(rows) else np.asarray(U[:, :rank].T / norms)

    @property
    def n_constraints(self) -> int:
        """Number of independent constraints."""
        return len(self.combinations)

    @cached_property
    def unit(self) -> Array:
        """Sizes (n,) of increments that go with one and the same kinetic energy."""
        inertia = np.diag(self.slopes.da)
        typical = self.compiled.mass * self.compiled.length**2
        return np.sqrt(typical / np.where(inertia > 0.0, inertia, typical))

    def matrices(self) -> Matrices:
        """Exact matrices of the linear equations in the coordinates of the tree."""
        d, state = self.slopes, self.state
        along, turning = self.system.brackets(state.v), self.system.brackets(state.a)
        K = d.dq + d.dv @ along + d.da @ turning
        D = d.dv + d.da @ along
        for matrix in (K, D):  # the turntable is held: what it feels is a reaction, and it does not move
            matrix[self.system.table] = matrix[:, self.system.table] = 0.0
        if self.conservative:
            K = 0.5 * (K + K.T)
        rows = csc_matrix(self.combinations @ d.rows) if len(d.rows) else csc_matrix((0, self.system.n))
        M, D, K = (csc_matrix(a) for a in (0.5 * (d.da + d.da.T), D, K))
        return Matrices(
            M, D, K, rows, 1.0, slips=self._slips(along), unit=self.unit, inner=self._inner(along),
            doubt=self._doubt(), change=self.change,
        )  # fmt: skip

    def _doubt(self) -> csc_matrix | None:
        """Errors (n, n) of what laws add to the stiffness, each by itself; see `linear.matrices.doubt_of`."""
        forces, system, q = self.system.tree.forces, self.system, self.state.q
        laws = forces.laws
        lone = len(laws.node) == len(np.unique(forces.places.link[laws.node]))
        if not len(laws.acts) or (lone and np.all(laws.unit[:, 1] != 0)):
            return None
        _ = self.slopes  # which fills those of the laws
        motions, out = system.motions(self.state), np.zeros((system.n, system.n))
        for k, seats in enumerate(forces.law_seats):
            error = LEFT_BY_ROUNDING if laws.unit[k, 1] else LEFT_BY_DIFFERENCES
            rows = np.abs(seat_rows(system.data, motions, q, seats)).reshape(len(seats), 6, -1)
            slope = np.abs(forces.slopes_of_law(k)).reshape(len(seats), 6, len(seats), 12)[..., :6]
            acts = int(laws.acts[k])
            out += error * np.einsum("api,apbq,bqj->ij", rows[:acts], slope[:acts], rows)
        return csc_matrix(out)

    def _inner(self, along: Array) -> Inner | None:
        """The states of laws, `along` the commutator with its velocities; None where no law owns any."""
        system, state, data = self.system, self.state, self.system.data
        forces = system.tree.forces
        if not len(self.inner_values):
            return None
        _ = self.slopes  # which fills those of the laws

        def motion(i: int, side: int) -> tuple[Array, Array | None]:
            seat = forces.law_seats[i][side]
            place = pack_seats([seat])

            def twist(other: TreeState) -> Array:
                return seats_at(system.motions(other), place, other.q).twist[0, 0]

            rows = seat_rows(data, system.motions(state), state.q, [seat])
            return rows, system.differences(state, twist) if np.any(state.v) else None

        found = inner_of(forces.laws, forces.inner.slope, system.n, motion)
        return replace(found, position=csc_matrix(found.position + found.velocity @ along))

    def change(self, shapes: NDArray[Any]) -> Array:
        """Change of shapes (n, k) across elements of beams, relative to the motion there."""
        return change_in_elements(self.compiled, self.frames, self.nodal(shapes))

    @property
    def inner_values(self) -> Array:
        """States of laws (ny,)."""
        assert self.state.inner is not None
        return self.state.inner

    def _slips(self, along: Array) -> Slips | None:
        """What restricts velocities only, in a steady motion: A (x' + [v, x]) + (dA/dx v) x = 0."""
        system, state = self.system, self.state
        if self.kind != MOTION or system.holonomic.all():
            return None

        def rates(other: TreeState) -> Array:
            return np.asarray(system.bound(other)[0] @ other.v)

        drift = system.differences(state, rates) + self.slopes.rows @ along
        drift[system.holonomic] = 0.0
        mixed = np.abs(self.combinations) > 1e-9
        which = np.any(mixed[:, ~system.holonomic], axis=1)
        return Slips(which, csc_matrix(self.combinations @ drift))

    def basis(self, matrices: Matrices) -> Basis:
        """Motions that the constraints allow: coordinates of the tree, as far as they are independent."""
        rows = matrices.constraints.toarray() * self.unit
        free = null_space(rows) if len(rows) else np.eye(self.system.n)
        if free.shape[1] == 0:
            raise SolveError("linearize: the joints allow no motion at all, there is nothing to linearise")
        chosen = leading(free)
        motions = self.unit[:, None] * np.linalg.solve(free[chosen].T, free.T).T / self.unit[chosen]
        names = tuple(self.system.tree.coordinates[k] for k in chosen)
        mass = motions.T @ (matrices.mass @ motions)
        dual = np.linalg.solve(mass, (matrices.mass.T @ motions).T) @ self.dual
        return Basis(constant(motions), names, len(names), dual)

    def motion_column(self, joint: JointInfo, i: int, name: str) -> Any:
        """A unit of the prescribed motion of freedom i of a joint, as an input."""
        from cosserat.solve.trees.ports import motion_column

        return motion_column(self, joint, i, name)

    def parameter_column(self, name: str) -> Any:
        """A unit of a parameter of the model, as an input."""
        from cosserat.solve.trees.ports import parameter_column

        return parameter_column(self, name)

    def outputs(self, asked: list[Quantity], inputs: Any) -> Any:
        """Rows of outputs, and what inputs add to them at once."""
        from cosserat.solve.trees.ports import tree_outputs

        return tree_outputs(self, asked, inputs)

    @property
    def n_unknowns(self) -> int:
        """Number of increments."""
        return self.system.n

    @cached_property
    def conservative(self) -> bool:
        """Whether all that acts has a potential."""
        return all_have_potentials(self.model) and not np.any(self.state.v[~self.system.table])

    def is_symmetric(self, matrices: Matrices) -> bool:
        """Whether the stiffness is that of a potential."""
        if self.conservative:
            return True
        K = matrices.stiffness.toarray() * np.outer(self.unit, self.unit)
        size = np.sqrt(np.abs(np.diag(K)))
        return bool(np.all(np.abs(K - K.T) <= _ASYMMETRY * (np.outer(size, size) + 1e-6 * np.max(np.abs(K)))))

    def nodal(self, motions: NDArray[Any]) -> NDArray[Any]:
        """Increments (6 nodes, k) of the nodes for columns of increments of the coordinates."""
        return np.asarray(self.jacobian @ motions)

    def tell(self, modes: Modes, shapes: NDArray[Any]) -> None:
        """What modes cannot find out by themselves from the motion of nodes: shapes and energies of elastic bodies."""
        modes.coordinate_shapes = shapes
        modes.__dict__.update(
            components=tree_shares(self, modes, shapes), participation=participation(self, modes, shapes)
        )

    def carried(self, row: Array) -> Array:
        """A row on increments of the nodes as one on those of the coordinates (n,)."""
        return np.asarray(row @ self.jacobian)

    @cached_property
    def dual(self) -> Array:
        """Increments of the coordinates (n, 6 nodes) of motions of the nodes, the nearest ones."""
        weight = np.tile([1.0 / self.compiled.length, 1.0], len(self.jacobian) // 6).repeat(3)
        return np.asarray(np.linalg.pinv(weight[:, None] * self.jacobian / self.unit) * weight / self.unit[:, None])

    def trajectory(self) -> Trajectory:
        """The state as a stored trajectory of one moment."""
        return self.system.trajectory([self.state])

    @cached_property
    def still(self) -> OperatingPoint:
        """The same state as one of nodes, for kinematics."""
        compiled = self.compiled
        memory = new_memory(compiled, compiled.sampler.sample(np.array([self.time])))
        history, trial = self.trajectory().history, memory.problem.trial
        trial.frame[:], trial.force[:], trial.angle[:] = history.frame[0], history.force[0], history.angle[0]
        trial.twist[:], trial.inner[0] = history.twist[0], self.inner_values
        return OperatingPoint(compiled, memory, self.time, EQUILIBRIUM)

    @property
    def frames(self) -> Array:
        """Frames (nodes + 1, 12) of the nodes."""
        return self.still.frames

    def imbalance(self) -> tuple[float, str]:
        """Unbalanced force relative to what is accepted, and in words the largest and where it acts."""
        system, state = self.system, self.state
        system.load(state.t)
        sizes = system.sizes(state.q)
        rest, value, _ = system.residual(state)
        if not np.isfinite(rest).all():
            return np.inf, "forces are not numbers"
        loose = state._replace(force=np.zeros(system.n_rows))
        acting = [system.residual(loose)[0], system.tree.gravity_forces(state.q)]
        system.load(state.t, 0.0)  # what laws do against loads
        acting.append(system.residual(loose)[0])
        system.load(state.t)
        acting.append(system.tree.forces.in_joints(state.q, state.v, state.t))
        largest = max(float(np.max(np.abs(a) / sizes, initial=0.0)) for a in acting)
        stiff = float(np.max(np.abs(np.diag(self.slopes.dq)) / sizes**2, initial=0.0))
        left = np.abs(rest) / sizes
        k = int(np.argmax(left)) if len(left) else 0
        worst = float(np.max(left, initial=0.0))
        if worst > _BALANCED * largest:  # laws on one body may cancel one another
            largest = max(largest, self.still.largest_law() * system.compiled.length)
        accepted = _BALANCED * largest + 1e4 * np.finfo(float).eps * stiff
        force, where = worst / system.compiled.length, system.tree.coordinates[k]
        text = f"a force of {force:.3g} N is left unbalanced along {where!r}"
        apart = float(np.max(np.abs(value), initial=0.0)) / (1e-7 * system.compiled.size)
        return max(worst / accepted if accepted > 0.0 else (np.inf if worst > 0.0 else 0.0), apart), text

    def at(self, state: TreeState) -> TreePoint:
        """The same system in another state."""
        return replace(self, state=state)


def with_reactions(system: TreeSystem, state: TreeState) -> TreeState:
    """The state with the multipliers that leave the least of its equations."""
    system.load(state.t)
    if not system.n_rows:
        return state
    state = state._replace(force=np.zeros(system.n_rows))
    rows = system.bound(state)[0]
    for _ in range(2):
        r, _, _ = system.residual(state)
        state = state._replace(force=state.force - np.linalg.lstsq(rows.T, r, rcond=1e-10)[0])
    return state
