"""What the coordinator is taught about this world: one profile per action, from beliefs alone.

A jump (NavigateTo) deflects to the next free cell when somebody else lands first, so a landing
next to a reservoir, a deposit, a person or a robot is nobody's exclusive cell, and only the
departure is in its path. A fire region is different: its own cell is what one goes there for, so
that landing is in the path and the region is claimed. Supplies and agents' acting in team order
follow the same thought: a claim stands only where a second action would really come to nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mosaic_planner.coordination.profile import STAYS, ActionProfile, CellVisit, JointNeed
from mosaic_planner.core.action import Action
from mosaic_planner.core.belief import Belief, Beliefs
from mosaic_planner.core.candidate import Candidate
from mosaic_planner.core.geometry import Cell
from mosaic_planner.worlds.sar.belief_map import BeliefMap, Told, believed_level, supply_of
from mosaic_planner.worlds.sar.explore import EXPLORE_MOVES, legal_directions
from mosaic_planner.worlds.sar.fallbacks import safe_actions
from mosaic_planner.worlds.sar.grid import DIRECTIONS
from mosaic_planner.worlds.sar.state import CAPACITY, NEAR
from mosaic_planner.worlds.sar.vocabulary import SAR_VOCABULARY

__all__ = ["SarRules"]

_FORFEIT = -0.6  # what an action is worth that puts a piece of the mission out of reach
_VISIT = 0.15  # what going to a thing is worth that the mission wants gone to
_HOPELESS = 0.9
"""A chance to fail from which on an action counts as impossible."""
_UNSEEN_CORNERS = 0.5
"""Chance to miss where only cells that a robot cannot see (J1) might belong to the fire."""
_RESTRICTED = ("StoreSupply", "UseSupply", "GetSupply", "ClearInventory")
_STEPS = {name: (dx, dy) for name, dx, dy in DIRECTIONS}


def _no(reason: str) -> ActionProfile:
    return ActionProfile(eligible=False, reason=reason)


class SarRules:
    """`coordination.Rules` of this world; knows what the briefing tells and what is believed."""

    def __init__(self, told: Told) -> None:
        self.told = told
        self._map: BeliefMap | None = None
        self._verbs: dict[str, Callable[[str, Action, BeliefMap], ActionProfile]] = {
            "NavigateTo": self._navigate,
            "Move": self._move,
            "Explore": self._explore,
            "Carry": self._carry,
            "DropOff": self._drop,
            "StoreSupply": self._store,
            "UseSupply": self._use,
            "GetSupply": self._get,
            "ClearInventory": self._clear,
        }

    def _read(self, beliefs: Beliefs) -> BeliefMap:
        """The map of these beliefs; the last one is kept, since many profiles are asked of it."""
        if self._map is None or self._map.beliefs is not beliefs:
            self._map = BeliefMap(beliefs, self.told)
        return self._map

    def profile(self, agent: str, action: Action, beliefs: Beliefs) -> ActionProfile:
        """The profile of one action; never raises, an impossible action is ineligible."""
        return self.profile_on(agent, action, self._read(beliefs))

    def profile_on(self, agent: str, action: Action, known: BeliefMap) -> ActionProfile:
        """The profile by a belief map that was read already."""
        talks = action.verb == "SendMessage"  # rule I10: it always succeeds and does nothing
        if talks or (SAR_VOCABULARY.is_idle(action) and not action.args):
            return ActionProfile(idle=True, path=_stay(agent, known), done=known.spare(agent))
        problem = SAR_VOCABULARY.check(action, known.kinds.items())
        if problem:
            return _no(problem)
        if known.carrying.get(agent) and action.verb in _RESTRICTED:
            return _no(f"{agent} is carrying a person")
        for name in action.args:
            if name in known.kinds and not known.is_visible(agent, name):
                return _no(f"{name} is not visible to {agent} now")
        return self._verbs[action.verb](agent, action, known)

    def fallbacks(self, agent: str, beliefs: Beliefs) -> Sequence[Candidate]:
        """Safe candidates for an agent whose own are all bad, most useful first, Idle last."""
        known = self._read(beliefs)
        found: dict[Action, Candidate] = {}
        for action, why in safe_actions(agent, known):
            if action not in found and self.profile_on(agent, action, known).eligible:
                found[action] = Candidate(agent, action, len(found), "safe", why)
        return tuple(found.values())

    # Moving.

    def _navigate(self, agent: str, action: Action, known: BeliefMap) -> ActionProfile:
        name = action.args[0]
        here = known.cells.get(agent)
        if name not in known.cells:
            return _no(f"nobody knows where {name} is")
        cells = known.landings(agent, name)
        if not cells:
            return _no(f"every cell near {name} is occupied")
        landing, target = cells[0], known.cells[name]
        belief = known.entities.get(name)
        onto = landing == target and (belief is not None and belief.kind in ("fire", "region"))
        path: tuple[CellVisit, ...] = ()
        steps = 0.0
        if here is not None:
            steps = float(abs(landing[0] - here[0]) + abs(landing[1] - here[1]))
            if landing == here:
                path = (CellVisit(here, 0, STAYS),)
            elif onto or len(cells) == 1:
                path = (CellVisit(here, 0, 1), CellVisit(landing, 1, STAYS))
            else:
                path = (CellVisit(here, 0, 1),)
        claims = (f"cell {target[0]},{target[1]}",) if onto and landing != here else ()
        if belief is not None and belief.kind == "region":
            claims = (*claims, name)
        return ActionProfile(
            claims=claims,
            path=path,
            steps=steps,
            failure=_doubt(belief),
            progress=self._worth_of_going(agent, name, landing, known),
        )

    def _worth_of_going(self, agent: str, name: str, landing: Cell, known: BeliefMap) -> float:
        """How far going there advances the mission, in [0, 1]."""
        here = known.cells.get(agent)
        belief = known.entities.get(name)
        if belief is None:
            return 0.0
        fire = known.fire_of(name)
        wanted = (name if fire is None else fire.name) in known.unvisited
        if wanted and belief.kind != "deposit" and not known.carrying.get(agent):
            # Going there is a piece of the mission even from next to it (K10).
            return max(_VISIT, self._worth_of_being(agent, belief, landing, known))
        return 0.0 if landing == here else self._worth_of_being(agent, belief, landing, known)

    def _worth_of_being(self, agent: str, belief: Belief, landing: Cell, known: BeliefMap) -> float:
        """The same without what going there as such is worth."""
        name = belief.name
        distance = known.distance(agent, name)
        carried = known.carrying.get(agent)
        if belief.kind == "deposit":
            near = distance is not None and distance <= NEAR
            if not carried:
                return 0.05
            return 0.1 if near else 0.6
        if carried:
            return 0.02
        if belief.kind in ("fire", "region"):
            fire = known.fire_of(name)
            if fire is None or not believed_level(fire):
                return 0.02
            if not known.held(agent, supply_of(fire)):
                return 0.05
            # Beside a taken region a use still reaches part of it.
            onto = landing == known.cells[name]
            return (0.4 if onto else 0.3) + 0.05 * believed_level(belief)
        if belief.kind == "reservoir":
            gives = str(belief.attribute("gives"))
            useful = known.free(agent) > 0 and known.needed(gives)
            near = distance is not None and distance <= 1.5
            return 0.3 if useful and not near else 0.05
        if belief.kind == "person":
            near = distance is not None and distance <= 1.5 and name not in known.unvisited
            return 0.5 if not near and known.wants_at(belief, agent) else 0.05
        return 0.0

    def _move(self, agent: str, action: Action, known: BeliefMap) -> ActionProfile:
        here = known.cells.get(agent)
        dx, dy = _STEPS[action.args[0]]
        if here is None:
            return ActionProfile(steps=1.0, failure=0.2, progress=0.02)
        if not dx and not dy:
            return ActionProfile(path=_stay(agent, known), steps=1.0)
        there = (here[0] + dx, here[1] + dy)
        if not known.on_grid(there):
            return _no(f"the grid ends {action.args[0]} of {agent}")
        taken = known.blocked.get(there)
        if taken is not None:
            return _no(f"{taken} is on the cell {action.args[0]} of {agent}")
        if known.beliefs.local(agent).get(action.args[0]) == "obstacle":
            return _no(f"something is on the cell {action.args[0]} of {agent}")
        path = (CellVisit(here, 0, 1), CellVisit(there, 1, STAYS))
        return ActionProfile(path=path, steps=1.0, progress=0.03)

    def _explore(self, agent: str, action: Action, known: BeliefMap) -> ActionProfile:
        here = known.cells.get(agent)
        failure = 0.0
        if here is not None:
            # It fails if the direction drawn has no free first step (rules H6, H7).
            legal = legal_directions(*here, known.width, known.height)
            failure = sum(self._shut(here, way, known) for way in legal) / len(legal)
            if failure >= 1.0:
                return _no(f"every cell next to {agent} is occupied")
        worth = 0.25 if known.unfound() and not known.carrying.get(agent) else 0.0
        return ActionProfile(steps=float(EXPLORE_MOVES), failure=failure, progress=worth)

    def _shut(self, here: Cell, way: tuple[int, int], known: BeliefMap) -> bool:
        steps = [(way[0], 0)] if way[0] else []
        steps += [(0, way[1])] if way[1] else []
        cells = [(here[0] + dx, here[1] + dy) for dx, dy in steps]
        return all(c in known.blocked or not known.on_grid(c) for c in cells)

    # Persons.

    def _carry(self, agent: str, action: Action, known: BeliefMap) -> ActionProfile:
        person = known.entities[action.args[0]]
        if known.carrying.get(agent):
            return _no(f"{agent} is carrying a person")
        missing = known.missing_carriers(person)
        if not missing:
            return _no(f"{person.name} is carried already")
        reach = known.reach(person)
        far = known.beyond(agent, person.name, reach)
        if far >= _HOPELESS:
            return _no(f"{agent} is too far from {person.name} to take hold of it")
        if person.name in known.unvisited:
            # Going there by name is a piece of the mission (K10), lost once the person is carried.
            progress = _FORFEIT
        else:
            # Carrying from afar works (F3), but from beside it is surer.
            distance = known.distance(agent, person.name)
            progress = 0.7 if distance is not None and distance <= 1.5 else 0.4
        return ActionProfile(
            path=_stay(agent, known),
            joint=JointNeed(f"carry {person.name}", missing),
            steps=1.0,
            failure=max(far, _doubt(person)),
            progress=progress,
        )

    def _drop(self, agent: str, action: Action, known: BeliefMap) -> ActionProfile:
        deposit, name = action.args
        if known.carrying.get(agent) != name:
            return _no(f"{agent} does not carry {name}")
        person = known.entities[name]
        if not person.attribute("grabbed"):
            missing = known.missing_carriers(person)
            return _no(f"{name} needs {missing} more to be carried")
        carriers = known.carriers.get(name, [agent])
        chances = {c: known.beyond(c, deposit, NEAR) for c in carriers}
        away = [c for c, chance in chances.items() if chance >= _HOPELESS]
        if away:
            return _no(f"not near {deposit}: {', '.join(away)}")
        waiting = [c for c in carriers if not known.beliefs.local(c).get("dropping")]
        if agent not in waiting and waiting:
            return _no(f"{agent} waits for {', '.join(waiting)} to drop off too")
        return ActionProfile(
            path=_stay(agent, known),
            joint=JointNeed(f"drop off {name}", max(1, len(waiting))),
            steps=1.0,
            failure=max(chances.values()),
            progress=1.0,
        )

    # Supplies.

    def _store(self, agent: str, action: Action, known: BeliefMap) -> ActionProfile:
        far = known.beyond(agent, action.args[0], NEAR)
        if far >= _HOPELESS:
            return _no(f"{agent} is too far from {action.args[0]}")
        return ActionProfile(path=_stay(agent, known), steps=1.0, failure=far)

    def _get(self, agent: str, action: Action, known: BeliefMap) -> ActionProfile:
        source = known.entities[action.args[0]]
        far = known.beyond(agent, source.name, NEAR)
        if far >= _HOPELESS:
            return _no(f"{agent} is too far from {source.name}")
        free = known.free(agent)
        if free <= 0:
            return _no(f"the inventory of {agent} is full")
        claims: tuple[str, ...] = ()
        if source.kind == "deposit":
            supply = action.args[1]
            stock = source.attribute(supply, 0)
            if not isinstance(stock, int) or stock <= 0:
                return _no(f"{source.name} holds no {supply}")
            if stock <= CAPACITY:  # one robot may take all of it (rule H8)
                claims = (f"{supply} in {source.name}",)
        else:
            supply = str(source.attribute("gives"))
        return ActionProfile(
            claims=claims,
            path=_stay(agent, known),
            steps=1.0,
            failure=far,
            progress=0.3 if known.needed(supply) else 0.02,
        )

    def _clear(self, agent: str, action: Action, known: BeliefMap) -> ActionProfile:
        useless = [s for s in ("Sand", "Water") if known.held(agent, s) and not known.needed(s)]
        worth = 0.1 if useless and not known.free(agent) else 0.0
        return ActionProfile(path=_stay(agent, known), steps=1.0, progress=worth)

    def _use(self, agent: str, action: Action, known: BeliefMap) -> ActionProfile:
        name, supply = action.args
        fire = known.fire_of(name)
        if fire is None:
            return _no(f"nothing is known of the fire of {name}")
        wanted = supply_of(fire)
        if wanted and wanted != supply:
            return _no(f"{fire.name} is {fire.attribute('type')}: {supply} does not put it out")
        if not known.held(agent, supply):
            return _no(f"{agent} holds no {supply}")
        if not believed_level(fire):
            return _no(f"{fire.name} is out")
        far = known.beyond(agent, fire.name, known.reach(fire))
        if far >= _HOPELESS:
            return _no(f"{agent} is too far from {fire.name}")
        miss, burning = self._hit(agent, fire, known)
        if miss >= _HOPELESS:
            return _no(f"no cell of {fire.name} is next to {agent}")
        claims = self._put_out(agent, fire, name, known)
        return ActionProfile(
            claims=claims,
            path=_stay(agent, known),
            steps=1.0,
            failure=1.0 - (1.0 - far) * (1.0 - miss),
            progress=min(1.0, 0.5 + 0.08 * burning) if burning else 0.02,
        )

    def _hit(self, agent: str, fire: Belief, known: BeliefMap) -> tuple[float, int]:
        """Chance that the block around the agent holds no cell of the fire, and what burns there.

        A robot sees five of the block's nine cells (J1); of the others only regions are known.
        """
        burning, found, hidden = 0, False, False
        local = known.beliefs.local(agent)
        for direction in _STEPS:
            value = str(local.get(direction, ""))
            if value.startswith(f"{fire.name} "):
                found = True
                burning += not value.endswith(" None")
            hidden = hidden or value in ("obstacle", "")
        here = known.cells.get(agent)
        if here is not None:
            for region in known.regions:
                x, y = known.cells[region.name]
                if region.attribute("fire") == fire.name and _touches(here, (x, y)):
                    found = True
                    burning = max(burning, int(believed_level(region) > 0))
        if found:
            return 0.0, burning
        return (_UNSEEN_CORNERS if hidden else 1.0), 0

    def _put_out(self, agent: str, fire: Belief, name: str, known: BeliefMap) -> tuple[str, ...]:
        """Regions that this use may end, so that nobody else can name them in the same step."""
        here = known.cells.get(agent)
        ended = []
        for region in known.regions:
            if region.attribute("fire") != fire.name or believed_level(region) != 1:
                continue
            if region.name == name or known.cells[region.name] == here:
                ended.append(region.name)
        return tuple(ended)


def _touches(a: Cell, b: Cell) -> bool:
    return abs(a[0] - b[0]) <= 1 and abs(a[1] - b[1]) <= 1


def _doubt(belief: Belief | None) -> float:
    """Chance that an entity is not there any more."""
    return 0.0 if belief is None or belief.age == 0 else min(0.9, 1.0 - belief.confidence)


def _stay(agent: str, known: BeliefMap) -> tuple[CellVisit, ...]:
    here = known.cells.get(agent)
    return () if here is None else (CellVisit(here, 0, STAYS),)
