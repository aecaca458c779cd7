"""Episodes on a Ray cluster. No shared file system is needed: traces come back as bytes.

A node that dies takes its episodes with it; Ray runs them again elsewhere.
"""

from __future__ import annotations

import contextlib
import tempfile
from pathlib import Path
from typing import Any

from mosaic_planner.core.errors import MissingExtraError, UsageError
from mosaic_planner.experiments.engines.protocol import Done, Report, Take
from mosaic_planner.experiments.files import disk_is_full
from mosaic_planner.experiments.manifest import environment
from mosaic_planner.experiments.store import Store
from mosaic_planner.models.limits import Budget, FileBudget, LimitHit, Limits, Spending
from mosaic_planner.models.rates import SHARE_VARIABLE

__all__ = ["RayEngine"]

_RETRIES = 5


class _RemoteBudget:
    """The sweep's budget, kept by an actor that every node reaches."""

    def __init__(self, actor: Any, limits: Limits) -> None:
        self._actor = actor
        self.limits = limits

    def claim(self, most: Spending) -> LimitHit | None:
        """See `SharedBudget.claim`; the actor answers one after the other."""
        import ray

        hit: LimitHit | None = ray.get(self._actor.claim.remote(most))
        return hit

    def settle(self, most: Spending, real: Spending) -> None:
        """See `SharedBudget.settle`."""
        import ray

        ray.get(self._actor.settle.remote(most, real))


class _Purse(Budget):
    """A budget whose amounts can be asked for from outside."""

    def so_far(self) -> Spending:
        return self.spent


def _run_on_node(
    key: str, config_json: str, versions: dict[str, str], budget: _RemoteBudget | None
) -> tuple[Report, bytes]:
    """Run one episode in a folder of the node's own; the report and the trace's bytes."""
    from mosaic_planner.experiments.engines.episode import run_cell

    here = environment()
    if here != versions:
        differing = ", ".join(n for n, v in versions.items() if here.get(n) != v)
        return Report(key, "crashed", error=f"the node has another version of: {differing}"), b""
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder))
        report = run_cell(key, config_json, Path(folder), budget)
        if report.status == "finished":
            return report, store.trace(key).read_bytes()
        if report.status == "infrastructure":
            attempt = next((Path(folder) / "attempts").glob("*.jsonl.gz"))
            return report, attempt.read_bytes()
        return report, b""


class RayEngine:
    """Runs on the cluster at `address` ("auto", "host:port", or None for one on this machine).

    `jobs`: episodes under way at a time; None is as many as the cluster has processors.
    """

    name = "ray"

    def __init__(self, *, address: str | None = None, jobs: int | None = None) -> None:
        self.address = address
        self.jobs = jobs

    def run(self, take: Take, folder: Path, done: Done, budget: FileBudget | None = None) -> None:
        """See `Engine.run`."""
        try:
            import ray
        except ImportError:
            raise MissingExtraError("ray", "the Ray engine") from None
        ours = not ray.is_initialized()
        if ours:
            try:
                ray.init(
                    address=self.address,
                    log_to_driver=False,
                    include_dashboard=False,
                    configure_logging=False,
                )
            except (ConnectionError, RuntimeError, ValueError) as error:
                line = str(error).splitlines()[0]
                raise UsageError(f"no Ray cluster at {self.address!r}: {line}") from None
        try:
            self._run(ray, take, folder, done, budget)
        finally:
            if ours:
                ray.shutdown()

    def _run(
        self, ray: Any, take: Take, folder: Path, done: Done, budget: FileBudget | None
    ) -> None:
        purse, shared = None, None
        if budget is not None:
            before = budget.spent
            purse = ray.remote(_Purse).options(num_cpus=0).remote(budget.limits, "sweep", before)
            shared = _RemoteBudget(purse, budget.limits)
        try:
            self._tasks(ray, take, folder, done, shared)
        finally:
            if budget is not None and purse is not None:
                budget.begin(ray.get(purse.so_far.remote()))

    def _tasks(
        self, ray: Any, take: Take, folder: Path, done: Done, budget: _RemoteBudget | None
    ) -> None:
        threads = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
        remote = ray.remote(_run_on_node)
        versions = environment()
        running: dict[Any, str] = {}
        while True:
            # Nodes share no file, so each keeps to its part of the rate limits.
            variables = dict.fromkeys(threads, "1") | {SHARE_VARIABLE: repr(1 / _machines(ray))}
            task = remote.options(
                num_cpus=1, max_retries=_RETRIES, runtime_env={"env_vars": variables}
            )
            while len(running) < self._room(ray):
                cell = take()
                if cell is None:
                    break
                reference = task.remote(cell.key, cell.config.model_dump_json(), versions, budget)
                running[reference] = cell.key
            if not running:
                return
            ready, _ = ray.wait(list(running), num_returns=1)
            for reference in ready:
                key = running.pop(reference)
                done(self._collect(ray, reference, key, folder))

    def _room(self, ray: Any) -> int:
        if self.jobs is not None:
            return self.jobs
        return max(1, int(ray.cluster_resources().get("CPU", 1)))

    def _collect(self, ray: Any, reference: Any, key: str, folder: Path) -> Report:
        store = Store(folder)
        try:
            report, data = ray.get(reference)
        except ray.exceptions.RayError as error:
            line = str(error).strip().splitlines()[0]
            return Report(key, "crashed", error=f"its worker was lost {_RETRIES} times: {line}")
        partial = store.partial(key)
        try:
            if data:
                partial.parent.mkdir(parents=True, exist_ok=True)
                partial.write_bytes(data)
            if report.status == "finished":
                store.finish(key, partial)
            elif report.status == "infrastructure":
                store.keep_attempt(key, partial)
            else:
                store.record_failure(key, {"error": report.error, "traceback": ""})
        except OSError as error:
            with contextlib.suppress(OSError):
                partial.unlink()
            if disk_is_full(error):
                return Report(key, "disk_full", error=str(error))
            raise
        result: Report = report
        return result


def _machines(ray: Any) -> int:
    """Nodes of the cluster that can run episodes now, at least 1."""
    alive = (n for n in ray.nodes() if n.get("Alive") and n.get("Resources", {}).get("CPU"))
    return max(1, sum(1 for _ in alive))
