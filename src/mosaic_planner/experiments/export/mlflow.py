"""A sweep as an MLflow experiment: one run per row and point, with its means and settings."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from mosaic_planner.core.errors import MissingExtraError, UsageError
from mosaic_planner.experiments.outputs import Results, standin_label
from mosaic_planner.experiments.tables import COLUMNS, method_table

__all__ = ["address_without_login", "export_mlflow"]

_RETRIES = "MLFLOW_HTTP_REQUEST_MAX_RETRIES"


def address_without_login(text: str) -> str:
    """`text` with the user and password of every address in it left out, to be shown."""
    return re.sub(r"://[^/\s]*@", "://", text)


@contextmanager
def _few_retries() -> Iterator[None]:
    """MLflow's own seven take minutes to tell a wrong address; a count of the user's holds."""
    if _RETRIES in os.environ:
        yield
        return
    os.environ[_RETRIES] = "2"
    try:
        yield
    finally:
        os.environ.pop(_RETRIES, None)


@_few_retries()
def export_mlflow(results: Results, uri: str) -> int:
    """Write to the tracking server or store at `uri`; returns the number of runs.

    Raises `MissingExtraError`, and `UsageError` if the store cannot be reached.
    """
    try:
        from mlflow.entities import Metric, Param, RunTag
        from mlflow.exceptions import MlflowException
        from mlflow.tracking import MlflowClient
    except ImportError:
        raise MissingExtraError("mlflow", "the export to MLflow") from None
    now = int(time.time() * 1000)
    suite = results.suite
    label = standin_label(suite)
    columns = [name for name in COLUMNS if name not in ("select_share", "solver_share")]
    runs = 0
    try:
        client: Any = MlflowClient(tracking_uri=uri)
        found = client.get_experiment_by_name(f"mosaic/{suite.name}")
        experiment = (
            found.experiment_id if found else client.create_experiment(f"mosaic/{suite.name}")
        )
        for world in results.worlds:
            table = method_table(
                suite.name, suite, results.lines, results.manifest.placements, world, columns
            )
            for line in table.lines:
                if not line.episodes:
                    continue
                name = ", ".join(part for part in (world, line.label, line.group) if part)
                run = client.create_run(experiment, run_name=name)
                row = next(row for row in suite.rows if row.label == line.label)
                settings = {**suite.settings, **row.settings, "point": line.group, "world": world}
                pairs = zip(table.columns, line.entries, strict=True)
                client.log_batch(
                    run.info.run_id,
                    metrics=[
                        Metric(column.name, entry.value, now, 0)
                        for column, entry in pairs
                        if entry.value is not None
                    ],
                    params=[Param(key, str(value)[:500]) for key, value in settings.items()],
                    tags=[
                        RunTag("mosaic.episodes", str(line.episodes)),
                        RunTag("mosaic.digest", results.manifest.digest),
                        RunTag("mosaic.version", results.manifest.versions["mosaic-planner"]),
                        *([RunTag("mosaic.standin", label)] if label else []),
                    ],
                )
                client.set_terminated(run.info.run_id)
                runs += 1
    except MlflowException as error:
        why = address_without_login(f"{uri}: {str(error).splitlines()[0]}")
        raise UsageError(f"MLflow at {why}") from None
    return runs
