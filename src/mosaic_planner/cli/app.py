"""The command's entry point and its one place for error messages."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from mosaic_planner._version import version
from mosaic_planner.cli import catalogue, experiments, inspect, memory, replay, run, sar
from mosaic_planner.core.errors import MosaicError

__all__ = ["app", "main"]

app = typer.Typer(
    name="mosaic",
    help="Teams of embodied agents driven by a language model, coordinated exactly.",
    epilog="Start here: mosaic run --world sar --scene 1 --agents 3",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode="rich",
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"mosaic {version()}")
        raise typer.Exit


@app.callback()
def _root(
    show_version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Options of the command as a whole."""


run.register(app)
inspect.register(app)
memory.register(app)
catalogue.register(app)
replay.register(app)
experiments.register(app)
app.add_typer(sar.app, name="sar")


def main() -> None:
    """Run the command. A user's mistake is one line on standard error and exit code 2."""
    try:
        app()
    except MosaicError as error:
        print(f"mosaic: {error}", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:  # e.g. `mosaic show TRACE | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except KeyboardInterrupt:
        print("mosaic: interrupted; what was finished is kept", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    main()
