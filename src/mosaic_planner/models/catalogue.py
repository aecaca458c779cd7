"""What models can be named: the rows of `mosaic models`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mosaic_planner.models.prices import price_rows
from mosaic_planner.models.registry import FORMS, own_models

__all__ = ["ModelRow", "model_rows"]

_NOTES = {
    "anthropic": ("anthropic", "ANTHROPIC_API_KEY", "Anthropic"),
    "cassette": ("", "", "replays what --record wrote; no network"),
    "google": ("google", "GEMINI_API_KEY or GOOGLE_API_KEY", "Google Gemini"),
    "http": ("openai", "MOSAIC_API_KEY if the server wants one", "any OpenAI-compatible server"),
    "local": ("local", "", "a GGUF file, served in this process"),
    "openai": ("openai", "OPENAI_API_KEY", "OpenAI"),
    "standin": ("", "", "rule-based stand-in, no network: not a language model"),
}


@dataclass(frozen=True, slots=True)
class ModelRow:
    """A way to name a model. `extra` and `key` are "" if none is needed.

    `price`: USD per million input / cached / output tokens, or "".
    """

    name: str
    extra: str = ""
    key: str = ""
    note: str = ""
    price: str = ""

    def as_dict(self) -> dict[str, Any]:
        """For JSON output."""
        return {
            "name": self.name,
            "extra": self.extra,
            "key": self.key,
            "note": self.note,
            "price": self.price,
        }


def model_rows() -> tuple[ModelRow, ...]:
    """Every kind of name, the stand-in's strengths, priced models, and installed own models."""
    from mosaic_planner.models.standin import STRENGTHS

    rows = []
    for kind, form in FORMS.items():
        if kind in _NOTES and kind != "standin":
            extra, key, note = _NOTES[kind]
            rows.append(ModelRow(form, extra, key, note))
    rows += [ModelRow(f"standin:{s}", note=_NOTES["standin"][2]) for s in STRENGTHS]
    rows += [
        ModelRow(f"{name}:...", note=f"own model from {entry.value}")
        for name, entry in own_models().items()
    ]
    for name, price in price_rows():
        extra, key, _ = _NOTES[name.partition(":")[0]]
        shown = f"{price.input:g} / {price.cached:g} / {price.output:g}"
        rows.append(ModelRow(name, extra, key, "has a price", shown))
    return tuple(rows)
