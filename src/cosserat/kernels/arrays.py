"""The compiled model: groups of arrays, always of the same types, so that every kernel compiles once.

A kernel receives a problem as one address and reads what it needs: `problem.trial.frame`.

Annotations have the shape, from which `zeros` makes arrays: of the sizes, n counts the nodes with the ground, nc groups
of multipliers, na angles, nv vertices of the matrix; a size "+1" has one number more than there are rows.

The last node (index n_nodes) is the ground: identity frame, zero twist. Matrix blocks that would couple to the ground
go to the last block, which no solver reads. Vertices of the block matrix: the nodes, then one per joint and one per
knife edge or rolling disc (six multipliers, padded).
"""

import functools
from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from cosserat.jit import Packed as Packed  # these for those who do not see the compiler
from cosserat.jit import address_of as address_of
from cosserat.jit import address_table as address_table
from cosserat.jit import bound as bound
from cosserat.jit import load as load
from cosserat.jit import part_of as part_of
from cosserat.jit import passed_as
from cosserat.jit import source_digest as source_digest

F1 = Annotated[NDArray[np.float64], ("float64", 1)]
F2 = Annotated[NDArray[np.float64], ("float64", 2)]
F3 = Annotated[NDArray[np.float64], ("float64", 3)]
I1 = Annotated[NDArray[np.int64], ("int64", 1)]
I2 = Annotated[NDArray[np.int64], ("int64", 2)]
G = TypeVar("G", bound=tuple[Any, ...])


class Nodes(NamedTuple):
    """Gravity data of nodes: potential -g . (mass x + R moment)."""

    mass: Annotated[F1, "n"]
    moment: Annotated[F2, "n", 3]  # first mass moment about the node, in the node's frame


class Elements(NamedTuple):
    """Two-node beam elements, see `beams`, `elastic` and `matter`."""

    node: Annotated[I2, "ne", 2]
    like: Annotated[I1, "ne"]  # first element of the same matrices, which are read: so they stay in the cache
    d0: Annotated[F2, "ne", 6]  # relative vector in the stress-free configuration
    stiffness: Annotated[F3, "ne", 6, 6]  # K of the strain energy
    second: Annotated[F2, "ne", 216]  # Q
    turning: Annotated[F2, "ne", 6]  # F^-1
    viscosity: Annotated[F1, "ne"]  # Kelvin-Voigt time: damping matrix = viscosity * stiffness
    mass: Annotated[F2, "ne", 82]  # G, Y_A and Y_B of the kinetic energy, see `matter`
    block: Annotated[I2, "ne", 4]  # AA, AB, BA, BB


class Bodies(NamedTuple):
    """Rigid bodies, one node each at the centre of mass."""

    node: Annotated[I1, "nb"]
    mass: Annotated[F3, "nb", 6, 6]
    block: Annotated[I1, "nb"]
    varying: Annotated[I2, "nv", 3]  # a mass that changes with time: row in `mass`, node, first of ten sampled efforts
    base: Annotated[F2, "nv", 4]  # mass and first moment of the node without it
    lone: Annotated[I1, "ni"]  # bodies that no joint holds, their node at the centre of mass, and their propellant


class Joints(NamedTuple):
    """Constraints on the relative frame of two places; see `joints` for the meaning of the rows."""

    node: Annotated[I2, "nj", 2]  # parent (A), child (B)
    frame_a: Annotated[F2, "nj", 12]  # joint frame in the parent node's frame
    frame_b: Annotated[F2, "nj", 12]
    n_rows: Annotated[I1, "nj"]
    kind: Annotated[I2, "nj", 6]  # of each row
    row_a: Annotated[F3, "nj", 6, 3]  # vector fixed to the parent side, of rotation rows times a typical length
    row_b: Annotated[F3, "nj", 6, 3]  # vector fixed to the child side
    pitch: Annotated[F1, "nj"]
    drive: Annotated[I1, "nj"]  # row in the sampled drives, -1: none
    branch: Annotated[I1, "nj"]  # diagonal entry of the relative rotation that must be positive, 3: the trace, -1: none
    angle: Annotated[I1, "nj"]  # index of the tracked angle a screw row needs, -1: none
    soft: Annotated[F3, "nj", 6, 6]  # projection on combinations of rows that other joints imply
    block: Annotated[I2, "nj", 9]  # AA AB BA BB, A-lambda, lambda-A, B-lambda, lambda-B, lambda-lambda


