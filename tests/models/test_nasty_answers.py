"""Answers that nobody handed out: whole texts, through both ladders, to actions of two agents.

Each case says what comes out for Alice and for Bob; "" is a rejection or no answer at all. What
counts most is that nothing comes out that the model did not say.
"""

from __future__ import annotations

import pytest
from reading_names import read, text_of

from mosaic_planner.models.reading import RUNGS, read_answer, read_choices

KEYS = ("reason", "Alice's action", "Bob's action")
GO, STAY = "NavigateTo(ReservoirTaj)", "Idle"
BOTH = (GO, STAY)
NEITHER = ("", "")
STRICT = f'{{"Alice\'s action": "{GO}", "Bob\'s action": "{STAY}"}}'
DRAFT = '{"Alice\'s action": "Carry(LostPersonZoe)", "Bob\'s action": "Carry(LostPersonZoe)"}'
TABLE = "|---|---|\n"

LAYOUTS = {
    "tool call in tags": f'<tool_call>{{"name": "act", "arguments": {STRICT}}}</tool_call>',
    "parameters in tags": (
        f"<function=act><parameter=Alice's action>{GO}</parameter>"
        f"<parameter=Bob's action>{STAY}</parameter></function>"
    ),
    "named parameters": (
        f'<invoke><parameter name="Alice\'s action">{GO}</parameter>'
        f'<parameter name="Bob\'s action">{STAY}</parameter></invoke>'
    ),
    "tags": f"<Alice>{GO}</Alice>\n<Bob>{STAY}</Bob>",
    "nested tags": (
        f"<answer><alice_action>{GO}</alice_action><bob_action>{STAY}</bob_action></answer>"
    ),
    "table": f"| Agent | Action |\n{TABLE}| Alice | {GO} |\n| Bob | {STAY} |",
    "table with more columns": (
        f"| Agent | Action | Why |\n|:--|:-:|--:|\n| **Alice** | `{GO}` | fire |\n"
        f"| **Bob** | `{STAY}` | - |"
    ),
    "numbered": f"1. Alice: {GO}\n2. Bob: {STAY}",
    "numbered with dashes": f"1) **Alice** - {GO}\n2) **Bob** \u2013 {STAY}",
    "arrows": f"- Alice -> {GO}\n- Bob \u2192 {STAY}",
    "headings": f"### Alice's action\n{GO}\n\n### Bob's action\n{STAY}",
    "bold headings": f"**Alice's action**\n{GO}\n\n**Bob's action**\n{STAY}",
    "bold headings with colons": f"**Alice's action:**\n{GO}\n\n**Bob's action:**\n{STAY}",
    "YAML": f"reason: >\n  it grows\n  fast\nAlice's action: {GO}\nBob's action: {STAY}\n",
    "YAML in a fence": f"```yaml\nactions:\n  Alice: {GO}\n  Bob: {STAY}\n```",
    "assignments": f"Alice's action = {GO}\nBob's action = {STAY}",
    "one line": f"Alice: {GO}, Bob: {STAY}",
    "chat template left over": f"<|im_start|>assistant\n{STRICT}<|im_end|>",
    "the word json": f"json\n{STRICT}",
    "a script": (
        f"action = {{'Alice': '{GO}',  # near\n 'Bob': '{STAY}',  # waits\n}}\nprint(action)"
    ),
    "thinking first": f"<think>Perhaps {DRAFT}? No.</think>\n{STRICT}",
    "thinking aloud": f"<thinking>\n{DRAFT}\n</thinking>Here you are: {STRICT}",
    "a schema first": f'{{"type": "object", "required": ["x"]}}\n{STRICT}',
    "draft, then answer": f"First idea: {DRAFT}\nBetter:\n```json\n{STRICT}\n```",
    "fence never closed": f"```json\n{STRICT}\n",
    "list of objects": (
        f'[{{"agent": "Alice", "action": "{GO}"}}, {{"agent": "Bob", "action": "{STAY}"}}]'
    ),
    "list of one-key objects": f'[{{"Alice": "{GO}"}}, {{"Bob": "{STAY}"}}]',
    "list of lines": f'{{"actions": ["Alice: {GO}", "Bob: {STAY}"]}}',
    "deep inside": f'{{"a": {{"b": {{"actions": {{"Alice": "{GO}", "Bob": "{STAY}"}}}}}}}}',
    "two steps at once": (
        f'{{"step 1": {{"Alice": "{GO}", "Bob": "{STAY}"}}, '
        '"step 2": {"Alice": "GetSupply(ReservoirTaj)", "Bob": "Done"}}'
    ),
    "somebody who is not there": STRICT[:-1] + ', "Zed\'s action": "Done"}',
}  # fmt: skip

