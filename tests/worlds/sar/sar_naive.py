"""Sections A to K once more, as plainly as they can be written: slow, without a shared line.

The world under test keeps flat indices, byte tables and caches; this keeps positions in tuples and
looks at everything every time. Both must agree on any actions. Faithful mode only.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Mapping, Sequence
from typing import Any

Cell = tuple[int, int]

LEVELS = ("None", "Low", "Medium", "High")
SUPPLY = {"A": "Sand", "B": "Water"}
WAYS = {"Up": (0, -1), "Down": (0, 1), "Left": (-1, 0), "Right": (1, 0), "Center": (0, 0)}
LETTERS = {"U": (0, -1), "D": (0, 1), "L": (-1, 0), "R": (1, 0)}
NEAR_RADIUS = 3 * math.sqrt(2)


def far(a: Cell, b: Cell) -> float:
    return math.sqrt((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2)


def touch(a: Cell, b: Cell) -> bool:
    return abs(a[0] - b[0]) <= 1 and abs(a[1] - b[1]) <= 1


def on_grid(c: Cell) -> bool:
    return 0 <= c[0] <= 29 and 0 <= c[1] <= 29


class NaiveFire:
    """Section C at reset, section D from then on."""

    def __init__(self, spec: Mapping[str, Any], seed: int) -> None:
        self.name, self.type, side = spec["name"], spec["type"], spec["box"]
        left, top = spec["at"]
        rng = random.Random(seed)  # M2, M3
        u, centre = rng.random(), side // 2
        b, a = math.pi / 4, side / 2
        k = (1 - b) / (side * math.sqrt(2) - a) ** 0.25
        radius = ((0.85 - b) / k) ** 4 + a
        self.reach = math.ceil(radius)
        box = [(x, y) for y in range(side) for x in range(side)]
        self.cells = [(left + x, top + y) for x, y in box if far((x, y), (centre, centre)) < radius]
        q = math.floor(min(2 * radius / 3, 3 * side / 8))
        lit = []
        for i in range(spec["lit"]):
            t = (2 * math.pi * i / spec["lit"] + 2 * math.pi * u) % (2 * math.pi)
            x, y = math.trunc(q * math.cos(t)), math.trunc(q * math.sin(t))
            lit.append((left + centre + x, top + centre + y))
        self.level = {c: int(c in lit) for c in self.cells}
        self.clock = dict.fromkeys(self.cells, 0)
        shuffled = list(lit)
        rng.shuffle(shuffled)
        self.anchor = shuffled[-1]
        named = [c for c in self.cells if c in lit]
        while bare := [c for c in self.cells if not any(touch(c, n) for n in named)]:
            named.append(rng.choice(bare))
        self.regions = {f"{self.name}_Region_{n + 1}": c for n, c in enumerate(named)}
        self.updates = 0

    def near(self, cell: Cell) -> list[Cell]:
        return [c for c in self.cells if c != cell and touch(c, cell)]

    def average(self) -> int:
        mean = round(sum(level + 1 for level in self.level.values()) / len(self.cells)) - 1
        return max(mean, 1) if any(self.level.values()) else mean

    def shown(self, region: str) -> int:
        cell = self.regions[region]
        return max(self.level[c] for c in [cell, *self.near(cell)])

    def update(self) -> None:
        self.updates += 1
        if self.updates % 2:
            return
        for source in [c for c in self.cells if self.level[c] >= 2]:
            for c in self.near(source):
                self.level[c] = self.level[c] or 1
        for c in self.cells:
            if self.level[c] == 1 and self.clock[c] == 3:
                self.level[c] = 2
            if self.level[c] == 2 and self.clock[c] == 6:
                self.level[c] = 3
            if self.level[c]:
                self.clock[c] += 1

    def reduce(self, cell: Cell) -> None:
        if self.level[cell]:
            self.level[cell] -= 1
            if self.level[cell]:
                self.clock[cell] = 0


class NaivePerson:
    """Section F."""

    def __init__(self, spec: Mapping[str, Any]) -> None:
        self.name, self.at = spec["name"], tuple(spec["at"])
        corners = ((0, 0), (29, 0), (0, 29), (29, 29))
        self.radius = spec["find_factor"] * max(far(self.at, c) for c in corners)
        self.carriers: list[str] = []
        self.dropping: set[str] = set()
        self.spotted = self.delivered = False

    @property
    def grabbed(self) -> bool:
        return len(self.carriers) >= 2

    @property
    def visible(self) -> bool:
        return self.spotted and not self.delivered


class NaiveWorld:
    """One episode from a scene file's content; `step` gives a recording's entry."""

    def __init__(self, scene: Mapping[str, Any], agents: int, seed: int) -> None:
        team = scene["agents"][:agents]
        self.names = [a["name"] for a in team]
        self.at: dict[str, Cell] = {a["name"]: tuple(a["at"]) for a in team}
        self.bag = {name: {"Sand": 0, "Water": 0} for name in self.names}
        self.holds: dict[str, str] = dict.fromkeys(self.names, "")
        self.failures: dict[str, set[str]] = {name: set() for name in self.names}
        self.reservoirs = {
            r["name"]: (tuple(r["at"]), SUPPLY[r["type"]]) for r in scene["reservoirs"]
        }
        self.deposits: dict[str, Cell] = {d["name"]: tuple(d["at"]) for d in scene["deposits"]}
        self.stores = {name: {"Sand": 0, "Water": 0, "persons": 0} for name in self.deposits}
        self.persons = {p["name"]: NaivePerson(p) for p in scene["persons"]}
        self.fires = {f["name"]: NaiveFire(f, seed) for f in scene["fires"]}
        self.acted = [0] * agents
        self.delivered = False
        self.done: set[str] = set()
        self.covered: set[str] = set()
        (deposit,) = self.deposits
        self.subtasks: set[str] = set()
        self.entries = {deposit, *self.fires, *self.persons}
        for fire in self.fires.values():
            supply = SUPPLY[fire.type]
            source = next(n for n, (_, gives) in self.reservoirs.items() if gives == supply)
            self.entries.add(source)
            self.subtasks |= {f"NavigateTo({fire.name})", f"UseSupply({fire.name}, {supply})"}
            self.subtasks |= {f"EndFire({fire.name})", f"GetSupply({source})"}
            self.subtasks.add(f"NavigateTo({source})")
        for name in self.persons:
            self.subtasks |= {f"NavigateTo({name})", f"Carry({name})", f"Spot({name})"}
            self.subtasks |= {f"DropOff({deposit}, {name})", f"NavigateTo({deposit})"}
        self.spot()

    # What is where, who sees what.

    def spot(self) -> None:
        for person in self.persons.values():
            if any(far(c, person.at) <= math.floor(person.radius) for c in self.at.values()):
                person.spotted = True

    def blocked(self, cell: Cell, but: str = "") -> bool:
        agents = [c for name, c in self.at.items() if name != but]
        things = [*agents, *(c for c, _ in self.reservoirs.values()), *self.deposits.values()]
        return (
            not on_grid(cell) or cell in things or any(cell == p.at for p in self.persons.values())
        )

    def fire_of(self, name: str) -> NaiveFire | None:
        return self.fires.get(re.sub(r"_Region_\d+$", "", name))

    def visible(self, agent: str, name: str) -> bool:
        fire = self.fire_of(name)
        if fire is not None:
            return name == fire.name or (name in fire.regions and fire.shown(name) > 0)
        if name in self.persons:
            return self.persons[name].visible
        if name in self.at:
            return name != agent and far(self.at[agent], self.at[name]) <= 4
        return name in self.reservoirs or name in self.deposits

    def target(self, name: str) -> tuple[Cell, float]:
        fire = self.fire_of(name)
        if fire is not None:
            if name == fire.name:
                return fire.anchor, fire.reach
            return fire.regions[name], 1.5 * math.sqrt(2)
        if name in self.persons:
            return self.persons[name].at, self.persons[name].radius
        if name in self.reservoirs:
            return self.reservoirs[name][0], NEAR_RADIUS
        return (self.deposits[name] if name in self.deposits else self.at[name]), NEAR_RADIUS

    # Actions: (success, error kind, Explore's flags).

    def act(self, agent: str, text: str, moves: str) -> tuple[bool, str, str]:
        if text in ("Done", "Idle", "NoOp()"):
            return True, "", ""
        verb, _, inside = text[:-1].partition("(")
        args = inside.split(", ") if inside else []
        alone = ("StoreSupply", "UseSupply", "GetSupply", "ClearInventory")
        if self.holds[agent] and verb in alone:
            return False, "restricted_action", ""
        if verb == "Move" and args[0] not in WAYS:
            return False, "not_visible", ""
        if verb not in ("Move", "Explore", "ClearInventory"):
            named = [a for a in args if a.lower() not in ("sand", "water")]
            if not all(self.visible(agent, name) for name in named):
                return False, "not_visible", ""
        if verb == "Explore":
            flags = "".join(str(int(self.go(agent, LETTERS[m]))) for m in moves)
            return "1" in flags, "", flags
        ok, error = getattr(self, f"do_{verb}")(agent, *args)
        return ok, error, ""

    def go(self, agent: str, way: Cell) -> bool:
        cell = (self.at[agent][0] + way[0], self.at[agent][1] + way[1])
        if way != (0, 0) and self.blocked(cell):
            return False
        self.at[agent] = cell
        self.spot()
        return True

    def do_Move(self, agent: str, word: str) -> tuple[bool, str]:
        return self.go(agent, WAYS[word]), ""

    def do_NavigateTo(self, agent: str, name: str) -> tuple[bool, str]:
        (x, y), radius = self.target(name)
        if self.at[agent] == (x, y):
            return True, ""
        half = math.ceil(radius / 2)
        window = range(-half, half + 1)
        cells = [(far((dx, dy), (0, 0)), dx, dy) for dx in window for dy in window]
        for distance, dx, dy in sorted(cells):
            cell = (x + dx, y + dy)
            if on_grid(cell) and distance <= radius and not self.blocked(cell):
                self.at[agent] = cell
                return True, ""
        return False, ""

    def do_GetSupply(self, agent: str, name: str, supply: str = "") -> tuple[bool, str]:
        if far(self.at[agent], self.target(name)[0]) > 4:
            return False, "not_interactable"
        bag, free = self.bag[agent], 3 - sum(self.bag[agent].values())
        if name in self.reservoirs:
            bag[self.reservoirs[name][1]] += min(free, 1)
            return free > 0, ""
        store, supply = self.stores[name], supply.capitalize()
        amount = min(free, store[supply])
        bag[supply] += amount
        store[supply] -= amount
        return amount > 0, ""

    def do_UseSupply(self, agent: str, name: str, supply: str) -> tuple[bool, str]:
        fire, supply, here = self.fire_of(name), supply.capitalize(), self.at[agent]
        if fire is None:
            return False, ""
        if far(here, fire.anchor) > fire.reach:
            return False, "not_interactable"
        if not self.bag[agent][supply]:
            return False, ""
        self.bag[agent][supply] -= 1
        if SUPPLY[fire.type] != supply:
            return False, ""
        block = [c for c in fire.cells if touch(c, here)]
        for cell in block:
            fire.reduce(cell)
        return bool(block), ""

    def do_StoreSupply(self, agent: str, name: str) -> tuple[bool, str]:
        if name not in self.deposits:
            return False, ""
        if far(self.at[agent], self.deposits[name]) > 4:
            return False, "not_interactable"
        for supply, amount in self.bag[agent].items():
            self.stores[name][supply] += amount
        return self.do_ClearInventory(agent)

    def do_ClearInventory(self, agent: str) -> tuple[bool, str]:
        self.bag[agent] = {"Sand": 0, "Water": 0}
        return True, ""

    def do_Carry(self, agent: str, name: str) -> tuple[bool, str]:
        person = self.persons.get(name)
        if person is None:
            return False, ""
        if far(self.at[agent], person.at) > math.floor(person.radius):
            return False, "not_interactable"
        if person.grabbed or self.holds[agent]:
            return False, ""
        person.carriers.append(agent)
        self.holds[agent] = name
        return self.do_ClearInventory(agent)

    def do_DropOff(self, agent: str, where: str, name: str) -> tuple[bool, str]:
        if where not in self.deposits or name not in self.persons:
            return False, ""
        deposit, person = self.deposits[where], self.persons[name]
        error = "not_interactable" if far(self.at[agent], deposit) > 4 else ""
        if agent not in person.carriers:
            return False, error
        if any(far(self.at[c], deposit) > 4 for c in person.carriers):
            return False, error
        person.dropping.add(agent)
        if not person.grabbed or len(person.dropping) < len(person.carriers):
            return False, error
        for carrier in person.carriers:
            self.holds[carrier] = ""
        person.carriers, person.dropping = [], set()
        person.delivered, person.at = True, deposit
        self.stores[where]["persons"] += 1
        self.delivered = True
        return True, ""

    # One joint step (section I) and what is recorded of it.

    def step(self, acts: Sequence[str], moves: Mapping[int, str]) -> dict[str, Any]:
        self.delivered = False
        before = [self.inventory(name) for name in self.names]
        done, covered = set(self.done), set(self.covered)
        results: list[tuple[bool, str, str]] = []
        for i, (name, text) in enumerate(zip(self.names, acts, strict=True)):
            talk = "SendMessage" in text  # I10
            result = (True, "", "") if talk else self.act(name, text, moves.get(i, ""))
            self.spot()
            results.append(result)
            self.remember(name, text, result[0])
            self.acted[i] += not talk
            if min(self.acted) >= 1:
                self.acted = [0] * len(self.names)
                self.update()
            self.judge(text, result[0])
        promoted = [
            self.delivered and text.startswith("DropOff") and not ok
            for text, (ok, _, _) in zip(acts, results, strict=True)
        ]
        for name, text, up in zip(self.names, acts, promoted, strict=True):
            if up:
                self.remember(name, text, True)
        entry = self.entry()
        for i, (ok, error, flags) in enumerate(results):
            mine = entry["agents"][i]
            mine |= {"act": acts[i], "ok": ok or promoted[i], "err": error}
            mine |= {"raw_ok": ok} if promoted[i] else {}
            mine |= {"inv_before": before[i]} if before[i] != mine["inv"] else {}
            mine["failures"] = sorted(self.failures[self.names[i]])
            mine |= {"moves": moves[i], "moved": flags} if flags else {}
        entry["metrics"] = {
            "new_done": sorted(self.done - done),
            "new_cov": sorted(self.covered - covered),
            "transport": round(len(self.done) / len(self.subtasks), 6),
            "coverage": round(len(self.covered) / len(self.entries), 6),
            "finished": self.done == self.subtasks,
        }
        return entry

    def remember(self, name: str, text: str, ok: bool) -> None:
        (self.failures[name].discard if ok else self.failures[name].add)(text)

    def update(self) -> None:
        for fire in self.fires.values():
            fire.update()
        for person in self.persons.values():
            if person.grabbed:
                person.at = self.at[person.carriers[0]]

    def judge(self, text: str, ok: bool) -> None:
        self.covered |= {name for name in self.entries if name in text}
        plain = re.sub(r"_Region_\d+", "", text)
        if ok and plain in self.subtasks:
            self.done.add(plain)
        self.done |= {f"EndFire({f.name})" for f in self.fires.values() if not f.average()}
        self.done |= {f"Spot({p.name})" for p in self.persons.values() if p.visible}

    def inventory(self, name: str) -> list[int]:
        return [*self.bag[name].values(), 3 if self.holds[name] else 0]

    def around(self, name: str, way: Cell) -> str:
        cell = (self.at[name][0] + way[0], self.at[name][1] + way[1])
        if self.blocked(cell, but=name):
            return "O"
        burning = [f for f in self.fires.values() if cell in f.level]
        return f"{burning[0].name}:{LEVELS[burning[0].level[cell]]}" if burning else "E"

    def entry(self) -> dict[str, Any]:
        fires = self.fires.values()
        people = [p for p in self.persons.values() if p.visible]
        agents = [
            {
                "pos": list(self.at[name]),
                "inv": self.inventory(name),
                "local": "|".join(self.around(name, way) for way in WAYS.values()),
                "sees": [n for n in self.names if self.visible(name, n)] + [p.name for p in people],
            }
            for name in self.names
        ]
        regions = {r: LEVELS[f.shown(r)] for f in fires for r in f.regions if f.shown(r)}
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"
        return {
            "agents": agents,
            "obs": {
                "regions": regions,
                "favg": {f.name: LEVELS[f.average()] for f in fires},
                "always": [*self.reservoirs, *self.deposits],
            },
            "world": {
                "fires": {f.name: "".join(str(f.level[c]) for c in f.cells) for f in fires},
                "clocks": {
                    f.name: "".join(digits[min(f.clock[c], 35)] for c in f.cells) for f in fires
                },
                "persons": {
                    p.name: {
                        "pos": list(p.at),
                        "carriers": list(p.carriers),
                        "dropping": sorted(p.dropping),
                        "grabbed": p.grabbed,
                        "spotted": p.spotted,
                        "deposited": p.delivered,
                    }
                    for p in self.persons.values()
                },
                "deposits": {n: list(store.values()) for n, store in self.stores.items()},
            },
        }
