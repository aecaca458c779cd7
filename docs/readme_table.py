"""Put the table of a `sar-effect` sweep into README.md: `make readme-table`.

Usage: python docs/readme_table.py SWEEP_FOLDER [README]

Everything comes from the Markdown table that the sweep itself wrote, its notes included: among
them, word for word, whether a stand-in took the place of a language model.
"""

from __future__ import annotations

import sys
from pathlib import Path

BEGIN, END = "<!-- result table: make readme-table -->", "<!-- end of result table -->"
COLUMNS = {
    "Method": "Method",
    "Success rate (↑)": "Success ↑",
    "Failure rate (↓)": "Failed actions ↓",
    "Runtime (s, ↓)": "Runtime, s ↓",
    "LLM calls (↓)": "Model calls ↓",
    "Agent steps (↓)": "Agent steps ↓",
}
"""Columns that are shown, by their names in the sweep's table."""


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def shortened(table: str) -> str:
    """The sweep's table with fewer columns, without interval lines, with all its notes."""
    lines = table.splitlines()
    rows = [_cells(line) for line in lines if line.startswith("|")]
    head = [name.replace("\N{NO-BREAK SPACE}", " ") for name in rows[0]]
    body = rows[2:]
    wanted = [head.index(name) for name in COLUMNS]
    shown = [["Agents", *COLUMNS.values()], ["---"] * (len(COLUMNS) + 1)]
    group = ""
    for row in body:
        if row[0].startswith("*"):
            group = row[0].strip("*").removeprefix("agents ")
        elif not row[0].startswith("&emsp;"):
            shown.append([group, *(row[n] for n in wanted)])
    last = max(n for n, line in enumerate(lines) if line.startswith("|"))
    notes = "\n".join(line.rstrip() for line in lines[last + 1 :]).strip().splitlines()
    text = ["| " + " | ".join(row) + " |" for row in shown]
    return "\n".join([*text, "", *(f"- {note}" for note in notes if note)])


def put(readme: str, table: str) -> str:
    """The README with the table between its two comments."""
    before, mark, rest = readme.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not mark or not end:
        raise SystemExit(f"the README lacks {BEGIN!r} or {END!r}")
    return f"{before}{BEGIN}\n\n{table}\n\n{END}{after}"


def main(sweep: Path, readme: Path) -> None:
    """Replace the table in `readme`."""
    table = (sweep / "tables" / "sar-effect-sar.md").read_text("utf-8")
    readme.write_text(put(readme.read_text("utf-8"), shortened(table)), "utf-8")
    print(f"{readme}: table of {sweep}")


if __name__ == "__main__":
    here = Path(__file__).resolve().parents[1] / "README.md"
    main(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else here)
