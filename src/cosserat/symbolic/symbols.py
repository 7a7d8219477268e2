"""Symbols of a section of a beam, in which a `cosserat.Medium` is written."""

from cosserat.model.algebra import sp
from cosserat.model.medium import STRAIN, TWIST

twist = sp.ImmutableMatrix(sp.symbols(TWIST, real=True))
"""Velocity ``v1 v2 v3`` and angular velocity ``w1 w2 w3`` of a section in its own axes, the beam along e_1: (6, 1)."""

strain = sp.ImmutableMatrix(sp.symbols(STRAIN, real=True))
"""Stretch ``e1``, shears ``e2 e3``, twist ``k1``, curvatures ``k2 k3``, zero in the reference configuration: (6, 1)."""
