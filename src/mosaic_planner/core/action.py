"""Actions, their schemas, and the vocabulary from which prompts, parser and model schema come.

A world states its vocabulary once; because prompt, parser and JSON schema are all generated from
it they cannot disagree.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["DONE", "IDLE", "Action", "ActionSchema", "Kind", "Parameter", "Vocabulary"]

_BARE_VERBS = ("Done", "Idle")  # written without parentheses in every vocabulary (SAR rule H)


@dataclass(frozen=True, slots=True)
class Action:
    """A verb and its arguments; the canonical text is `str(action)`, e.g. `Carry(Timmy)`."""

    verb: str
    args: tuple[str, ...] = ()

    def __str__(self) -> str:
        if not self.args and self.verb in _BARE_VERBS:
            return self.verb
        return f"{self.verb}({', '.join(self.args)})"


IDLE = Action("Idle")
DONE = Action("Done")


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of entity a world has, e.g. `person`.

    `mobile`: instances may change place (by themselves or carried), so memory must not trust an
    old position for ever. `named_as`: the word prompts use for one instance.
    """

    name: str
    mobile: bool = False
    named_as: str = ""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument: an entity of one of `kinds`, or one of the fixed `choices`.

    Exactly one of the two is non-empty.
    """

    name: str
    kinds: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ActionSchema:
    """One form of a verb; a verb with two forms (SAR GetSupply) has two schemas.

    `phrases` are sentence forms with `{parameter}` slots, the first of which is the one prompts
    use; the reader accepts all of them. `idle`: does nothing and moves nothing. `ends`: says that
    the agent considers the task finished.
    """

    verb: str
    parameters: tuple[Parameter, ...] = ()
    description: str = ""
    phrases: tuple[str, ...] = ()
    idle: bool = False
    ends: bool = False

    @property
    def signature(self) -> str:
        """The written form with parameter names, e.g. `DropOff(deposit, person)`."""
        return str(Action(self.verb, tuple(p.name for p in self.parameters)))


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """All action schemas and entity kinds of a world.

    `aliases` maps a lower-case word to the verb or fixed choice it stands for (`"extinguish"` to
    `"UseSupply"`); entity names are never aliased.
    """

    schemas: tuple[ActionSchema, ...]
    kinds: tuple[Kind, ...] = ()
    aliases: tuple[tuple[str, str], ...] = ()

    @property
    def verbs(self) -> tuple[str, ...]:
        """Every verb once, in order of first appearance."""
        return tuple(dict.fromkeys(s.verb for s in self.schemas))

    def forms(self, verb: str) -> tuple[ActionSchema, ...]:
        """The schemas of `verb` (exact spelling), empty if there is none."""
        return tuple(s for s in self.schemas if s.verb == verb)

    def kind(self, name: str) -> Kind | None:
        """The kind of that name, or None."""
        return next((k for k in self.kinds if k.name == name), None)

    def is_idle(self, action: Action) -> bool:
        """Whether the action does nothing by its schema (Idle, NoOp, Done)."""
        return any(s.idle or s.ends for s in self.forms(action.verb))

    def ends(self, action: Action) -> bool:
        """Whether the action claims that the task is finished."""
        return any(s.ends for s in self.forms(action.verb))

    def check(self, action: Action, entities: Iterable[tuple[str, str]]) -> str:
        """Why `action` is not of this vocabulary given (name, kind) pairs; "" if it is.

        Names must match exactly. This is the "basic validity" of the CFM ablation (notes 2.13).
        """
        forms = self.forms(action.verb)
        if not forms:
            return f"no action {action.verb!r}; actions are {', '.join(self.verbs)}"
        fitting = [s for s in forms if len(s.parameters) == len(action.args)]
        if not fitting:
            expected = " or ".join(s.signature for s in forms)
            return f"{action.verb} takes other arguments: {expected}"
        known = dict(entities)
        problem = ""
        for schema in fitting:
            problem = ""
            for parameter, value in zip(schema.parameters, action.args, strict=True):
                if parameter.choices:
                    if value not in parameter.choices:
                        options = ", ".join(parameter.choices)
                        problem = f"{value!r} is not a {parameter.name}; use {options}"
                        break
                elif value not in known:
                    problem = f"nothing called {value!r} is known"
                    break
                elif parameter.kinds and known[value] not in parameter.kinds:
                    wanted = " or ".join(parameter.kinds)
                    problem = f"{value} is a {known[value]}, not a {wanted}"
                    break
            if not problem:
                return ""
        return problem
