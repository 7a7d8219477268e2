"""What the packers of a model share: its nodes, elements, joints, laws, and the numbers of the blocks of the matrix."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.compiled import CompiledJoint
from cosserat.compile.elements import ElementMatrices
from cosserat.compile.inputs import WrenchSource
from cosserat.compile.media import CompiledMedium
from cosserat.compile.skeleton import Skeleton
from cosserat.compile.state_laws import CompiledLaw
from cosserat.kernels.arrays import Elements
from cosserat.model.functions import TimeFunction
from cosserat.model.model import Model


@dataclass
class Parts:
    """A model on its way to arrays; `floating`: for floating frames, in which loads along beams turn with the nodes."""

    model: Model
    skeleton: Skeleton
    floating: bool
    elements: Elements
    matrices: dict[str, ElementMatrices]  # of every beam
    joints: list[CompiledJoint]
    laws: tuple[CompiledLaw, ...]  # of loads that depend on the state
    media: dict[str, CompiledMedium]  # by beam, those that are not quadratic
    number: dict[tuple[int, int], int] = field(default_factory=dict)  # of the blocks of the matrix
    size: float = 0.0  # extent of the mechanism
    efforts: list[TimeFunction] = field(default_factory=list)  # of joints, servos and tendons; behind: signals of laws
    sources: list[WrenchSource] = field(default_factory=list)  # of sampled wrenches, filled by `load_arrays`
    carried: dict[int, int] = field(default_factory=dict)  # laws whose inertia changes, and its row among the bodies
    line_columns: dict[str, NDArray[np.int64]] = field(default_factory=dict)  # likewise, see `CompiledModel`

    def block(self, i: int, k: int) -> int:
        """Number of the block of two vertices: nodes, ground (n), joints, wheels; the scratch block for the ground."""
        n = self.skeleton.n_nodes
        if i == n or k == n:
            return len(self.number)
        return self.number[i - (i > n), k - (k > n)]

    def pair(self, a: int, b: int) -> list[int]:
        """Blocks of two nodes."""
        return [self.block(a, a), self.block(a, b), self.block(b, a), self.block(b, b)]

    def held(self, a: int, b: int, row: int) -> list[int]:
        """Blocks of two nodes and of the multipliers between them, of joint or wheel number `row`."""
        v = self.skeleton.n_nodes + 1 + row
        ends = [(a, v), (v, a), (b, v), (v, b), (v, v)]
        return self.pair(a, b) + [self.block(i, k) for i, k in ends]
