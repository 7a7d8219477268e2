"""Seats: frames carried by a link of a tree, fixed to it or moving with an interface of an elastic body."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.modal_dynamics import interface_bias, interface_frame, interface_jacobian
from cosserat.lie import se3
from cosserat.model.interfaces import Interface

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Seat:
    """A frame on a link.

    Attributes
    ----------
    link : int
        -1 for the ground.
    frame : (4, 4)
        In the frame of the link, or in that of the interface if there is one.
    interface : Interface or None
    """

    link: int
    frame: Array
    interface: Interface | None = None

    def at(self, modal: Array) -> Array:
        """Frame (4, 4) in the link's, for its modal coordinates."""
        return self.frame if self.interface is None else interface_frame(self.interface, modal) @ self.frame

    def jacobian(self, modal: Array) -> Array:
        """Twist (6, m) in its own axes per modal rate, relative to the link."""
        if self.interface is None:
            return np.zeros((6, len(modal)))
        return se3.adjoint(se3.inverse(self.frame)) @ interface_jacobian(self.interface, modal)

    def bias(self, modal: Array, rates: Array) -> Array:
        """Time derivative of the Jacobian times the modal rates (6,)."""
        if self.interface is None:
            return np.zeros(6)
        return se3.adjoint(se3.inverse(self.frame)) @ interface_bias(self.interface, modal, rates)


def beside(seat: Seat, offset: Array) -> Seat:
    """The seat moved by an offset along its own axes."""
    return replace(seat, frame=seat.frame @ se3.frame(np.eye(3), offset)) if offset.any() else seat


def seat_on(link: int, carrier: Array, place: Array, interface: Interface | None) -> Seat:
    """The seat of a frame given in the world, as the link's own frame (or the ground's) is, all undeformed."""
    inside = se3.inverse(carrier) @ place
    if interface is None or not (interface.shape.any() or interface.stiffening.any()):
        return Seat(link, inside)
    return Seat(link, se3.inverse(interface.frame) @ inside, interface)