DAMAGE = {
    "trailing commas": STRICT[:-1] + ",,}",
    "no comma, one line": STRICT.replace('", "', '" "'),
    "semicolon": STRICT.replace('", "', '"; "'),
    "comments": STRICT.replace(', "Bob', ', // go\n /* and */ "Bob'),
    "bare values": f'{{"Alice\'s action": {GO}, "Bob\'s action": {STAY}}}',
    "bare keys and values": f"{{Alice's action: {GO}, Bob's action: {STAY}}}",
    "typographic quotes": STRICT.replace('"', "\u201d").replace("'", "\u2019"),
    "guillemets": f"{{\u00abAlice\u00bb: \u00ab{GO}\u00bb, \u00abBob\u00bb: \u00ab{STAY}\u00bb}}",
    "backticks": f"{{`Alice`: `{GO}`, `Bob`: `{STAY}`}}",
    "hard spaces": STRICT.replace(" ", "\u00a0"),
    "a mark of byte order": "\ufeff" + STRICT,
    "escaped as a whole": STRICT.replace('"', '\\"'),
    "escaped and quoted": '"' + STRICT.replace('"', '\\"') + '"',
    "no braces": STRICT[1:-1],
    "no opening brace": STRICT[1:],
    "no closing brace": STRICT[:-1],
    "doubled braces": "{" + STRICT + "}",
    "too many closing braces": STRICT + "}}}",
    "Python": (
        f"{{'reason': None, 'Alice\\'s action': '{GO}', 'Bob\\'s action': '{STAY}', 'ok': True}}"
    ),
    "Python tuple": f"{{'Alice': ('{GO}',), 'Bob': ('{STAY}',)}}",
    "upper case": STRICT.upper(),
    "lower case": '{"alice": "navigateto reservoirtaj", "bob": "idle"}',
    "unicode escapes": STRICT.replace("'", "\\u0027"),
    "line break in a text": STRICT.replace(GO, f"\n {GO} \n"),
}  # fmt: skip

SHAPES = {
    "lists": f'{{"Alice": ["{GO}", "Done"], "Bob": ["{STAY}"]}}',
    "verb and target": (
        '{"Alice": {"action": "NavigateTo", "target": "ReservoirTaj"}, "Bob": {"action": "Idle"}}'
    ),
    "type and object": (
        '{"Alice": {"type": "NavigateTo", "object": "ReservoirTaj"}, "Bob": {"type": "Idle"}}'
    ),
    "function calls": (
        '{"Alice": {"type": "function", "name": "NavigateTo", "arguments": '
        '{"object": "ReservoirTaj"}}, "Bob": {"name": "Idle", "arguments": {}}}'
    ),
    "verb as key": '{"Alice": {"NavigateTo": "ReservoirTaj"}, "Bob": {"Idle": {}}}',
    "verb as key of a list": '{"Alice": {"NavigateTo": ["ReservoirTaj"]}, "Bob": {"Idle": []}}',
    "method": '{"Alice": "Alice.NavigateTo(ReservoirTaj)", "Bob": "bob.idle()"}',
    "code": '{"Alice": "await navigate_to(\\"ReservoirTaj\\")", "Bob": "return Idle()"}',
    "colon": '{"Alice": "NavigateTo: ReservoirTaj", "Bob": "Idle: wait for Alice"}',
    "remarks": '{"Alice": "NavigateTo ReservoirTaj (the nearest)", "Bob": "Idle -- nothing to do"}',
    "named argument": "{\"Alice\": \"NavigateTo(object='ReservoirTaj')\", \"Bob\": \"Idle()\"}",
    "angle brackets": '{"Alice": "NavigateTo(<ReservoirTaj>)", "Bob": "<Idle>"}',
    "marks": f'{{"Alice": "**`{GO}`**", "Bob": "*Idle*"}}',
    "several in one text": (
        f'{{"Alice": "{GO} -> GetSupply(ReservoirTaj)", "Bob": "Idle, then Done"}}'
    ),
    "addressed": f'{{"Alice": "Alice: {GO}", "Bob": "Bob should wait here"}}',
    "first of a ranking": f'{{"Alice": "1. {GO}", "Bob": "(1) Idle"}}',
}  # fmt: skip

