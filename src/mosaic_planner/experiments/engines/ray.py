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

__all__ = ["RayEngine"]

_RETRIES = 5


def _run_on_node(key: str, config_json: str, versions: dict[str, str]) -> tuple[Report, bytes]:
    """Run one episode in a folder of the node's own; the report and the trace's bytes."""
    from mosaic_planner.experiments.engines.episode import run_cell

    here = environment()
    if here != versions:
        differing = ", ".join(n for n, v in versions.items() if here.get(n) != v)
        return Report(key, "crashed", error=f"the node has another version of: {differing}"), b""
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder))
        report = run_cell(key, config_json, Path(folder))
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

    def run(self, take: Take, folder: Path, done: Done) -> None:
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
            self._run(ray, take, folder, done)
        finally:
            if ours:
                ray.shutdown()

    def _run(self, ray: Any, take: Take, folder: Path, done: Done) -> None:
        limits = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
        task = ray.remote(_run_on_node).options(
            num_cpus=1, max_retries=_RETRIES, runtime_env={"env_vars": limits}
        )
        versions = environment()
        running: dict[Any, str] = {}
        while True:
            while len(running) < self._room(ray):
                cell = take()
                if cell is None:
                    break
                reference = task.remote(cell.key, cell.config.model_dump_json(), versions)
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
