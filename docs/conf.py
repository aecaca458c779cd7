"""How the site is built: `make docs`. Nothing is fetched, and every warning is an error."""

from __future__ import annotations

import sys
from pathlib import Path

from mosaic_planner import __version__

sys.path.insert(0, str(Path(__file__).parent / "_extensions"))

project = "Mosaic"
author = "The Mosaic authors"
version = release = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "generated", "plain_docstrings"]
exclude_patterns = ["_extensions"]

# Headings may be linked to from other pages, as they can where the sources are read.
myst_heading_anchors = 3
myst_enable_extensions = ["colon_fence"]

# A single backquote in a docstring is a name: linked where it is known, code everywhere.
default_role = "py:obj"
autodoc_default_options = {"members": True, "member-order": "bysource"}
autodoc_typehints = "signature"
autodoc_class_signature = "separated"
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True
toc_object_entries_show_parents = "hide"

smartquotes = False  # "--option" is no dash

html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_title = f"Mosaic {version}"
html_copy_source = False
html_show_copyright = False
html_show_sphinx = False
