"""German: words, their inflection, and the grammar that turns meanings into words linked to English.

:mod:`style` fixes a meaning so that both languages can express it, :mod:`grammar` makes the words, and
:mod:`pairs` draws sentences and links their words to the English ones.
"""
