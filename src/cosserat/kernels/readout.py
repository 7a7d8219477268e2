"""What a controller asks of a state: coordinates and rates of joints, motion of places; a microsecond each.

Arguments are addresses and numbers only: handing over an array from Python costs more than the reading itself.
"""

from typing import NamedTuple

from cosserat.jit import bound, helper, passed_as, stage
from cosserat.kernels import freedoms
from cosserat.kernels.arrays import F1, F2, I1
from cosserat.kernels.frames import compose, load_frame, twist_at_place
from cosserat.kernels.joints import place_frames
from cosserat.kernels.monitors import inside
from cosserat.kernels.vectors import dot, load, mul, store

ROTATION, POSITION, VELOCITY, SPIN, OWN_VELOCITY, OWN_SPIN, END = 0, 9, 12, 15, 18, 21, 24
"""Where `Site.motion` has what: world axes, then velocities in the place's own axes."""


@passed_as("spot")
class Spot(NamedTuple):
    """Freedoms of joints, and what was read of them."""

    joint: I1  # (n,)
    kind: I1  # (n,) as in `kernels.freedoms`
    axis: F2  # (n, 3)
    value: F2  # (n, 2) displacement of a slider, rate


@passed_as("site")
class Site(NamedTuple):
    """A place, and what was read of it."""

    node: I1  # (2,) its node twice, or the two it lies between
    fraction: F1  # (1,) of the way
    frame: F1  # (12,) in the node's frame
    motion: F1  # (END,)




@stage
def read_freedom(problem, spot, i):
    """Displacement along a freedom, and its rate."""
    jt, state = problem.joints, problem.state
    j = spot.joint[i]
    _, _, _, _, R, x = place_frames(jt, j, state.frame)
    f_a, m_a, f_b, m_b = freedoms.direction(spot, i, R, x)
    spot.value[i, 0] = dot(load(spot.axis[i], 0), x)
    spot.value[i, 1] = freedoms.rate_of(jt, j, state.twist, f_a, m_a, f_b, m_b)
    return 0


@stage
def read_place(problem, site):
    """Frame and velocities of a place."""
    state = problem.state
    a, b = site.node[0], site.node[1]
    if a == b:
        F, y = load_frame(site.frame)
        R, x = load_frame(state.frame[a])
        R, x = compose(R, x, F, y)
        u, w = twist_at_place(F, y, load(state.twist[a], 0), load(state.twist[a], 3))
    else:
        R, x, u, w = inside(state.frame, state.twist, a, b, site.fraction[0])
    put_motion(R, x, u, w, site.motion)
    return 0


@helper
def put_motion(R, x, u, w, motion_out):
    """Frame and twist in its own axes, as `Site.motion` has them."""
    for k in range(9):
        motion_out[ROTATION + k] = R[k]
    store(x, motion_out, POSITION)
    store(mul(R, u), motion_out, VELOCITY)
    store(mul(R, w), motion_out, SPIN)
    store(u, motion_out, OWN_VELOCITY)
    store(w, motion_out, OWN_SPIN)


def freedom_reader(problem, spot, i):
    """`read_freedom` with these arguments, as a call without any."""
    return bound(read_freedom, problem, spot, i)


def place_reader(problem, site):
    """`read_place` with these arguments, as a call without any."""
    return bound(read_place, problem, site)