class Freedoms(NamedTuple):
    """Joint freedoms that carry an effort, a spring, damper, friction, servo or armature, or whose angle is tracked."""

    joint: Annotated[I1, "nf"]
    kind: Annotated[I1, "nf"]  # translation, angle about a parent or a child axis, component of a rotation vector
    axis: Annotated[F2, "nf", 3]
    cosine: Annotated[F2, "nf", 3]  # for angles: the unit vector whose image gives cos and ...
    sine: Annotated[F2, "nf", 3]  # ... the one that gives sin
    stiffness: Annotated[F1, "nf"]
    damping: Annotated[F1, "nf"]
    friction: Annotated[F1, "nf"]
    speed: Annotated[F1, "nf"]  # regularisation of the friction
    effort: Annotated[I1, "nf"]  # column in the sampled efforts, -1: none
    kp: Annotated[F1, "nf"]  # of the servo
    kd: Annotated[F1, "nf"]
    limit: Annotated[F1, "nf"]
    target: Annotated[I1, "nf"]  # column of its target in the sampled efforts, -1: no servo
    armature: Annotated[F1, "nf"]


class Turns(NamedTuple):
    """Angles of joints that carry nothing: their turns are counted once a step, after those of `Freedoms`."""

    joint: Annotated[I1, "nq"]
    kind: Annotated[I1, "nq"]  # as in `Freedoms`
    axis: Annotated[F2, "nq", 3]
    cosine: Annotated[F2, "nq", 3]
    sine: Annotated[F2, "nq", 3]


class Springs(NamedTuple):
    """Springs, dampers and tendons: lines of straight pieces through two points or more, see `springs`."""

    start: Annotated[I1, "ns+1"]  # range of its points in ...
    node: Annotated[I1, "nsp"]  # ... these
    point: Annotated[F2, "nsp", 3]  # in the node's frame
    stiffness: Annotated[F1, "ns"]
    damping: Annotated[F1, "ns"]
    length: Annotated[F1, "ns"]  # at rest
    slack: Annotated[I1, "ns"]  # 1: it never pushes
    given: Annotated[F1, "ns"]  # tension besides, where it follows a sampled input: written for every evaluation
    column: Annotated[I1, "ns"]  # of this in the sampled efforts, -1: none
    corner: Annotated[I1, "ns+1"]  # range of its blocks in ...
    block: Annotated[I1, "nsb"]  # ... this: n x n of them, of all pairs of its points


class Loads(NamedTuple):
    """Wrenches on places: dead (components fixed in space) or follower (fixed in the place's frame)."""

    node: Annotated[I1, "nl"]
    frame: Annotated[F2, "nl", 12]  # place in the node's frame
    follower: Annotated[I1, "nl"]  # 0 or 1
    gain: Annotated[F3, "nl", 6, 6]  # maps the six sampled components to the wrench
    column: Annotated[I1, "nl"]  # column in the sampled wrenches
    block: Annotated[I1, "nl"]


class LineLoads(NamedTuple):
    """Follower forces and moments along elements, at points of them; see `line_loads`."""

    element: Annotated[I1, "nh"]
    column: Annotated[I2, "nh", 2]  # of the samples towards both ends, in the sampled wrenches
    follower: Annotated[I1, "nh"]  # 0 or 1; without it, only moments
    turn: Annotated[F3, "nh", 6, 21]  # z d0_w, and how the section turns with the strain, (3, 6)
    axis: Annotated[F3, "nh", 6, 8]  # of the line of matter: N_A, p_A, N_B, p_B
    axes: Annotated[F3, "nh", 6, 9]  # of the section in the reference configuration
    weight: Annotated[F3, "nh", 6, 2]  # lengths that the two samples stand for


class StateLoads(NamedTuple):
    """Laws of users about any number of places: called by address, see `state_loads`."""

    first: Annotated[I1, "nx+1"]  # range of its places in ...
    node: Annotated[I1, "nxp"]  # ... these
    frame: Annotated[F2, "nxp", 12]  # place in its node's frame
    acts: Annotated[I1, "nx"]  # on how many of its places it acts, the first ones
    length: Annotated[F1, "nx"]  # over which the law may change, for differences
    start: Annotated[I1, "nx+1"]  # range of its parameters in ...
    parameter: Annotated[F1, "np"]  # ... this; behind them places for its states, where they are written for every call
    inner: Annotated[I1, "nx+1"]  # range of its states among those of all laws, see `law_states`
    stored: Annotated[I1, "nx"]  # 1: the wrench is that of an energy, which the law gives behind it
    signal: Annotated[I2, "nz", 2]  # what follows sampled inputs: place in `parameter`, column of the sampled efforts
    corner: Annotated[I1, "nx+1"]  # range of its blocks in ...
    block: Annotated[I1, "nxb"]  # ... this: n x n of them, of all pairs of its places
    carried: Annotated[I2, "nxi", 3]  # laws whose inertia changes: number, row in `Bodies.mass`, place in `parameter`


