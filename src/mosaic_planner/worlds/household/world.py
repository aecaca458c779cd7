"""The household world, `household-v1`: task, simulator, observation, score and record as one."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any, Literal

from mosaic_planner.core.action import Action, Vocabulary
from mosaic_planner.core.errors import UsageError
from mosaic_planner.core.observation import Effect, Observation, Outcome, StepResult
from mosaic_planner.core.world import Briefing, Geometry, Score
from mosaic_planner.worlds.household.backends import Backend
from mosaic_planner.worlds.household.clip.guide import ClipGuide
from mosaic_planner.worlds.household.doing import Doer
from mosaic_planner.worlds.household.exploring import Seen
from mosaic_planner.worlds.household.judging import Entry
from mosaic_planner.worlds.household.naming import Names
from mosaic_planner.worlds.household.observing import Observer, rewrite_state
from mosaic_planner.worlds.household.recording import Film, Filmed
from mosaic_planner.worlds.household.rules import HouseholdRules
from mosaic_planner.worlds.household.scoring import Deed, Scorer, least_actions
from mosaic_planner.worlds.household.stage import Done, SimulatorLost, Stage
from mosaic_planner.worlds.household.tasks import HouseholdTask, PlanStart
from mosaic_planner.worlds.household.travelling import pose_of
from mosaic_planner.worlds.household.words import HOUSEHOLD_VOCABULARY, brief, spaced

__all__ = ["TEAM", "HouseholdWorld"]

_LOST = Done(False, "impossible", "the simulator is gone")

TEAM = ("Alice", "Bob", "Charlie", "David", "Emma", "Finn")


class HouseholdWorld:
    """A `core.world.World` over one scene and one task; instances share nothing that changes.

    `agents` 1 to 6. `backend` provides the simulator. `start`: the benchmark's own start and
    wording, else the start by meaning, drawn with the seed. `scoring`: "state" (success by the
    final state) or "reference" (the reference's ticked list). `images`: observations carry PNGs.
    `clip`: folder of a CLIP checkpoint that guides Explore. `film`: MP4 file that shows what all
    agents see after every primitive of the latest episode.
    Raises `UsageError` for an impossible team.
    """

    world_id = "household-v1"
    geometry = Geometry(unit=0.25, headings=True, directions=("ahead", "right", "behind", "left"))

    def __init__(
        self,
        task: HouseholdTask,
        backend: Backend,
        agents: int = 2,
        *,
        start: PlanStart | None = None,
        scoring: Literal["state", "reference"] = "state",
        images: bool = False,
        clip: str | None = None,
        film: str | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        if isinstance(agents, bool) or not 1 <= agents <= len(TEAM):
            raise UsageError(f"a household team has 1 to {len(TEAM)} robots, not {agents}")
        self.task = task
        self.agents: tuple[str, ...] = TEAM[:agents]
        self.scoring = scoring
        self._backend = backend
        self._start = start
        self._images = images
        self._clip = clip
        self._film_path = film
        self._film: Film | None = None
        self._options = dict(options or {})
        instruction = start.instruction if start is not None else task.instruction
        self._briefing = brief(task, instruction, self.agents)
        self.rules = HouseholdRules(self._briefing.task_words)
        words = [spaced(t) for t in self._briefing.task_words]
        self._guide = ClipGuide(clip, words) if clip is not None else None
        self.reset(0)

    @property
    def vocabulary(self) -> Vocabulary:
        """Every action and object type."""
        return HOUSEHOLD_VOCABULARY

    @property
    def briefing(self) -> Briefing:
        """What the team is told."""
        return self._briefing

    def settings(self) -> Mapping[str, Any]:
        """Everything needed to build this world again."""
        return {
            "world": "household",
            "task": self.task.task_id,
            "scene": self._backend.scene_name,
            "agents": len(self.agents),
            "scoring": self.scoring,
            "images": self._images,
            "clip": self._clip,
            **self._options,
        }

    def static(self) -> Mapping[str, Any]:
        """What does not change with the steps: scene, free floor, where it came from."""
        return {
            "agents": list(self.agents),
            "task": self.task.task_id,
            "type": self.task.type,
            "least_actions": self.least_actions,
            **self._backend.static(),
        }

    def reset(self, seed: int) -> Mapping[str, Observation]:
        """Start an episode; the same seed gives the same episode in any process."""
        if isinstance(seed, bool) or not isinstance(seed, int):
            raise UsageError(f"a seed is a whole number, not {seed!r}")
        controller = self._backend.begin(
            self.task, len(self.agents), random.Random(seed), self._start
        )
        if self._film is not None:
            self._film.close()
        if self._film_path is not None:
            self._film = Film(self._film_path)
            controller = Filmed(controller, self._film)
        self._stage = Stage(controller, self.agents, Names())
        self._stage.begin()
        self._seen = Seen()
        words = self._briefing.task_words
        self._doer = Doer(
            self._stage, self.task, self._seen, words, self._guide,
            faithful=self.scoring == "reference",
        )  # fmt: skip
        self._observer = Observer(self._stage)
        self._scorer = Scorer.begin(self.task, self._objects())
        self.least_actions = least_actions(self._scorer, self._objects())
        self.rules.begin(self._backend.free_cells())
        self._step = 0
        self._last: dict[str, str] = {}
        self._note_views()
        return self._observe({})

    def step(self, joint: Mapping[str, Action]) -> StepResult:
        """Carry out one joint action, one agent after another in team order (section 10).

        A malformed or hallucinated action is a failed outcome; `UsageError` if an agent has none.
        """
        missing = next((name for name in self.agents if name not in joint), None)
        if missing is not None:
            raise UsageError(f"no action for {missing}")
        self._stage.begin()
        outcomes: dict[str, Outcome] = {}
        failure = ""
        for index, name in enumerate(self.agents):
            action = joint[name]
            try:
                done = _LOST if failure else self._doer.do(index, action)
            except SimulatorLost as lost:
                failure, done = str(lost), _LOST
            self._note(index, action, done)
            outcomes[name] = self._outcome(index, action, done)
        self._step += 1
        self._last = {name: str(joint[name]) for name in self.agents}
        self._note_views()
        return StepResult(self._observe(outcomes), outcomes, failure)

    def _observe(self, outcomes: Mapping[str, Outcome]) -> dict[str, Observation]:
        images = self._backend.images(self.agents) if self._images else {}
        return self._observer.observe(self._step, outcomes, images)

    def _objects(self) -> list[Entry]:
        return list(self._stage.objects())

    def _note_views(self) -> None:
        for index in range(len(self.agents)):
            x, z, yaw, _ = pose_of(self._stage, index)
            self._seen.note(x, z, yaw, self._stage.grid_m)

    def _note(self, index: int, action: Action, done: Done) -> None:
        """Tell the scorer what was attempted."""
        target = done.target or (
            self._stage.names.id_of(action.args[0]) if len(action.args) == 1 else ""
        )
        if not target:
            return
        types = {o["objectId"]: o["objectType"] for o in self._stage.objects()}
        held = done.held or self._stage.held(index)
        self._scorer.note(
            Deed(
                action.verb,
                target,
                types.get(target, ""),
                held,
                types.get(held, ""),
                done.success,
            )
        )

    def _outcome(self, index: int, action: Action, done: Done) -> Outcome:
        effects = tuple(
            Effect(self._stage.names.name_of(key), attribute, value)
            for key, attribute, value in done.effects
            if self._stage.names.name_of(key)
        )
        return Outcome(
            agent=self.agents[index],
            action=action,
            success=done.success,
            error_kind=done.error_kind,
            reason=done.reason,
            agent_steps=self._stage.steps[index],
            idle=HOUSEHOLD_VOCABULARY.is_idle(action) and done.error_kind != "malformed",
            effects=effects,
        )

    def score(self) -> Score:
        """Judge the true state now; in reference mode success is the reference's list."""
        score = self._scorer.score(self._objects())
        if self.scoring == "state":
            return score
        reference = self._scorer.reference()
        return Score(
            success=bool(reference["success"]),
            completed=tuple(self._scorer.ticked),
            total=score.total,
            covered=score.mentioned,
            mentioned=score.mentioned,
            coverage_total=score.coverage_total,
        )

    def reference_score(self) -> Mapping[str, float | bool]:
        """Success, transport rate and coverage as the reference counts them, for comparison."""
        return self._scorer.reference()

    def word_observation(self, observation: Observation) -> Observation:
        """The last word on an observation that noise has edited (`worlds.noise`)."""
        return rewrite_state(observation)

    def picture(self) -> Any:
        """The room from above, (H, W, 3) uint8; None if the backend cannot draw it."""
        return self._backend.top_down()

    def snapshot(self) -> Mapping[str, Any]:
        """The true state now as JSON values; names where given, else object ids."""
        names = self._stage.names
        agents = []
        for index, name in enumerate(self.agents):
            x, z, yaw, horizon = pose_of(self._stage, index)
            held = self._stage.held(index)
            agents.append(
                {
                    "name": name,
                    "x": round(x, 4),
                    "z": round(z, 4),
                    "heading": round(yaw, 2),
                    "horizon": round(horizon, 1),
                    "holds": names.name_of(held) or held,
                    "action": self._last.get(name, ""),
                }
            )
        objects = {}
        for o in self._stage.objects():
            at = o["axisAlignedBoundingBox"]["center"]
            flags = [
                flag
                for flag in ("isOpen", "isToggled", "isSliced", "isDirty", "isBroken", "isCooked",
                             "isFilledWithLiquid")
                if o[flag]
            ]  # fmt: skip
            objects[o["objectId"]] = {
                "name": names.name_of(o["objectId"]),
                "at": [round(at[k], 3) for k in ("x", "y", "z")],
                "in": list(o["parentReceptacles"] or ()),
                "states": flags,
            }
        return {"step": self._step, "agents": agents, "objects": objects}

    def close(self) -> None:
        """Stop whatever the backend runs; finish the film."""
        if self._film is not None:
            self._film.close()
        self._backend.close()
