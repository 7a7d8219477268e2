"""How a solver ended, in words, with a remedy."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from cosserat.calls import answering


class Outcome(enum.Enum):
    """Outcomes of solvers; the value says what happened and what to do about it.

    Examples
    --------
    >>> import cosserat as cs
    >>> cs.Outcome.OK.value
    'finished'
    """

    OK = "finished"
    NOT_CONVERGED = (
        "Newton's iteration did not converge even with the step cut many times over: "
        "the motion may have become unstable or a load unbearable; look at the last stored states, "
        "reduce the step, add damping, or ramp the loads"
    )
    NOT_BALANCED = (
        "no equilibrium was found: Newton's iteration did not converge though the loads were raised in small steps: "
        "they may be more than the mechanism can bear; look at the configuration reached, follow the load with "
        "continuation, or start from a known equilibrium near by with start="
    )
    LOAD_UNKNOWN = (
        "with that no equilibrium can be found: widen the field or the table, correct the law, or start from an "
        "equilibrium near by with start="
    )
    PATH_LOST = (
        "the path could not be followed any farther, even in tiny steps: look at its last points, use more elements, "
        "or start on the other side"
    )
    NOT_FINITE = (
        "the equations gave infinite or undefined numbers: look at the last stored states, check loads and "
        "stiffnesses, reduce the step"
    )
    BEYOND = (
        "the motion leaves what is known of a load; everything up to there is kept: widen its field or its tables, or "
        "end the motion before"
    )
    DEAD_POINT = (
        "prescribed motions demand a pose that the joints do not allow: towards a dead point, or the end of its reach, "
        "the mechanism moves ever faster; end the motions before, or change the geometry"
    )
    WRONG_BRANCH = (
        "a joint turned inside out (its rotation constraint holds half a turn away from where it should), or a step "
        "led past a dead point and may have ended on its other side: reduce the step"
    )
    STEP_TOO_SMALL = (
        "the accuracy asked for needs steps below the smallest allowed: raise the tolerance, or pass a fixed step"
    )
    TURNS_TOO_FAR = (
        "a rolling body turns so far in a step that errors of its reactions would grow: use smaller steps or a smaller "
        "rho, adaptive steps, or integrator='energy-momentum'"
    )
    MISFIT = (
        "a joint that an event engages does not fit where its bodies are then: let the event happen where it fits, or "
        "give the joint places that meet there"
    )
    OUT_OF_STEPS = "the path did not reach its end in the steps allowed: raise max_steps or step, or stop it with until"
    INTERRUPTED = "interrupted by the user"
    CALL_FAILED = (
        "a function that was passed to the solver raised an exception: everything up to there is kept, correct the "
        "function and go on with start=run"
    )
    UNBALANCED = (
        "finished, but the energy balance is broken: energy appeared that nothing supplied, so the motion is wrong "
        "from there on; use smaller steps, a smaller rho, damping, or integrator='energy-momentum'"
    )
    APART = (
        "finished, but joints came apart: what they and the prescribed motions demand cannot be met, so reactions mean "
        "nothing; give the mechanism a freedom more, or prescribe a motion that it can follow"
    )
    UNSTABLE_CONTROL = (
        "finished, but a controller is unstable as it is sampled: what changes in an effort from call to call is most "
        "of it, or goes on growing, and the motion is not that of its law"
    )
    SATURATED = (
        "no equilibrium was found: a servo is at its limit, where its effort no longer holds what it moves: raise the "
        "limit, lower the loads, or add a spring"
    )
    FREE_MOTION = (
        "the mechanism can move without resistance, so it has no isolated equilibrium: add a joint, a spring or a load "
        "that holds it"
    )


@answering
@dataclass(frozen=True)
class Status:
    """How a solution ended.

    Attributes
    ----------
    outcome : Outcome
    time : float
        Time (or load factor, in statics) reached.
    detail : str
        What was special, such as the name of a joint.
    where : str
        Where it ended, if not at a time: "P = 3".
    cause : Exception, optional
        What a controller or `progress` raised, if that ended the run.

    Examples
    --------
    >>> import cosserat as cs
    >>> status = cs.Status(cs.Outcome.INTERRUPTED, time=2.5)
    >>> status.ok, status.message
    (False, 'stopped at t = 2.5 s: interrupted by the user')
    """

    outcome: Outcome
    time: float
    detail: str = ""
    where: str = ""
    cause: Exception | None = field(default=None, compare=False, repr=False)

    @property
    def ok(self) -> bool:
        """True if everything asked for was done."""
        return self.outcome is Outcome.OK

    @property
    def message(self) -> str:
        """One sentence for a user."""
        text = self.outcome.value
        if self.ok or self.outcome in (Outcome.UNBALANCED, Outcome.APART, Outcome.UNSTABLE_CONTROL):
            return text + (f" ({self.detail})" if self.detail else "")
        where = f"stopped at {self.where or f't = {self.time:.6g} s'}"
        if self.outcome is Outcome.LOAD_UNKNOWN:
            return f"{where}: {self.detail}; {text}"
        return f"{where}: {text}" + (f" ({self.detail})" if self.detail else "")

    def __str__(self) -> str:
        return self.message


class StopRun(Exception):
    """Raised by a controller or by `progress` to end a run where it is: its status is ok, and has the text.

    An event, such as a catch that opens: another run goes on from there with `start=`, with other joints if need be.

    Examples
    --------
    >>> import cosserat as cs
    >>> model = cs.Model("fall", gravity=(0, 0, -10))
    >>> ball = model.add(cs.RigidBody.sphere("ball", diameter=0.2, mass=1.0, com=(0, 0, 1.2)))
    >>> def landing(t, state):
    ...     if state.position("ball")[-1, 2] <= 0.0:
    ...         raise cs.StopRun("landed")
    >>> run = cs.simulate(model, 2.0, 0.01, controller=landing)
    >>> run.status.ok, run.status.detail, round(float(run.time[-1]), 2)
    (True, 'landed', 0.49)
    """
