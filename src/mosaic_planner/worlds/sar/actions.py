"""What each action does to the state (rules H3 to H13, F3, F8, F9); one function per action.

The tests every action has in common (rule H1) come before, in `simulator`.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from mosaic_planner.core.observation import Effect
from mosaic_planner.worlds.sar.command import Command, Op, Sort
from mosaic_planner.worlds.sar.explore import legal_directions, unit_moves
from mosaic_planner.worlds.sar.state import CAPACITY, NEAR, SUPPLY_WORDS, Act, SarState

__all__ = ["ACTIONS", "draw_by_rejection", "run_moves"]


def _too_far(state: SarState, agent: int, act: Act, what: str, cell: int, reach: int) -> bool:
    d2 = state.distance2(state.positions[agent], cell)
    if d2 <= reach * reach:
        return False
    distance = math.sqrt(d2)
    act.fail(
        "not_interactable",
        f"not close enough to {what}: distance {distance:.1f}, reach {reach}",
    )
    return True


# Moving (rules H3 to H7).


def _move(state: SarState, agent: int, act: Act, command: Command) -> None:
    delta = state.grid.deltas[command.direction]
    if not delta:
        return
    cell = state.positions[agent] + delta
    if state.blocked[cell]:
        on_grid = state.grid.holds(*state.grid.cells[cell])
        act.fail("", "the cell is occupied" if on_grid else "the grid ends there")
        return
    state.go(agent, cell)
    state.spot(cell)


def _navigate(state: SarState, agent: int, act: Act, command: Command) -> None:
    entity = command.named[0]
    start, target = state.positions[agent], state.place(entity)
    if start == target:
        return
    sort = entity.sort
    if sort is Sort.REGION:
        jumps = state.region_jumps
    elif sort is Sort.PERSON:
        jumps = state.person_jumps[entity.index]
    elif sort is Sort.FIRE:
        jumps = state.fire_jumps[entity.index]
    else:
        jumps = state.near_jumps
    grid, blocked = state.grid, state.blocked
    x, y = grid.cells[target]
    for dx, dy in jumps:
        if grid.holds(x + dx, y + dy):
            cell = target + dy * grid.stride + dx
            if not blocked[cell]:
                xs, ys = grid.xs, grid.ys
                act.steps = abs(xs[cell] - xs[start]) + abs(ys[cell] - ys[start])
                state.go(agent, cell)
                state.spot(cell)
                return
    act.fail("", f"every cell near {entity.name} is occupied")


def _explore(state: SarState, agent: int, act: Act, command: Command) -> None:
    if state.switches.explore_shared_generator:
        sx, sy = draw_by_rejection(state, agent)
    else:
        grid = state.grid
        x, y = grid.cells[state.positions[agent]]
        legal = legal_directions(x, y, grid.width, grid.height)
        sx, sy = state.explore_generator.choice(legal)
    run_moves(state, agent, act, unit_moves(sx, sy))
    if state.switches.explore_shared_generator:
        draw_by_rejection(state, agent)  # for the feedback, from where the agent is now


def draw_by_rejection(state: SarState, agent: int) -> tuple[int, int]:
    """A direction as the reference draws it: two integers in 0..2 until it is legal (rule M4)."""
    grid, generator = state.grid, state.explore_generator
    x, y = grid.cells[state.positions[agent]]
    legal = legal_directions(x, y, grid.width, grid.height)
    while True:
        way = generator.randint(0, 2) - 1, generator.randint(0, 2) - 1
        if way in legal:
            return way


def run_moves(state: SarState, agent: int, act: Act, moves: str) -> None:
    """Explore's unit moves, blocked ones skipped (rule H6)."""
    blocked, deltas = state.blocked, state.letters
    hidden = any(not p.spotted for p in state.persons)
    cell = state.positions[agent]
    blocked[cell] -= 1
    moved = []
    for letter in moves:
        target = cell + deltas[letter]
        if blocked[target]:
            moved.append("0")
            continue
        cell = target
        moved.append("1")
        if hidden:
            state.spot(cell)
    blocked[cell] += 1
    state.positions[agent] = cell
    act.moves, act.moved, act.steps = moves, "".join(moved), len(moves)
    if "1" not in act.moved:
        act.fail("", "every cell on the way is occupied or off the grid")


# Supplies (rules H8 to H11).


def _get(state: SarState, agent: int, act: Act, command: Command) -> None:
    source = command.named[0]
    cell = state.reservoir_cells[source.index]
    if _too_far(state, agent, act, source.name, cell, NEAR):
        return
    held = state.held[agent]
    if held[0] + held[1] >= CAPACITY:
        act.fail("", "inventory is full")
        return
    held[state.reservoir_supply[source.index]] += 1


