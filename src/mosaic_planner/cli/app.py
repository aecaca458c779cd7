"""The command's entry point and its one place for error messages."""

from __future__ import annotations

import io
import os
import sys
from typing import Annotated

import typer

from mosaic_planner._version import version
from mosaic_planner.cli import (
    catalogue,
    effects,
    experiments,
    household,
    inspect,
    matrix,
    memory,
    replay,
    run,
    sar,
    standin,
)
from mosaic_planner.core.errors import MosaicError

__all__ = ["app", "main"]

_INTERRUPTED = 130
_CommandLineError: type[typer.BadParameter] = next(
    kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "UsageError"
)
"""What Typer raises for an unknown option and the like; it has no public name there."""

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
effects.register(app)
matrix.register(app)
app.add_typer(sar.app, name="sar")
app.add_typer(household.app, name="household")
app.add_typer(standin.app, name="standin")


def main() -> None:
    """Run the command. A user's mistake is one line on standard error and exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # not every terminal has arrows and frames
            stream.reconfigure(errors="replace")
    try:
        code = app(standalone_mode=False)
    except MosaicError as error:
        _say(str(error))
        sys.exit(2)
    except _CommandLineError as error:
        if type(error).__name__ == "NoArgsIsHelpError":  # the help was asked for, in a way
            error.show()
        else:
            _say(f"{error.format_message()}{_where_help_is(error)}")
        sys.exit(2)
    except BrokenPipeError:  # e.g. `mosaic show TRACE | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        if error.filename is None and error.errno is None:
            raise
        _say(f"{error.strerror}" + (f": {error.filename}" if error.filename else ""))
        sys.exit(1)
    if code == _INTERRUPTED:  # Typer makes an exit code of Ctrl-C
        _say("interrupted; what was finished is kept")
    sys.exit(code or 0)


def _say(message: str) -> None:
    """One line, whatever names from files and arguments are in it."""
    line = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in message.strip())
    print(f"mosaic: {line}", file=sys.stderr)


def _where_help_is(error: typer.BadParameter) -> str:
    return f" (see {error.ctx.command_path} --help)" if error.ctx is not None else ""


if __name__ == "__main__":
    main()