PARTS = {
    "null": (f'{{"Alice": "{GO}", "Bob": null}}', (GO, "")),
    "empty": (f'{{"Alice": "{GO}", "Bob": ""}}', (GO, "")),
    "number": (f'{{"Alice": "{GO}", "Bob": 5}}', (GO, "")),
    "bool": (f'{{"Alice": "{GO}", "Bob": true}}', (GO, "")),
    "cut in a key": (STRICT[:-22], (GO, "")),
    "cut in an action": (STRICT[: STRICT.index(STAY) + 2], (GO, "")),
    "cut in a name": (STRICT[: STRICT.index("Taj") + 1], NEITHER),
    "other names": (STRICT.replace("Alice", "Alicia").replace("Bob", "Bobby"), NEITHER),
    "numbers for names": (f'{{"Agent 1": "{GO}", "Agent 2": "{STAY}"}}', NEITHER),
    "swapped": (f'{{"Alice": "Bob: {STAY}", "Bob": "Alice: {GO}"}}', NEITHER),
    "no names at all": (f'["{GO}", "{STAY}"]', NEITHER),
    "only thinking": (f"<think>Perhaps {DRAFT}? Let me see", NEITHER),
    "prose": ("Alice should go to ReservoirTaj while Bob waits.", NEITHER),
    "refusal": ("I'm sorry, but as an AI I cannot help with that.", NEITHER),
    "error page": ("<html><body>502 Bad Gateway</body></html>", NEITHER),
    "empty object": ("{}", NEITHER),
    "empty list": ("[]", NEITHER),
    "null answer": ("null", NEITHER),
    "blanks": ("\n\t \u200b", NEITHER),
    "empty fence": ("```json\n```", NEITHER),
    "control characters": ("\x00\x01\x1b[0m", NEITHER),
    "goal": ('{"Alice": "make sure that the fire is out", "Bob": "help Alice"}', NEITHER),
    "negation": ('{"Alice": "do not carry LostPersonZoe", "Bob": "Idle"}', ("", STAY)),
    "unknown place": ('{"Alice": "NavigateTo(ReservoirTajj)", "Bob": "Idle"}', ("", STAY)),
    "injection": ('{"Alice": "__import__(\'os\').system(\'id\')", "Bob": "Idle"}', ("", STAY)),
    "template": ('{"Alice": "NavigateTo(<object>)", "Bob": "<action>"}', NEITHER),
    "the same key twice": (f'{{"Bob": "Done", "Alice": "{GO}", "Bob": "{STAY}"}}', BOTH),
    "arguments swapped": (
        '{"Alice": "DropOff(LostPersonZoe, DepositFacility)", "Bob": "Idle"}',
        ("DropOff(DepositFacility, LostPersonZoe)", STAY),
    ),
    "half call": (
        '{"Alice": "UseSupply(Sand) on RedFire_Region_1", "Bob": "Idle"}',
        ("UseSupply(RedFire_Region_1, Sand)", STAY),
    ),
}  # fmt: skip

CASES = [
    *((name, text, BOTH) for part in (LAYOUTS, DAMAGE, SHAPES) for name, text in part.items()),
    *((name, text, wanted) for name, (text, wanted) in PARTS.items()),
]


def actions(text: str) -> tuple[str, ...]:
    found = read_answer(text, KEYS, required=KEYS[1:])
    assert found.rung in RUNGS
    assert bool(found.problem) == any(key not in found.fields for key in KEYS[1:])
    choices = read_choices(found.fields, ("Alice", "Bob"))
    texts = (choices.texts[agent][:1] for agent in ("Alice", "Bob"))
    return tuple(
        text_of(read(first[0], agent=agent)) if first else ""
        for agent, first in zip(("Alice", "Bob"), texts, strict=True)
    )


@pytest.mark.parametrize(("text", "wanted"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_what_comes_out(text: str, wanted: tuple[str, str]) -> None:
    assert actions(text) == wanted


@pytest.mark.parametrize(
    "piece",
    [
        "go ", "{", "[", "}", '"', "'", "`", "```", "Alice: ", "<Alice>", "<think>", "| Alice ",
        "# Alice\n", "**Alice**\n", '{"Alice": ', '{"Alice": "a', "[{", "/*", "//", "\\", '"a" "b',
        "Alice's action' ", "a-> ", "\u201c", "- ", "; \"", "return ", "await f(",
    ],
)  # fmt: skip
def test_nothing_comes_out_of_degenerate_answers(piece: str) -> None:
    """How long it takes is measured in `benchmarks/models.py`."""
    for count in (3, 400):
        assert set(actions(piece * count)) <= {"", STAY}
