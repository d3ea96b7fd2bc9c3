"""The English verbs: what they take, and the frames that they evoke.

A pattern is the name of a table of verbs that take the same grammatical functions. Frames and their core elements have
FrameNet's names where it has one. The inventory is the miniature's own.
"""

from __future__ import annotations

from dataclasses import dataclass

from miniature.english.inflection import verb_forms
from miniature.tokens import Token

# Each row: verb, kinds of its subject and (if the pattern has one) object, frame, an element for each function.
# _TABLES gives the functions. A particle or a preposition follows "_".

_INTRANSITIVE = """
arrive           person,animal,vehicle  Arriving             Theme
sleep            person,animal          Sleep                Sleeper
laugh            person                 Make_noise           Sound_source
sing             person,bird            Make_noise           Sound_source
dance            person                 Self_motion          Self_mover
run              person,animal          Self_motion          Self_mover
walk             person,animal          Self_motion          Self_mover
work             person                 Work                 Agent
disappear        person,animal,thing    Departing            Theme
fall             person,container,thing Motion_directional   Theme
wait             person,animal          Waiting              Protagonist
smile            person                 Making_faces         Agent
"""
_TRANSITIVE = """
buy              person         food,text,thing,clothes,vehicle    Commerce_buy          Buyer Goods
steal            person,animal  food,thing,clothes,vehicle         Theft                 Perpetrator Goods
find             person,animal  thing,clothes,text,container,food  Locating              Perceiver Sought_entity
lose             person         thing,clothes,text,container       Losing                Owner Possession
open             person         container,text                     Closure               Agent Container_portal
close            person         container,text                     Closure               Agent Container_portal
break            person         container,thing                    Cause_to_fragment     Agent Whole_patient
repair           person         thing,vehicle,container            Rejuvenation          Agent Entity
clean            person         thing,container,vehicle,building   Emptying              Agent Source
carry            person         container,thing,food               Bringing              Agent Theme
hide             person,animal  thing,food,text,clothes            Hiding_objects        Agent Hidden_object
read             person         text                               Reading_activity      Reader Text
write            person         text                               Text_creation         Author Text
see             person,animal  person,relative,animal,thing,vehicle,building  Perception_experience Perceiver Phenomenon
hear             person,animal  person,relative,animal,vehicle     Perception_experience Perceiver Phenomenon
watch            person,animal  person,relative,animal,event       Perception_active     Perceiver Phenomenon
follow           person,animal  person,relative,animal,vehicle     Cotheme               Theme Cotheme
chase            person,animal  person,animal                      Cotheme               Theme Cotheme
love             person,relative  person,relative,animal,food,building,text  Experiencer_focus  Experiencer Content
hate             person,relative  person,relative,animal,food,event,place    Experiencer_focus  Experiencer Content
admire           person         person,relative,building,text      Judgment              Cognizer Evaluee
praise           person         person,relative,text,food          Judgment              Cognizer Evaluee
blame            person,relative  person,relative                  Judgment              Cognizer Evaluee
meet             person         person,relative                    Meet_with             Party_1 Party_2
visit            person,relative  person,relative,building,city    Visiting              Agent Entity
help             person,relative  person,relative,animal           Assistance            Helper Benefited_party
thank            person         person,relative                    Judgment_communication  Communicator Addressee
invite           person         person,relative                    Inviting              Host Guest
teach            person         person,animal                      Education_teaching    Teacher Student
eat              person,animal  food                               Ingestion             Ingestor Ingestibles
cook             person,relative  food                             Apply_heat            Cook Food
drive            person         vehicle                            Operate_vehicle       Driver Vehicle
push             person         vehicle,container,person           Cause_motion          Agent Theme
wear             person         clothes                            Wearing               Wearer Clothing
wash             person         clothes,vehicle,animal             Grooming              Agent Patient
build            person         building,vehicle                   Building              Agent Created_entity
paint            person         container,picture,building         Create_representation Creator Represented
solve            person         problem,question                        Resolve_problem       Cause Problem
discuss          person         idea,text,event                    Discussion            Interlocutor Topic
understand       person         idea,text                          Grasp                 Cognizer Phenomenon
accept           person         plan,idea,decision                        Respond_to_proposal   Speaker Proposal
surprise         event,idea,person  person,relative                Experiencer_object    Stimulus Experiencer
attack           person,animal  person,animal,building             Attack                Assailant Victim
feed             person         animal                             Ingestion_cause       Agent Ingestor
organize         person         event                              Organizing            Agent Event
enjoy            person,relative  event,food,text                  Experiencer_focus     Experiencer Content
leave            person         building,city,event                Departing             Theme Source
enter            person,animal  building                           Arriving              Theme Goal
"""
_PREPOSITIONAL = """
wait_for         person         person,relative,vehicle            Waiting               Protagonist Expected_event
look_at          person,animal  person,animal,thing,building       Perception_active     Perceiver Phenomenon
listen_to        person         person,relative,text               Perception_active     Perceiver Phenomenon
talk_to          person         person,relative                    Chatting              Interlocutor_1 Interlocutor_2
laugh_at         person         person,relative,idea               Make_noise            Sound_source Topic
think_about      person,relative  idea,person,event                Cogitation            Cognizer Topic
dream_of         person         vehicle,animal,city                Desiring              Experiencer Event
search_for       person,animal  thing,clothes,food,text,animal     Seeking               Seeker Sought_entity
depend_on        idea,event     idea,person                        Contingency           Outcome Determinant
believe_in       person         plan,idea,person                       Trust                 Cognizer Content
"""
_PHRASAL = """
pick_up          person         thing,container,clothes,text       Taking                Agent Theme
put_down         person         thing,container,text               Placing               Agent Theme
throw_away       person         thing,clothes,food,text            Removing              Agent Theme
turn_off         person         lamp,camera,phone                  Change_operational_state  Agent Device
turn_on          person         lamp,camera,phone                  Change_operational_state  Agent Device
bring_back       person         thing,container,text,vehicle       Bringing              Agent Theme
give_back        person         thing,text,clothes                 Giving_back           Donor Theme
write_down       person         plan,idea,question,poem,story                    Text_creation         Author Text
take_off         person         clothes                            Undressing            Wearer Clothing
put_on           person         clothes                            Dressing              Wearer Clothing
clean_up         person,relative  building                         Emptying              Agent Source
call_up          person         person,relative                    Contacting            Communicator Addressee
tear_down        person         building                           Destroying            Destroyer Undergoer
send_back        person         text,clothes,thing                 Sending               Sender Theme
hand_in          person         text                               Submitting_documents  Submitter Documents
"""
_PARTICLE = """
wake_up          person,animal,relative  Waking_up           Sleeper
get_up           person,relative         Change_posture      Protagonist
stand_up         person                  Change_posture      Protagonist
sit_down         person                  Change_posture      Protagonist
come_back        person,relative,animal  Arriving            Theme
run_away         person,animal           Fleeing             Self_mover
go_out           person                  Departing           Theme
give_up          person                  Surrendering        Fugitive
"""
# Subject, object, recipient. The recipient is a person; it is an object or stands with "to".
_DITRANSITIVE = """
give             person,relative  thing,clothes,food,text,animal   Giving                Donor Theme Recipient
send             person           text,clothes,thing               Sending               Sender Theme Recipient
show             person           text,thing,animal,building       Cause_to_perceive     Actor Phenomenon Perceiver
offer            person           food,vehicle,clothes             Offering         Offerer Theme Potential_recipient
bring            person,relative  food,thing,clothes,text          Bringing              Agent Theme Goal
lend             person           thing,vehicle,text,clothes       Lending               Lender Theme Borrower
sell             person           vehicle,food,clothes,animal      Commerce_sell         Seller Goods Buyer
"""
# Subject and a finite clause with "that", or with "whether".
_CLAUSAL = """
say              person,relative         Statement           Speaker Message
think            person,relative         Opinion             Cognizer Opinion
know             person,relative         Awareness           Cognizer Content
hope             person                  Desiring            Experiencer Event
claim            person                  Statement           Speaker Message
notice           person,animal           Becoming_aware      Cognizer Phenomenon
remember         person,relative         Remembering         Cognizer Content
admit            person                  Statement           Speaker Message
suspect          person                  Opinion             Cognizer Opinion
"""
_WHETHER = """
wonder           person                  Cogitation          Cognizer Topic
ask              person,relative         Questioning         Speaker Message
"""
# Subject, addressee and a clause with "that".
_ADDRESSED = """
tell             person,relative  person,relative  Telling              Speaker Addressee Message
remind           person           person           Evoking              Stimulus Cognizer Phenomenon
"""
# Subject and an infinitive without a subject of its own.
_INFINITIVAL = """
want             person,animal           Desiring            Experiencer Event
try              person,animal           Attempt             Agent Goal
decide           person                  Deciding            Cognizer Decision
plan             person                  Purpose             Agent Goal
manage           person                  Successful_action   Protagonist Goal
refuse           person                  Agree_or_refuse     Speaker Proposed_action
forget           person                  Remembering         Cognizer Content
begin            person,animal           Activity_start      Agent Activity
"""
# Subject, object and an infinitive whose subject is the object.
_CONTROL = """
allow            person           person,relative,animal  Permitting         Grantor Grantee Action
persuade         person           person,relative         Persuading         Speaker Addressee Content
force            person           person,relative         Causation          Cause Affected Effect
order            person           person                  Request            Speaker Addressee Message
"""
_COPULAR = """
be               person,animal    -                  -
seem             person,animal    Appearance         Phenomenon Inference
become           person,animal    Becoming           Entity Final_quality
look             person,animal    Appearance         Phenomenon Inference
feel             person,animal    Feeling            Experiencer Emotional_state
"""
_TABLES = {
    "intransitive": (_INTRANSITIVE, ("subject",)),
    "transitive": (_TRANSITIVE, ("subject", "object")),
    "prepositional": (_PREPOSITIONAL, ("subject", "oblique")),
    "phrasal": (_PHRASAL, ("subject", "object")),
    "particle": (_PARTICLE, ("subject",)),
    "ditransitive": (_DITRANSITIVE, ("subject", "object", "recipient")),
    "clausal": (_CLAUSAL, ("subject", "complement")),
    "whether": (_WHETHER, ("subject", "complement")),
    "addressed": (_ADDRESSED, ("subject", "recipient", "complement")),
    "infinitival": (_INFINITIVAL, ("subject", "complement")),
    "control": (_CONTROL, ("subject", "object", "complement")),
    "copular": (_COPULAR, ("subject", "complement")),
}
_TAKES_KINDS = {"subject", "object", "oblique"}  # functions whose kinds a row gives; so is the addressee of "tell"
_STATIVE = "see hear love hate admire know understand believe_in depend_on want seem be"

