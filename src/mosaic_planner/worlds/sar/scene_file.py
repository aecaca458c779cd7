"""The border where a scene file becomes a `Scene`: types and ranges by pydantic, then geometry."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import PydanticCustomError

from mosaic_planner.core.errors import SceneError
from mosaic_planner.core.files import field_name
from mosaic_planner.core.geometry import Cell
from mosaic_planner.worlds.sar.fire import disc_cells
from mosaic_planner.worlds.sar.grid import Grid
from mosaic_planner.worlds.sar.scene import SUPPLIES, AgentStart, FireSpec, PersonSpec, Scene, Site

__all__ = ["read_scene_data"]

Name = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_-]*$", max_length=40)]
Side = Annotated[int, Field(ge=5, le=500)]
Type = Literal["A", "B"]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class _Fire(_Model):
    name: Name
    type: Type
    lit: Annotated[int, Field(ge=1, le=8)]
    box: Annotated[int, Field(ge=3, le=40)]
    at: Annotated[tuple[int, int], Field(strict=False)]


class _Reservoir(_Model):
    name: Name
    type: Type
    at: Annotated[tuple[int, int], Field(strict=False)]


class _Deposit(_Model):
    name: Name
    at: Annotated[tuple[int, int], Field(strict=False)]


class _Person(_Model):
    name: Name
    at: Annotated[tuple[int, int], Field(strict=False)]
    find_factor: Annotated[float, Field(gt=0, le=1)]
    load: Annotated[int, Field(ge=1, le=16)] = 2


class _Agent(_Model):
    name: Name
    at: Annotated[tuple[int, int], Field(strict=False)]
    extension: bool = False


def _format(value: int) -> int:
    if value != 1:
        raise PydanticCustomError("format", "Input should be 1")
    return value


class _SceneFile(_Model):
    format: Annotated[int, AfterValidator(_format)]
    name: Annotated[str, Field(min_length=1, max_length=80)]
    grid: Annotated[tuple[Side, Side], Field(strict=False)]
    fires: Annotated[tuple[_Fire, ...], Field(max_length=100, strict=False)]
    reservoirs: Annotated[tuple[_Reservoir, ...], Field(max_length=50, strict=False)]
    deposits: Annotated[tuple[_Deposit, ...], Field(max_length=50, strict=False)]
    persons: Annotated[tuple[_Person, ...], Field(max_length=200, strict=False)]
    agents: Annotated[tuple[_Agent, ...], Field(min_length=1, max_length=10_000, strict=False)]


def read_scene_data(data: Any, source: str) -> Scene:
    """A checked scene; raises `SceneError` with one line naming `source` and the field."""
    try:
        model = _SceneFile.model_validate(data)
    except ValidationError as error:
        raise SceneError(f"{source}: {_first(error)}") from None
    scene = Scene(
        name=model.name,
        grid=model.grid,
        fires=tuple(FireSpec(f.name, f.type, f.lit, f.box, f.at) for f in model.fires),
        reservoirs=tuple(Site(r.name, r.at, r.type) for r in model.reservoirs),
        deposits=tuple(Site(d.name, d.at) for d in model.deposits),
        persons=tuple(PersonSpec(p.name, p.at, p.find_factor, p.load) for p in model.persons),
        agents=tuple(AgentStart(a.name, a.at, a.extension) for a in model.agents),
    )
    problem = next(_problems(scene), "")
    if problem:
        raise SceneError(f"{source}: {problem}")
    return scene


def _first(error: ValidationError) -> str:
    problem = error.errors(include_url=False, include_context=False)[0]
    place, message = field_name(problem["loc"]), str(problem["msg"])
    if problem["type"] == "model_type":
        message = "must be a JSON object"  # the name of our class tells a user nothing
    return f"{place or 'the file'}: {message[:1].lower()}{message[1:]}"


def _problems(scene: Scene) -> Iterator[str]:
    yield from _name_problems(scene)
    width, height = scene.grid
    grid = Grid(width, height)
    taken: dict[Cell, str] = {}
    groups: tuple[tuple[str, Sequence[Site | PersonSpec | AgentStart]], ...] = (
        ("reservoirs", scene.reservoirs),
        ("deposits", scene.deposits),
        ("persons", scene.persons),
        ("agents", scene.agents),
    )
    for group, items in groups:
        for i, item in enumerate(items):
            if not grid.holds(*item.at):
                yield f"{group}[{i}].at: {list(item.at)} is off the {width} x {height} grid"
            if item.at in taken:
                yield f"{group}[{i}].at: {item.name} stands on the cell of {taken[item.at]}"
            taken[item.at] = item.name
    burning: dict[Cell, str] = {}
    for i, fire in enumerate(scene.fires):
        for cell in disc_cells(fire.box, fire.at):
            if not grid.holds(*cell):
                yield f"fires[{i}].at: {fire.name} leaves the {width} x {height} grid"
            if cell in burning:
                yield f"fires[{i}].at: {fire.name} overlaps {burning[cell]}"
            burning[cell] = fire.name
    if not scene.fires and not scene.persons:
        yield "fires: a mission needs at least one fire or person"
    if scene.persons and not scene.deposits:
        yield "deposits: persons need a deposit to be brought to"
    for i, fire in enumerate(scene.fires):
        if not any(r.type == fire.type for r in scene.reservoirs):
            yield f"fires[{i}].type: no reservoir gives {SUPPLIES[fire.type]} for {fire.name}"


def _name_problems(scene: Scene) -> Iterator[str]:
    """Rule B6: names tell the kind; and no name may contain another (coverage, rule K4)."""
    groups: tuple[tuple[str, Sequence[FireSpec | Site | PersonSpec], str], ...] = (
        ("fires", scene.fires, "Fire"),
        ("reservoirs", scene.reservoirs, "Reservoir"),
        ("deposits", scene.deposits, "Deposit"),
        ("persons", scene.persons, "LostPerson"),
    )
    for group, items, word in groups:
        for i, item in enumerate(items):
            fits = item.name.endswith(word) if word == "Fire" else item.name.startswith(word)
            if not fits or item.name == word:
                form = f"...{word}" if word == "Fire" else f"{word}..."
                yield f"{group}[{i}].name: {item.name!r} must have the form {form}"
    for name in scene.names():
        for word in ("_Region_", "SendMessage"):  # these make a region (C6) or a message (I10)
            if word in name:
                yield f"names: {name!r} must not contain {word!r}"
    names = list(scene.names())
    if len(set(names)) < len(names):
        twice = next(n for i, n in enumerate(names) if n in names[:i])
        yield f"names must differ: {twice!r} is used twice"
    things = names[: len(names) - len(scene.agents)]
    joined = "\n".join(things)
    for name in things:
        if joined.count(name) > 1:
            other = next(n for n in things if n != name and name in n)
            yield f"no name may contain another: {name!r} is part of {other!r}"
    for agent in scene.agents:
        for name in things:
            if name in agent.name:
                yield f"no name may contain another: {name!r} is part of {agent.name!r}"
