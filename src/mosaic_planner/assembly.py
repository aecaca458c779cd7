"""From settings to the parts of an episode: the only place where the rooms are joined."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from mosaic_planner._version import version
from mosaic_planner.config import RunConfig
from mosaic_planner.coordination import (
    CostProfile,
    FirstChoice,
    MosaicCoordinator,
    cost_profile,
)
from mosaic_planner.coordination.assignment import Coordinator
from mosaic_planner.core.clock import LATENCY_PROFILES, Clock, LatencyProfile
from mosaic_planner.core.errors import ConfigError, UnknownNameError
from mosaic_planner.core.trace import TRACE_FORMAT, TraceWriter
from mosaic_planner.memory import Memory, make_memory
from mosaic_planner.models.limits import Limits, SharedBudget
from mosaic_planner.models.protocol import ChatModel
from mosaic_planner.models.secrets import hide_in_value
from mosaic_planner.models.session import ModelSession
from mosaic_planner.models.tokens import COUNTER
from mosaic_planner.planners.check import check_prompts
from mosaic_planner.planners.protocol import Planner, PlannerSetup
from mosaic_planner.planners.registry import Method, make_planner, parse_method
from mosaic_planner.record import briefing_fields
from mosaic_planner.worlds.registry import PlannableWorld, make_world

__all__ = ["DEFAULT_STEPS", "Parts", "Step", "build", "header_fields"]

DEFAULT_STEPS = 100
"""Planning steps of an episode if neither settings nor world say otherwise (paper, 4.1)."""


@dataclass(slots=True)
class Step:
    """The number of the planning step under way, 0 before the first."""

    value: int = 0


@dataclass(frozen=True, slots=True)
class Parts:
    """Everything an episode runs on; one set per episode.

    `budget`: planning steps. `stop_at_success`: end when the world's state says so (SAR rule N8).
    """

    world: PlannableWorld
    method: Method
    memory: Memory
    planner: Planner
    coordinator: Coordinator
    session: ModelSession
    clock: Clock
    latency: LatencyProfile
    step: Step
    budget: int
    stop_at_success: bool

    def solve_s(self, candidates: int) -> float:
        """Simulated solving time; nothing without a coordinator that solves."""
        return self.latency.solve_s(candidates) if self.method.coordinated else 0.0


def _apart(options: Mapping[str, Any], table: str, taken: tuple[str, ...]) -> Mapping[str, Any]:
    """The options, none of which may be a setting already."""
    for name in options:
        if name in taken:
            raise ConfigError(f"{table}.{name} is the setting {name!r} of the run; set that")
    return options


def _world(config: RunConfig) -> PlannableWorld:
    world = make_world(
        config.world,
        scene=config.scene,
        agents=config.agents,
        faithful=config.faithful,
        **_apart(config.world_options, "world_options", ("scene", "agents", "faithful")),
    )
    if config.noise == "none":
        return world
    from mosaic_planner.worlds.noise import NoisyWorld

    return NoisyWorld(world, config.noise, seed=config.seed)


def _costs(config: RunConfig) -> CostProfile:
    profile = cost_profile(config.costs)
    if not config.weights:
        return profile
    return replace(profile.weigh(**config.weights), name=f"{profile.name} reweighted")


def _coordinator(config: RunConfig, method: Method, world: PlannableWorld) -> Coordinator:
    if not method.coordinated:
        return FirstChoice(world.vocabulary, world.rules)
    return MosaicCoordinator(
        world.rules,
        world.vocabulary,
        costs=_costs(config),
        constraints=method.constraints,
        minimise=method.costs,
        safe_candidates=config.safe_candidates,
        solver=config.solver,
    )


def build(
    config: RunConfig,
    writer: TraceWriter,
    *,
    model: ChatModel | None = None,
    world: PlannableWorld | None = None,
    sweep: SharedBudget | None = None,
) -> Parts:
    """The parts that `config` describes; `model` and `world` replace those it names.

    `sweep` is a spending budget shared with other episodes. Raises `UsageError` for anything that
    cannot be built, before the first model call.
    """
    method = parse_method(config.planner)
    if world is None:
        world = _world(config)
    world_settings = world.settings()
    clock, step = Clock(), Step()
    session = ModelSession(
        model if model is not None else _model(config),
        writer=writer,
        clock=clock,
        step=lambda: step.value,
        seed=config.seed,
        temperature=config.temperature,
        max_output_tokens=config.max_output_tokens,
        limits=Limits(
            calls=config.limits.calls,
            tokens=config.limits.tokens,
            money_usd=config.limits.cost_usd,
            time_s=config.limits.time_s,
        ),
        sweep=sweep,
    )
    memory = make_memory(
        config.memory if method.asm else "current",
        agents=world.agents,
        geometry=world.geometry,
        briefing=world.briefing,
        vocabulary=world.vocabulary,
        noise=config.noise,
    )
    options = dict(config.planner_options)
    if config.candidates == "global":
        options |= {"candidates": "global", "pool": config.pool}
    if method.planner == "coela" and world_settings.get("messages_stop_world"):
        # The faithful switch of SAR rule N6: talking is an action of the world's own (I10).
        options.setdefault("send_as", "SendMessage")
    setup = PlannerSetup(
        agents=world.agents,
        vocabulary=world.vocabulary,
        briefing=world.briefing,
        ask=session,
        k=config.k if method.coordinated else 1,
        asm=method.asm,
        options=options,
    )
    try:
        planner = make_planner(method.planner, setup)
    except UnknownNameError as error:
        if error.name in ("candidates", "pool") and config.candidates == "global":
            raise ConfigError(
                f"planner {method.planner!r} ranks no shared pool for the whole team; "
                "leave out --candidates global"
            ) from None
        raise
    for problem in check_prompts(planner, world.vocabulary):
        raise ConfigError(f"planner {method.planner!r} in world {config.world!r}: {problem}")
    return Parts(
        world=world,
        method=method,
        memory=memory,
        planner=planner,
        coordinator=_coordinator(config, method, world),
        session=session,
        clock=clock,
        latency=LATENCY_PROFILES[config.latency],
        step=step,
        budget=config.steps or int(world_settings.get("step_budget", DEFAULT_STEPS)),
        stop_at_success=bool(world_settings.get("stop_at_success", True)),
    )


def _model(config: RunConfig) -> ChatModel:
    from mosaic_planner.models.registry import make_model

    return make_model(
        config.model,
        seed=config.seed,
        latency=config.latency,
        record=config.record,
        **_apart(config.model_options, "model_options", ("seed", "latency", "record")),
    )


def header_fields(config: RunConfig, parts: Parts) -> dict[str, Any]:
    """The trace's first event: everything needed to repeat the episode but keys."""
    world = parts.world
    settings = config.model_dump(mode="json")
    for name in ("model", "model_options"):  # addresses may hold a password
        settings[name] = hide_in_value(settings[name])
    return {
        "format": TRACE_FORMAT,
        "version": version(),
        "world": {
            "id": world.world_id,
            "settings": dict(world.settings()),
            "static": dict(world.static()),
            "unit": world.geometry.unit,
            "headings": world.geometry.headings,
            "directions": list(world.geometry.directions),
        },
        "planner": parts.method.name,
        "model": parts.session.name,
        "simulated": parts.session.simulated,
        "seed": config.seed,
        "agents": list(world.agents),
        "budget": parts.budget,
        "briefing": briefing_fields(world.briefing),
        "token_counter": COUNTER.name,
        "latency": config.latency,
        "settings": settings,
    }
