"""Search and rescue as a program: what the careful dispatcher does, written down in advance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from mosaic_planner.models.standin.action_text import program_call
from mosaic_planner.models.standin.jobs import Job
from mosaic_planner.models.standin.mistakes import Slips
from mosaic_planner.models.standin.sar import decide
from mosaic_planner.models.standin.sar_view import Robot, View

__all__ = ["allocation", "program"]

_CAPACITY = 3
_LINE = "        "


def allocation(view: View) -> list[str]:
    """Who does what, one text per robot."""
    said = {
        "fire": "put out {}",
        "fetch": "go to {} and carry it to the deposit with the others",
        "carry": "bring {} to the deposit with the others",
        "explore": "look for people",
        "assist": "keep out of the way",
        "done": "nothing",
    }
    return [f"{name}: {said[job.kind].format(job.target)}" for name, job in decide(view).items()]


class _Writer:
    """Collects one robot's lines; every action passes the answer's mistakes."""

    def __init__(self, view: View, robot: Robot, jobs: Mapping[str, Job], slips: Slips) -> None:
        self.view = view
        self.robot = replace(robot, load=dict(robot.load), previous=None)
        self.jobs = jobs
        self.slips = slips
        self.lines: list[str] = []

    def act(self, action: str, indent: str = "") -> None:
        """One action; `indent` for lines inside of an if or a loop."""
        done = self.slips.line(
            self.view, self.robot, self.jobs[self.robot.name], self.jobs, action, len(self.lines)
        )
        self.lines.append(f"{indent}{program_call(done)}")
        verb, _, inside = done.partition("(")
        if verb == "NavigateTo":
            self.robot.place = inside.rstrip(")")

    def block(self) -> str:
        """The robot's statement of a parallel block."""
        head = f'    with robot("{self.robot.name}"):'
        return "\n".join([head, *(f"{_LINE}{line}" for line in self.lines or ["pass"])])


def _fire_lines(writer: _Writer, view: View, fire_name: str, regions: list[str]) -> None:
    fire = view.fires[fire_name]
    robot = writer.robot
    source = next((v for v, s in view.reservoirs.items() if s == fire.supply), "")
    have = robot.load.get(fire.supply, 0)
    if have < _CAPACITY and source:
        if robot.units - have > 0:
            writer.lines.append("ClearInventory()")
            have = 0
        if not robot.at(source):
            writer.act(f"NavigateTo({source})")
        for _ in range(_CAPACITY - have):
            writer.act(f"GetSupply({source})")
    for region in regions:
        writer.lines.append(f'if sees("{region}") and holds("{robot.name}", "{fire.supply}") > 0:')
        writer.act(f"NavigateTo({region})", "    ")
        writer.lines.append(
            f'while sees("{region}") and holds("{robot.name}", "{fire.supply}") > 0:'
        )
        writer.act(f"UseSupply({region}, {fire.supply})", "    ")


def program(view: View, slips: Slips) -> str:
    """The text of a program for what is open now; it ends where a new look is needed."""
    jobs = decide(view)
    writers = {n: _Writer(view, view.robots[n], jobs, slips) for n in jobs}
    if view.finished:
        for writer in writers.values():
            writer.lines.append("Done()")
        return _parallel(writers)
    deposit = next(iter(view.deposits), "")
    blocks: list[str] = []
    shared = {f: [n for n, j in jobs.items() if j.kind == "fire" and j.target == f] for f in
              view.fires}  # fmt: skip
    for name, job in jobs.items():
        writer = writers[name]
        if job.kind == "fire":
            crew = shared[job.target]
            regions = list(view.fires[job.target].regions)
            _fire_lines(writer, view, job.target, regions[crew.index(name) :: len(crew)])
        elif job.kind == "explore":
            missing = view.missing[0]
            writer.lines.append(f'if not sees("{missing}"):')
            writer.act("Explore()", "    ")
        elif job.kind == "fetch":
            writer.act(f"NavigateTo({job.target})")
    blocks.append(_parallel(writers))
    carriers = [n for n, j in jobs.items() if j.kind in ("fetch", "carry")]
    if carriers and deposit:
        for verb in ("Carry({person})", "NavigateTo({deposit})", "DropOff({deposit}, {person})"):
            group = {n: _Writer(view, view.robots[n], jobs, slips) for n in carriers}
            for name, writer in group.items():
                job = jobs[name]
                if verb.startswith("Carry") and job.kind == "carry":
                    continue
                writer.act(verb.format(person=job.target, deposit=deposit))
            blocks.append(_parallel(group))
    return "\n".join(blocks) + "\n"


def _parallel(writers: Mapping[str, _Writer]) -> str:
    return "\n".join(["with parallel():", *(w.block() for w in writers.values())])
