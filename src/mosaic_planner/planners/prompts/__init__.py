"""Prompt templates: one text file per module and planner; data, not code.

A file has two sections, `--- static` (system message: equal bytes in every call of an episode, so
that providers can cache it) and `--- state` (user message). `$name` is filled in. A line that
starts with `%flag ` is kept, without the mark, only if the flag is set; `%!flag ` only if not.
"""
