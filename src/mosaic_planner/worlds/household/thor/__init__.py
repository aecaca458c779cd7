"""The embedded household simulator: AI2-THOR 5.0.0's `Controller` surface without its engine.

Sections cited ("section 7") are those of the behaviour notes summarised in `docs/household.md`.
From the bottom up: `things` and `state` hold what is where; `doors`, `motion`, `sight`, `placing`
and `falling` are geometry; `handling`, `changes`, `pushing`, `queries` and `editing` are the
actions; `reactions` is what happens by itself; `actions` lists every action with its parameters;
`simulator` runs one; `metadata`, `event` and `controller` are the surface; `render` draws.
"""