class Media(NamedTuple):
    """Elements of media that users describe, beyond their quadratic part, see `media`."""

    element: Annotated[I1, "nm"]
    point: Annotated[F3, "nm", 12, 6]  # strains at two points per v
    weight: Annotated[F2, "nm", 2]  # lengths that the points stand for
    start: Annotated[I2, "nm", 2]  # range of its parameters in ...
    parameter: Annotated[F1, "nk"]  # ... this


class RollingArrays(NamedTuple):
    """Knife edges and rolling discs; see `rolling` for the rows. Their multipliers come after those of the joints."""

    node: Annotated[I1, "nr"]
    kind: Annotated[I1, "nr"]
    point: Annotated[F2, "nr", 3]  # of the edge, or centre of the disc, in the node's frame
    axis: Annotated[F2, "nr", 3]  # across the edge, or axis of the disc, in the node's frame
    radius: Annotated[F1, "nr"]
    plane: Annotated[F3, "nr", 3, 3]  # normal of the plane and two directions in it, as rows
    level: Annotated[F1, "nr"]  # position of the plane along its normal
    keep: Annotated[F3, "nr", 3, 3]  # projection on combinations of rows that nothing else implies
    block: Annotated[I2, "nr", 4]  # node-node, node-lambda, lambda-node, lambda-lambda
    n_rows: Annotated[I1, "nr"]
    held: Annotated[I1, "nr"]  # how many of them, the first ones, hold a position and not only a velocity


class Rules(NamedTuple):
    """Constraints of users on a place (b), seen from another one (a), each an item of `RollingArrays`; see `rules`."""

    item: Annotated[I1, "nu"]  # its number in `RollingArrays`
    node: Annotated[I2, "nu", 2]  # of the other place, the ground if there is none, and of the place
    frame_a: Annotated[F2, "nu", 12]  # the other place in its node's frame
    frame_b: Annotated[F2, "nu", 12]  # the place
    n_rows: Annotated[I1, "nu"]
    held: Annotated[I1, "nu"]  # 1: they hold positions
    length: Annotated[F1, "nu"]  # over which the law may change, for differences
    start: Annotated[I1, "nu+1"]  # range of its parameters in ...
    parameter: Annotated[F1, "no"]  # ... this
    block: Annotated[I2, "nu", 9]  # as those of joints


class Pattern(NamedTuple):
    """Elimination order and fill of the block matrix; see `blocks`."""

    order: I1  # (nv,) vertex eliminated at each step
    diagonal: I1  # (nv,) its diagonal block
    start: I1  # (nv+1,) range of its later neighbours in the next three
    neighbour: I1  # (nn,) vertex
    lower: I1  # (nn,) block (neighbour, vertex)
    upper: I1  # (nn,) block (vertex, neighbour)
    update_start: I1  # (nv+1,)
    update: I2  # (nu, 3) destination, lower, upper
    n_blocks: I1  # (1,)


class Inputs(NamedTuple):
    """Functions of time, sampled: first index is the time."""

    gravity: Annotated[F2, "nt", 3]
    drive: Annotated[F3, "nt", "nd", 21]  # position (3), rotation on the parent side (9), on the child side (9)
    effort: Annotated[F2, "nt", "ng"]  # efforts in joints, targets of servos, signals of laws
    wrench: Annotated[F3, "nt", "nw", 6]
    clock: Annotated[F2, "nt", 2]  # time, and the factor by which a solver scales all loads
    state: Annotated[F3, "nt", "nxp", 7]  # wrenches of state-dependent loads in their places, energies; results fill it
    carried: Annotated[F3, "nt", "nxi", 37]  # inertias of laws that change, of the nodes, and v.A'v/2; likewise
    rule: Annotated[F3, "nt", "nu", 24]  # rows (3, 6) of users' constraints, values and rates; results fill it, too