_FEATS = {
    "base": ("VB", "VerbForm=Inf"),
    "present": ("VBP", "Mood=Ind|Tense=Pres|VerbForm=Fin"),
    "third": ("VBZ", "Mood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin"),
    "past": ("VBD", "Mood=Ind|Tense=Past|VerbForm=Fin"),
    "participle": ("VBN", "Tense=Past|VerbForm=Part"),
    "gerund": ("VBG", "Tense=Pres|VerbForm=Part"),
}


@dataclass(frozen=True, eq=False, slots=True)
class Verb:
    """A verb in one of its patterns.

    ``kinds`` gives the kinds, or single nouns, that fill a function; ``elements`` its core element in the frame.
    """

    lemma: str
    particle: str | None
    preposition: str | None
    pattern: str
    kinds: dict[str, tuple[str, ...]]
    frame: str | None
    elements: dict[str, str]
    forms: dict[str, Token]
    stative: bool

    @property
    def name(self) -> str:
        """The verb with its particle or its preposition: pick_up, wait_for."""
        second = self.particle or (self.preposition if self.pattern == "prepositional" else None)
        return f"{self.lemma}_{second}" if second else self.lemma


def _verb(row: str, pattern: str, functions: tuple[str, ...]) -> Verb:
    name, *columns = row.split()
    lemma, _, second = name.partition("_")
    with_kinds = [function for function in functions if function in _TAKES_KINDS]
    if pattern == "addressed":
        with_kinds.append("recipient")
    kinds = {function: tuple(columns.pop(0).split(",")) for function in with_kinds}
    if pattern == "ditransitive":
        kinds["recipient"] = ("person", "relative")
    frame, *elements = columns
    return Verb(
        lemma=lemma,
        particle=second if pattern in ("phrasal", "particle") else None,
        preposition="to" if pattern == "ditransitive" else (second if pattern == "prepositional" else None),
        pattern=pattern,
        kinds=kinds,
        frame=None if frame == "-" else frame,
        elements={} if frame == "-" else dict(zip(functions, elements, strict=True)),
        forms=_forms(lemma),
        stative=name in _STATIVE.split(),
    )


def _forms(lemma: str) -> dict[str, Token]:
    spelled = verb_forms(lemma)._asdict() | {"present": lemma}
    return {form: Token(spelled[form], lemma, "VERB", *tags) for form, tags in _FEATS.items()}


VERBS_OF_PATTERN: dict[str, tuple[Verb, ...]] = {
    pattern: tuple(_verb(row, pattern, functions) for row in table.strip().splitlines())
    for pattern, (table, functions) in _TABLES.items()
}
VERBS: tuple[Verb, ...] = tuple(verb for verbs in VERBS_OF_PATTERN.values() for verb in verbs)
BE = VERBS_OF_PATTERN["copular"][0]
LINKING = VERBS_OF_PATTERN["copular"][1:]

# Verbs whose complement is true if the whole is (for entailment): "manage to", "know that".
FACTIVE = {"know", "notice", "remember", "admit", "manage", "force", "remind"}
