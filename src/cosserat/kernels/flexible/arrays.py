"""A tree of rigid and elastic links as arrays, its motion at a state, and its articulated inertias.

Every link has k joint coordinates and m modal ones, each of them consecutive, and vectors of 6 + m numbers: a twist or
wrench, then one number per mode. Such vectors of all links lie one after another in an array of n_z numbers. Matrices
whose rows are twists (one per coordinate) are stored row by row, six numbers each.
"""

from typing import Annotated, NamedTuple

from cosserat.jit import passed_as
from cosserat.kernels.arrays import F1, F2, F3, I1, I2, Loads, Owned, Springs, Visit

WELD = -1
"""A joint without freedoms; the other kinds are those of `kernels.recursion.table`."""

KIND, PARENT, N_JOINT, N_MODES = 0, 1, 2, 3
FIRST, MODE = 4, 5  # first coordinate of the joint, and of the modes
CARRIERS = 6  # modes of the parent that move the seat of the joint: all of them or none
BASE, OWN = 7, 8  # seats of the joint on the parent's side and on its own
MOVING = 9  # whether the seat on its own side moves
BODY = 10  # which elastic body, -1 for a rigid link, FLUID for one with any inertia
FLUID = -2
COUPLING, SQUARE = 11, 12  # where its couplings and its tables of m m entries begin; equal bodies share them
Z, Q, INERTIA, CARRY, AXES, PIVOT = 13, 14, 15, 16, 17, 18  # where its part begins of arrays of that kind
MODAL = 19  # modes of the links before it
LINK_INTEGERS = 20


class Links(NamedTuple):
    """Links, parents before children."""

    table: I2  # (n, LINK_INTEGERS)
    joint: F2  # (n, 2) slide, turn; see `kernels.recursion.table`
    inertia: F2  # (n, 36) of rigid links
    armature: F1  # (n_v,) inertia that moves with coordinates


class ElasticBodies(NamedTuple):
    """Elastic bodies; see `ModalInertia` for the tensors. Symmetric 3x3 matrices: xx xy xz yy yz zz."""

    mass: F1  # (nb,)
    moment: F2  # (nb, 3)
    inertia: F2  # (nb, 6)
    coupling: F1  # (m, 12) each: a, alpha, derivative of J
    second: F1  # (m, m, 9) each: second order of the momentum, lambda, second order of the angular momentum
    half: F1  # (m, m, 6) each: half the second derivative of J
    mass_matrix: F1  # (m, m) each
    stiffness: F1  # (m, m) each
    damping: F1  # (m, m) each
    bent: I1  # (nb,) whether there are displacements of second order, and for them, see `bent`:
    theta: F2  # (nb, 16)
    psi: F1  # (m, 12) each
    field: F1  # (m, m, 12) each
    curved: I1  # (nb,) where its `bend` begins, -1 where strains are linear in the modal coordinates
    bend: F1  # (m, m, m) each: the strain energy is that of q_c - q^a q^b bend_abc / 2


class Seats(NamedTuple):
    """Frames on links, fixed to them or moving with an interface."""

    link: I1  # (ns,) -1: the ground
    modes: I1  # (ns,) number of modes that move it, 0 if it is fixed
    shape_at: I1  # (ns,) equal interfaces share their tables
    pair_at: I1  # (ns,) -1 where displacements are linear in the modal coordinates
    rows_at: I1  # (ns,) where its rows begin in arrays with six numbers per seat and mode
    frame: F2  # (ns, 12) in the link, or in the interface
    interface: F2  # (ns, 12) undeformed, in the link
    shape: F1  # (m, 6) each
    pair: F1  # (m, m, 6) each: displacements of second order


class SeatMotions(NamedTuple):
    """Seats at a state: frames, twists and wrenches as nodes have them, and how they hang on their links."""

    frame: Annotated[F2, "ns", 12]  # in the world
    twist: Annotated[F2, "ns", 6]  # in their own axes
    wrench: Annotated[F2, "ns", 6]  # minus what acts on them, in their own axes
    inside: Annotated[F2, "ns", 12]  # frame in the link
    bias: Annotated[F2, "ns", 6]  # see `seats.place_seat`
    rows: Annotated[F1, "nr"]  # the same, from `Seats.rows_at` on


