"""CLIP-guided exploration with a tiny model of random weights; loading code is the real one."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from mosaic_planner.core.action import Action
from mosaic_planner.core.errors import ConfigError
from mosaic_planner.worlds.household import find_task, make
from mosaic_planner.worlds.household.backends import Embedded
from mosaic_planner.worlds.household.clip.model import ClipModel, _quick_gelu, _Tower
from mosaic_planner.worlds.household.clip.words import Tokenizer
from mosaic_planner.worlds.household.exploring import Seen, explore
from mosaic_planner.worlds.household.world import HouseholdWorld

from .built import scene

save_file = pytest.importorskip("safetensors.numpy").save_file

save_file = pytest.importorskip("safetensors.numpy").save_file

WORDS = ("a", "photo", "of", "room", "mug")
TEXT, VISION, SHARED, PATCH, SIDE, LENGTH = 8, 12, 6, 4, 2, 10


def vocabulary(folder: Path) -> int:
    """A vocabulary in which every word of WORDS is merged to one token."""
    tokens = [chr(c) for c in range(97, 123)] + [chr(c) + "</w>" for c in range(97, 123)]
    merges = []
    for word in WORDS:
        parts = [*word[:-1], word[-1] + "</w>"]
        while len(parts) > 1:
            merges.append(f"{parts[0]} {parts[1]}")
            parts[:2] = [parts[0] + parts[1]]
            tokens.append(parts[0])
    tokens = list(dict.fromkeys([*tokens, "<|startoftext|>", "<|endoftext|>"]))
    (folder / "vocab.json").write_text(json.dumps({t: k for k, t in enumerate(tokens)}))
    (folder / "merges.txt").write_text("#version: 0.2\n" + "\n".join(dict.fromkeys(merges)))
    return len(tokens)


def layers(rng, weights: dict, prefix: str, width: int, count: int = 2) -> None:
    for k in range(count):
        at = f"{prefix}.encoder.layers.{k}"
        for part in ("q", "k", "v", "out"):
            weights[f"{at}.self_attn.{part}_proj.weight"] = rng.normal(size=(width, width)) / 3
            weights[f"{at}.self_attn.{part}_proj.bias"] = rng.normal(size=width) / 9
        weights[f"{at}.mlp.fc1.weight"] = rng.normal(size=(2 * width, width)) / 3
        weights[f"{at}.mlp.fc1.bias"] = rng.normal(size=2 * width) / 9
        weights[f"{at}.mlp.fc2.weight"] = rng.normal(size=(width, 2 * width)) / 3
        weights[f"{at}.mlp.fc2.bias"] = rng.normal(size=width) / 9
        for norm in ("layer_norm1", "layer_norm2"):
            weights[f"{at}.{norm}.weight"] = np.ones(width)
            weights[f"{at}.{norm}.bias"] = np.zeros(width)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rng = np.random.default_rng(7)
    count = vocabulary(tmp_path)
    weights: dict[str, np.ndarray] = {
        "text_model.embeddings.token_embedding.weight": rng.normal(size=(count, TEXT)),
        "text_model.embeddings.position_embedding.weight": rng.normal(size=(LENGTH, TEXT)) / 9,
        "text_projection.weight": rng.normal(size=(SHARED, TEXT)),
        "vision_model.embeddings.class_embedding": rng.normal(size=VISION),
        "vision_model.embeddings.patch_embedding.weight": rng.normal(
            size=(VISION, 3, PATCH, PATCH)
        ),
        "vision_model.embeddings.position_embedding.weight": rng.normal(
            size=(SIDE * SIDE + 1, VISION)
        ),
        "visual_projection.weight": rng.normal(size=(SHARED, VISION)),
    }
    for name, width in (("text_model", TEXT), ("vision_model", VISION)):
        layers(rng, weights, name, width)
    for name, width in (
        ("text_model.final_layer_norm", TEXT),
        ("vision_model.pre_layrnorm", VISION),
        ("vision_model.post_layernorm", VISION),
    ):
        weights[f"{name}.weight"], weights[f"{name}.bias"] = np.ones(width), np.zeros(width)
    save_file(
        {k: np.ascontiguousarray(v, dtype=np.float32) for k, v in weights.items()},
        tmp_path / "model.safetensors",
    )
    config = {
        "text_config": {"num_attention_heads": 2},
        "vision_config": {"num_attention_heads": 3},
    }
    (tmp_path / "config.json").write_text(json.dumps(config))
    return tmp_path


def test_words_become_merged_tokens(folder: Path):
    tokenize = Tokenizer(folder)
    ids = json.loads((folder / "vocab.json").read_text())
    start, end = ids["<|startoftext|>"], ids["<|endoftext|>"]
    assert tokenize("A photo of a mug", 20) == [
        start, ids["a</w>"], ids["photo</w>"], ids["of</w>"], ids["a</w>"], ids["mug</w>"], end,
    ]  # fmt: skip
    # unknown words fall apart
    assert tokenize("mugs", 20)[1:-1] == [ids["mu"], ids["g"], ids["s</w>"]]
    assert len(tokenize("a " * 50, 10)) == 10
    assert tokenize("a " * 50, 10)[-1] == end


def test_embeddings_are_unit_vectors_that_depend_on_everything(folder: Path):
    model = ClipModel(folder)
    texts = model.texts(["a mug", "a room", "a photo of a mug"])
    assert texts.shape == (3, SHARED)
    assert np.allclose(np.linalg.norm(texts, axis=1), 1.0, atol=1e-5)
    assert not np.allclose(texts[0], texts[1])
    rng = np.random.default_rng(1)
    picture = rng.integers(0, 255, size=(40, 60, 3), dtype=np.uint8)
    other = picture.copy()
    other[10:30, 20:40] = 0
    seen = model.pictures([picture, other])
    assert seen.shape == (2, SHARED)
    assert not np.allclose(seen[0], seen[1])
    assert model.image_size == PATCH * SIDE


def test_attention_is_the_textbooks(folder: Path):
    """One layer against loops over heads, queries and keys."""
    model = ClipModel(folder)
    tower: _Tower = model._text
    rng = np.random.default_rng(3)
    x = rng.normal(size=(4, TEXT)).astype(np.float32)
    name = "text_model.encoder.layers.0.self_attn"
    w = model._w

    def linear(v, part):
        return w[f"{name}.{part}_proj.weight"] @ v + w[f"{name}.{part}_proj.bias"]

    heads, width = 2, TEXT // 2
    expected = np.zeros((4, TEXT))
    for i in range(4):
        mixed = np.zeros(TEXT)
        for h in range(heads):
            part = slice(h * width, (h + 1) * width)
            q = linear(x[i], "q")[part]
            weights = [
                math.exp(q @ linear(x[j], "k")[part] / math.sqrt(width)) for j in range(i + 1)
            ]
            for j in range(i + 1):
                mixed[part] += weights[j] / sum(weights) * linear(x[j], "v")[part]
        expected[i] = linear(mixed, "out")
    mask = np.triu(np.full((4, 4), -np.inf, np.float32), 1)
    assert np.allclose(tower._attend(x, name, mask), expected, atol=1e-4)
    assert _quick_gelu(np.array([0.0, 1.0])).tolist() == pytest.approx([0.0, 0.8458], abs=1e-3)


def test_text_tokens_see_only_earlier_ones(folder: Path):
    model = ClipModel(folder)
    rng = np.random.default_rng(4)
    x = rng.normal(size=(5, TEXT)).astype(np.float32)
    changed = x.copy()
    changed[4] = rng.normal(size=TEXT)
    assert np.allclose(model._text(x, causal=True)[:4], model._text(changed, causal=True)[:4])
    assert not np.allclose(model._text(x, causal=False)[:4], model._text(changed, causal=False)[:4])


def test_what_is_no_checkpoint_gives_one_clear_line(folder: Path, tmp_path: Path):
    with pytest.raises(ConfigError, match="holds no CLIP checkpoint") as caught:
        ClipModel(tmp_path / "nowhere")
    assert "\n" not in str(caught.value)
    (folder / "vocab.json").write_text("{}")
    with pytest.raises(ConfigError, match="startoftext"):
        ClipModel(folder)
    vocabulary(folder)
    save_file({"x": np.zeros(1, np.float32)}, folder / "model.safetensors")
    with pytest.raises(ConfigError, match="lacks the weight"):
        ClipModel(folder)


class Favourite:
    """Likes the n-th view."""

    def __init__(self, best: int) -> None:
        self.best = best
        self.asked = 0

    def scores(self, pictures) -> list[float]:
        self.asked += 1
        assert all(p.shape == (300, 300, 3) for p in pictures)
        return [float(k == self.best) for k in range(len(pictures))]


@pytest.mark.parametrize("best", [0, 1, 2, 3])
def test_the_robot_goes_towards_the_view_that_fits_best(best: int):
    world = HouseholdWorld(find_task(1), Embedded(scene((0.0, 0.0), 0.0)), 1)
    stage = world._stage
    stage.begin()
    looked: list[float] = []
    original = stage.frame

    def frame(agent: int):
        looked.append(stage.metadata(agent)["agent"]["rotation"]["y"])
        return original(agent)

    stage.frame = frame  # type: ignore[method-assign]
    guide = Favourite(best)
    assert explore(stage, 0, Seen(), (), guide).success
    assert guide.asked == 1
    assert len(set(looked)) == 4
    assert stage.metadata(0)["agent"]["rotation"]["y"] == looked[best]


def test_a_world_explores_by_clip(folder: Path):
    world = make(task=1, floorplan=1, clip=folder)
    assert world.settings()["clip"] == str(folder)
    result = world.step(dict.fromkeys(world.agents, Action("Explore")))
    assert all(o.success for o in result.outcomes.values())
