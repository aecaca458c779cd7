"""Hosted models and compatible servers: one file per wire protocol, what they share beside them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mosaic_planner.models.providers.base import WireModel
from mosaic_planner.models.providers.settings import WireSettings, wire_settings

__all__ = ["WireModel", "WireSettings", "hosted_model"]


def hosted_model(provider: str, model: str, options: Mapping[str, Any]) -> WireModel:
    """The adapter of a provider: "openai", "anthropic", "google" or "server" (OpenAI-compatible).

    Raises `MissingExtraError` without the provider's SDK and `ConfigError` without a key or with
    an option that `WireSettings` does not have.
    """
    settings = wire_settings(options)
    if provider == "anthropic":
        from mosaic_planner.models.providers.anthropic import AnthropicModel

        return AnthropicModel(model, settings)
    if provider == "google":
        from mosaic_planner.models.providers.google import GoogleModel

        return GoogleModel(model, settings)
    from mosaic_planner.models.providers.openai import OpenAIModel

    return OpenAIModel(model, settings, compatible=provider == "server")
