"""Geometry: groups of motions and the tensors that live on them.

In: plain NumPy arrays (rotation vectors, twists, 4x4 frames). Out: plain NumPy arrays, or small immutable
objects (`Frame`, `Twist`, `Wrench`, `Inertia`) for those who want the law of transformation with the numbers.
Nothing here knows of bodies, time integration or compiled code; everything else rests on it. Conventions:
linear part first, left-invariant velocities, ``coadjoint = ad^T``.

>>> import cosserat as cs
>>> (cs.lie.so3.exp([0, 0, 3.141592653589793]).round(9)[0] + 0.0).tolist()
[-1.0, 0.0, 0.0]
"""

from cosserat.lie import bases, coefficients, rotations, se2, se3, shapes, so3
from cosserat.lie.affine import AffineForm, CoTorsor, FrameChange, Point, Torsor
from cosserat.lie.frame import Frame
from cosserat.lie.inertia import Inertia, MovingFrame
from cosserat.lie.matrix_group import GA, SL, SO2, Galilei, Heisenberg, MatrixGroup, Semidirect
from cosserat.lie.momentum import AffineFrame, CoMomentum, Momentum
from cosserat.lie.product import Product, R
from cosserat.lie.protocol import Group
from cosserat.lie.se2 import SE2
from cosserat.lie.se3 import SE3
from cosserat.lie.so3 import SO3
from cosserat.lie.twist import Twist, Wrench, comoment

__all__ = [
    "GA", "SE2", "SE3", "SL", "SO2", "SO3", "AffineForm", "AffineFrame", "CoMomentum", "CoTorsor", "Frame",
    "FrameChange", "Galilei", "Group", "Heisenberg", "Inertia", "MatrixGroup", "Momentum", "MovingFrame", "Point",
    "Product", "R", "Semidirect", "Torsor", "Twist", "Wrench", "bases", "coefficients", "comoment", "rotations",
    "se2", "se3", "shapes", "so3",
]  # fmt: skip
