"""Reading untrusted model output: a ladder for answers, one for action texts, and schemas.

Nothing here evaluates text, guesses a name, or takes more than linear time; whatever a model
writes, the result is a value with a reason.
"""

from mosaic_planner.models.reading.action import ACTION_RUNGS, ReadAction, read_action
from mosaic_planner.models.reading.answer import RUNGS, Answer, read_answer
from mosaic_planner.models.reading.keys import Choices, as_text, as_texts, read_choices
from mosaic_planner.models.reading.schema import Shape, action_schema, answer_schema

__all__ = [
    "ACTION_RUNGS",
    "RUNGS",
    "Answer",
    "Choices",
    "ReadAction",
    "Shape",
    "action_schema",
    "answer_schema",
    "as_text",
    "as_texts",
    "read_action",
    "read_answer",
    "read_choices",
]
