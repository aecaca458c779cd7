"""Makes `memory_scenes` (beside this file) and the benchmark's synthetic room importable."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
for folder in (HERE, HERE.parents[1] / "benchmarks"):
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
