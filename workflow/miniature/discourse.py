"""Documents in English, which mention the same entities again and again by name, description and pronoun."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from bert_attention.corpora.types import Document, Mention, MentionType
from miniature.drawing import Draw
from miniature.english.grammar import nominal, utterance
from miniature.english.lexicon import GIVEN_NAMES, NOUNS_OF_KIND, PEOPLE, Noun
from miniature.english.writing import tree_sentence
from miniature.inventor import Cast, Inventor, Kinds
from miniature.meaning import Coordination, Nominal, NounPhrase, Number, Pronoun, Referent
from miniature.trees import Node, PlacedNode, fill_referents, flatten

_SENTENCES = (4, 10)  # of a document
_NEARBY = 2  # how many sentences a pronoun reaches back
_PRONOUN = 0.72  # how often a pronoun is used where it would be understood
_PRONOUN_AGAIN = 0.95  # and how often if its antecedent is in the same sentence
_BOLD_PRONOUN = 0.3  # how often one refers to the last subject although someone else has been mentioned since

# Relations inside a noun phrase, whose words belong to a mention. A head's other dependents belong to the clause.
_OF_NOUN_PHRASE = {"det", "det:predet", "nummod", "amod", "compound", "nmod:poss", "nmod", "acl", "acl:relcl", "appos"}
_OF_NOUN_PHRASE |= {"flat"}
_OF_GROUP = _OF_NOUN_PHRASE | {"conj"}
_MENTION_TYPES: dict[str, MentionType] = {"PRP": "pronoun", "PRP$": "pronoun", "NNP": "proper", "NNPS": "proper"}


@dataclass(eq=False, slots=True)
class Entity:
    """Someone or something that a document mentions, and where it did so last.

    ``noun`` describes it. ``names`` are its given name and surname, if it has any. ``members`` make it a group, which
    takes the noun of the first.
    """

    noun: Noun
    gender: str
    number: str = "Sing"
    names: tuple[Noun, ...] = ()
    description: NounPhrase | None = None
    owner: Entity | None = None
    members: tuple[Entity, ...] = ()
    last_sentence: int = -9
    last_time: int = -1
    was_subject: int = -9  # the last sentence whose subject it was

    @property
    def pronoun(self) -> tuple[str, str]:
        """Number and gender of its pronoun."""
        return (self.number, "" if self.number == "Plur" else self.gender)


class Discourse(Cast):
    """A document under way: its cast, and who was mentioned when."""

    def __init__(self, draw: Draw):
        super().__init__()
        self.draw = draw
        self.inventor = Inventor(draw, self, names=0.1)
        self._taken: set[Noun] = set()
        self._sentence = 0
        self._time = 0
        people = [self._new_person() for _ in range(2 + draw.below(3))]
        self._cast = [*people, *self._relative(people), *self._group(people)]

    def _new_person(self) -> Entity:
        draw = self.draw
        if draw.chance(0.6):
            name = draw.pick([name for name in GIVEN_NAMES if name not in self._taken])
            self._taken.add(name)
            names = (name, *self.inventor.further_names(name)) if draw.chance(0.6) else (name,)
            return Entity(self._free_noun("person", name.gender), name.gender, names=names)
        number = "Plur" if draw.chance(0.25) else "Sing"
        return self._nameless("person", number)

    def _nameless(self, kind: str, number: Number = "Sing") -> Entity:
        noun = self._free_noun(kind, "Any")
        return Entity(noun, noun.gender if noun.gender != "Any" else self.draw.pick(("Fem", "Masc")), number)

    def _free_noun(self, kind: str, gender: str) -> Noun:
        free = [noun for noun in NOUNS_OF_KIND[kind] if noun not in self._taken]
        noun = self.draw.pick([noun for noun in free if gender == "Any" or noun.gender in ("Any", gender)])
        self._taken.add(noun)
        return noun

    def _relative(self, people: list[Entity]) -> list[Entity]:
        single = [person for person in people if person.number == "Sing"]
        if not single or not self.draw.chance(0.4):
            return []
        return [replace(self._nameless("relative"), owner=self.draw.pick(single))]

    def _group(self, people: list[Entity]) -> list[Entity]:
        named = tuple(person for person in people if person.names)[:2]
        if len(named) < 2 or not self.draw.chance(0.5):
            return []
        return [Entity(named[0].noun, "", "Plur", members=named)]

    # The inventor's questions (Cast).

    def is_taken(self, noun: Noun) -> bool:
        if noun in self._taken:
            return True
        self._taken.add(noun)
        return False

    def speaker(self, number: Number) -> Pronoun:
        """I or we, the same people throughout the document."""
        return Pronoun(1, number, entity=("speaker", number))

    def owner(self) -> Nominal | None:
        """A single person of the cast."""
        single = [entity for entity in self._cast if entity.number == "Sing" and not entity.owner]
        people = [entity for entity in single if entity.noun.kind in PEOPLE]
        return Referent(self.draw.pick(people)) if people and self.draw.chance(0.8) else None

    def participant(self, kinds: Kinds) -> Nominal | None:
        """One of the cast that fits and is not yet in the clause, or something new that joins the cast."""
        draw = self.draw
        busy = self._clauses[-1] if self._clauses else []
        fits = [entity for entity in self._cast if entity.noun.kind in kinds or entity.noun.lemma in kinds]
        known = [entity for entity in fits if not _overlaps(entity, busy)]
        about_people = not set(PEOPLE).isdisjoint(kinds)
        if known and draw.chance(0.85 if about_people else 0.5):
            entity = draw.pick(known)
        else:
            kind = draw.pick(kinds)
            new = not about_people and kind != "city" and draw.chance(0.4)
            entity = self._new_thing(kind) if new else None
        if entity is None:
            return None
        busy.append(entity)
        return Referent(entity)

    def _new_thing(self, kind: str) -> Entity | None:
        """A new thing, which can be mentioned again; None if its description does not allow that."""
        if kind not in NOUNS_OF_KIND:
            return None
        phrase = self.inventor.noun_phrase(kind)
        if phrase.noun.is_name or phrase.determiner not in ("the", "a", "this", "some", None):
            return None
        entity = Entity(phrase.noun, "Neut", phrase.number, description=phrase)
        self._cast.append(entity)
        return entity

    # The choice of expressions, from left to right.

    def express(self, node: Node) -> Node:
        """The phrase for an open node, which depends on what has been mentioned before."""
        entity: Entity = node.referent.entity
        phrase = nominal(self._expression(entity, node), node.relation, node.case)
        self._time += 1
        entity.last_sentence, entity.last_time = self._sentence, self._time
        if node.relation.startswith("nsubj"):
            entity.was_subject = self._sentence
        return phrase

    def _expression(self, entity: Entity, node: Node) -> Nominal:
        draw = self.draw
        likely = _PRONOUN if entity.last_sentence < self._sentence else _PRONOUN_AGAIN
        if not node.referent.full and self._is_understood(entity) and draw.chance(likely):
            return Pronoun(3, *entity.pronoun)
        if entity.members:
            return Coordination(tuple(Referent(member, full=True) for member in entity.members))
        first = entity.last_time < 0
        if entity.names and (first or not entity.description or draw.chance(0.75)):
            return self._name(entity, first, bare=node.case == "Gen" or node.referent.full)
        if first:
            return self._introduction(entity, bare=node.case == "Gen")
        known = entity.description
        adjectives = known.adjectives if known and draw.chance(0.35) else ()
        determiner = "this" if draw.chance(0.12) else "the"
        owner = Referent(entity.owner) if entity.owner else None
        return NounPhrase(entity.noun, entity.number, determiner, owner=owner, adjectives=adjectives)

    def _is_understood(self, entity: Entity) -> bool:
        """Whether a pronoun would be taken for the entity: the last of its gender and number, or the last subject."""
        if self._sentence - entity.last_sentence >= _NEARBY:
            return False
        rivals = [other for other in self._cast if other is not entity and other.pronoun == entity.pronoun]
        if all(other.last_time < entity.last_time for other in rivals):
            return True
        return entity.was_subject >= self._sentence - 1 and self.draw.chance(_BOLD_PRONOUN)

    def _name(self, entity: Entity, first: bool, bare: bool) -> NounPhrase:
        given, *others = entity.names
        names = tuple(others) if self.draw.chance(0.7 if first else 0.12) else ()
        name = NounPhrase(given, determiner=None, names=names)
        if bare or not (first or entity.description is None) or not self.draw.chance(0.3 if first else 0.05):
            return name
        entity.description = replace(self.inventor.description(entity.noun, 0), **_PLAIN)
        return replace(name, apposition=replace(entity.description, determiner=self.draw.pick(("a", "a", "the"))))

    def _introduction(self, entity: Entity, bare: bool) -> NounPhrase:
        """The first mention of someone or something without a name."""
        if entity.owner:
            return NounPhrase(entity.noun, owner=Referent(entity.owner))
        if entity.description:
            phrase = entity.description
        else:
            with self.clause() as busy:
                busy.append(entity)
                phrase = self.inventor.description(entity.noun, 0 if bare else 1)
            entity.description = replace(phrase, clause=None, attribute=None)
            numeral = phrase.numeral if entity.number == "Plur" else None
            determiner = "a" if entity.number == "Sing" else (None if numeral else "some")
            plain = _PLAIN | {"determiner": determiner, "numeral": numeral, "number": entity.number}
            phrase = replace(phrase, **plain, apposition=None)
        return replace(phrase, clause=None, attribute=None) if bare else phrase

    # Sentences.

    def sentence(self) -> list[PlacedNode]:
        """The next sentence, with all expressions chosen."""
        root = utterance(self.inventor.utterance())
        fill_referents(root, self.express)
        self._sentence += 1
        return flatten(root)


# A first mention is plain: "two students", not "all the two students of Anna's".
_PLAIN = {"number": "Sing", "all": False, "numeral": None, "owner": None}


def generate_documents(sentences: int, seed: int) -> tuple[Document, ...]:
    """Documents of four to ten sentences with trees and coreference, at least ``sentences`` in all.

    A seed gives the same documents however many sentences are asked for. Coreference is annotated as in OntoNotes:
    mentions are pronouns, names and descriptions with all that belongs to them; entities mentioned once are left out.
    """
    return tuple(_document(name, spoken) for name, spoken in spoken_documents(sentences, seed))


def spoken_documents(sentences: int, seed: int) -> Iterator[tuple[str, list[list[PlacedNode]]]]:
    """Names of documents and their sentences, as nodes that say what they express and mention."""
    so_far = number = 0
    while so_far < sentences:
        draw = Draw(seed, number)
        number += 1
        discourse = Discourse(draw)
        least, most = _SENTENCES
        spoken = [discourse.sentence() for _ in range(least + draw.below(most - least + 1))]
        so_far += len(spoken)
        yield f"miniature-{seed}-{number}", spoken


def _document(name: str, spoken: list[list[PlacedNode]]) -> Document:
    chains: dict[object, list[Mention]] = {}
    words = 0
    for placed in spoken:
        for entity, mention in _mentions(placed, words):
            chains.setdefault(entity, []).append(mention)
        words += len(placed)
    sentences = (tree_sentence(placed, (f"# sent_id = {name}-{number}",)) for number, placed in enumerate(spoken, 1))
    return Document(name, tuple(sentences), _number_chains(chains))


def _mentions(placed: list[PlacedNode], offset: int) -> Iterator[tuple[object, Mention]]:
    for number, entry in enumerate(placed):
        for entity, relations in ((entry.node.mention, _OF_NOUN_PHRASE), (entry.node.group, _OF_GROUP)):
            if entity is not None:
                span = tuple(place + offset for place in _phrase(placed, number, relations))
                kind = _MENTION_TYPES.get(entry.node.token.xpos, "nominal")
                yield entity, Mention("", span, number + offset, kind)


def _phrase(placed: list[PlacedNode], head: int, relations: set[str]) -> range:
    """The places of a noun phrase: its head and the dependents with some relations, without final punctuation."""
    start, end = head, head + 1
    for entry in placed[placed[head].start : placed[head].end]:
        if entry.head != head:
            continue
        if entry.node.relation in relations:
            start, end = min(start, entry.start), max(end, entry.end)
        elif entry.node.token.xpos == "POS":
            end = max(end, entry.end)
    while placed[end - 1].node.token.upos == "PUNCT":
        end -= 1
    return range(start, end)


def _number_chains(chains: dict[object, list[Mention]]) -> tuple[Mention, ...]:
    """The mentions of all entities mentioned twice or more, in order, with the numbers of their chains."""
    several = [mentions for mentions in chains.values() if len(mentions) > 1]
    numbered = [replace(mention, chain=str(chain)) for chain, mentions in enumerate(several, 1) for mention in mentions]
    return tuple(sorted(numbered, key=lambda mention: (mention.words[0], mention.words[-1])))


def _overlaps(entity: Entity, busy: list[Entity]) -> bool:
    """Whether an entity, one of its members or its group is among those of a clause already."""
    return any(entity is other or entity in other.members or other in entity.members for other in busy)
