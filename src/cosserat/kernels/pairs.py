"""Two places on two nodes: their relative motion over a step, and wrenches by which they act on each other.

A wrench on the second place, in its frame, comes with its opposite on the first: so it changes no momentum. Over a step
it acts in the frames halfway; what has an energy is corrected along the relative increment, to work exactly by its
change.
"""

from cosserat.jit import helper
from cosserat.kernels.frames import compose, load_frame, relative, twist_at_place, wrench_to_node
from cosserat.kernels.vectors import accumulate, add, axpy, cross, dot, load, mul, mul_t, neg, sub


@helper
def relative_frame(frames, a, F_a, y_a, b, F_b, y_b):
    """Frame (R, x) of the place (F_b, y_b) of node b seen from the place (F_a, y_a) of node a."""
    R_a, x_a = load_frame(frames[a])
    R_b, x_b = load_frame(frames[b])
    R_a, x_a = compose(R_a, x_a, F_a, y_a)
    R_b, x_b = compose(R_b, x_b, F_b, y_b)
    return relative(R_a, x_a, R_b, x_b)


@helper
def relative_twist(R, x, twists, a, F_a, y_a, b, F_b, y_b):
    """Twist or increment (u, w) of the second place relative to the first, in the frame of the second."""
    u_a, w_a = twist_at_place(F_a, y_a, load(twists[a], 0), load(twists[a], 3))
    u_b, w_b = twist_at_place(F_b, y_b, load(twists[b], 0), load(twists[b], 3))
    u = sub(u_b, mul_t(R, add(u_a, cross(w_a, x))))
    return u, sub(w_b, mul_t(R, w_a))


@helper
def places_of(group, j):
    """Nodes and places (F, y) of both sides of item j of a group with node, frame_a and frame_b."""
    F_a, y_a = load_frame(group.frame_a[j])
    F_b, y_b = load_frame(group.frame_b[j])
    return group.node[j, 0], F_a, y_a, group.node[j, 1], F_b, y_b


@helper
def relative_motion(group, j, frames, twists):
    """Motion (R, x, u, w) of the second place of an item relative to the first, for twists or increments."""
    a, F_a, y_a, b, F_b, y_b = places_of(group, j)
    R, x = relative_frame(frames, a, F_a, y_a, b, F_b, y_b)
    u, w = relative_twist(R, x, twists, a, F_a, y_a, b, F_b, y_b)
    return R, x, u, w


@helper
def add_between(group, j, R, x, f, m, r_out):
    """`add_opposite` between the places of an item."""
    a, F_a, y_a, b, F_b, y_b = places_of(group, j)
    add_opposite(R, x, a, F_a, y_a, b, F_b, y_b, f, m, r_out)


@helper
def add_wrench(a, F, y, f, m, r_out):
    """r += a wrench given in a place (F, y) of node a."""
    f, m = wrench_to_node(F, y, f, m)
    accumulate(f, r_out[a], 0)
    accumulate(m, r_out[a], 3)


@helper
def add_opposite(R, x, a, F_a, y_a, b, F_b, y_b, f, m, r_out):
    """r += wrench (f, m) on the second place in its frame, and its opposite on the first."""
    add_wrench(b, F_b, y_b, f, m, r_out)
    f = mul(R, f)
    m = add(mul(R, m), cross(x, f))
    add_wrench(a, F_a, y_a, neg(f), neg(m), r_out)


@helper
def correct(f, m, u, w, work, doubt, length, wanted):
    """Add to (f, m) a wrench along (u, w) so that its work over (u, w) is `work`, known up to a doubt.

    Where hardly anything moves, a rounding error of the work would make a large force: it is left alone.
    """
    if not wanted:
        return f, m
    gap = work - dot(f, u) - dot(m, w)
    return shared(f, m, u, w, share(gap, weigh(u, w, length), doubt, length), length)


@helper
def weigh(u, w, length):
    """Square of a motion, turns over a length counted."""
    return dot(u, u) + length * length * dot(w, w)


@helper
def share(gap, weight, doubt, length):
    """How much of a motion of this weight, taken as a wrench, does the work that is missing, known up to a doubt."""
    gap = max(gap - doubt, min(gap + doubt, 0.0))
    return gap / weight if weight > 1e-26 * length * length else 0.0


@helper
def shared(f, m, u, w, share, length):
    """(f, m) and a share of the motion (u, w)."""
    return axpy(share, u, f), axpy(share * (length * length), w, m)
