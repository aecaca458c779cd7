"""Sensor noise of appendix D.4 around any world: what agents perceive is wrong, the world is not.

Per agent and step: the reported pose is off by a Gaussian error (`position_sigma` per axis in units
of motion, `rotation_sigma_deg`). Per sighting, each independently: it is missed, or taken for
another kind (under a name of that kind), and its distance is wrong by a Gaussian share; bearings
are right. Invented sightings look like right ones and come at the rate `false_positive` per true
sighting, one trial at least per view. Team mates are missed and misjudged in distance like
everything else, but never confused or invented: they tell who they are. In a world without
headings a rotation error turns what is measured, as there is no heading to be wrong about.

What agents touch or know of themselves stays right: inventory, feedback, the facts of
`Observation.local`. Text and names say what the noisy sightings say. An action on an invented name
goes to the world, which knows no such thing. Score and snapshot are the true ones. All draws come
from a generator of the wrapper's own, so the wrapped world runs as it would alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from random import Random
from typing import Any, Protocol, runtime_checkable

from mosaic_planner.coordination.profile import Rules
from mosaic_planner.core.action import Action, Vocabulary
from mosaic_planner.core.errors import UnknownNameError
from mosaic_planner.core.geometry import Offset, Pose
from mosaic_planner.core.noise import NOISE_REGIMES, NoiseRegime
from mosaic_planner.core.observation import Observation, Sighting, StepResult, View
from mosaic_planner.core.world import Briefing, Geometry, Score
from mosaic_planner.worlds.invented import invented_name
from mosaic_planner.worlds.registry import PlannableWorld

__all__ = ["NoisyWorld", "WordsObservations", "reworded"]


@runtime_checkable
class WordsObservations(Protocol):
    """A world that words observations itself.

    A world without this method has the lines of its text edited, one per sighting (`reworded`);
    with it, it has the last word on an observation edited so, for example to make `state_text`
    from the noisy pose.
    """

    def word_observation(self, observation: Observation) -> Observation:
        """The same values with texts that fit them."""
        ...


class NoisyWorld:
    """A world whose observations are noisy; everything else is the wrapped world's."""

    def __init__(self, world: PlannableWorld, regime: NoiseRegime | str, *, seed: int = 0) -> None:
        """`seed` and the seed of `reset` together fix every error.

        Raises `UnknownNameError` for an unknown regime.
        """
        if isinstance(regime, str):
            if regime not in NOISE_REGIMES:
                raise UnknownNameError("noise regime", regime, NOISE_REGIMES)
            regime = NOISE_REGIMES[regime]
        self.world = world
        self.regime = regime
        self._seed = seed
        self._begin(0)

    @property
    def world_id(self) -> str:
        """The wrapped world's."""
        return self.world.world_id

    @property
    def agents(self) -> tuple[str, ...]:
        """The wrapped world's."""
        return self.world.agents

    @property
    def vocabulary(self) -> Vocabulary:
        """The wrapped world's."""
        return self.world.vocabulary

    @property
    def briefing(self) -> Briefing:
        """The wrapped world's."""
        return self.world.briefing

    @property
    def geometry(self) -> Geometry:
        """The wrapped world's."""
        return self.world.geometry

    @property
    def rules(self) -> Rules:
        """The wrapped world's: they read beliefs, noisy or not."""
        return self.world.rules

    def settings(self) -> Mapping[str, Any]:
        """The wrapped world's, with the regime and its seed."""
        return {**self.world.settings(), "noise": self.regime.name, "noise_seed": self._seed}

    def static(self) -> Mapping[str, Any]:
        """The wrapped world's."""
        return self.world.static()

    def score(self) -> Score:
        """The true score."""
        return self.world.score()

    def snapshot(self) -> Mapping[str, Any]:
        """The true state."""
        return self.world.snapshot()

    def reset(self, seed: int) -> Mapping[str, Observation]:
        """Start an episode; see `World.reset`."""
        observations = self.world.reset(seed)
        self._begin(seed)
        return self._noisy(observations)

    def step(self, joint: Mapping[str, Action]) -> StepResult:
        """Carry out one joint action; outcomes are true, observations noisy."""
        result = self.world.step(joint)
        return replace(result, observations=self._noisy(result.observations))

    def _begin(self, seed: int) -> None:
        self._random = Random(f"sensor noise {self._seed} {seed}")
        self._examples: dict[str, tuple[Sighting, str]] = {}  # by kind: a right one and its line
        self._names: dict[str, dict[str, None]] = {}  # true names sighted so far, by kind
        self._sighted: set[str] = set()
        self._bounds = [math.inf, -math.inf, math.inf, -math.inf]

    def _noisy(self, observations: Mapping[str, Observation]) -> dict[str, Observation]:
        for observation in observations.values():
            self._learn(observation)
        return {
            agent: self._one(observations[agent]) for agent in self.agents if agent in observations
        }

    def _learn(self, observation: Observation) -> None:
        """Remember what right sightings look like; errors are made to look like them."""
        new = [s for s in observation.sightings if s.name not in self._sighted]
        if not new:
            return
        lines = _lines_by_name(observation.text)
        for sighting in new:
            self._sighted.add(sighting.name)
            if sighting.name in self.agents:
                continue
            self._examples[sighting.kind] = (sighting, lines.get(sighting.name, ""))
            self._names.setdefault(sighting.kind, {})[sighting.name] = None
            x, z = observation.pose.to_world(sighting.offset)
            low_x, high_x, low_z, high_z = self._bounds
            self._bounds = [min(low_x, x), max(high_x, x), min(low_z, z), max(high_z, z)]

    def _one(self, true: Observation) -> Observation:
        random, regime, unit = self._random, self.regime, self.geometry.unit
        off_x, off_z, turn = (random.gauss(0.0, 1.0) for _ in range(3))
        turn *= regime.rotation_sigma_deg
        heading = true.pose.heading_deg + (turn if self.geometry.headings else 0.0)
        spread = regime.position_sigma * unit
        pose = Pose(true.pose.x + spread * off_x, true.pose.z + spread * off_z, heading)
        measured = Pose(0.0, 0.0, 0.0 if self.geometry.headings else -turn)
        kept: list[tuple[str, Sighting, str]] = []  # true name, what is seen, its line
        for sighting in true.sightings:
            # The same number of draws for every sighting: one error never moves the others.
            missed, confused, other, stretch = (
                random.random(),
                random.random(),
                random.random(),
                random.gauss(0.0, 1.0),
            )
            if missed < regime.miss:
                continue
            seen, line = sighting, ""
            if confused < regime.wrong_class and sighting.name not in self.agents:
                seen, line = self._confused(sighting, other)
            factor = max(1.0 + regime.distance_error * stretch, 0.0)
            dx, dz = seen.offset.dx * factor, seen.offset.dz * factor
            offset = measured.to_frame(dx, dz) if measured.heading_deg else Offset(dx, dz)
            seen = Sighting(seen.name, seen.kind, offset, seen.attributes, seen.holder)
            kept.append((sighting.name, seen, line))
        taken = {seen.name for _, seen, _ in kept}
        for _ in range(max(len(true.sightings), 1)):
            if random.random() < regime.false_positive:
                invented = self._invented(true, taken)
                if invented is not None:
                    taken.add(invented[0].name)
                    kept.append(("", *invented))
        noisy = replace(
            reworded(true, kept), pose=pose, sightings=tuple(seen for _, seen, _ in kept)
        )
        if isinstance(self.world, WordsObservations):
            noisy = self.world.word_observation(noisy)
        return noisy

    def _confused(self, sighting: Sighting, draw: float) -> tuple[Sighting, str]:
        """The sighting under another kind and a name of that kind, at its own place."""
        kinds = [kind for kind in self._examples if kind != sighting.kind]
        if not kinds:
            return sighting, ""
        kind = kinds[int(draw * len(kinds))]
        example, line = self._examples[kind]
        # A known name or a new one: a sensor that takes an apple for a tomato may take it for a
        # tomato it has seen before.
        names = list(self._names[kind])
        pick = self._random.randrange(2 * len(names))
        name = names[pick] if pick < len(names) else self._new_name(example)
        wrong = Sighting(name, kind, sighting.offset, example.attributes, example.holder)
        return wrong, line.replace(example.name, name)

    def _invented(self, true: Observation, taken: set[str]) -> tuple[Sighting, str] | None:
        """A sighting of nothing, of a kind seen before, where such a thing might be seen."""
        if not self._examples:
            return None
        kinds = list(self._examples)
        example, line = self._examples[kinds[self._random.randrange(len(kinds))]]
        name = self._new_name(example)
        if name in taken and name != example.kind:
            return None
        offset = self._somewhere(true.pose, true.view, example.kind)
        return Sighting(name, example.kind, offset, example.attributes), line.replace(
            example.name, name
        )

    def _new_name(self, example: Sighting) -> str:
        return invented_name(
            self._random, example.name, example.kind, self._names.get(example.kind, ())
        )

    def _somewhere(self, pose: Pose, view: View | None, kind: str) -> Offset:
        random = self._random
        if view is None or kind in view.everywhere:
            low_x, high_x, low_z, high_z = self._bounds
            return pose.to_frame(random.uniform(low_x, high_x), random.uniform(low_z, high_z))
        distance = view.max_range * math.sqrt(random.random())
        bearing = math.radians(random.uniform(-0.5, 0.5) * view.fov_deg)
        return Offset(distance * math.sin(bearing), distance * math.cos(bearing))


