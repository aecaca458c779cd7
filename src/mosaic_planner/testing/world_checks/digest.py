"""What a world gives in a process of its own: read a task from stdin, print a digest.

python -m mosaic_planner.testing.world_checks.digest < task.json
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from mosaic_planner.core.action import Action
from mosaic_planner.testing.world_checks.subject import Run, Subject, frame_record
from mosaic_planner.worlds.registry import PlannableWorld, world_factory

__all__ = ["address_of", "digest_here", "digest_in_process"]

_TIMEOUT_S = 300


def replay_digest(world: PlannableWorld, seed: int, joints: Sequence[Mapping[str, Action]]) -> str:
    """A hash of everything the world gives while it carries out these joint actions."""
    records = [frame_record(world, world.reset(seed), {}, world.score(), world.snapshot())]
    for joint in joints:
        result = world.step(joint)
        records.append(
            frame_record(
                world, result.observations, result.outcomes, world.score(), world.snapshot()
            )
        )
    text = json.dumps([records, world.settings(), world.static()], default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def digest_here(subject: Subject, run: Run) -> str:
    """The digest of a run's joint actions on a fresh world in this process."""
    world = subject.make(len(run.world.agents))
    return replay_digest(world, run.seed, [f.joint for f in run.steps])


def address_of(factory: Callable[..., Any], name: str) -> list[str]:
    """How another process finds the factory: registered name, file, module, name in it.

    Empty if it cannot: a lambda, a nested function, a partial.
    """
    if name:
        return [name, "", "", ""]
    module = sys.modules.get(getattr(factory, "__module__", ""))
    inner = getattr(factory, "__qualname__", "<")
    if module is None or "<" in inner:
        return []
    if module.__name__ != "__main__":
        return ["", "", module.__name__, inner]
    file = getattr(module, "__file__", None)
    return ["", os.path.abspath(file), "", inner] if file else []


def digest_in_process(subject: Subject, run: Run, hash_seed: int) -> str:
    """The same digest from a process with another `PYTHONHASHSEED`; its error text on failure."""
    task = {
        "path": sys.path,
        "address": address_of(subject.factory, subject.name),
        "options": {**subject.options, "agents": len(run.world.agents)},
        "seed": run.seed,
        "joints": [[[n, a.verb, list(a.args)] for n, a in f.joint.items()] for f in run.steps],
    }
    done = subprocess.run(
        [sys.executable, "-m", "mosaic_planner.testing.world_checks.digest"],
        input=json.dumps(task),
        capture_output=True,
        text=True,
        check=False,
        timeout=_TIMEOUT_S,
        env=os.environ
        | {"PYTHONHASHSEED": str(hash_seed), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    if done.returncode == 0:
        return done.stdout.strip()
    return (done.stderr.strip().splitlines() or ["no output"])[-1]


def _load(address: Sequence[str]) -> Callable[..., PlannableWorld]:
    name, file, module, inner = address
    if name:
        return world_factory(name)
    if file:
        spec = importlib.util.spec_from_file_location("world_under_test", file)
        if spec is None or spec.loader is None:
            raise ImportError(f"{file} is no module")
        home = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = home
        spec.loader.exec_module(home)
    else:
        home = importlib.import_module(module)
    found: Any = home
    for part in inner.split("."):
        found = getattr(found, part)
    factory: Callable[..., PlannableWorld] = found
    return factory


def _main() -> None:
    task = json.load(sys.stdin)
    sys.path[:] = task["path"]
    world = _load(task["address"])(**task["options"])
    joints = [{n: Action(verb, tuple(args)) for n, verb, args in j} for j in task["joints"]]
    print(replay_digest(world, task["seed"], joints))


if __name__ == "__main__":
    _main()
