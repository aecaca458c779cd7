"""What a folder of results was made with, and whether the same sweep may go on in it."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed_version
from importlib.resources import files
from pathlib import Path
from typing import Any

from mosaic_planner._version import version
from mosaic_planner.core.errors import UsageError
from mosaic_planner.core.trace import TRACE_FORMAT
from mosaic_planner.experiments.files import write_atomically
from mosaic_planner.experiments.suite import Placement, Plan, Suite
from mosaic_planner.models.secrets import hide_in_value

__all__ = ["Manifest", "environment", "read_manifest"]

_NAME = "manifest.json"
_DEPENDENCIES = ("numpy", "ortools", "pydantic", "rapidfuzz")


def _sources(folder: Any) -> Iterable[tuple[str, bytes]]:
    for entry in sorted(folder.iterdir(), key=lambda e: e.name):
        if entry.is_dir():
            if entry.name not in ("__pycache__", "experiments", "cli", "replay", "testing"):
                yield from _sources(entry)
        elif not entry.name.endswith((".pyc", ".pyi")):
            yield entry.name, entry.read_bytes()


@lru_cache(maxsize=1)
def _code_digest() -> str:
    """Digest of everything in the package that an episode runs on."""
    digest = hashlib.sha256()
    for name, data in _sources(files("mosaic_planner")):
        digest.update(f"{name}:{len(data)}:".encode() + data)
    return digest.hexdigest()[:16]


def environment() -> dict[str, str]:
    """Versions that may change an episode, by name. No path, no host name."""
    found = {
        "mosaic-planner": version(),
        "code": _code_digest(),
        "trace format": str(TRACE_FORMAT),
        "python": ".".join(platform.python_version_tuple()[:2]),
    }
    for name in _DEPENDENCIES:
        try:
            found[name] = installed_version(name)
        except PackageNotFoundError:
            found[name] = "absent"
    return found


@dataclass(frozen=True, slots=True)
class Manifest:
    """Suite, placements and versions of one folder; written before the first episode."""

    suite: Suite
    placements: tuple[Placement, ...]
    digest: str
    versions: dict[str, str]
    accepted: tuple[dict[str, str], ...] = ()
    missing_worlds: tuple[str, ...] = ()

    @classmethod
    def of(cls, plan: Plan) -> Manifest:
        """The manifest of a plan made here and now."""
        return cls(
            plan.suite,
            plan.placements,
            plan.digest,
            environment(),
            missing_worlds=plan.missing_worlds,
        )

    def write(self, folder: Path) -> None:
        """Store it, all or nothing."""
        values = {
            "suite": hide_in_value(self.suite.model_dump(mode="json")),
            "digest": self.digest,
            "versions": self.versions,
            "accepted": list(self.accepted),
            "missing_worlds": list(self.missing_worlds),
            "placements": [
                [p.row, [list(pair) for pair in p.axis], p.world, p.task, p.variant, p.seed, p.key]
                for p in self.placements
            ],
        }
        text = json.dumps(values, indent=1, ensure_ascii=False)
        write_atomically(folder / _NAME, text.encode())

    def agree(self, plan: Plan, folder: Path, *, accept_versions: bool) -> Manifest:
        """The manifest to go on with; refuses another suite, other settings, other versions.

        `accept_versions`: go on with other versions; it is noted for good. Worlds that have been
        installed since extend the plan. Raises `UsageError` with what differs.
        """
        if plan.digest != self.digest and not self._extends(plan):
            raise UsageError(
                f"{folder} holds suite {self.suite.name!r} with other settings"
                f"{_first_difference(self.suite, plan.suite)}; "
                "use the settings it was made with, or another --out"
            )
        now = environment()
        known = (self.versions, *self.accepted)
        accepted = self.accepted
        if now not in known:
            last = known[-1]
            changed = ", ".join(
                f"{name} {last.get(name, 'absent')} -> {value}"
                for name, value in now.items()
                if last.get(name) != value
            )
            if not accept_versions:
                raise UsageError(
                    f"{folder} was made with other versions ({changed}); finish it with those, "
                    "use another --out, or say --accept-versions to mix them"
                )
            accepted = (*accepted, now)
        return Manifest(
            plan.suite, plan.placements, plan.digest, self.versions, accepted, plan.missing_worlds
        )

    def _extends(self, plan: Plan) -> bool:
        """Whether the plan is this one plus episodes of worlds that were missing then."""
        old = set(self.placements)
        added = [p for p in plan.placements if p not in old]
        return (
            plan.suite == self.suite
            and old <= set(plan.placements)
            and all(p.world in self.missing_worlds for p in added)
        )


def _first_difference(old: Suite, new: Suite) -> str:
    before, after = old.model_dump(mode="json"), new.model_dump(mode="json")
    for name, value in before.items():
        if after[name] != value:
            then, now = json.dumps(value), json.dumps(after[name])
            if max(len(then), len(now)) > 120:
                return f" ({name} differs)"
            return f" ({name}: {then} there, {now} asked)"
    return ""


def read_manifest(folder: Path) -> Manifest | None:
    """The manifest of a folder, or None if it has none. Raises `UsageError` if it is damaged."""
    path = folder / _NAME
    if not path.exists():
        return None
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        return Manifest(
            suite=Suite.model_validate(values["suite"]),
            placements=tuple(
                Placement(row, tuple((n, v) for n, v in axis), world, task, variant, seed, key)
                for row, axis, world, task, variant, seed, key in values["placements"]
            ),
            digest=values["digest"],
            versions=values["versions"],
            accepted=tuple(values["accepted"]),
            missing_worlds=tuple(values["missing_worlds"]),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{path} is no manifest of this version: {error}") from None
