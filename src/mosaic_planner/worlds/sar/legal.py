"""Whether an action would succeed if the agent did it now and all others did nothing.

The same tests as `actions` makes, without doing anything; a test compares the two. For action
masks. Explore counts as possible if any direction is; DropOff if the person would be delivered
once every carrier did it.
"""

from __future__ import annotations

from mosaic_planner.worlds.sar.command import Command, Op, Sort
from mosaic_planner.worlds.sar.state import CAPACITY, NEAR, SUPPLY_WORDS, SarState

__all__ = ["possible"]


def possible(state: SarState, agent: int, command: Command) -> bool:
    """Whether the command can succeed for that agent (index in team order) now."""
    op = command.op
    if op is Op.FAIL:
        return False
    if command.restricted and state.carrying[agent] >= 0:
        return False
    if not all(state.visible(agent, entity) for entity in command.named):
        return False
    if op is Op.MOVE:
        delta = state.grid.deltas[command.direction]
        return not delta or not state.blocked[state.positions[agent] + delta]
    if op is Op.EXPLORE:
        here = state.positions[agent]
        return any(not state.blocked[here + d] for d in state.grid.deltas if d)
    if op is Op.NAVIGATE:
        return _can_land(state, agent, command)
    if op is Op.CARRY:
        person = state.persons[command.named[0].index]
        near = _within(state, agent, person.cell, person.reach)
        return near and not person.grabbed and state.carrying[agent] < 0
    if op is Op.DROP:
        person = state.persons[command.named[1].index]
        cell = state.deposit_cells[command.named[0].index]
        holds = agent in person.carriers and person.grabbed
        return holds and all(state.near(c, cell) for c in person.carriers)
    if op is Op.USE:
        return _can_use(state, agent, command)
    held = state.held[agent]
    if op is Op.GET:
        cell = state.reservoir_cells[command.named[0].index]
        return _within(state, agent, cell, NEAR) and sum(held) < CAPACITY
    if op is Op.TAKE:
        source = command.named[0].index
        near = _within(state, agent, state.deposit_cells[source], NEAR)
        stocked = command.supply < 2 and state.stores[source][command.supply] > 0
        return near and stocked and sum(held) < CAPACITY
    if op is Op.STORE:
        return _within(state, agent, state.deposit_cells[command.named[0].index], NEAR)
    return True


def _within(state: SarState, agent: int, cell: int, reach: int) -> bool:
    return state.distance2(state.positions[agent], cell) <= reach * reach


def _can_land(state: SarState, agent: int, command: Command) -> bool:
    entity = command.named[0]
    target = state.place(entity)
    if target == state.positions[agent]:
        return True
    if entity.sort is Sort.PERSON:
        jumps = state.person_jumps[entity.index]
    elif entity.sort is Sort.FIRE:
        jumps = state.fire_jumps[entity.index]
    else:
        jumps = state.region_jumps if entity.sort is Sort.REGION else state.near_jumps
    x, y = state.grid.cells[target]
    return any(
        state.grid.holds(x + dx, y + dy) and not state.blocked[target + state.grid.delta(dx, dy)]
        for dx, dy in jumps
    )


def _can_use(state: SarState, agent: int, command: Command) -> bool:
    fire, supply = state.fires[command.named[0].fire], command.supply
    here = state.positions[agent]
    return (
        supply < 2
        and _within(state, agent, fire.anchor, fire.reach)
        and state.held[agent][supply] > 0
        and fire.supply == SUPPLY_WORDS[supply]
        and any(here + d in fire.where for d in state.block)
    )
