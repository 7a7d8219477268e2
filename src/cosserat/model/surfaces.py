"""Closed surfaces of simple shapes, as triangles seen from outside counter-clockwise."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cosserat.lie.protocol import Array
from cosserat.model.bodies import Shape
from cosserat.model.curves import section_axes

Ints = NDArray[np.int64]

SIDES = 48
"""Sides of the prism that stands for a cylinder; it has the cylinder's volume."""


def box_surface(size: Array) -> tuple[Array, Ints]:
    """Vertices (8, 3) of a box about the origin, and triangles (12, 3)."""
    corners = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]) * size
    squares = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
    return corners, np.array([(a, b, c) for a, b, c, d in squares] + [(a, c, d) for a, b, c, d in squares])


def cylinder_surface(shape: Shape) -> tuple[Array, Ints]:
    """Vertices and triangles of a prism of `SIDES` sides with the volume of a cylinder about the origin."""
    diameter, length = shape.size
    angle = 2.0 * np.pi * np.arange(SIDES) / SIDES
    # area of the polygon: SIDES/2 r^2 sin(2 pi/SIDES)
    radius = 0.5 * diameter * np.sqrt(2.0 * np.pi / (SIDES * np.sin(2.0 * np.pi / SIDES)))
    ring = radius * np.stack((np.zeros(SIDES), np.cos(angle), np.sin(angle)), axis=1)
    ends = [(-0.5 * length, 0.0, 0.0), (0.5 * length, 0.0, 0.0)]
    local = np.concatenate((ring + ends[0], ring + ends[1], ends))
    k = np.arange(SIDES)
    following = (k + 1) % SIDES
    low, high = np.full(SIDES, 2 * SIDES), np.full(SIDES, 2 * SIDES + 1)
    faces = [(k, following + SIDES, k + SIDES), (k, following, following + SIDES), (low, following, k)]
    faces.append((high, k + SIDES, following + SIDES))
    triangles = np.concatenate([np.stack(face, axis=1) for face in faces])
    return local @ section_axes(shape.axis).T, triangles
