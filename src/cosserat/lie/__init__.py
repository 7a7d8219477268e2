"""Geometry: groups of motions and the tensors that live on them."""

from cosserat.lie import coefficients, se2, se3, so3
from cosserat.lie.product import Product
from cosserat.lie.protocol import Group
from cosserat.lie.rn import R
from cosserat.lie.se2 import SE2
from cosserat.lie.se3 import SE3
from cosserat.lie.so3 import SO3

__all__ = ["SE2", "SE3", "SO3", "Group", "Product", "R", "coefficients", "se2", "se3", "so3"]
