"""The table of a tree: a header, one row of constants per link, then the workspace; all in one array of doubles.

Every array argument of a compiled call costs time, so that constants, indices and workspace travel together.

Links are numbered so that a parent precedes its children. A link is a rigid body (several, where joints are fixed)
or a massless intermediate of a joint with several freedoms. Its frame is the joint frame on its own side, turned so
that the axis of a joint with one freedom is z. Velocities and coordinates have the same places: n_v numbers each.
"""

# header
N_LINKS, N_V, WORK, FORCES, GRAVITY, HEADER = 0, 1, 2, 3, 4, 8

# columns of a link's row
KIND, PARENT, FIRST, SLIDE, TURN, MODES = 0, 1, 2, 3, 4, 5  # FIRST: first coordinate; MODES: none yet
FRAME = 6  # joint frame on the parent's side, in the parent's link frame: R (9), p (3)
MASS, MOMENT, INERTIA = 18, 19, 22  # m, m c (3), xx xy xz yy yz zz about the origin of the link frame
ROW = 28

# kinds of joints
REVOLUTE, SCREW, SPHERICAL, FREE = 0, 1, 2, 3  # SCREW: turns by TURN q and slides by SLIDE q along z
"""REVOLUTE and SCREW have one freedom. SPHERICAL and FREE have coordinates on the group: a rotation vector, and before
it a translation in the parent's axes; TURN = -1 where the joint is described from the outer body to the inner one."""

# workspace of a link
W_FRAME, W_TWIST, W_ACCELERATION, W_FORCE = 0, 12, 18, 24
W_INERTIA = 30  # articulated: A (6) linear, B (9) linear-angular, C (6) angular
W_PULL, W_SHARE = 51, 57  # ABA: U over D (6), u over D
W_ROW = 58
