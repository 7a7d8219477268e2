"""The table of a tree: a header, one row of constants per link, then the workspace; all in one array of doubles.

Every array argument of a compiled call costs time, so that constants, indices and workspace travel together.

Links are numbered so that a parent precedes its children. A link is a rigid body (several, where joints are fixed)
or a massless intermediate of a joint with several freedoms. Its frame is the joint frame on its own side, turned so
that the axis of a joint with one freedom is z. Velocities and coordinates have the same places: n_v numbers each.
"""

# header
N_LINKS, N_V, FORCES, GRAVITY = 0, 1, 2, 3  # FORCES: 1 where wrenches on links and efforts in joints act
WORK, ANGLES, WRENCH, EFFORT, ORDER, SPATIAL, HEADER = 6, 7, 8, 9, 10, 11, 12
"""WORK, ORDER, SPATIAL: where the workspace, the order of the freedoms and the workspace in world axes begin; ANGLES,
WRENCH, EFFORT: where, in the workspace, sines and cosines, wrenches on links and efforts in joints begin.

The order has three numbers per freedom: counted from link to link, the coordinate it belongs to; the first of the
consecutive freedoms it ends that all lie between it and the ground; and the freedom the first one hangs on, or -1.
"""

# columns of a link's row
KIND, PARENT, FIRST, SLIDE, TURN, ABOVE = 0, 1, 2, 3, 4, 5  # FIRST: first coordinate
COUNT, DOF = 6, 7  # number of freedoms, and the first of them counted from link to link
FRAME = 8  # joint frame on the parent's side, in the parent's link frame: R (9), p (3)
MASS, MOMENT, INERTIA = 20, 21, 24  # m, m c (3), xx xy xz yy yz zz about the origin of the link frame
TOTAL, BEFORE = 30, 31
ARMATURE = 32  # inertia that moves with the coordinate; kinds of joints with one freedom are then SCREW
ROW = 33
"""Places in the workspace. ABOVE: the row of the parent or the ground. TOTAL: the link's articulated inertia; that of a
link without children is its own. BEFORE: the parent's, before that of this link is added to it."""

# kinds of joints
REVOLUTE, SCREW, SPHERICAL, FREE = 0, 1, 2, 3  # SCREW: turns by TURN q and slides by SLIDE q along z
"""REVOLUTE and SCREW have one freedom. SPHERICAL and FREE have coordinates on the group: a rotation vector, and before
it a translation in the parent's axes; TURN = -1 where the joint is described from the outer body to the inner one."""

# workspace of a link, and of the ground after the last one; what never changes is written with the table
W_FRAME, W_TWIST, W_ACCELERATION, W_FORCE = 0, 12, 18, 24  # the ground accelerates upwards instead of gravity
W_INERTIA = 30  # articulated: A (6) linear, B (9) linear-angular, C (6) angular
W_PULL, W_SHARE = 51, 57  # ABA: U over D (6), u over D
W_ROW = 58
W_OWN = 21  # then the inertia of each link by itself, as above

# workspace of the algorithms in world axes, about the position of the first link; per link:
X_FRAME, X_TWIST, X_ACCELERATION = 0, 12, 18
X_MASS, X_MOMENT, X_INERTIA = 24, 25, 28  # of the composite body: the link and all links beyond
X_MOMENTUM, X_GYRATION, X_FORCE = 34, 40, 46  # (p, l), symmetric part of twice B (6), wrench
X_ROW = 52
# per freedom, in the order of the links: six components each of
D_AXIS, D_PSI, D_PSI_DOT, D_SUM, D_ROWS = 0, 6, 12, 18, 24


def work_places(n_links: int, n_v: int) -> tuple[int, int, int, int, int]:
    """Where, in the workspace of one state, inertias, sines, wrenches and efforts begin, and where it ends."""
    own = (n_links + 1) * W_ROW
    angles = own + n_links * W_OWN
    wrench = angles + 2 * n_v
    effort = wrench + 6 * n_links
    return own, angles, wrench, effort, effort + n_v


def spatial_size(n_links: int, n_v: int) -> int:
    """Numbers in the workspace in world axes: links, freedoms, origin."""
    return n_links * X_ROW + n_v * D_ROWS + 3
