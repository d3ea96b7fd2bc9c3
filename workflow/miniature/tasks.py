"""Tasks like those of GLUE, with labels computed from what the sentences mean (:mod:`content`).

Sentences are drawn until they have the label wanted, so that classes are balanced.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import replace

from bert_attention.corpora.types import LAYOUTS, PairTask, TaskExample
from miniature.content import (
    answers,
    answers_to,
    contradicts,
    entails,
    is_plain,
    likeness,
    same_meaning,
)
from miniature.drawing import Draw
from miniature.english.grammar import utterance
from miniature.english.writing import text_of
from miniature.inventor import Inventor
from miniature.meaning import Clause, Utterance
from miniature.opinions import opinion, polarity
from miniature.rewording import alter, rearrange, reword, weaken

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

# One or two sentences as meanings, and their class; None if it is not the one wanted.
Attempt = tuple[Clause, Clause | None, str | None]


def pair_tasks(train: int, validation: int, seed: int, names: Container[str] = LAYOUTS) -> dict[str, PairTask]:
    """Some or all seven tasks by name, with ``train`` and ``validation`` examples each.

    Larger tasks begin with the same examples, and no task depends on which others are made.

    MRPC and QQP
        Sentences or questions that mean the same (another voice, order of objects, place of particles and adjuncts) or
        differ in who does what, in a word, or in a negation.
    RTE and MNLI
        A sentence, and one that follows from it, is left open by it or (MNLI) is denied by it.
    STS-B
        Sentences that share part of what they say. Scores measure the share, rounded to tenths.
    QNLI
        Questions, and sentences that answer them or, different in two to four parts, do not.
    SST-2
        Opinions with their polarity, which a negation reverses.
    """
    tasks = {}
    for place, name in enumerate((*_ATTEMPTS, "stsb")):
        if name in names:
            layout, splits = LAYOUTS[name], []
            for split, size in enumerate((train, validation)):
                inventor = Inventor(Draw(seed, place, split), names=0.4)
                splits.append(tuple(_example(name, layout.classes, inventor) for _ in range(size)))
            tasks[name] = PairTask(name, layout.classes, layout.metrics, *splits)
    return tasks


def _example(name: str, classes: tuple[str, ...], inventor: Inventor) -> TaskExample:
    """An example of a task; all classes are equally likely."""
    if not classes:
        return _similarity(inventor)
    wanted = inventor.draw.pick(classes)
    while True:
        first, second, found = _ATTEMPTS[name](inventor, wanted)
        if found != wanted:
            continue
        example = TaskExample(_text(first), second and _text(second), float(classes.index(wanted)))
        if example.first != example.second:
            return example


def _text(clause: Clause) -> str:
    return text_of(utterance(Utterance(clause, final="?" if clause.question else ".")))


def _paraphrase(inventor: Inventor, wanted: str) -> Attempt:
    return _pair_of_variants(inventor.clause(1, _PATTERNS), inventor.draw, wanted)


def _duplicate(inventor: Inventor, wanted: str) -> Attempt:
    return _pair_of_variants(inventor.question(), inventor.draw, wanted)


def _pair_of_variants(clause: Clause, draw: Draw, wanted: str) -> Attempt:
    """A clause and another that means the same or, if that is wanted, does not."""
    same = wanted in ("equivalent", "duplicate")
    if same:
        other = reword(clause, draw, 1 + draw.below(2))
    else:
        other = reword(alter(clause, draw), draw, draw.below(3))
        clause = reword(clause, draw, draw.below(2))
    found = wanted if same_meaning(clause, other) == same else None
    return (clause, other, found) if draw.chance(0.5) else (other, clause, found)


def _inference(inventor: Inventor, wanted: str) -> Attempt:
    draw = inventor.draw
    premise = inventor.clause(2, _PATTERNS | {"infinitival": 8})
    if draw.chance(0.2):
        premise = replace(premise, also=inventor.conjunct(premise))
    hypothesis = reword(weaken(premise, draw, 1 + draw.below(3)), draw, draw.below(3))
    if wanted == "contradiction":
        hypothesis = replace(hypothesis, negated=not hypothesis.negated)
    elif wanted != "entailment":
        premise, hypothesis = _open_pair(premise, hypothesis, draw)
    return premise, hypothesis, _inference_label(premise, hypothesis, wanted)


def _open_pair(premise: Clause, hypothesis: Clause, draw: Draw) -> tuple[Clause, Clause]:
    """A premise and a hypothesis that probably does not follow: changed, or saying more than the premise."""
    if draw.chance(0.2):
        return hypothesis, premise
    changed = rearrange(hypothesis, draw) if draw.chance(0.7) else hypothesis
    return premise, alter(hypothesis, draw) if changed is hypothesis else changed


def _inference_label(premise: Clause, hypothesis: Clause, wanted: str) -> str | None:
    if entails(premise, hypothesis):
        return "entailment"
    if wanted == "not_entailment":
        return wanted
    return "contradiction" if contradicts(premise, hypothesis) else "neutral"


def _similarity(inventor: Inventor) -> TaskExample:
    """A sentence and its copy with up to many changes of meaning, now and then an unrelated one."""
    draw = inventor.draw
    clause = inventor.clause(1, _PATTERNS)
    other = inventor.clause(1, _PATTERNS) if draw.chance(0.15) else alter(clause, draw, draw.below(8))
    other = reword(weaken(other, draw, draw.below(3)), draw, draw.below(3))
    return TaskExample(_text(clause), _text(other), round(likeness(clause, other), 1))


def _question_and_sentence(inventor: Inventor, wanted: str) -> Attempt:
    draw = inventor.draw
    clause = inventor.clause(1, _WITH_OBJECT)
    question = _question_about(clause, draw)
    if question is None:
        return clause, clause, None
    sentence = clause if wanted == "entailment" else alter(clause, draw, 2 + draw.below(3))
    if wanted != "entailment" and draw.chance(0.3):
        sentence = weaken(clause, draw, 2)
    sentence = reword(sentence, draw, draw.below(3))
    return question, sentence, "entailment" if answers(sentence, question) else "not_entailment"


def _question_about(clause: Clause, draw: Draw) -> Clause | None:
    """A question about a part of a clause, with less around it; None if there is nothing to ask about."""
    if not is_plain(clause):
        return None
    roles = [role for role in ("subject", "object") if getattr(clause, role) and not clause.passive]
    asked = {answers_to(part) for part in clause.adjuncts}
    kinds = [kind for kind in ("where", "when", "why") if kind in asked]
    if not roles and not kinds:
        return None
    kind = draw.pick(kinds if kinds and draw.chance(0.6) else roles or kinds)
    kept = tuple(part for part in clause.adjuncts if answers_to(part) != kind)
    question = replace(clause, question=kind, front=None, adjuncts=kept)
    return weaken(question, draw, 2)


def _sentiment(inventor: Inventor, wanted: str) -> Attempt:
    clause = opinion(inventor)
    return clause, None, "positive" if polarity(clause) > 0 else "negative"


_ATTEMPTS: dict[str, Callable[[Inventor, str], Attempt]] = {
    "mrpc": _paraphrase,
    "rte": _inference,
    "qnli": _question_and_sentence,
    "sst2": _sentiment,
    "mnli": _inference,
    "qqp": _duplicate,
}
