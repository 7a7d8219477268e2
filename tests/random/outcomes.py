"""All relations by name, what is known not to hold yet, and what became of one mechanism under one relation."""

from __future__ import annotations

import traceback
from collections.abc import Callable

import cosserat as cs

from . import relations_laws, relations_linear, relations_numerics, relations_same, relations_statics
from .answers import NotApplicable, Unanswered, Violation, shorter, trembles
from .mechanism import Mechanism

Relation = Callable[[Mechanism], None]
RELATIONS: dict[str, Relation] = {
    relation.__name__: relation
    for relation in (
        relations_same.units,
        relations_same.observer,
        relations_same.order,
        relations_same.swap,
        relations_same.halves,
        relations_same.files,
        relations_same.copied,
        relations_laws.free_fall,
        relations_laws.momentum,
        relations_laws.conservation,
        relations_laws.balance,
        relations_laws.resultant,
        relations_same.clock,
        relations_same.every,
        relations_same.parameters,
        relations_numerics.still,
        relations_numerics.assembled,
        relations_numerics.second_order,
        relations_numerics.second_order_conserving,
        relations_numerics.second_order_floating,
        relations_numerics.integrators,
        relations_numerics.formulations,
        relations_numerics.runge_kutta,
        relations_numerics.adaptive,
        relations_linear.mesh,
        relations_linear.gain,
        relations_linear.step_response,
        relations_linear.eigenvalues,
        relations_linear.mode_units,
        relations_linear.peaks,
        relations_linear.moving,
        relations_linear.moving_tree,
        relations_laws.angular,
        relations_statics.rest_units,
        relations_statics.rest_observer,
        relations_statics.rest_stays,
        relations_statics.rest_carried,
        relations_numerics.jumps,
        relations_linear.verdict,
        relations_numerics.boost,
        relations_same.halves_floating,
        relations_numerics.floating_same,
        relations_numerics.second_order_damped,
        relations_numerics.adaptive_others,
        relations_linear.gain_forces,
        relations_linear.stands,
        relations_linear.mode_same,
        relations_linear.mode_mesh,
        relations_linear.moving_state,
        relations_linear.analyses_floating,
        relations_statics.rest_order,
    )
}
HOLDS, SHORTER, VIOLATED, REFUSED, UNANSWERED, CRASHED, OUTSIDE = (
    "holds", "holds with shorter steps", "violated", "refused", "no answer", "crashed", "not applicable"
)  # fmt: skip
PARTS = (2, 4, 8, 16, 32)  # of a step, where the run of a violent mechanism has no answer
COUNTED = ("halves", "halves_floating", "every")  # relations that count steps


# Where a relation does not hold yet: left out of the tests, run and counted by the study. Remove a row when it holds.
KNOWN: list[tuple[str, Callable[[Mechanism], bool], str]] = []


def known_defect(relation: str, mechanism: Mechanism) -> str | None:
    """Why a relation is not expected to hold yet, or None."""
    return next((why for name, where, why in KNOWN if name == relation and where(mechanism)), None)


def outcome(relation: str, mechanism: Mechanism) -> tuple[str, str]:
    """What became of it, and a sentence; a mechanism without an answer is asked again with shorter steps."""
    result, sentence = first = _asked(relation, mechanism)
    for parts in () if relation in COUNTED else PARTS:
        if result != UNANSWERED:
            break
        with shorter(parts):
            result, sentence = _asked(relation, mechanism)
            if result == VIOLATED and trembles(mechanism):
                result, sentence = UNANSWERED, f"steps in {parts} parts, where rounding decides: {sentence}"
        if result == HOLDS:
            return SHORTER, f"steps in {parts} parts; as they were: {first[1]}"
    return result, sentence


def _asked(relation: str, mechanism: Mechanism) -> tuple[str, str]:
    try:
        RELATIONS[relation](mechanism)
    except Violation as error:
        return VIOLATED, str(error)
    except NotApplicable as error:
        return OUTSIDE, str(error)
    except Unanswered as error:
        return UNANSWERED, str(error)
    except cs.CosseratError as error:
        return REFUSED, str(error)
    except Exception as error:
        return CRASHED, f"{type(error).__name__}: {error}\n{traceback.format_exc(limit=-4)}"
    return HOLDS, ""
