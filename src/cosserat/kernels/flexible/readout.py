"""What a controller asks of places on a tree, see `kernels.readout`."""

from typing import NamedTuple

from cosserat.jit import Handles, stage
from cosserat.kernels.flexible.arrays import Seats, links_of, motion_of, scratch_of, vectors_of
from cosserat.kernels.flexible.forces import seat_motion
from cosserat.kernels.readout import Site, put_motion


class Seated(NamedTuple):
    """One place and its seat."""

    places: Seats
    site: Site


seated_handles = Handles(Seated)
places_of = seated_handles.getter("places", Seats)
site_of = seated_handles.getter("site", Site)


@stage
def read_seat(tree, state, seated):
    """Frame and velocities of a place, with the motion of the links at hand."""
    links, now, scratch, q = links_of(tree), motion_of(state), scratch_of(state), vectors_of(state).q
    seats, site = places_of(seated), site_of(seated)
    R, x, u, w, _, _ = seat_motion(links, seats, now, 0, q, scratch.rows, scratch.last)
    put_motion(R, x, u, w, site.motion)
    return 0
