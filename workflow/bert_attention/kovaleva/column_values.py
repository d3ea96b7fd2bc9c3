"""What the columns of Kovaleva et al.'s tables hold."""

from __future__ import annotations

# kovaleva_frames, kovaleva_frame_offsets: how links are found and scored, by the paper's text or by its code
FRAME_VARIANTS = ("described", "released")
# kovaleva_frames: attention from a frame element to its predicate, the other way, and between other pairs as far apart
FRAME_LINKS = ("annotated", "reversed", "random_pair")