class Laws(NamedTuple):
    """Laws of users at any number of seats; the first ones as in `kernels.arrays.StateLoads`."""

    first: Annotated[I1, "ns+1"]
    node: Annotated[I1, "nsp"]  # seats
    frame: Annotated[F2, "nsp", 12]  # identities
    acts: Annotated[I1, "ns"]
    length: Annotated[F1, "ns"]
    start: Annotated[I1, "ns+1"]
    parameter: Annotated[F1, "np"]
    inner: Annotated[I1, "ns+1"]
    unit: Annotated[I2, "ns", 3]  # addresses of the law, of its derivative and of its inertia, 0: none is given
    signal: Annotated[I1, "nm"]  # numbers in `parameter` that follow sampled inputs
    burning: Annotated[I2, "nb", 2]  # links whose inertia changes with time, and where `parameter` has its ten numbers
    carried: Annotated[I2, "nc", 4]  # laws whose inertia changes: number, its link, place in `parameter`, and where
    # that has the same for the law which takes its weight back, -1: no such
    inertia: Annotated[F3, "n", 6, 6]  # of the links: `Links.inertia`
    clock: Annotated[F1, 1]  # time


class Items(NamedTuple):
    """Springs, loads and laws as what acts at seats: each at some, those of one item behind those of the one before."""

    first: Annotated[I1, "ni+1"]  # range of its seats
    at: Annotated[I1, "ni"]  # where it begins in ...
    slope: Annotated[F1, "nk"]  # ... this: derivatives (6n, 12n) of its wrenches by frame and twist of its n seats
    change: Annotated[F1, "nw"]  # of the wrenches of one item along a direction
    power: Annotated[F1, 2]  # that dampers of springs take, negative; of loads, laws, and what springs are given
    K: Annotated[F2, "nw", "nw"]  # room for one spring
    C: Annotated[F2, "nw", "nw"]
    row: Annotated[F2, "nw", 12]


class LawStateArrays(NamedTuple):
    """States of laws, and how they follow the motion; see `owning`."""

    inner: F2  # (4, ny) states, rates, the integrator's rate-like variable, what a step knows of its start
    follow: F1  # (1,) see `kernels.law_states`
    slope: F3  # (ns, nw, nz) as `Owned.J`, of each law where it was linearised last
    stage: I1  # (2,) addresses of `owning.settle_law` and `owning.differentiate_law`; 0 where no law owns states


@passed_as("tree")
class TreeArrays(NamedTuple):
    """All that does not depend on the state; the seats of joints."""

    links: Links
    bodies: ElasticBodies
    seats: Seats


class TreeInputs(NamedTuple):
    """Functions of time, as they are now."""

    drive: F1  # (n_v,) prescribed efforts
    target: F1  # (n_v,) of servos
    load: F2  # (nl, 6) forces and moments of loads


@passed_as("acting")
class Acting(NamedTuple):
    """What acts, and the seats where it does."""

    places: Seats
    motion: SeatMotions
    springs: Springs  # nodes are seats; columns are those of `Laws.parameter`
    loads: Loads  # nodes are seats
    passive: F2  # (7, n_v) stiffness, damping, friction, speed of joint coordinates; kp, kd, limit of servos
    items: Items
    inputs: TreeInputs
    laws: Laws
    visit: Visit
    inner: LawStateArrays
    owned: Owned