def _lines_by_name(text: str) -> dict[str, str]:
    """The lines `- NAME (...` of an observation's text, by name."""
    found = {}
    for line in text.splitlines():
        if line.startswith("- "):
            found[line[2:].partition(" (")[0]] = line
    return found


def reworded(true: Observation, kept: list[tuple[str, Sighting, str]]) -> Observation:
    """Text and names of an observation made to say what is seen instead.

    `kept`: for every noisy sighting the true name ("" if invented), the sighting, and its line
    ("" for the true one's own). Lines of the text that begin with `- NAME (` are taken out for
    what was missed, exchanged for what was confused, and added, after the last of them, for what
    was invented; a line `Names: a, b` is changed likewise, and so is `Observation.names`. Names
    that were not sighted in the first place stay. Text in another layout stays as it is.
    """
    now = {name: (seen, line) for name, seen, line in kept if name}
    invented = [(seen, line) for name, seen, line in kept if not name]
    sighted = {s.name: s.kind for s in true.sightings}

    def renamed(names: tuple[str, ...]) -> tuple[str, ...]:
        """A list of names, changed; kinds that it left out before are left out still."""
        left_out = {kind for name, kind in sighted.items() if name not in names}
        shown = [seen for seen, _ in (*now.values(), *invented) if seen.kind not in left_out]
        out: dict[str, None] = {}
        for name in names:
            if name not in sighted:
                out[name] = None
            elif name in now and now[name][0].kind not in left_out:
                out[now[name][0].name] = None
        out.update(dict.fromkeys(seen.name for seen in shown))
        return tuple(out)

    lines: list[str] = []
    last = -1
    for line in true.text.splitlines():
        name = line[2:].partition(" (")[0] if line.startswith("- ") else ""
        if name and name in sighted:
            last = len(lines)
            if name not in now:
                continue
            lines.append(now[name][1] or line)
            last = len(lines)
        elif line.startswith("Names: "):
            names = renamed(tuple(line.removeprefix("Names: ").split(", ")))
            lines.append("Names: " + ", ".join(names))
        else:
            lines.append(line)
    at = len(lines) if last < 0 else last
    lines[at:at] = [line for _, line in invented if line]
    return replace(true, text="\n".join(lines), names=renamed(true.names))
