"""Tasks of the kinds that GLUE has, with labels computed from what the sentences mean (:mod:`content`).

Sentences are drawn until their label is the one wanted, so that classes are balanced.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from bert_attention.corpora.glue import LAYOUTS
from bert_attention.corpora.miniature.clauses import utterance
from bert_attention.corpora.miniature.content import (
    answers,
    answers_to,
    contradicts,
    entails,
    is_plain,
    likeness,
    same_meaning,
)
from bert_attention.corpora.miniature.drawing import Draw
from bert_attention.corpora.miniature.inventor import Inventor
from bert_attention.corpora.miniature.meaning import Clause, Utterance
from bert_attention.corpora.miniature.opinions import opinion, polarity
from bert_attention.corpora.miniature.rewording import altered, rearranged, reworded, weakened
from bert_attention.corpora.miniature.trees import spoken
from bert_attention.corpora.types import PairTask, TaskExample

_PATTERNS = {
    "transitive": 30,
    "phrasal": 12,
    "prepositional": 10,
    "ditransitive": 14,
    "intransitive": 4,
    "copular": 5,
    "clausal": 8,
    "addressed": 3,
}
_WITH_OBJECT = {"transitive": 30, "phrasal": 10, "ditransitive": 12, "intransitive": 4, "particle": 2}

# One or two sentences as meanings with the class that they have; None where what was wanted has not come out.
Attempt = tuple[Clause, Clause | None, str | None]


def pair_tasks(train: int, validation: int, seed: int) -> dict[str, PairTask]:
    """The seven tasks by their names, with so many examples each; more examples begin with the same ones.

    MRPC and QQP
        Sentences or questions that mean the same (another voice, order of objects, place of particles and adjuncts) or
        differ in who does what, in a word, or in a negation.
    RTE and MNLI
        What follows from a sentence, is left open by it, or (MNLI) denied.
    STS-B
        Sentences that share more or less of what they say; scores are the share, rounded to tenths.
    QNLI
        Questions, and sentences that answer them or not.
    SST-2
        Opinions with their polarity, turned by negation.
    """
    return {name: _task(name, place, (train, validation), seed) for place, name in enumerate((*_ATTEMPTS, "stsb"))}


def _task(name: str, place: int, sizes: tuple[int, int], seed: int) -> PairTask:
    layout = LAYOUTS[name]
    train, validation = (
        tuple(_example(name, layout.classes, draw) for _ in range(size))
        for draw, size in zip((Draw(seed, place, 0), Draw(seed, place, 1)), sizes, strict=True)
    )
    return PairTask(name, layout.classes, layout.metrics, train, validation)


def _example(name: str, classes: tuple[str, ...], draw: Draw) -> TaskExample:
    """An example of a task, each class as likely."""
    if not classes:
        return _similarity(draw)
    wanted = draw.pick(classes)
    while True:
        first, second, found = _ATTEMPTS[name](draw, wanted)
        if found != wanted:
            continue
        example = TaskExample(_text(first), second and _text(second), float(classes.index(wanted)))
        if example.first != example.second:
            return example


def _text(clause: Clause) -> str:
    return spoken(utterance(Utterance(clause, final="?" if clause.question else ".")))


def _statement(draw: Draw) -> Clause:
    return _inventor(draw).clause(1, _PATTERNS)


def _inventor(draw: Draw) -> Inventor:
    return Inventor(draw, names=0.4)


def _paraphrase(draw: Draw, wanted: str) -> Attempt:
    return _alike(_statement(draw), draw, wanted)


def _duplicate(draw: Draw, wanted: str) -> Attempt:
    return _alike(_inventor(draw).question(), draw, wanted)


def _alike(clause: Clause, draw: Draw, wanted: str) -> Attempt:
    """A clause with another that means the same or, where that is wanted, not."""
    same = wanted in ("equivalent", "duplicate")
    if same:
        other = reworded(clause, draw, 1 + draw.below(2))
    else:
        other = reworded(altered(clause, draw), draw, draw.below(3))
        clause = reworded(clause, draw, draw.below(2))
    found = wanted if same_meaning(clause, other) == same else None
    return (clause, other, found) if draw.chance(0.5) else (other, clause, found)


def _inference(draw: Draw, wanted: str) -> Attempt:
    premise = _inventor(draw).clause(2, _PATTERNS | {"infinitival": 8})
    if draw.chance(0.2):
        premise = replace(premise, also=_inventor(draw).joined(premise))
    hypothesis = reworded(weakened(premise, draw, 1 + draw.below(3)), draw, draw.below(3))
    if wanted == "contradiction":
        hypothesis = replace(hypothesis, negated=not hypothesis.negated)
    elif wanted != "entailment":
        premise, hypothesis = _left_open(premise, hypothesis, draw)
    return premise, hypothesis, _relation(premise, hypothesis, wanted)


def _left_open(premise: Clause, hypothesis: Clause, draw: Draw) -> tuple[Clause, Clause]:
    """Something else than what follows, or more than was said."""
    if draw.chance(0.2):
        return hypothesis, premise
    changed = rearranged(hypothesis, draw) if draw.chance(0.7) else hypothesis
    return premise, altered(hypothesis, draw) if changed is hypothesis else changed


def _relation(premise: Clause, hypothesis: Clause, wanted: str) -> str | None:
    if entails(premise, hypothesis):
        return "entailment"
    if wanted == "not_entailment":
        return wanted
    return "contradiction" if contradicts(premise, hypothesis) else "neutral"


def _similarity(draw: Draw) -> TaskExample:
    """A pair with no to many changes of meaning, now and then with nothing in common."""
    clause = _statement(draw)
    other = _statement(draw) if draw.chance(0.15) else altered(clause, draw, draw.below(8))
    other = reworded(weakened(other, draw, draw.below(3)), draw, draw.below(3))
    return TaskExample(_text(clause), _text(other), round(likeness(clause, other), 1))


def _question_and_sentence(draw: Draw, wanted: str) -> Attempt:
    clause = _inventor(draw).clause(1, _WITH_OBJECT)
    question = _asked(clause, draw)
    if question is None:
        return clause, clause, None
    sentence = clause if wanted == "entailment" else altered(clause, draw)
    if wanted != "entailment" and draw.chance(0.3):
        sentence = weakened(clause, draw, 2)
    sentence = reworded(sentence, draw, draw.below(3))
    return question, sentence, "entailment" if answers(sentence, question) else "not_entailment"


def _asked(clause: Clause, draw: Draw) -> Clause | None:
    """A question about a part of a clause, with less around it; None where the clause has nothing to ask about."""
    if not is_plain(clause):
        return None
    roles = [role for role in ("subject", "object") if getattr(clause, role) and not clause.passive]
    asked = {answers_to(part): place for place, part in enumerate(clause.adjuncts)}
    kinds = [kind for kind in ("where", "when", "why") if kind in asked]
    if not roles and not kinds:
        return None
    kind = draw.pick(kinds if kinds and draw.chance(0.6) else roles or kinds)
    kept = tuple(part for part in clause.adjuncts if answers_to(part) != kind)
    question = replace(clause, question=kind, front=None, adjuncts=kept)
    return weakened(question, draw, 2)


def _sentiment(draw: Draw, wanted: str) -> Attempt:
    clause = opinion(_inventor(draw))
    return clause, None, "positive" if polarity(clause) > 0 else "negative"


_ATTEMPTS: dict[str, Callable[[Draw, str], Attempt]] = {
    "mrpc": _paraphrase,
    "rte": _inference,
    "qnli": _question_and_sentence,
    "sst2": _sentiment,
    "mnli": _inference,
    "qqp": _duplicate,
}