def _take(state: SarState, agent: int, act: Act, command: Command) -> None:
    source, supply = command.named[0], command.supply
    if _too_far(state, agent, act, source.name, state.deposit_cells[source.index], NEAR):
        return
    if supply == 2:
        act.fail("malformed", "a person is no supply")
        return
    held, store = state.held[agent], state.stores[source.index]
    free = CAPACITY - held[0] - held[1]
    amount = min(free, store[supply])
    if amount == 0:
        empty = f"{source.name} holds no {SUPPLY_WORDS[supply]}"
        act.fail("", empty if free else "inventory is full")
        return
    held[supply] += amount
    store[supply] -= amount


def _store(state: SarState, agent: int, act: Act, command: Command) -> None:
    target = command.named[0]
    if _too_far(state, agent, act, target.name, state.deposit_cells[target.index], NEAR):
        return
    held, store = state.held[agent], state.stores[target.index]
    store[0] += held[0]
    store[1] += held[1]
    held[0] = held[1] = 0


def _clear(state: SarState, agent: int, act: Act, command: Command) -> None:
    state.held[agent] = [0, 0]


def _use(state: SarState, agent: int, act: Act, command: Command) -> None:
    entity, supply = command.named[0], command.supply
    fire = state.fires[entity.fire]
    if _too_far(state, agent, act, f"the anchor of {fire.name}", fire.anchor, fire.reach):
        return
    if supply == 2:
        act.fail("malformed", "a person is no supply")
        return
    held = state.held[agent]
    if held[supply] == 0:
        act.fail("", f"it holds no {SUPPLY_WORDS[supply]}")
        return
    held[supply] -= 1
    if fire.supply != SUPPLY_WORDS[supply]:
        act.fail("", f"{fire.name} needs {fire.supply}; the unit is lost")
        return
    here, where = state.positions[agent], fire.where
    block = [where[here + d] for d in state.block if here + d in where]
    if not block:
        act.fail("", f"no cell of {fire.name} is next to it; the unit is lost")
        return
    fire.reduce(block)


# Persons (rules H12, H13, F3, F8, F9).


def _carry(state: SarState, agent: int, act: Act, command: Command) -> None:
    person = state.persons[command.named[0].index]
    if _too_far(state, agent, act, person.name, person.cell, person.reach):
        return
    if person.grabbed:
        act.fail("", f"{person.name} is carried already")
        return
    if state.carrying[agent] >= 0:
        act.fail("", "it is carrying a person")
        return
    person.carriers.append(agent)
    state.carrying[agent] = person.index
    state.held[agent] = [0, 0]
    if person.grabbed:
        first = state.agents[person.carriers[0]]
        act.effects = (
            Effect(person.name, "holder", first),
            Effect(person.name, "grabbed", True),
        )


def _drop(state: SarState, agent: int, act: Act, command: Command) -> None:
    deposit, person = command.named[0], state.persons[command.named[1].index]
    cell = state.deposit_cells[deposit.index]
    near = state.near(agent, cell)
    error = "" if near else "not_interactable"
    if agent not in person.carriers:
        act.fail(error, f"it does not carry {person.name}")
        return
    away = [state.agents[c] for c in person.carriers if not state.near(c, cell)]
    if away:
        act.fail(error, f"not near {deposit.name}: {', '.join(away)}")
        return
    if agent not in person.dropping:
        person.dropping.append(agent)
    if not person.grabbed:
        missing = person.load - len(person.carriers)
        act.fail(error, f"{person.name} needs {missing} more to be carried")
        return
    if len(person.dropping) < len(person.carriers):
        waits = [state.agents[c] for c in person.carriers if c not in person.dropping]
        act.fail(error, f"waiting for {', '.join(waits)} to drop off too")
        return
    for carrier in person.carriers:
        state.carrying[carrier] = -1
    person.carriers, person.dropping = [], []
    person.delivered = True
    state.stores[deposit.index][2] += 1
    # The deposit blocks its cell already, so a delivered person need not.
    state.blocked[person.cell] -= 1
    person.cell = cell
    act.effects = (
        Effect(person.name, "holder", ""),
        Effect(person.name, "gone", True),
    )


ACTIONS: dict[Op, Callable[[SarState, int, Act, Command], None]] = {
    Op.MOVE: _move,
    Op.NAVIGATE: _navigate,
    Op.EXPLORE: _explore,
    Op.CARRY: _carry,
    Op.DROP: _drop,
    Op.STORE: _store,
    Op.USE: _use,
    Op.GET: _get,
    Op.TAKE: _take,
    Op.CLEAR: _clear,
}
"""The function of every action that can do something."""