class State(NamedTuple):
    """State of the integrator; arrays are written in place."""

    frame: Annotated[F2, "n", 12]
    twist: Annotated[F2, "n", 6]
    rate: Annotated[F2, "n", 6]  # time derivative of the twist
    accel: Annotated[F2, "n", 6]  # the integrator's acceleration-like variable
    force: Annotated[F2, "nc", 6]  # multipliers
    angle: Annotated[F1, "na"]  # tracked joint coordinates, then counted angles
    inner: Annotated[F2, 3, "ny"]  # states of laws, their rates, and the integrator's rate-like variable
    spent: Annotated[F1, 1]  # J, what the conserving scheme took out by damping and friction so far


class Trial(NamedTuple):
    """The state at the end of the step that is being solved, and its residual."""

    frame: Annotated[F2, "n", 12]
    twist: Annotated[F2, "n", 6]
    rate: Annotated[F2, "n", 6]
    accel: Annotated[F2, "n", 6]
    increment: Annotated[F2, "n", 6]  # n of [Grazioso17] (34)
    force: Annotated[F2, "nc", 6]
    angle: Annotated[F1, "na"]
    stress: Annotated[F2, "ne", 6]  # stress resultants
    strain: Annotated[F2, "ne", 24]  # e and v of the tangent, stress beyond that of the energy, the last e predicted
    residual: Annotated[F2, "n", 6]
    phi: Annotated[F2, "nc", 6]
    inner: Annotated[F2, 4, "ny"]  # as in `State`, and where the states would be with a rate of zero, see `law_states`
    spent: Annotated[F1, 1]


class Middle(NamedTuple):
    """The state halfway through the step, which the conserving scheme needs."""

    frame: Annotated[F2, "n", 12]
    mean: Annotated[F2, "n", 6]  # mean twist
    phi: Annotated[F2, "nc", 6]  # constraint values at the start of the step
    start: Annotated[F2, "ne", 36]  # what elements have there, see `conserving.note_start`
    momentum: Annotated[F3, 2, "n", 6]  # of elements, at the start and the end of the step
    drive_rate: Annotated[F3, "nt", "nd", 21]  # time derivative of `Inputs.drive`; no rows where nothing is driven
    blocks: Annotated[F3, "nd", 6, 6]  # where factors of the iteration matrix wait; none where nothing is driven


class Solver(NamedTuple):
    """Linear algebra and settings of the Newton iteration."""

    x: Annotated[F2, "nv", 6]  # right-hand side and solution
    direction: Annotated[F2, "nv", 6]  # correction along which a line search moves
    tangent: Annotated[F3, "n", 6, 6]  # tangent operators of the exponential
    blocks: Annotated[F3, "nb+1", 6, 6]
    pivots: Annotated[F1, "nv"]
    settings: Annotated[F1, 9]  # the numbers in these arrays have names, see `slots`
    coefficients: Annotated[F1, 5]
    memory: Annotated[F1, 8]
    past: Annotated[F3, 3, "n", 6]  # first to third differences of the method's accelerations over the last steps
    pull: Annotated[F3, 3, "nc", 6]  # the same of the multipliers
    counters: Annotated[I1, 6]
    follow: Annotated[F1, 1]  # how states of laws follow the motion, see `law_states`
    owning: Annotated[I1, 2]  # addresses of `law_states.settle_law` and `differentiate_law`, where laws own states
    laws: Annotated[I2, "nk", 3]  # addresses of the stages of the laws in use, a row for each kind of force; see `laws`
    bonds: Annotated[I2, "nk", 3]  # the same for constraints besides joints
    units: Annotated[I2, "ns", 3]  # addresses of users' laws, of their derivatives and inertias, 0: none is given
    rules: Annotated[I2, "nu", 2]  # the same of users' constraints
    breaks: Annotated[F1, "ns"]  # times at which these are not smooth, see `rule_laws.stencil`
    media: Annotated[I2, "nm", 2]  # addresses of first and second derivatives of potentials
    settle: Annotated[I1, 2]  # addresses of `settling.settle` and `integrate.note_start`, of the conserving scheme


class Scratch(NamedTuple):
    """Small matrices of the assembly."""

    K: Annotated[F2, 12, 12]
    C: Annotated[F2, 12, 12]
    W: Annotated[F2, 12, 12]
    P: Annotated[F2, 6, 12]
    Y: Annotated[F2, 12, 6]
    D: Annotated[F2, 6, 6]
    H: Annotated[F2, 6, 6]
    E: Annotated[F1, 144]
    row: Annotated[F1, 12]
    p: Annotated[F1, 12]
    q: Annotated[F1, 12]
    line_K: Annotated[F2, "nl", "nl"]  # of the spring or tendon with the most points: six numbers for each
    line_C: Annotated[F2, "nl", "nl"]
    rows: Annotated[F2, "np", 12]


