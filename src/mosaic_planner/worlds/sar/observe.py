"""What each agent perceives (section J), as values and as text.

Most of an observation is the same for all agents (rule J8), and most of it is the same as in the
step before. So lines, attributes and sightings are kept per fire until that fire changes, and
offsets are looked up; nothing is left out or postponed. The layout of `Observation.text` is fixed:

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

from mosaic_planner.core.geometry import Offset, Pose
from mosaic_planner.core.observation import Observation, Sighting, Value, View
from mosaic_planner.worlds.sar.fire import LEVELS, TYPE_WORDS, Fire
from mosaic_planner.worlds.sar.grid import DIRECTIONS
from mosaic_planner.worlds.sar.state import NEAR, Act, SarState

__all__ = ["FEEDBACK_REASONS", "Observer"]

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
        self.text = ""
        self.names: tuple[str, ...] = ()
        self.seen: tuple[tuple[str, str, int, _Attributes], ...] = ()

    def renew(self) -> None:
        fire = self.fire
        self.version = fire.version
        lines = [self._lines[0][fire.average]]
        seen = [(fire.name, "fire", fire.anchor, self._fire_attributes[fire.average])]
        shown = fire.shown
        for r, level in enumerate(shown):
            if level:
                lines.append(self._lines[r + 1][level])
                attributes = self._region_attributes[level]
                seen.append((fire.region_names[r], "region", fire.region_cells[r], attributes))
        # Rule J2: regions in row-major order of their cells, which is the order of flat indices.
        order = sorted(range(1, len(seen)), key=lambda k: seen[k][2])
        self.text = lines[0] + "".join(lines[k] for k in order)
        self.seen = (seen[0], *(seen[k] for k in order))
        self.names = tuple(s[0] for s in self.seen[1:])


class Observer:
    """Builds observations from the state; holds only what was computed, never what is true."""

    def __init__(self, state: SarState) -> None:
        self._state = state
        self._offsets: dict[tuple[int, int], Offset] = {}
        self._poses: dict[int, Pose] = {}
        self._bags: dict[tuple[int, int, int], tuple[tuple[tuple[str, int], ...], str]] = {}
        scene = state.scene
        self._reservoirs: tuple[tuple[str, str, int, _Attributes], ...] = tuple(
            (r.name, "reservoir", cell, (("gives", "Sand" if r.type == "A" else "Water"),))
            for r, cell in zip(scene.reservoirs, state.reservoir_cells, strict=True)
        )
        self._reservoir_text = "".join(
            f"- {r.name} (reservoir): gives {'Sand' if r.type == 'A' else 'Water'}\n"
            for r in scene.reservoirs
        )
        self._site_names = tuple(s.name for s in (*scene.reservoirs, *scene.deposits))
        self._person_lines = tuple(
            f"- {p.name} (person): needs {p.load} carrier{'s' if p.load != 1 else ''}\n"
            for p in scene.persons
        )
        self.reset()

    def reset(self) -> None:
        """Forget the last episode."""
        state = self._state
        self._faces = tuple(_FireFace(f) for f in state.fires)
        self._versions: tuple[int, ...] = ()
        self._stores: tuple[tuple[int, ...], ...] = ()
        self._shared_version = 0
        self._rows: dict[int, tuple[int, tuple[Sighting, ...]]] = {}
        self._levels = tuple(tuple(f"{f.name} {level}" for level in LEVELS) for f in state.fires)
        self._offered: tuple[str, ...] | None = None
        self._refresh()
        if state.switches.offer_at_reset:
            self._offered = self._names_at_reset()

    def _names_at_reset(self) -> tuple[str, ...]:
        """Rule P2: what the reference's list of actions names, in rule J2's order."""
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
        versions = tuple([f.version for f in state.fires])
        stores = tuple([tuple(s) for s in state.stores])
        if versions == self._versions and stores == self._stores:
            return
        for face in self._faces:
            if face.version != face.fire.version:
                face.renew()
        self._shared_version += 1
        self._versions, self._stores = versions, stores
        deposits = state.scene.deposits
        self._shared_text = (
            "".join([face.text for face in self._faces])
            + self._reservoir_text
            + "".join(
                f"- {d.name} (deposit): Sand {s[0]}, Water {s[1]}, persons {s[2]}\n"
                for d, s in zip(deposits, stores, strict=True)
            )
        )
        shared: list[tuple[str, str, int, _Attributes]] = []
        for face in self._faces:
            shared.extend(face.seen)
        shared.extend(self._reservoirs)
        for d, cell, s in zip(deposits, state.deposit_cells, stores, strict=True):
            held = (("Sand", s[0]), ("Water", s[1]), ("persons", s[2]))
            shared.append((d.name, "deposit", cell, held))
        self._shared = shared
        self._text_names = (*(n for f in self._faces for n in f.names), *self._site_names)
        self._text_names_line = ", ".join(self._text_names)
        self._all_names = tuple([s[0] for s in shared])

    def _shared_sightings(self, cell: int) -> tuple[Sighting, ...]:
        row = self._rows.get(cell)
        if row is not None and row[0] == self._shared_version:
            return row[1]
        grid = self._state.grid
        xs, ys, offsets = grid.xs, grid.ys, self._offsets
        x, y = xs[cell], ys[cell]
        built = []
        for name, kind, place, attributes in self._shared:
            key = (xs[place] - x, y - ys[place])
            offset = offsets.get(key)
            if offset is None:
                offset = offsets[key] = Offset(float(key[0]), float(key[1]))
            built.append(Sighting(name, kind, offset, attributes))
        sightings = tuple(built)
        if len(self._rows) > 200:  # old cells' rows are stale before they are needed again
            self._rows.clear()
        self._rows[cell] = (self._shared_version, sightings)
        return sightings

    def offset(self, here: int, there: int) -> Offset:
        """Offset of a cell from an agent's: x to the right, z up the grid."""
        grid = self._state.grid
        key = (grid.xs[there] - grid.xs[here], grid.ys[here] - grid.ys[there])
        known = self._offsets.get(key)
        if known is None:
            known = self._offsets[key] = Offset(float(key[0]), float(key[1]))
        return known

    def bag(self, agent: int) -> tuple[tuple[tuple[str, int], ...], str]:
        """An agent's inventory as pairs and in words."""
        held = self._state.inventory(agent)
        known = self._bags.get(held)
        if known is None:
            sand, water, person = held
            pairs = (("Sand", sand), ("Water", water), ("Person", person))
            known = self._bags[held] = (pairs, f"Sand {sand}, Water {water}, Person {person}")
        return known

    def around(self, agent: int) -> list[tuple[str, str]]:
        """Rule J1: the five cells; an obstacle hides what burns on its cell."""
        state = self._state
        here = state.positions[agent]
        found = []
        for (name, _, _), delta in zip(DIRECTIONS, state.grid.deltas, strict=True):
            cell = here + delta
            taken = state.blocked[cell]
            if taken > (0 if delta else 1):
                found.append((name, "obstacle"))
                continue
            flammable = state.flammable.get(cell)
            if flammable is None:
                found.append((name, "empty"))
            else:
                f, i = flammable
                found.append((name, self._levels[f][state.fires[f].levels[i]]))
        return found

    def neighbours(self, agent: int) -> list[int]:
        """The other agents within sight (rule G5), in team order."""
        state = self._state
        here = state.positions[agent]
        return [
            other
            for other, cell in enumerate(state.positions)
            if other != agent and state.distance2(here, cell) <= NEAR * NEAR
        ]

    def observe(self, agent: int, step: int, act: Act | None) -> Observation:
        """Everything one agent perceives now; `act` is what it did last."""
        self._refresh()
        state = self._state
        here = state.positions[agent]
        sightings = list(self._shared_sightings(here))
        around = self.around(agent)
        text = [
            "Around: ",
            "; ".join([f"{name} {value}" for name, value in around]),
            "\nVisible:\n",
            self._shared_text,
        ]
        extra = []
        for other in self.neighbours(agent):
            name = state.agents[other]
            pairs, words = self.bag(other)
            text.append(f"- {name} (robot): {words}\n")
            extra.append(name)
            offset = self.offset(here, state.positions[other])
            sightings.append(Sighting(name, "agent", offset, pairs))
        for person in state.persons:
            if person.visible:
                text.append(self._person_lines[person.index])
                extra.append(person.name)
                grabbed = person.grabbed
                sightings.append(
                    Sighting(
                        person.name,
                        "person",
                        self.offset(here, person.cell),
                        (
                            ("load", person.load),
                            ("grabbed", grabbed),
                            ("reach", person.reach),
                        ),
                        state.agents[person.carriers[0]] if grabbed else "",
                    )
                )
        text.append("Names: ")
        text.append(self._text_names_line)
        if extra:
            text.append(", " if self._text_names_line else "")
            text.append(", ".join(extra))
        local: list[tuple[str, Value]] = list(around)
        carried = state.carrying[agent]
        if carried >= 0:
            held = state.persons[carried]
            local.append(("carrying", held.name))
            local.append(("dropping", agent in held.dropping))
        pairs, words = self.bag(agent)
        x, y = state.grid.cells[here]
        pose = self._poses.get(here)
        if pose is None:
            pose = self._poses[here] = Pose(float(x), float(-y))
        return Observation(
            agent=state.agents[agent],
            step=step,
            pose=pose,
            inventory=pairs,
            sightings=tuple(sightings),
            names=self._offered if self._offered is not None else (*self._all_names, *extra),
            text="".join(text),
            state_text=f"position ({x}, {y}, 0); inventory {words}",
            feedback=_feedback(act),
            failures_text="; ".join(state.failures[agent]) or "none",
            view=_VIEW,
            local=tuple(local),
        )


def _feedback(act: Act | None) -> str:
    if act is None:
        return "nothing has been done yet"
    text = act.command.text
    if act.success:
        return f"{text} succeeded"
    reason = FEEDBACK_REASONS.get(act.error, "")
    return f"{text} failed: {reason}" if reason else f"{text} failed"
