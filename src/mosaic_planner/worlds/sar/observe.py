"""What each agent perceives (section J), as values and as text.

Most of an observation is the same for all agents (rule J8), and most of it is the same as in the
step before. So lines, attributes and sightings are kept per fire until that fire changes, and
offsets are looked up; nothing is left out or postponed. The layout of `Observation.text` is fixed::

    Around: Up empty; Down CaldorFire Low; Left obstacle; Right empty; Center empty
    Visible:
    - CaldorFire (fire, chemical): average intensity Low
    - CaldorFire_Region_1 (region of CaldorFire, chemical): intensity Low
    - ReservoirUtah (reservoir): gives Sand
    - DepositFacility (deposit): Sand 0, Water 0, persons 0
    - Bob (robot): Sand 0, Water 1, Person 0
    - LostPersonTimmy (person): needs 2 carriers
    Names: CaldorFire_Region_1, ReservoirUtah, DepositFacility, Bob, LostPersonTimmy

`Names` are those of rule J3. `Observation.names` has the fires as wholes too, since UseSupply and
NavigateTo may name them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from mosaic_planner.core.geometry import Offset, Pose
from mosaic_planner.core.observation import Observation, Sighting, Value, View
from mosaic_planner.worlds.sar.command import Op
from mosaic_planner.worlds.sar.fire import LEVELS, TYPE_WORDS, Fire
from mosaic_planner.worlds.sar.grid import DIRECTIONS
from mosaic_planner.worlds.sar.state import NEAR, SUPPLY_WORDS, Act, SarState

__all__ = ["FEEDBACK_REASONS", "Observer", "state_text"]

FEEDBACK_REASONS = {
    "not_visible": "not visible",
    "not_interactable": "not close enough",
    "restricted_action": "already holding a person",
    "malformed": "not a known action",
}
"""Rule J6: what the agent is told; an empty kind gives no reason."""

_VIEW = View(
    max_range=float(NEAR),
    everywhere=("fire", "region", "reservoir", "deposit", "person"),
)
_Attributes = tuple[tuple[str, Value], ...]
_Seen = tuple[str, str, int, _Attributes, dict[int, Sighting]]
"""Name, kind, cell, attributes, and the sightings already made of it by offset."""


class _FireFace:
    """How one fire and its regions look: lines, names and attributes, renewed when it changes."""

    def __init__(self, fire: Fire) -> None:
        name, word = fire.name, TYPE_WORDS[fire.plan.spec.type]
        self.fire = fire
        self.version = -1
        self._lines = [
            [f"- {name} (fire, {word}): average intensity {level}\n" for level in LEVELS],
            *(
                [f"- {r} (region of {name}, {word}): intensity {level}\n" for level in LEVELS]
                for r in fire.region_names
            ),
        ]
        self._fire_attributes: list[_Attributes] = [
            (("type", word), ("intensity", level), ("reach", fire.reach)) for level in LEVELS
        ]
        self._region_attributes: list[_Attributes] = [
            (("fire", name), ("type", word), ("intensity", level)) for level in LEVELS
        ]
        self._made: list[list[dict[int, Sighting]]] = [
            [{} for _ in LEVELS] for _ in range(len(fire.region_names) + 1)
        ]
        self.text = ""
        self.names: tuple[str, ...] = ()
        self.seen: tuple[_Seen, ...] = ()

    def renew(self) -> None:
        fire = self.fire
        self.version = fire.version
        lines = [self._lines[0][fire.average]]
        attributes, made = self._fire_attributes[fire.average], self._made[0][fire.average]
        seen: list[_Seen] = [(fire.name, "fire", fire.anchor, attributes, made)]
        shown = fire.shown
        for r, level in enumerate(shown):
            if level:
                lines.append(self._lines[r + 1][level])
                attributes = self._region_attributes[level]
                made = self._made[r + 1][level]
                cell = fire.region_cells[r]
                seen.append((fire.region_names[r], "region", cell, attributes, made))
        # Rule J2: regions in row-major order of their cells, which is the order of flat indices.
        order = sorted(range(1, len(seen)), key=lambda k: seen[k][2])
        self.text = lines[0] + "".join(lines[k] for k in order)
        self.seen = (seen[0], *(seen[k] for k in order))
        self.names = tuple(s[0] for s in self.seen[1:])


class _Now(NamedTuple):
    """What is the same for all agents in one step."""

    step: int
    persons: list[tuple[str, int, _Attributes, str]]
    person_text: str
    bags: list[tuple[tuple[tuple[str, int], ...], str]]


class Observer:
    """Builds observations from the state; holds only what was computed, never what is true."""

    def __init__(self, state: SarState, destinations: Mapping[str, str] | None = None) -> None:
        """`destinations`: what the mission wants gone to, as `Scorer.destinations` has it."""
        self._state = state
        self._destinations = destinations or {}
        scene, grid = state.scene, state.grid
        # A cell as one number, so that the difference of two is the offset between them:
        # dx + dz * wide, with x to the right and z up the grid.
        wide = 2 * grid.width + 1
        self._spots = [x - y * wide for x, y in zip(grid.xs, grid.ys, strict=True)]
        self._offsets: dict[int, Offset] = {}
        self._poses: dict[int, tuple[Pose, str]] = {}
        self._bags: dict[tuple[int, int, int], tuple[tuple[tuple[str, int], ...], str]] = {}
        self._arounds: dict[tuple[str, ...], tuple[_Attributes, str]] = {}
        self._directions = tuple(name for name, _, _ in DIRECTIONS)
        gives = [SUPPLY_WORDS[s] for s in state.reservoir_supply]
        self._reservoirs: tuple[_Seen, ...] = tuple(
            (r.name, "reservoir", cell, (("gives", supply),), {})
            for r, cell, supply in zip(scene.reservoirs, state.reservoir_cells, gives, strict=True)
        )
        self._reservoir_text = "".join(
            f"- {r.name} (reservoir): gives {supply}\n"
            for r, supply in zip(scene.reservoirs, gives, strict=True)
        )
        self._site_names = tuple(s.name for s in (*scene.reservoirs, *scene.deposits))
        self._person_lines = tuple(
            f"- {p.name} (person): needs {p.load} carrier{'s' if p.load != 1 else ''}\n"
            for p in scene.persons
        )
        self.reset()

    def reset(self) -> None:
        """Forget the last episode, and with it everything that was kept for speed."""
        self._unvisited = dict.fromkeys(self._destinations.values())
        self._unvisited_text = ", ".join(self._unvisited)
        state = self._state
        self._offsets.clear()
        self._poses.clear()
        for *_, made in self._reservoirs:
            made.clear()
        self._faces = tuple(_FireFace(f) for f in state.fires)
        self._versions: list[int] = []
        self._stores: list[list[int]] = []
        self._shared_version = 0
        self._rows: dict[int, tuple[int, tuple[Sighting, ...]]] = {}
        self._levels = tuple(tuple(f"{f.name} {level}" for level in LEVELS) for f in state.fires)
        self._refresh()
        self._offered = self._names_at_reset() if state.switches.offer_at_reset else None

    def _names_at_reset(self) -> tuple[str, ...]:
        """Rule P2: what the reference's list of actions names, in rule J2's order.

        Fires as wholes are among them since its UseSupply names no others.
        """
        state = self._state
        return (
            *(n for face in self._faces for n in (face.fire.name, *face.names)),
            *self._site_names,
            *state.agents,
            *(p.name for p in state.persons),
        )

    def _refresh(self) -> None:
        """Renew what all agents share, if it changed."""
        state = self._state
        versions = [f.version for f in state.fires]
        if versions == self._versions and state.stores == self._stores:
            return
        for face in self._faces:
            if face.version != face.fire.version:
                face.renew()
        self._shared_version += 1
        self._versions, self._stores = versions, [list(s) for s in state.stores]
        deposits = state.scene.deposits
        self._shared_text = (
            "\nVisible:\n"
            + "".join([face.text for face in self._faces])
            + self._reservoir_text
            + "".join(
                f"- {d.name} (deposit): Sand {s[0]}, Water {s[1]}, persons {s[2]}\n"
                for d, s in zip(deposits, state.stores, strict=True)
            )
        )
        shared: list[_Seen] = []
        for face in self._faces:
            shared.extend(face.seen)
        shared.extend(self._reservoirs)
        for d, cell, s in zip(deposits, state.deposit_cells, state.stores, strict=True):
            held = (("Sand", s[0]), ("Water", s[1]), ("persons", s[2]))
            shared.append((d.name, "deposit", cell, held, {}))
        spots = self._spots
        self._shared = [
            (name, kind, spots[cell], held, made) for name, kind, cell, held, made in shared
        ]
        text_names = [*(n for f in self._faces for n in f.names), *self._site_names]
        self._names_line = "Names: " + ", ".join(text_names)
        self._all_names = tuple([s[0] for s in shared])

    def _shared_sightings(self, cell: int) -> tuple[Sighting, ...]:
        row = self._rows.get(cell)
        if row is not None and row[0] == self._shared_version:
            return row[1]
        known, spot = self._offsets.get, self._spots[cell]
        built = []
        for name, kind, place, attributes, made in self._shared:
            difference = place - spot
            if difference in made:
                built.append(made[difference])
                continue
            offset = known(difference) or self._new_offset(difference)
            built.append(Sighting(name, kind, offset, attributes))
            made[difference] = built[-1]
        if len(self._rows) > 200:  # rows of other versions are never asked for again
            self._rows.clear()
        sightings = tuple(built)
        self._rows[cell] = (self._shared_version, sightings)
        return sightings

    def _new_offset(self, difference: int) -> Offset:
        half = self._state.grid.width
        dz, dx = divmod(difference + half, 2 * half + 1)
        offset = self._offsets[difference] = Offset(float(dx - half), float(dz))
        return offset

    def _offset(self, here: int, there: int) -> Offset:
        difference = self._spots[there] - self._spots[here]
        return self._offsets.get(difference) or self._new_offset(difference)

    def _bag(self, agent: int) -> tuple[tuple[tuple[str, int], ...], str]:
        """An agent's inventory as pairs and in words."""
        held = self._state.inventory(agent)
        known = self._bags.get(held)
        if known is None:
            sand, water, person = held
            pairs = (("Sand", sand), ("Water", water), ("Person", person))
            known = self._bags[held] = (pairs, f"Sand {sand}, Water {water}, Person {person}")
        return known

    def around(self, agent: int) -> tuple[str, ...]:
        """Rule J1 for Up, Down, Left, Right, Center; an obstacle hides what burns on its cell."""
        state = self._state
        here, blocked, flammable = state.positions[agent], state.blocked, state.flammable
        found = []
        for delta in state.grid.deltas:
            cell = here + delta
            if blocked[cell] > (0 if delta else 1):  # the agent itself is no obstacle
                found.append("obstacle")
            elif cell in flammable:
                f, i = flammable[cell]
                found.append(self._levels[f][state.fires[f].levels[i]])
            else:
                found.append("empty")
        return tuple(found)

    def _around_words(self, agent: int) -> tuple[_Attributes, str]:
        values = self.around(agent)
        known = self._arounds.get(values)
        if known is None:
            if len(self._arounds) > 2000:
                self._arounds.clear()
            pairs = tuple(zip(self._directions, values, strict=True))
            text = "Around: " + "; ".join([f"{name} {value}" for name, value in pairs])
            known = self._arounds[values] = (pairs, text)
        return known

    def neighbours(self, agent: int) -> list[int]:
        """The other agents within sight (rule G5), in team order."""
        state = self._state
        xs, ys = state.grid.xs, state.grid.ys
        here = state.positions[agent]
        x, y = xs[here], ys[here]
        return [
            other
            for other, cell in enumerate(state.positions)
            if -NEAR <= xs[cell] - x <= NEAR
            and (xs[cell] - x) ** 2 + (ys[cell] - y) ** 2 <= NEAR * NEAR
            and other != agent
        ]

    def note(self, acts: Sequence[Act]) -> None:
        """Keep where the team has gone by name, which it knows from its own actions (K10)."""
        for act in acts:
            if act.raw and act.command.op is Op.NAVIGATE:
                name = act.command.named[0].name.partition("_Region_")[0]
                if self._destinations.get(name) in self._unvisited:
                    del self._unvisited[self._destinations[name]]
                    self._unvisited_text = ", ".join(self._unvisited)

    def observe(self, step: int, acts: Sequence[Act] | None) -> dict[str, Observation]:
        """What every agent perceives now, by name; `acts` is what they did last."""
        self._refresh()
        state = self._state
        persons: list[tuple[str, int, _Attributes, str]] = []
        person_text = ""
        for p in state.persons:
            if p.visible:
                grabbed = p.grabbed
                attributes = (("load", p.load), ("grabbed", grabbed), ("reach", p.reach))
                holder = state.agents[p.carriers[0]] if grabbed else ""
                persons.append((p.name, p.cell, attributes, holder))
                person_text += self._person_lines[p.index]
        now = _Now(step, persons, person_text, [self._bag(i) for i in range(len(state.agents))])
        observe = self._observe
        if acts is None:
            return {name: observe(i, now, None) for i, name in enumerate(state.agents)}
        return {name: observe(i, now, acts[i]) for i, name in enumerate(state.agents)}

    def _observe(self, agent: int, now: _Now, act: Act | None) -> Observation:
        state = self._state
        here = state.positions[agent]
        local, around = self._around_words(agent)
        if self._unvisited:
            local = (*local, ("unvisited", self._unvisited_text))
        others = self.neighbours(agent)
        sightings = self._shared_sightings(here)
        offered, tail, lines = self._all_names, "", ""
        if others or now.persons:
            names, more = [], []
            for other in others:
                name = state.agents[other]
                pairs, words = now.bags[other]
                lines += f"- {name} (robot): {words}\n"
                names.append(name)
                offset = self._offset(here, state.positions[other])
                more.append(Sighting(name, "agent", offset, pairs))
            for name, cell, attributes, holder in now.persons:
                names.append(name)
                offset = self._offset(here, cell)
                more.append(Sighting(name, "person", offset, attributes, holder))
            sightings = (*sightings, *more)
            offered = (*offered, *names)
            tail = ", " + ", ".join(names)
        carried = state.carrying[agent]
        if carried >= 0:
            person = state.persons[carried]
            dropping = agent in person.dropping
            local = (*local, ("carrying", person.name), ("dropping", dropping))
        pairs, words = now.bags[agent]
        pose, position = self._poses.get(here) or self._new_pose(here)
        failures = state.failures[agent]
        return Observation(
            state.agents[agent],
            now.step,
            pose,
            pairs,
            sightings,
            offered if self._offered is None else self._offered,
            f"{around}{self._shared_text}{lines}{now.person_text}{self._names_line}{tail}",
            f"{position}; inventory {words}",
            _feedback(act),
            "; ".join(failures) if failures else "none",
            _VIEW,
            local,
        )

    def _new_pose(self, here: int) -> tuple[Pose, str]:
        x, y = self._state.grid.cells[here]
        made = self._poses[here] = (Pose(float(x), float(-y)), f"position ({x}, {y}, 0)")
        return made


def _feedback(act: Act | None) -> str:
    """Rule J6."""
    if act is None:
        return "nothing has been done yet"
    text = act.command.text
    if act.success:
        return f"{text} succeeded"
    reason = FEEDBACK_REASONS.get(act.error, "")
    return f"{text} failed: {reason}" if reason else f"{text} failed"


def state_text(observation: Observation) -> str:
    """Rule J5 from an observation's pose, to the nearest cell, and inventory."""
    pose = observation.pose
    held = ", ".join(f"{item} {amount}" for item, amount in observation.inventory)
    return f"position ({round(pose.x)}, {round(-pose.z)}, 0); inventory {held}"
