"""From template files to prompts: loading, flags, and the parts generated from a world.

The action list, rules, hints and keys of the answer come from vocabulary, briefing and team, so a
planner works in every world and its prompt cannot disagree with the parser.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from string import Template

from mosaic_planner.core.action import ActionSchema, Vocabulary
from mosaic_planner.planners.protocol import PlannerSetup

__all__ = [
    "POOL_KEY",
    "Prompt",
    "action_key",
    "action_keys",
    "action_lines",
    "bullets",
    "load_prompt",
    "pool_key",
    "sample_action",
    "static_parts",
]


POOL_KEY = "team's actions"
"""Key of an answer with one shared pool of actions (Table 10)."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """A template with its flags decided: static text finished, state still to be filled."""

    static: str
    _state: Template

    def state(self, values: Mapping[str, str]) -> str:
        """The user message; raises KeyError if the template needs a value that is not given."""
        return self._state.substitute(values)


@cache
def _sections(name: str) -> tuple[str, str]:
    text = files("mosaic_planner.planners.prompts").joinpath(f"{name}.txt").read_text("utf-8")
    head, _, state = text.partition("\n--- state\n")
    static = head.removeprefix("--- static\n")
    return static.strip(), state.strip()


def _choose_lines(text: str, flags: frozenset[str]) -> str:
    kept = []
    for line in text.split("\n"):
        if not line.startswith("%"):
            kept.append(line)
            continue
        mark, _, rest = line[1:].partition(" ")
        wanted = mark.removeprefix("!")
        if (wanted in flags) != mark.startswith("!"):
            kept.append(rest)
    return "\n".join(kept)


def load_prompt(name: str, values: Mapping[str, str], flags: Iterable[str] = ()) -> Prompt:
    """The template file `name` with its static part filled from `values`."""
    chosen = frozenset(flags)
    static, state = _sections(name)
    return Prompt(
        Template(_choose_lines(static, chosen)).substitute(values),
        Template(_choose_lines(state, chosen)),
    )


def bullets(lines: Iterable[str], empty: str = "- (nothing special)") -> str:
    """One `- line` each."""
    return "\n".join(f"- {line}" for line in lines) or empty


def _action_line(schema: ActionSchema) -> str:
    said = schema.description or next(iter(schema.phrases), "")
    choices = "; ".join(
        f"{p.name} is one of {', '.join(p.choices)}" for p in schema.parameters if p.choices
    )
    tail = "; ".join(part for part in (said, choices) if part)
    return f"{schema.signature}: {tail}" if tail else schema.signature


def action_lines(vocabulary: Vocabulary) -> str:
    """The action list of a prompt: one line per schema, in the vocabulary's order."""
    return bullets(_action_line(schema) for schema in vocabulary.schemas)


def sample_action(vocabulary: Vocabulary) -> str:
    """An action that names no entity, for examples of the form; never an invented name."""
    for schema in vocabulary.schemas:
        if schema.idle or schema.ends:
            continue
        if all(p.choices for p in schema.parameters):
            args = ", ".join(p.choices[0] for p in schema.parameters)
            return f"{schema.verb}({args})"
    return vocabulary.schemas[0].signature


def action_key(agent: str, k: int) -> str:
    """The key of the actor's answer for one agent (llamar_architecture, section 2, outputs)."""
    return f"{agent}'s action" if k == 1 else f"{agent}'s actions"


def action_keys(agents: Sequence[str], k: int, *, bare: bool = False) -> str:
    """Lines that ask for each agent's action, or for `k` ranked ones."""
    lines = []
    for agent in agents:
        key = agent if bare else action_key(agent, k)
        if k == 1:
            lines.append(f'"{key}": the action {agent} takes next, written as in the list above')
        else:
            lines.append(
                f'"{key}": a list of {k} different actions {agent} could take next, the best '
                "first, each written as in the list above"
            )
    return bullets(lines)


def pool_key(size: int) -> str:
    """Line that asks for one shared pool of actions for the whole team (Table 10)."""
    return bullets(
        [
            f'"{POOL_KEY}": one list of {size} different actions for the whole team, the '
            "best first, not bound to anybody, each written as in the list above"
        ]
    )


def _listing(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def static_parts(setup: PlannerSetup) -> dict[str, str]:
    """The values every template may use in its static part."""
    briefing = setup.briefing
    count = len(setup.agents)
    return {
        "count": str(count),
        "noun": briefing.agent_noun,
        "names": _listing(setup.agents),
        "rules": bullets(briefing.rules),
        "hints": bullets(briefing.hints),
        "causes": bullets(briefing.failure_causes),
        "actions": action_lines(setup.vocabulary),
    }