class LinkMotions(NamedTuple):
    """Links at a state: z = W z_parent + N v, z_dot = W z_dot_parent + N a + c, M z_dot + b = forces."""

    frame: Annotated[F2, "n", 12]  # in the world
    relative: Annotated[F2, "n", 12]  # in the parent's frame
    z: Annotated[F1, "nz"]
    drift: Annotated[F2, "n", 6]  # c; its modal part is zero
    carry: Annotated[F1, "carry"]  # (6 + carriers, 6) each: W, transposed
    axes: Annotated[F1, "axes"]  # (k + m, 6) each: twists per unit velocity; the modal part of N is the unit matrix
    inertia: Annotated[F1, "inertia"]  # (6 + m, 6 + m) each: M
    bias: Annotated[F1, "nz"]  # b: without gravity, an acceleration of the ground; with modal stiffness
    elastic: Annotated[F1, "inertia"]  # what `strains` writes


class TreeScratch(NamedTuple):
    """Workspace."""

    one: Annotated[F1, "nz"]
    two: Annotated[F1, "nz"]
    rows: Annotated[F1, "row"]  # 15 (m + 9) numbers, m of the largest link
    more: Annotated[F1, "row"]
    last: Annotated[F1, "row"]
    bent: Annotated[F1, "bent"]  # see `bent`


class Vectors(NamedTuple):
    """Arguments and results of the calls in `dynamics`: what Python hands over costs more than many a recursion."""

    q: Annotated[F1, "nv"]
    v: Annotated[F1, "nv"]
    a: Annotated[F1, "nv"]
    tau: Annotated[F1, "nv"]
    held: Annotated[I1, "nv"]  # 1 where accelerations are given
    ground: Annotated[F1, 6]  # acceleration of the ground, against gravity
    effort: Annotated[F1, "nv"]  # of joints
    wrench: Annotated[F1, "nz"]  # on links
    force: Annotated[F1, "nz"]
    extra: Annotated[F1, "pivot"]  # (k + m, k + m) each: added to the links' own blocks


@passed_as("state", "fixed", "free")
class LinkState(NamedTuple):
    """A state, the motion of the links there, and room to work."""

    motion: LinkMotions
    vectors: Vectors
    scratch: TreeScratch


@passed_as("factored")
class Factor(NamedTuple):
    """Articulated inertias and the factors of each link's own block."""

    inertia: Annotated[F1, "inertia"]  # (6 + m, 6 + m) each: of the link and all beyond
    pivot: Annotated[F1, "pivot"]  # (k + m, k + m) each: scaled L and the pivots on its diagonal
    scale: Annotated[F1, "nv"]
    pull: Annotated[F1, "axes"]  # (k + m, 6) each
    share: Annotated[F1, "axes"]  # (k + m, 6) each
    free: Annotated[I1, "nv"]  # which of a link's coordinates are not held
    n_free: Annotated[I1, "n"]  # how many
    value: Annotated[F1, "nv"]
    columns: Annotated[F1, "block"]  # (k + m, 6 + m) of the largest link


@passed_as("linearised")
class Linear(NamedTuple):
    """The recursions linearised at a state; rows as in `tangents` and `seat_tangents`."""

    link: Annotated[F2, "n", "link"]
    seat: Annotated[F2, "ns", "seat"]  # seats of joints
    slope: Annotated[F1, "nr"]  # (m, 6) each: change of their displacement with the modal coordinates
    rate: Annotated[F1, "nr"]  # (m, 6) each: of its rate
    change: Annotated[F1, "nr"]  # (m, 6) each: of its second derivative
    place: Annotated[F2, "np", "seat"]  # seats of springs and loads, and the same of them
    place_slope: Annotated[F1, "npr"]
    place_rate: Annotated[F1, "npr"]
    place_change: Annotated[F1, "npr"]
    mode: Annotated[F1, "modes"]  # (m, MODE_ROW) each
    bent: Annotated[F1, "fields"]  # fields of second order of the links, see `bent`
    rates: Annotated[F1, "nz"]  # z_dot
    dz: Annotated[F1, "nz"]  # changes along one direction: velocities, their rates, forces
    dx: Annotated[F1, "nz"]
    dforce: Annotated[F1, "nz"]
    turn: Annotated[F2, "n", 6]  # of the frames, as twists
    mark: Annotated[I1, "n"]  # 1: moves along the direction, 2: carries what does, 0: neither
