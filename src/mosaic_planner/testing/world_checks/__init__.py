"""What `check_world` looks at, one file per subject, in the order in which it is looked at:

findings     problems, and calls into the world that may fail
subject      the world under test: how it is built, and runs of it
driving      runs with joint actions of three sorts: safe, random, one agent alone
words        vocabulary, phrases, prompts, briefing, geometry, names
observing    single observations: types and ranges
perceiving   runs of observations: places, view, text, and what must not be in them
acting       outcomes; malformed and hallucinated actions
judging      score, snapshot, static and settings
repeating    same seed, other instances, settings, other processes (digest)
teaching     rules: profiles, fallbacks, how often they are right (variants)
playing      sensor noise and whole episodes
"""
