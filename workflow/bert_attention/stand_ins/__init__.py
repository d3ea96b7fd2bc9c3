"""Stand-ins for annotated corpora that no package contains.

Stand-ins demonstrate an analysis on text made from real, parsed sentences. They are no evidence, and no claim is judged
on them.
"""
