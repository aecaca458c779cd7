"""One joint step of the world (section I): actions in agent order, then the world update."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from mosaic_planner.core.action import Action
from mosaic_planner.worlds.sar.actions import ACTIONS, draw_by_rejection, run_moves
from mosaic_planner.worlds.sar.command import Command, Op, compile_action
from mosaic_planner.worlds.sar.scene import AgentStart, Scene
from mosaic_planner.worlds.sar.state import Act, SarState
from mosaic_planner.worlds.sar.switches import SarSwitches

__all__ = ["Simulator"]


class Simulator(SarState):
    """The state together with what changes it."""

    def __init__(self, scene: Scene, team: Sequence[AgentStart], switches: SarSwitches) -> None:
        self._compiled: dict[Action, Command] = {}
        super().__init__(scene, team, switches)

    def reset(self, seed: int) -> None:
        """Lay out a fresh episode; the same seed gives the same one in any process."""
        super().reset(seed)
        # Regions are the only names that change from one episode to the next.
        self._compiled = {a: c for a, c in self._compiled.items() if "_Region_" not in c.text}

    def command(self, action: Action, text: str | None = None) -> Command:
        """The parsed action; `text` if it was written otherwise than `str(action)`."""
        if text is not None:
            return self._compile(action, text)
        known = self._compiled.get(action)
        if known is None:
            known = self._compile(action, str(action))
            if len(self._compiled) < 1000:  # models invent actions without end
                self._compiled[action] = known
        return known

    def _compile(self, action: Action, text: str) -> Command:
        return compile_action(
            action, self.entities, text, reference_errors=self.switches.reference_errors
        )

    def step(
        self,
        commands: Sequence[Command],
        after: Callable[[int, Act], None],
        forced: Mapping[int, str] | None = None,
    ) -> list[Act]:
        """Carry out one joint step (section I).

        `after(agent, act)` is called right after each agent's action, where metrics are taken
        (rule I3). `forced` gives Explore's unit moves by agent, as letters U, D, L, R.
        """
        acts: list[Act] = []
        before = [self.inventory(agent) for agent in range(len(commands))]
        delivered = False
        last = len(commands) - 1
        talk = self.switches.messages_stop_world
        for agent, command in enumerate(commands):
            act = Act(command, raw=True, before=before[agent])
            self._act(agent, act, forced.get(agent) if forced else None)
            acts.append(act)
            failures = self.failures[agent]
            if act.raw:
                failures.pop(command.text, None)
                delivered = delivered or command.op is Op.DROP
            else:
                failures[command.text] = None
            if talk:
                self._count(agent, command)
            elif agent == last:
                self._update()
            after(agent, act)
        if delivered:
            for agent, act in enumerate(acts):
                if act.command.verb == "DropOff" and act.error != "malformed" and not act.raw:
                    act.promoted = True
                    self.failures[agent].pop(act.command.text, None)
        if self.switches.explore_shared_generator and forced is None:
            self._word_failures()
        return acts

    def _word_failures(self) -> None:
        """The reference draws a direction whenever it words a remembered failed Explore too.

        Found by replaying the recordings without forcing their Explore moves: with this draw per
        agent and step all of them come out as recorded.
        """
        for agent, failures in enumerate(self.failures):
            if "Explore()" in failures:
                draw_by_rejection(self, agent)

    def _count(self, agent: int, command: Command) -> None:
        """Rule I4: the world moves on once every agent has acted since the last time."""
        if command.op is Op.MESSAGE:
            return
        self.waiting[agent] += 1
        if min(self.waiting) >= 1:
            self.waiting = [0] * len(self.waiting)
            self._update()

    def _update(self) -> None:
        """The world update: fires every second time (rule D2), then persons (rule F6)."""
        self.updates += 1
        if self.updates % 2 == 0:
            for fire in self.fires:
                fire.tick()
        for person in self.persons:
            if person.carriers and person.grabbed:
                self.put_person(person, self.positions[person.carriers[0]])

    def _act(self, agent: int, act: Act, forced: str | None) -> None:
        command = act.command
        op = command.op
        if op <= Op.MESSAGE:  # rule H1.1, and I10
            return
        act.steps = 0 if command.verb == "NavigateTo" else 1  # rule K9: the distance moved
        if command.restricted and self.carrying[agent] >= 0:
            act.fail("restricted_action", "it is carrying a person")
            return
        for entity in command.named:
            if not self.visible(agent, entity):
                act.fail("not_visible", f"{entity.name} is not visible now")
                return
        if op is Op.FAIL:
            act.fail(command.error, command.reason)
        elif op is Op.EXPLORE and forced is not None:
            run_moves(self, agent, act, forced)
        else:
            ACTIONS[op](self, agent, act, command)
