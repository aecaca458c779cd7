"""Planning methods: one file each, their prompt templates beside them in `prompts/`.

A planner turns observations and memory lines into prompts and a model's untrusted answers into
ranked candidates. It knows no world (vocabulary and briefing say everything world-specific), no
provider, and not whether a coordinator resolves what it proposes.
"""
