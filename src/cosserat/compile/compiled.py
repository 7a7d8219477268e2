"""The compiled model: arrays for the kernels, and the names behind them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.media import CompiledMedium, medium_addresses
from cosserat.compile.mesh import BeamMesh, node_layout
from cosserat.compile.rows import ActiveFreedom, JointRows
from cosserat.compile.series import frame_to_row as frame_to_row
from cosserat.compile.series import row_to_frame as row_to_frame
from cosserat.compile.state_laws import CompiledLaw
from cosserat.compile.timetable import Sampler, Timetable
from cosserat.kernels import arrays
from cosserat.lie.protocol import Array
from cosserat.model.joints import Joint
from cosserat.model.model import Model
from cosserat.model.rolling import Rolling

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Attachment:
    """A place on the discrete mechanism: a node and a constant frame in it."""

    node: int
    frame: Array  # 4x4


@dataclass(frozen=True)
class ModalNodes:
    """Nodes of a modal body: of its floating frame and of its interfaces. They follow the modes and have no mass."""

    frame: int
    interfaces: dict[str, int]


@dataclass(frozen=True)
class CompiledJoint:
    """A joint of the arrays: one the user described, or the weld of a beam's corner."""

    name: str
    joint: Joint | None
    parent: Attachment
    child: Attachment
    rows: JointRows


class System(NamedTuple):
    """The groups of `kernels.arrays.Problem` that describe the mechanism, in its order."""

    nodes: arrays.Nodes
    elements: arrays.Elements
    bodies: arrays.Bodies
    joints: arrays.Joints
    freedoms: arrays.Freedoms
    turns: arrays.Turns
    springs: arrays.Springs
    loads: arrays.Loads
    line_loads: arrays.LineLoads
    state_loads: arrays.StateLoads
    media: arrays.Media
    rolling: arrays.RollingArrays
    rules: arrays.Rules
    pattern: arrays.Pattern


@dataclass(frozen=True)
class CompiledModel:
    """Arrays for the kernels and the names behind them."""

    model: Model
    system: System
    sampler: Sampler
    frames: Array  # (n+1, 12) reference configuration, the last is the ground
    twists: Array  # (n+1, 6) initial twists asked for by the user, zero where not given
    given: NDArray[np.bool_]  # (n+1, 2) whether the user gave the linear and the angular part
    bodies: dict[str, int]  # rigid body -> node
    beams: dict[str, BeamMesh]
    joints: tuple[CompiledJoint, ...]
    rolling: tuple[Rolling, ...]
    freedoms: tuple[tuple[str, ActiveFreedom], ...]  # active ones, then those whose turns are counted
    size: float  # extent of mechanism and origin
    length: float  # typical length of an element or body
    mass: float  # typical mass of a node
    blocks: Ints  # (n_blocks, 2) row and column of every block of the matrix
    modal: dict[str, ModalNodes]  # modal body -> nodes; empty in the Galilean formulation
    laws: tuple[CompiledLaw, ...]  # of loads that depend on the state
    rules: tuple[Any, ...]  # users' constraints, see `compile.rules`
    media: dict[str, CompiledMedium]  # by beam, those that are not quadratic
    line_columns: dict[str, Ints]  # line load that varies -> columns (ne, 2) of its samples towards both ends

    @property
    def n_nodes(self) -> int:
        """Number of nodes, without the ground."""
        return len(self.frames) - 1

    @property
    def layout(self) -> tuple[Any, ...]:
        """What its nodes are, see `node_layout`."""
        return node_layout(self.bodies, self.beams)

    @property
    def n_joints(self) -> int:
        """Number of joints, welds of corners included."""
        return len(self.joints)

    @property
    def n_multipliers(self) -> int:
        """Number of groups of six multipliers: one for each joint, then one for each knife edge or rolling disc."""
        return len(self.joints) + len(self.system.rolling.node)

    @property
    def n_inner(self) -> int:
        """Number of states that laws own."""
        return int(self.system.state_loads.inner[-1])

    def first_states(self) -> Array:
        """States (3, ny) of laws at the start, without rates."""
        values = [x for law in self.laws for x in law.load.first_states]
        return np.array([values, np.zeros(len(values)), np.zeros(len(values))]).reshape(3, -1)

    @property
    def inner_names(self) -> tuple[str, ...]:
        """Names of the states of laws: load.state."""
        return tuple(f"{law.load.name}.{name}" for law in self.laws for name in law.load.states)

    @cached_property
    def timetable(self) -> Timetable:
        """When something jumps."""
        return Timetable(
            tuple(self.sampler.acting), self.sampler.driven, self.laws, self.rules, tuple(self.model.servos)
        )

    def addresses(self) -> dict[str, Any]:
        """Tables (n, 2) of addresses of what users wrote, and of its derivatives, by fields of `Solver`."""
        return {
            "units": arrays.address_rows([(law.law, law.derivative, law.inertia) for law in self.laws], 3),
            "rules": arrays.address_rows([(rule.law, None) for rule in self.rules]),
            "media": medium_addresses(self.media, self.beams) if self.media else arrays.address_rows([]),
        }

    def constraint_title(self, k: int) -> str:
        """How error messages call what owns group k of the multipliers."""
        return f"joint '{self.joints[k].name}'" if k < len(self.joints) else self.rolling[k - len(self.joints)].title
