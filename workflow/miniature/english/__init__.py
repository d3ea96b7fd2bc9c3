"""English: words, their inflection, and the grammar that turns meanings into trees in Universal Dependencies.

:mod:`lexicon` and :mod:`verbs` also name the concepts of :mod:`miniature.meaning`. The grammar builds on meanings:
:mod:`phrases`, then :mod:`clauses`, then :mod:`writing`.
"""