class Visit(NamedTuple):
    """Memory for a call of a user's law, of the one with the most places."""

    frame: Annotated[F3, "np", 4, 4]
    twist: Annotated[F2, "np", 6]
    wrench: Annotated[F1, "nw+1"]  # on its places, one after another; behind them its energy, if it has one
    kept: Annotated[F1, "nw"]  # the same where derivatives are taken
    sides: Annotated[F2, 6, "nw"]  # wrenches on both sides of differences
    J: Annotated[F2, "nw", "nz"]  # derivatives by frame and twist of each place


class Owned(NamedTuple):
    """Memory for laws that own states; m: the largest number of states of a law, nw = 6 + m, nz = 24 + m."""

    out: Annotated[F1, "nw"]  # wrench, then rates of the states
    sides: Annotated[F2, 6, "nw"]  # the same on both sides of differences
    J: Annotated[F2, "nw", "nz"]  # derivatives by the motions of its places and by the states
    gain: Annotated[F3, "ns", "m", "m"]  # how states answer, (sigma - dg/dy)^-1
    slope: Annotated[F3, "ns", "nw", "m"]  # derivatives of wrench and rates by the states, where that was found
    known: Annotated[F1, "ns"]  # the sigma of that matrix; not a number: not known yet
    change: Annotated[F1, "m"]


class History(NamedTuple):
    """Stored results: first index is the stored time."""

    frame: Annotated[F3, "nt", "n", 12]
    twist: Annotated[F3, "nt", "n", 6]
    rate: Annotated[F3, "nt", "n", 6]
    force: Annotated[F3, "nt", "nc", 6]
    angle: Annotated[F2, "nt", "na"]
    inner: Annotated[F2, "nt", "ny"] = np.zeros((0, 0))  # states of laws; without any where none are known
    spent: Annotated[F2, "nt", 1] = np.zeros((0, 1))  # see `State`; likewise, and NaN in older files


@passed_as("problem", "unheld")
class Problem(NamedTuple):
    """Everything the kernels work on."""

    nodes: Nodes
    elements: Elements
    bodies: Bodies
    joints: Joints
    freedoms: Freedoms
    turns: Turns
    springs: Springs
    loads: Loads
    line_loads: LineLoads
    state_loads: StateLoads
    media: Media
    rolling: RollingArrays
    rules: Rules
    pattern: Pattern
    inputs: Inputs
    state: State
    trial: Trial
    middle: Middle
    solver: Solver
    scratch: Scratch
    visit: Visit
    owned: Owned
    history: History




def address_rows(units: Sequence[tuple[Any, ...]], width: int = 2) -> I2:
    """Table (n, width) of the addresses of units of compiled code, some for each row; 0 for None."""
    table: I2 = address_table(len(units), width)
    for row, several in zip(table, units, strict=True):
        for k, unit in enumerate(several):
            row[k] = 0 if unit is None else unit.address
    return table


@functools.cache
def _layout(group: type) -> list[tuple[str, str, list[Any]]]:
    """Name, type and shape of the arrays of a group: numbers, or names of sizes."""
    return [(name, kind.__metadata__[0][0], kind.__metadata__[1:]) for name, kind in group.__annotations__.items()]


def zeros(group: type[G], **sizes: int) -> G:
    """A group of zeros; sizes that are not given are 0, so that ranges begin with 0."""
    arrays = {}
    for name, dtype, shape in _layout(group):
        extents = [x if isinstance(x, int) else sizes.get(x.removesuffix("+1"), 0) + x.endswith("+1") for x in shape]
        arrays[name] = np.zeros(extents, dtype=dtype)
    return group(**arrays)


def most_places(first: I1) -> int:
    """Places of the law that has the most of them, at least one; `first` are the ranges of all."""
    return int(np.max(np.diff(first), initial=1))


def new_visit(most: int = 1) -> Visit:
    """Memory for calls of users' laws of so many places."""
    return zeros(Visit, np=most, nw=6 * most, nz=12 * most)


def new_owned(inner: I1, most: int) -> Owned:
    """Memory for laws of so many places, whose ranges among all states of laws begin where `inner` says."""
    m, n = int(np.max(np.diff(inner), initial=0)), len(inner) - 1
    return zeros(Owned, m=m, nw=6 * most + m, nz=12 * most + m, ns=n)._replace(known=np.full(n, np.nan))
