"""The miniature: small English made up from a grammar, with everything about it known.

A meaning is drawn at random (:mod:`inventor`, :mod:`describer`, :mod:`discourse`) and spoken as a tree in Universal
Dependencies (:mod:`clauses`, :mod:`phrases`, :mod:`trees`). Trees, coreference and frames are read off as the words are
put together, and the labels of the tasks (:mod:`tasks`) are computed from what two sentences mean (:mod:`content`). All
of it is gold by construction, at any size. Meanings are spoken in German, too (:mod:`german`), whose words are linked
to the English ones that say the same part of the meaning.

It is no evidence about English: the vocabulary is small, the frequencies were set by hand, nothing said makes a story,
and whoever knows the grammar knows the answers. It serves to run an analysis end to end where no corpus is at hand, and
to test and time it on known answers.
"""

from bert_attention.corpora.miniature.discourse import generate_documents
from bert_attention.corpora.miniature.frames import framed_sentences
from bert_attention.corpora.miniature.german import aligned_pairs
from bert_attention.corpora.miniature.tasks import pair_tasks

__all__ = ["aligned_pairs", "framed_sentences", "generate_documents", "pair_tasks"]
