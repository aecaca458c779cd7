"""A CLIP checkpoint on NumPy: two transformers and a dot product (Radford et al. 2021).

Reads a folder as model hubs lay it out: `config.json`, `model.safetensors`, `vocab.json`,
`merges.txt`. ViT-B/32 takes about half a second per picture on one core.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mosaic_planner.core.errors import ConfigError, MissingExtraError
from mosaic_planner.worlds.household.clip.words import Tokenizer

__all__ = ["ClipModel"]

Array = NDArray[np.float32]

_MEAN = np.array([0.48145466, 0.4578275, 0.40821073], dtype=np.float32)
_SPREAD = np.array([0.26862954, 0.26130258, 0.27577711], dtype=np.float32)
_EPSILON = 1e-5
_HEAD = 64  # the usual width of an attention head, where the configuration does not say


class ClipModel:
    """Embeds pictures and texts in one space.

    Raises `MissingExtraError` without safetensors and `ConfigError` for a folder that is no CLIP
    checkpoint, with one clear line.
    """

    def __init__(self, folder: str | Path) -> None:
        folder = Path(folder)
        try:
            from safetensors import SafetensorError
            from safetensors.numpy import load_file
        except ImportError:
            raise MissingExtraError("clip", "CLIP-guided exploration") from None
        try:
            config: dict[str, Any] = json.loads((folder / "config.json").read_text("utf-8"))
            weights = load_file(folder / "model.safetensors")
        except (OSError, ValueError, SafetensorError) as error:
            raise ConfigError(f"{folder} holds no CLIP checkpoint: {error}") from None
        self._w: Mapping[str, Array] = {k: v.astype(np.float32) for k, v in weights.items()}
        self._tokenizer = Tokenizer(folder)
        try:
            self._text = self._tower("text_model", config.get("text_config") or {})
            self._vision = self._tower("vision_model", config.get("vision_config") or {})
            self._patches = self._w["vision_model.embeddings.patch_embedding.weight"]
            self._places = self._w["vision_model.embeddings.position_embedding.weight"]
            self._length = len(self._w["text_model.embeddings.position_embedding.weight"])
            self._to_text = self._w["text_projection.weight"]
            self._to_picture = self._w["visual_projection.weight"]
        except KeyError as error:
            raise ConfigError(f"{folder} lacks the weight {error.args[0]}") from None
        side = math.isqrt(len(self._places) - 1)
        if side * side != len(self._places) - 1 or self._patches.ndim != 4:
            raise ConfigError(f"{folder} is no vision transformer with square patches")
        self.image_size = side * self._patches.shape[-1]

    def _tower(self, name: str, config: Mapping[str, Any]) -> _Tower:
        count = 0
        while f"{name}.encoder.layers.{count}.layer_norm1.weight" in self._w:
            count += 1
        width = len(self._w[f"{name}.encoder.layers.0.layer_norm1.weight"])
        heads = int(config.get("num_attention_heads") or max(1, width // _HEAD))
        activation = _gelu if config.get("hidden_act") == "gelu" else _quick_gelu
        return _Tower(self._w, f"{name}.encoder.layers", count, heads, activation)

    def texts(self, texts: Sequence[str]) -> Array:
        """Unit vectors of texts, shape (n, d)."""
        rows = []
        for text in texts:
            ids = self._tokenizer(text, self._length)
            x = self._w["text_model.embeddings.token_embedding.weight"][ids]
            x = x + self._w["text_model.embeddings.position_embedding.weight"][: len(ids)]
            x = self._text(x, causal=True)
            x = _norm(x, self._w, "text_model.final_layer_norm")
            rows.append(x[len(ids) - 1] @ self._to_text.T)
        return _unit(np.stack(rows))

    def pictures(self, pictures: Sequence[NDArray[np.uint8]]) -> Array:
        """Unit vectors of (H, W, 3) uint8 RGB pictures, shape (n, d)."""
        rows = []
        size, patch = self.image_size, self._patches.shape[-1]
        kernel = self._patches.reshape(len(self._patches), -1)
        for picture in pictures:
            x = (_square(picture, size) / 255.0 - _MEAN) / _SPREAD
            count = size // patch
            tiles = x.reshape(count, patch, count, patch, 3).transpose(0, 2, 4, 1, 3)
            embedded = tiles.reshape(count * count, -1) @ kernel.T
            first = self._w["vision_model.embeddings.class_embedding"][None]
            x = np.concatenate([first, embedded]) + self._places
            x = _norm(x, self._w, "vision_model.pre_layrnorm")
            x = self._vision(x.astype(np.float32), causal=False)
            x = _norm(x[0], self._w, "vision_model.post_layernorm")
            rows.append(x @ self._to_picture.T)
        return _unit(np.stack(rows))


class _Tower:
    """A stack of transformer layers."""

    def __init__(
        self,
        weights: Mapping[str, Array],
        prefix: str,
        count: int,
        heads: int,
        activation: Callable[[Array], Array],
    ) -> None:
        self._w = weights
        self._prefix = prefix
        self._count = count
        self._heads = heads
        self._activation = activation

    def __call__(self, x: Array, *, causal: bool) -> Array:
        """Run (n, width) through all layers; `causal`: no token sees later ones."""
        mask = np.triu(np.full((len(x), len(x)), -np.inf, np.float32), 1) if causal else None
        for k in range(self._count):
            at = f"{self._prefix}.{k}"
            x = x + self._attend(_norm(x, self._w, f"{at}.layer_norm1"), f"{at}.self_attn", mask)
            inner = self._linear(_norm(x, self._w, f"{at}.layer_norm2"), f"{at}.mlp.fc1")
            x = x + self._linear(self._activation(inner), f"{at}.mlp.fc2")
        return x

    def _linear(self, x: Array, name: str) -> Array:
        y: Array = x @ self._w[f"{name}.weight"].T + self._w[f"{name}.bias"]
        return y

    def _attend(self, x: Array, name: str, mask: Array | None) -> Array:
        count, width = x.shape
        split = (count, self._heads, width // self._heads)
        q, k, v = (
            self._linear(x, f"{name}.{part}_proj").reshape(split).transpose(1, 0, 2)
            for part in ("q", "k", "v")
        )
        scores = q @ k.transpose(0, 2, 1) / math.sqrt(split[2])
        if mask is not None:
            scores = scores + mask
        scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
        mixed = (scores / scores.sum(axis=-1, keepdims=True)) @ v
        return self._linear(mixed.transpose(1, 0, 2).reshape(count, width), f"{name}.out_proj")


def _norm(x: Array, weights: Mapping[str, Array], name: str) -> Array:
    mean = x.mean(axis=-1, keepdims=True)
    spread = np.sqrt(x.var(axis=-1, keepdims=True) + _EPSILON)
    y: Array = (x - mean) / spread * weights[f"{name}.weight"] + weights[f"{name}.bias"]
    return y


def _quick_gelu(x: Array) -> Array:
    y: Array = x / (1.0 + np.exp(-1.702 * x))
    return y


def _gelu(x: Array) -> Array:
    erf = np.vectorize(math.erf, otypes=[np.float32])
    y: Array = 0.5 * x * (1.0 + erf(x / math.sqrt(2.0)))
    return y


def _unit(x: Array) -> Array:
    y: Array = x / np.maximum(np.linalg.norm(x, axis=-1, keepdims=True), 1e-12)
    return y


def _square(picture: NDArray[np.uint8], size: int) -> Array:
    """The middle square of a picture, (size, size, 3) float32, resampled linearly."""
    height, width = picture.shape[:2]
    short = min(height, width)
    top, left = (height - short) // 2, (width - short) // 2
    crop = picture[top : top + short, left : left + short].astype(np.float32)
    place = np.clip((np.arange(size) + 0.5) * short / size - 0.5, 0, short - 1)
    low = np.floor(place).astype(int)
    high = np.minimum(low + 1, short - 1)
    part = (place - low).astype(np.float32)
    rows = crop[low] * (1 - part)[:, None, None] + crop[high] * part[:, None, None]
    y: Array = rows[:, low] * (1 - part)[None, :, None] + rows[:, high] * part[None, :, None]
    return y
