"""The console command that the `ai2thor` client starts in the place of the Unity player.

    Controller(local_executable_path="mosaic-thor-player --scenes DIR", ...)

Which transport to use, and where, comes in the environment; arguments of the Unity player that
mean nothing here are ignored.
"""

from __future__ import annotations

import argparse
import os
import sys
import threading
import time
from collections.abc import Mapping, Sequence

from mosaic_planner.core.errors import ConfigError, MosaicError
from mosaic_planner.worlds.household.player.fifo import serve_fifo
from mosaic_planner.worlds.household.player.service import Service
from mosaic_planner.worlds.household.player.wsgi import serve_wsgi
from mosaic_planner.worlds.household.scenes.generated import GeneratedScenes
from mosaic_planner.worlds.household.scenes.recorded import SceneFolder
from mosaic_planner.worlds.household.thor.simulator import SceneSource

__all__ = ["main"]

_PARENT_CHECK_S = 0.5


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="mosaic-thor-player", description=__doc__)
    parser.add_argument("--scenes", help="folder of recorded scenes; generated rooms without it")
    parser.add_argument(
        "--require", default="", help="what generated rooms must hold, e.g. Vase=2,Box=1"
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of everything random")
    parser.add_argument(
        "--patience", type=float, default=100.0, help="seconds to wait for the client to connect"
    )
    parser.add_argument("-screen-width", type=int, default=300, dest="width")
    parser.add_argument("-screen-height", type=int, default=300, dest="height")
    return parser.parse_known_args(arguments)[0]


def _leave_when_alone(connected: threading.Event, patience_s: float) -> None:
    """Leave when the program that started us is gone, even while a pipe waits to be opened.

    If it went before we could look, nobody will ever connect: then the patience runs out.
    """
    parent = os.getppid()
    until = time.monotonic() + patience_s

    def watch() -> None:
        while os.getppid() == parent and (connected.is_set() or time.monotonic() < until):
            time.sleep(_PARENT_CHECK_S)
        os._exit(0)

    threading.Thread(target=watch, daemon=True).start()


def _generated(required: str) -> GeneratedScenes:
    wanted = {}
    for part in filter(None, required.split(",")):
        kind, _, count = part.partition("=")
        if not count.isascii() or not count.isdigit():
            raise ConfigError(f"--require wants Type=count pairs, not {part!r}")
        wanted[kind] = int(count)
    return GeneratedScenes(wanted)


def run(arguments: Sequence[str], environment: Mapping[str, str]) -> int:
    """Serve one client; the exit status."""
    options = _options(arguments)
    kind = environment.get("AI2THOR_SERVER_TYPE", "")
    if kind not in ("FIFO", "WSGI"):
        print(
            "mosaic-thor-player is started by the ai2thor client (AI2THOR_SERVER_TYPE is not set)",
            file=sys.stderr,
        )
        return 2
    connected = threading.Event()
    _leave_when_alone(connected, options.patience)
    try:
        scenes: SceneSource
        scenes = SceneFolder(options.scenes) if options.scenes else _generated(options.require)
        service = Service(scenes, seed=options.seed, width=options.width, height=options.height)
        if kind == "FIFO":
            serve_fifo(
                service,
                environment["AI2THOR_FIFO_SERVER_PIPE_PATH"],
                environment["AI2THOR_FIFO_CLIENT_PIPE_PATH"],
                connected.set,
            )
        else:
            serve_wsgi(
                service,
                environment["AI2THOR_HOST"],
                int(environment["AI2THOR_PORT"]),
                environment.get("AI2THOR_CLIENT_TOKEN", ""),
                connected.set,
            )
    except MosaicError as error:
        print(f"mosaic-thor-player: {error}", file=sys.stderr)
        return 2
    except KeyError as error:
        print(f"mosaic-thor-player: {error.args[0]} is not set", file=sys.stderr)
        return 2
    except BrokenPipeError:
        return 0  # the client went away
    return 0


def main() -> None:
    """Console entry point."""
    sys.exit(run(sys.argv[1:], os.environ))
