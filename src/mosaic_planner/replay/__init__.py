"""See an episode: one self-contained page, or a film, from a trace and nothing else.

The road: `reading` goes through a trace's events one by one; `moments` sorts them into steps;
`scenery` turns a world's snapshots into the neutral values of `drawing`; `series`, `marks`,
`subtasks`, `believing`, `decisions`, `moves` and `parting` read what is shown; `payload` and `pack`
compress it; `page` puts it into the page whose script and style are in `assets`; `raster`,
`caption` and `film` draw the same values as pictures.

Nothing here may run a world, a planner or a model, and nothing of a trace may become HTML.
"""

from __future__ import annotations

from mosaic_planner.replay.film import FilmOptions, film_pictures, write_film
from mosaic_planner.replay.page import notebook_html, replay_page, write_replay
from mosaic_planner.replay.reading import EventFile

__all__ = [
    "EventFile",
    "FilmOptions",
    "film_pictures",
    "notebook_html",
    "replay_page",
    "write_film",
    "write_replay",
]
