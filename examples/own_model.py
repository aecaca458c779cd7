"""A chat model of your own, in one file.

To use it by name, let your package say so in its `pyproject.toml`:

    [project.entry-points."mosaic_planner.models"]
    echo = "own_model:make_echo"

Then `mosaic run --model echo:loud` works. Run this file to check the model against the contract.
"""

from __future__ import annotations

from mosaic_planner.models.protocol import ChatReply, ChatRequest, Usage
from mosaic_planner.models.tokens import count_tokens
from mosaic_planner.testing.check_model import examine_model


class EchoModel:
    """Answers every request with the first line of its last message."""

    simulated = True  # its latency is made up, not measured

    def __init__(self, manner: str) -> None:
        self.name = f"echo:{manner}" if manner else "echo"
        self.manner = manner

    async def complete(self, request: ChatRequest) -> ChatReply:
        state = request.messages[-1].content if request.messages else ""
        text = next((line for line in state.splitlines() if line.strip()), "nothing to echo")
        if self.manner == "loud":
            text = text.upper()
        usage = Usage(
            input_tokens=sum(count_tokens(m.content) for m in request.messages),
            output_tokens=count_tokens(text),
        )
        return ChatReply(text, usage=usage, latency_s=0.1)


def make_echo(argument: str, *, seed: int) -> EchoModel:
    """What the entry point names: called with what follows the colon, and the episode's seed."""
    return EchoModel(argument)


if __name__ == "__main__":
    problems = examine_model(lambda: make_echo("", seed=0))
    print("\n".join(problems) or "the model keeps the contract")
