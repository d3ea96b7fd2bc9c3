"""Stand-ins for annotated corpora that no package contains.

Stand-ins let the workflow demonstrate an analysis. They are made from real, parsed sentences, but are no evidence: no
claim is judged on a stand-in.
"""
