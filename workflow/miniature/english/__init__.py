"""English: words, their inflection, and the grammar that turns meanings into trees in Universal Dependencies.

:mod:`lexicon` and :mod:`verbs` also name the concepts of :mod:`miniature.meaning`. :mod:`grammar` makes trees
of meanings, and :mod:`writing` text of trees.
"""
