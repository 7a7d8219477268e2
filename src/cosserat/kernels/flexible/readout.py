"""What a controller asks of places on a tree, see `kernels.readout`."""

from typing import NamedTuple

from cosserat.jit import passed_as, stage
from cosserat.kernels.flexible.arrays import Seats
from cosserat.kernels.flexible.forces import seat_motion
from cosserat.kernels.readout import Site, put_motion


@passed_as("seated")
class Seated(NamedTuple):
    """One place and its seat."""

    places: Seats
    site: Site




@stage
def read_seat(tree, state, seated):
    """Frame and velocities of a place, with the motion of the links at hand."""
    links, now, scratch, q = tree.links, state.motion, state.scratch, state.vectors.q
    seats, site = seated.places, seated.site
    R, x, u, w, _, _ = seat_motion(links, seats, now, 0, q, scratch.rows, scratch.last)
    put_motion(R, x, u, w, site.motion)
    return 0
