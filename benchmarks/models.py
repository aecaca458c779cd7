"""How fast answers are read, tokens counted and calls booked.

    python benchmarks/models.py [--quick] [--json]

`worst_ms` is the slowest of the degenerate answers of 20,000 repeated tokens, `worst_growth` the
largest factor by which the time grows from 20,000 to 40,000 tokens (2 is linear). With `--json` the
last line is one JSON object.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from collections.abc import Callable

from mosaic_planner.core.clock import Clock
from mosaic_planner.core.trace import TraceWriter
from mosaic_planner.models.reading import read_action, read_answer
from mosaic_planner.models.session import ModelSession
from mosaic_planner.models.tokens import count_tokens
from mosaic_planner.testing.scripted import ScriptedModel
from mosaic_planner.worlds.sar.vocabulary import SAR_VOCABULARY

KEYS = ("failure reason", "memory", "reason", "subtask", "Alice's action", "Bob's action")
NEEDED = KEYS[-2:]
GOOD = json.dumps(dict.fromkeys(KEYS, "Explore()"))
ENTITIES = (
    *((f"CaldorFire_Region_{n}", "region") for n in range(1, 21)),
    ("ReservoirTaj", "reservoir"),
    ("DepositFacility", "deposit"),
    ("LostPersonTimmy", "person"),
    *((name, "agent") for name in ("Alice", "Bob", "Charlie", "David", "Emma")),
)
DEGENERATE: dict[str, Callable[[int], str]] = {
    "words": lambda n: "the " * n,
    "cut text": lambda n: '{"reason": "' + "go " * n,
    "long text": lambda n: '{"reason": "' + "go " * n + '"}',
    "unescaped quotes": lambda n: '{"reason": "' + 'say "go" ' * (n // 2) + '"}',
    "apostrophes": lambda n: "{'reason': '" + "it's " * n + "'}",
    "backslashes": lambda n: '{"reason": "' + "\\" * n,
    "open braces": lambda n: "{" * n,
    "open brackets": lambda n: "[" * n,
    "deep objects": lambda n: '{"a":' * n,
    "cut lists": lambda n: '{"a": [' * n,
    "small objects": lambda n: '{"a":1} ' * (n // 2),
    "quotes": lambda n: '"' * n,
    "commas": lambda n: "{" + "," * n,
    "comments": lambda n: "{/*" * n,
    "fences": lambda n: "```" * n,
    "lines": lambda n: "a: b\n" * n,
    "tags": lambda n: "<Alice>" * n,
    "table": lambda n: "| Alice " * n,
    "headings": lambda n: "**Alice**\n" * n,
    "thinking": lambda n: "<think>" * n,
    "pairs": lambda n: "Alice's action' " * n,
    "missing commas": lambda n: '{"Alice": ' + '"a" "b' * (n // 2),
    "calls": lambda n: '{"Alice\'s action": "' + "NavigateTo(" * n,
    "spaces": lambda n: '{"a": "x"' + " " * (n * 4) + "z",
}
ACTIONS: dict[str, Callable[[int], str]] = {
    "calls": lambda n: "NavigateTo(" * n,
    "names": lambda n: "navigate to object " + "CaldorFire_Region_1 " * n,
    "unknown": lambda n: "navigate to object " + "BlueFire " * n,
    "verbs": lambda n: "x carry " * n,
    "waits": lambda n: "wait and " * n,
}


def best_ms(work: Callable[[], object], times: int) -> float:
    """The fastest of several runs, in milliseconds of processor time (others do not count)."""
    best = float("inf")
    for _ in range(times):
        began = time.process_time()
        work()
        best = min(best, time.process_time() - began)
    return best * 1000


def growth(
    make: Callable[[int], str], read: Callable[[str], object], times: int
) -> tuple[float, float]:
    """Milliseconds for 20,000 tokens, and the factor to 40,000."""
    short, long = make(20_000), make(40_000)
    first = best_ms(lambda: read(short), times)
    second = best_ms(lambda: read(long), times)
    return first, second / first


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    times = 3 if options.quick else 7

    def read(text: str) -> object:
        return read_answer(text, KEYS, required=NEEDED)

    def act(text: str) -> object:
        return read_action(text, SAR_VOCABULARY, ENTITIES)

    rows = {f"answer: {n}": growth(make, read, times) for n, make in DEGENERATE.items()}
    rows |= {f"action: {n}": growth(make, act, times) for n, make in ACTIONS.items()}
    for name, (milliseconds, factor) in rows.items():
        print(f"{name:28} {milliseconds:8.2f} ms   x{factor:.2f} for twice the text")

    text = ("Alice: position (14, 8, 0), inventory Sand 2. CaldorFire_Region_1 burns.\n" * 500)[
        :30_000
    ]
    count_ms = best_ms(lambda: count_tokens(text), times * 5)
    answer_us = best_ms(lambda: [read(GOOD) for _ in range(100)], times) * 10
    texts = ("NavigateTo(CaldorFire_Region_7)", "use supply Sand on CaldorFire_Region_7", "wait")
    action_us = best_ms(lambda: [act(t) for t in texts for _ in range(100)], times) * 1000 / 300

    async def calls() -> None:
        session = ModelSession(
            ScriptedModel([GOOD]), writer=TraceWriter(), clock=Clock(), step=lambda: 0
        )
        for n in range(200):
            await session("actor", text[:10_000], f"{n} {text[:5000]}")

    session_ms = best_ms(lambda: asyncio.run(calls()), times) / 200
    print(f"counting 30 KB: {count_ms:.3f} ms; reading a good answer: {answer_us:.1f} us; ", end="")
    print(f"an action: {action_us:.1f} us; booking a call: {session_ms:.3f} ms")
    result = {
        "worst_ms": max(ms for ms, _ in rows.values()),
        "worst_growth": max(factor for ms, factor in rows.values() if ms > 1.0),
        "count_30kb_ms": count_ms,
        "good_answer_us": answer_us,
        "action_us": action_us,
        "session_call_ms": session_ms,
    }
    if options.json:
        print(json.dumps({name: round(value, 4) for name, value in result.items()}))


if __name__ == "__main__":
    main()
