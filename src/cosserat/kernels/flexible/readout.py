"""What a controller asks of places on a tree, see `kernels.readout`."""

from typing import NamedTuple

from cosserat.jit import passed_as, stage
from cosserat.kernels.flexible.arrays import SeatMotions, Seats
from cosserat.kernels.flexible.seats import visit
from cosserat.kernels.frames import load_frame
from cosserat.kernels.readout import Site, put_motion
from cosserat.kernels.vectors import load


@passed_as("seated")
class Seated(NamedTuple):
    """One place and its seat."""

    places: Seats
    moving: SeatMotions
    site: Site




@stage
def read_seat(tree, state, seated):
    """Frame and velocities of a place, with the motion of the links at hand."""
    motion, one = seated.moving, 1
    visit(tree.links, seated.places, state.motion, state.vectors.q, one, motion, state.scratch.last)
    R, x = load_frame(motion.frame[0])
    put_motion(R, x, load(motion.twist[0], 0), load(motion.twist[0], 3), seated.site.motion)
    return 0
