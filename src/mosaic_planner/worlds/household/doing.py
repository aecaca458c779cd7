"""The high-level actions, one function each: what they need, what they call, how they fail."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from mosaic_planner.core.action import Action
from mosaic_planner.worlds.household.catalogue import MUST_BE_OPEN, SINGLE_SLOT, fits
from mosaic_planner.worlds.household.clip.guide import Guide
from mosaic_planner.worlds.household.exploring import Seen, explore
from mosaic_planner.worlds.household.stage import Done, Primitive, Stage
from mosaic_planner.worlds.household.tasks import HouseholdTask
from mosaic_planner.worlds.household.travelling import navigate, pose_key, pose_of
from mosaic_planner.worlds.household.words import HOUSEHOLD_VOCABULARY

__all__ = ["Doer"]

_HIGHEST, _LOWEST = -30.0, 60.0  # how far the view tilts, degrees below level

Act = Callable[[int, Action], Done]


class Doer:
    """Carries out actions of one episode on a stage."""

    def __init__(
        self,
        stage: Stage,
        task: HouseholdTask,
        seen: Seen,
        wanted: tuple[str, ...],
        guide: Guide | None = None,
        *,
        faithful: bool = False,
    ) -> None:
        self.stage = stage
        self.seen = seen
        self._task = task
        self._wanted = wanted
        self._faithful = faithful
        self._acts: dict[str, Act] = {
            "NavigateTo": lambda a, x: navigate(self.stage, a, x.args[0]),
            "Explore": lambda a, x: explore(self.stage, a, self.seen, self._wanted, guide),
            "Move": self._move,
            "Rotate": self._rotate,
            "LookUp": self._look,
            "LookDown": self._look,
            "PickupObject": self._pick_up,
            "PutObject": self._put,
            "OpenObject": self._open,
            "CloseObject": self._open,
            "ToggleObjectOn": self._toggle,
            "ToggleObjectOff": self._toggle,
            "SliceObject": self._slice,
            "CleanObject": self._clean,
            "Done": lambda a, x: Done(self.stage.do(a, "Done").success),
            "Idle": lambda a, x: Done(True),
        }

    def do(self, agent: int, action: Action) -> Done:
        """Carry out one action; a malformed one fails, it never raises."""
        names = self.stage.names
        known = ((n, names.kind_of(n)) for n in names.all())
        problem = HOUSEHOLD_VOCABULARY.check(action, known)
        if problem:
            unseen = len(action.args) == 1 and problem.startswith("nothing called")
            kind = "not_seen" if unseen else "malformed"
            return Done(False, kind, problem)
        return self._acts[action.verb](agent, action)

    # The body.

    def _move(self, agent: int, action: Action) -> Done:
        return self._body(agent, self.stage.do(agent, f"Move{action.args[0]}"))

    def _rotate(self, agent: int, action: Action) -> Done:
        return self._body(agent, self.stage.do(agent, f"Rotate{action.args[0]}"))

    def _look(self, agent: int, action: Action) -> Done:
        """Tilt as far as the camera goes; at its end that is impossible."""
        horizon = pose_of(self.stage, agent)[3]
        left = _LOWEST - horizon if action.verb == "LookDown" else horizon - _HIGHEST
        asked = float(action.args[0])
        # In the reference a tilt beyond the limit fails as a whole (section 10).
        degrees = asked if self._faithful else min(asked, round(left, 3))
        if degrees > 0 and self.stage.do(agent, action.verb, degrees=degrees).success:
            return Done(True)
        return Done(False, "impossible", "the view cannot be tilted further")

    def _body(self, agent: int, done: Primitive) -> Done:
        if done.success:
            return Done(True)
        what = done.message.split(" is blocking")[0].split(" held by")[0]
        if what.startswith("Agent "):
            number = what.removeprefix("Agent ").strip()
            what = self.stage.agents[int(number)] if number.isdigit() else what
        elif "bounds" in done.message:
            what = "a wall"
        else:
            what = what.split("_")[0]
        return Done(False, "blocked", f"{what} is in the way")

    # Objects.

    def _target(self, agent: int, action: Action) -> tuple[str, Mapping[str, Any] | None, str]:
        """Id, entry and the reason why it cannot be handled from here ("" if it can)."""
        name = action.args[0]
        key = self.stage.names.id_of(name)
        entry = self.stage.entry(agent, key)
        if entry is None:
            return key, None, f"{name} does not exist any more"
        if not entry["visible"]:
            return key, entry, f"{name} is not in view; go to it first"
        if not entry["isInteractable"]:
            return key, entry, f"{name} is behind glass"
        return key, entry, ""

    def _pick_up(self, agent: int, action: Action) -> Done:
        key, entry, problem = self._target(agent, action)
        held = self.stage.held(agent)
        if problem or entry is None:
            return Done(False, "not_visible", problem, key, held)
        if held:
            item = self.stage.names.name_of(held)
            return Done(False, "hand_full", f"the robot already holds {item}", key, held)
        done = self.stage.do(agent, "PickupObject", objectId=key)
        if done.success:
            who = self.stage.agents[agent]
            return Done(True, target=key, held=key, effects=((key, "holder", who),))
        if "held by Agent" in done.message:
            return Done(False, "wrong_state", "another robot holds it", key)
        if "collide" in done.message:
            self.stage.no_room.add((key, *pose_key(self.stage, agent)))
            return Done(False, "blocked", "something is in the way of the hand", key)
        return Done(False, "impossible", f"{action.args[0]} cannot be picked up", key)

    def _put(self, agent: int, action: Action) -> Done:
        name = action.args[0]
        key, entry, problem = self._target(agent, action)
        held = self.stage.held(agent)
        if not held:
            return Done(False, "hand_empty", "the robot holds nothing to put", key)
        if problem or entry is None:
            return Done(False, "not_visible", problem, key, held)
        item = self.stage.entry(agent, held)
        assert item is not None
        entry = self.stage.receiver(agent, entry)
        key = str(entry["objectId"])
        if not entry["receptacle"]:
            return Done(False, "incompatible", f"{name} is no receptacle", key, held)
        kind, item_kind = entry["objectType"], item["objectType"]
        if kind in MUST_BE_OPEN and not entry["isOpen"]:
            return Done(False, "wrong_state", f"{name} is closed; open it first", key, held)
        # Only what the running task asks for is forced past the table, and every put into a
        # fridge, whose free places are rarely in view (benchmark notes, section 8).
        forced = kind == "Fridge" or (item_kind, kind) in self._task.forced
        parameters = {"forceAction": True} if forced else {}
        done = self.stage.do(agent, "PutObject", objectId=key, **parameters)
        if done.success:
            inside = self.stage.names.name_of(key) or name
            effects = ((held, "holder", ""), (held, "inside", inside))
            return Done(True, target=key, held=held, effects=effects)
        return self._why_not_put(agent, done, name, key, held, item_kind, kind)

    def _why_not_put(
        self, agent: int, done: Primitive, name: str, key: str, held: str, item_kind: str, kind: str
    ) -> Done:
        item = self.stage.names.name_of(held)
        if "full" in done.message:
            return Done(False, "no_room", f"{name} is full", key, held)
        if not fits(item_kind, kind) or (kind in SINGLE_SLOT and "not a valid" in done.message):
            return Done(False, "incompatible", f"{name} does not take {item}", key, held)
        self.stage.no_room.add((key, *pose_key(self.stage, agent)))
        return Done(False, "no_room", f"there is no room for {item} in view on {name}", key, held)

    def _open(self, agent: int, action: Action) -> Done:
        key, entry, problem = self._target(agent, action)
        name, opens = action.args[0], action.verb == "OpenObject"
        held = self.stage.held(agent)
        if problem or entry is None:
            return Done(False, "not_visible", problem, key, held)
        if not entry["openable"]:
            return Done(False, "impossible", f"{name} cannot be opened", key, held)
        done = self.stage.do(agent, action.verb, objectId=key)
        if done.success:
            return Done(True, target=key, held=held, effects=((key, "open", opens),))
        if "must be off" in done.message.lower():
            return Done(False, "wrong_state", f"{name} must be switched off first", key, held)
        self.stage.no_swing.add((key, pose_key(self.stage, agent)[0]))
        return Done(False, "blocked", self._blocker(agent, done.message, name), key, held)

    def _blocker(self, agent: int, message: str, name: str) -> str:
        for k, who in enumerate(self.stage.agents):
            if message.startswith(f"Agent {k} "):
                if k == agent:
                    again = "navigate to it again for another place to stand"
                    return f"the robot itself stands where {name} would open; {again}"
                return f"{who} stands where {name} would open and has to move away"
        short = message.split(" ", 1)[0]
        for o in self.stage.objects(agent):
            if o["name"] == short:
                what = self.stage.names.name_of(o["objectId"]) or f"a {o['objectType']}"
                return f"{what} is where {name} would open"
        return f"something is where {name} would open"

    def _toggle(self, agent: int, action: Action) -> Done:
        key, entry, problem = self._target(agent, action)
        name, on = action.args[0], action.verb == "ToggleObjectOn"
        held = self.stage.held(agent)
        if problem or entry is None:
            return Done(False, "not_visible", problem, key, held)
        if bool(entry["isToggled"]) == on:
            state = "on" if on else "off"
            return Done(False, "wrong_state", f"{name} is already {state}", key, held)
        done = self.stage.do(agent, action.verb, objectId=key)
        if done.success:
            effects = [(key, "on", on)]
            effects += [(c, "on", on) for c in entry["controlledObjects"] or ()]
            return Done(True, target=key, held=held, effects=tuple(effects))
        if "closed" in done.message:
            return Done(False, "wrong_state", f"{name} must be closed first", key, held)
        return Done(False, "impossible", f"{name} cannot be switched", key, held)

    def _slice(self, agent: int, action: Action) -> Done:
        key, entry, problem = self._target(agent, action)
        name, held = action.args[0], self.stage.held(agent)
        if entry is not None and (entry["isSliced"] or entry["isBroken"]):
            return Done(False, "wrong_state", f"{name} is already sliced", key, held)
        if problem or entry is None:
            return Done(False, "not_visible", problem, key, held)
        if entry["isPickedUp"]:
            return Done(False, "wrong_state", f"{name} is held; put it down first", key, held)
        done = self.stage.do(agent, "SliceObject", objectId=key)
        if done.success:
            return Done(True, target=key, held=held, effects=((key, "sliced", True),))
        return Done(False, "impossible", f"{name} cannot be sliced", key, held)

    def _clean(self, agent: int, action: Action) -> Done:
        key, entry, problem = self._target(agent, action)
        name, held = action.args[0], self.stage.held(agent)
        if problem or entry is None:
            return Done(False, "not_visible", problem, key, held)
        if not entry["isDirty"]:
            return Done(False, "wrong_state", f"{name} is already clean", key, held)
        done = self.stage.do(agent, "CleanObject", objectId=key)
        if done.success:
            return Done(True, target=key, held=held, effects=((key, "dirty", False),))
        return Done(False, "impossible", f"{name} cannot be cleaned", key, held)
