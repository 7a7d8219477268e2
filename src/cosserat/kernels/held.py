"""How arrays of commands lay out what a controller holds, in both formulations.

Groups of commands begin with kind (nc,), place (nc,), value before (nc,), value (nc,) and order (8,): what is held, in
the order in which it was first set, and what to do with it.
"""

EFFORT, TARGET, CUT, SIGNAL = 0, 1, 2, 3
"""Kinds: an effort or the target of a servo in a coordinate, either of them in a cut joint, or an input of a law that a
user wrote. In the Galilean formulation efforts and targets are of the first kind."""

JUMPS, BEFORE, HELD, FIRST, STEPS, EVERY, PHASE, WHOLE = range(8)
"""Where `order` has what: whether values changed, how many were held before and are now; number of the first step, or
of the next row of the history; how many steps, and when they are stored; whether inputs of laws are held, too."""
