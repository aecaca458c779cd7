"""The search-and-rescue world, `sar-v1`: simulator, observation, score and record as one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from mosaic_planner.core.action import Action, Vocabulary
from mosaic_planner.core.errors import UsageError
from mosaic_planner.core.observation import Observation, Outcome, StepResult
from mosaic_planner.core.world import Briefing, Geometry, Score
from mosaic_planner.worlds.sar.belief_map import Told
from mosaic_planner.worlds.sar.briefing import brief
from mosaic_planner.worlds.sar.command import Command, Op, read_action_text
from mosaic_planner.worlds.sar.observe import Observer, state_text
from mosaic_planner.worlds.sar.record import Recorder
from mosaic_planner.worlds.sar.rules import SarRules
from mosaic_planner.worlds.sar.scene import Scene, scene_to_data
from mosaic_planner.worlds.sar.scoring import Scorer
from mosaic_planner.worlds.sar.simulator import Simulator
from mosaic_planner.worlds.sar.state import Act
from mosaic_planner.worlds.sar.switches import SarSwitches
from mosaic_planner.worlds.sar.vocabulary import SAR_VOCABULARY, ground_actions

__all__ = ["SarWorld"]


class SarWorld:
    """A `core.world.World`; instances share nothing that changes.

    `agents` >= 1; scenes 1 to 5 take up to 8, of which 7 and 8 are our extension (rule B5).
    `person_load` is the marked variant in which every person needs that many carriers. Raises
    `UsageError` for a team the scene has no place for.
    """

    world_id = "sar-v1"
    geometry = Geometry(unit=1.0, headings=False, directions=("up", "right", "down", "left"))

    def __init__(
        self,
        scene: Scene,
        agents: int = 3,
        *,
        switches: SarSwitches | None = None,
        person_load: int | None = None,
    ) -> None:
        self.switches = switches if switches is not None else SarSwitches()
        self.scene = scene.with_load(person_load)
        self.person_load = person_load
        team = scene.team(agents, extended=self.switches.extended_team)
        self.agents: tuple[str, ...] = tuple(a.name for a in team)
        self.extended = any(a.extension for a in team)
        self.state = Simulator(self.scene, team, self.switches)
        self._scorer = Scorer(self.state)
        self._observer = Observer(self.state, self._scorer.destinations)
        self._recorder = Recorder(self.state, self._observer, self._scorer)
        self._briefing = brief(self.scene, self.agents, wrong_grid=self.switches.wrong_grid_size)
        persons = tuple((p.name, p.load) for p in self.scene.persons)
        self._rules = SarRules(Told(self.scene.grid, persons))
        self._idle = frozenset(s.verb for s in SAR_VOCABULARY.schemas if s.idle or s.ends)
        self.reset(0)

    @property
    def vocabulary(self) -> Vocabulary:
        """Every action and entity kind."""
        return SAR_VOCABULARY

    @property
    def briefing(self) -> Briefing:
        """What the team is told."""
        return self._briefing

    @property
    def rules(self) -> SarRules:
        """Action profiles for the coordinator, from beliefs alone."""
        return self._rules

    def settings(self) -> Mapping[str, Any]:
        """Everything needed to build this world again; `scene` is a number or the scene's data."""
        return {
            "world": "sar",
            "scene": self.scene.builtin or scene_to_data(self.scene),
            "agents": len(self.agents),
            "person_load": self.person_load,
            "extension": self.extended,
            **self.switches.as_dict(),
        }

    @property
    def step_count(self) -> int:
        """Joint steps taken in this episode."""
        return self._step

    @property
    def finished(self) -> bool:
        """All subtasks completed (rule K6)."""
        return self._scorer.finished

    def reset(self, seed: int) -> Mapping[str, Observation]:
        """Start an episode; the same seed gives the same episode in any process."""
        if isinstance(seed, bool) or not isinstance(seed, int):
            raise UsageError(f"a seed is a whole number, not {seed!r}")
        self.state.reset(seed)
        self._scorer.reset()
        self._observer.reset()
        self._step = 0
        self._acts: list[Act] | None = None
        self._new_done: tuple[str, ...] = ()
        self._new_covered: tuple[str, ...] = ()
        return self._observer.observe(self._step, self._acts)

    def step(self, joint: Mapping[str, Action]) -> StepResult:
        """Carry out one joint action; every agent must have one (`UsageError` if not).

        A malformed or hallucinated action is a failed outcome, never an exception (rule O2).
        """
        command = self.state.command
        try:
            commands = [command(joint[name]) for name in self.agents]
        except KeyError:
            missing = next(name for name in self.agents if name not in joint)
            raise UsageError(f"no action for {missing}") from None
        acts = self._advance(commands, None)
        return StepResult(
            self._observer.observe(self._step, self._acts),
            {
                name: self._outcome(name, joint[name], act)
                for name, act in zip(self.agents, acts, strict=True)
            },
        )

    def replay_step(self, texts: Sequence[str], moves: Mapping[int, str] | None) -> None:
        """One joint step from written actions, forcing Explore's unit moves by agent (rule M4).

        `moves` None forces nothing: Explore then draws as in `step`. Builds no observations; read
        `snapshot()`.
        """
        command = self.state.command
        self._advance([command(read_action_text(t), t) for t in texts], moves)

    def _advance(self, commands: Sequence[Command], forced: Mapping[int, str] | None) -> list[Act]:
        scorer = self._scorer
        covered = scorer.mentioned if self.switches.coverage_by_mention else scorer.covered
        done_before, covered_before = len(scorer.completed), len(covered)
        acts = self.state.step(commands, scorer.take, forced)
        self._observer.note(acts)
        self._step += 1
        self._acts = acts
        # Completion and coverage are never taken back, so what is new stands at the end.
        self._new_done = tuple(scorer.completed)[done_before:]
        self._new_covered = tuple(covered)[covered_before:]
        return acts

    def _outcome(self, name: str, action: Action, act: Act) -> Outcome:
        success = act.success
        finer = self.switches.finer_reasons and not success
        return Outcome(
            name,
            action,
            success,
            act.error,
            act.reason if finer else "",
            act.steps,
            action.verb in self._idle and act.command.op is not Op.FAIL,
            act.promoted,
            act.effects,
        )

    def word_observation(self, observation: Observation) -> Observation:
        """Texts that fit an observation somebody else changed: the state says the pose it has."""
        return replace(observation, state_text=state_text(observation))

    def score(self) -> Score:
        """Judge the true state now (section K); right after reset nothing is judged yet."""
        return self._scorer.score()

    def snapshot(self) -> Mapping[str, Any]:
        """The true state now: one entry of a recorded episode (`initial` right after reset)."""
        return self._recorder.entry(self._acts, self._new_done, self._new_covered)

    def static(self) -> Mapping[str, Any]:
        """The part of a recorded episode that does not change with the steps."""
        return self._recorder.static()

    def ground_actions(self) -> tuple[Action, ...]:
        """Every action of the grammar over the names that exist in this episode, in fixed order.

        Includes names not visible now; fires as wholes and their regions both.
        """
        names: dict[str, list[str]] = {kind.name: [] for kind in SAR_VOCABULARY.kinds}
        for entity in self.state.entities.values():
            names[entity.sort.name.lower()].append(entity.name)
        return ground_actions(names)
