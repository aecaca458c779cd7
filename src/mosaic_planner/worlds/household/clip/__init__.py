"""CLIP for exploration: pictures scored by how well they fit the words of the task.

`model` runs a CLIP checkpoint (ViT-B/32 or any of its kind) on NumPy alone, `words` is its
tokenizer, `guide` chooses a direction. Optional: without a checkpoint folder, Explore follows its
text-only rule.
"""
