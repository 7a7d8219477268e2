"""`FlexibleTree`: a `Tree` with the kernels of links with modes, as floating frames need it."""

from __future__ import annotations

from cosserat.compile.tree import TreeData
from cosserat.lie.protocol import Array
from cosserat.model.model import Model
from cosserat.results.trajectory import Kept
from cosserat.solve.relative.flexible_forces import FlexibleForces
from cosserat.solve.relative.modal_engine import ModalEngine
from cosserat.solve.relative.tree import Tree


class FlexibleTree(Tree):
    """A `Tree` that has the kernels of links with modes in any case, also where all bodies are rigid.

    ``Tree(model, modes=...)`` is the same for a model with beams or modal bodies. Parameters, attributes and methods
    are those of `Tree`, but loads and efforts follow parameters of the model that are set later.

    Examples
    --------
    >>> import cosserat as cs
    >>> model = cs.Model("arm", gravity=(0, 0, -9.81))
    >>> section, steel = cs.Rod(0.02), cs.materials.STEEL
    >>> arm = model.add(cs.Beam("arm", points=[(0, 0, 0), (1, 0, 0)], section=section, material=steel, elements=8))
    >>> hinge = model.add(cs.Revolute("hinge", cs.GROUND, arm.start, axis=(0, 1, 0)))
    >>> tree = cs.FlexibleTree(model, modes=2)
    >>> tree.coordinates
    ('hinge', 'arm.mode1', 'arm.mode2')
    """

    engine: ModalEngine
    forces: FlexibleForces  # what acts besides gravity
    gravity: Array
    ground: Array  # (6,) gravity, as an acceleration of the ground
    _general = True

    @classmethod
    def of_data(cls, model: Model, data: TreeData, kept: Kept | None = None) -> FlexibleTree:
        """The tree of a model that was compiled before, when it was `kept`. Whoever makes it sets states of laws."""
        tree = cls.__new__(cls)
        tree._set(model, data, ModalEngine(model, data), kept)  # floating frames close loops by themselves
        return tree

    def load(self, t: float, factor: float = 1.0) -> None:
        """Take gravity, loads and efforts at a time, scaled by a factor; laws of users act as they are."""
        self.time = t
        self.engine.load(t, factor)
