"""The miniature: a generator of small English and German with everything gold.

It makes documents with trees and coreference, sentences with frames, tasks like GLUE's, and German sentences aligned
with English ones, all at any size. A sentence begins as a meaning drawn at random (:mod:`inventor`).
:mod:`english` turns the meaning into a tree in Universal Dependencies, and :mod:`german` into German words linked to
those of the tree. Annotation is recorded while the words are put together. The labels of the tasks are computed from
meanings (:mod:`content`). Open :mod:`meaning` first, then :mod:`english.grammar`.

It is no evidence about English: the vocabulary is small, the frequencies were set by hand, the sentences tell no story,
and whoever knows the grammar knows the answers. It serves to run an analysis where no corpus is at hand, and to test
and time analyses on known answers.
"""

from miniature.discourse import generate_documents
from miniature.frames import framed_sentences
from miniature.german.pairs import aligned_pairs
from miniature.tasks import pair_tasks

__all__ = ["aligned_pairs", "framed_sentences", "generate_documents", "pair_tasks"]
