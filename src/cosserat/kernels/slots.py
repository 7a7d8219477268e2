"""Names of the numbers in the small arrays of `arrays.Solver`, in the report of a time loop, and of how steps end."""

# settings: step, spectral radius, tolerance, typical mass and length, epsilon of the matrix, scheme, gravity, and the
# share of a step's own error that the iteration may leave (0: not asked)
STEP, RHO, TOLERANCE, MASS, LENGTH, EPSILON, SCHEME, GRAVITY, SHARE = range(9)

# coefficients of the iteration matrix: of accelerations, velocities and positions; scale of multipliers; epsilon
CM, CC, CK, SCALE, SOFTNESS = range(5)

# memory: step of the factors (0: none), contraction rate, row to complete (-1: none), step before it, orders of the
# extrapolation of accelerations and of multipliers (-1: never), iterations with the factors and what these cost, steps
# with them
FACTORED, RATE, ROW, BEFORE, ORDER, PULL, SPENT, SERVED = range(8)

# counters; stalled: steps accepted though their iteration no longer improved
STEPS, SOLVES, FACTORIZATIONS, CAREFUL, STALLED, SEARCHES = range(6)

# columns of solver.laws and solver.bonds: stages of a kind of law; and places of addresses in solver.settle
ADD, CONSERVE, ASSEMBLE = range(3)
SETTLE, NOTE_START = range(2)

# report: steps taken, rows stored, joint in question (-1: none)
TAKEN, STORED, JOINT = range(3)

# how a step ends, in both formulations
CONVERGED, NOT_CONVERGED, NOT_FINITE, WRONG_BRANCH = range(4)
