"""The German counterparts of the English words.

English words that can stand in the same place never share a German one, so that a translator need not guess.
"""

from __future__ import annotations

from miniature.english.lexicon import Noun
from miniature.german.inflection import Case, GermanNoun, GermanVerb, verb

# English, German, gender, plural; a weak noun has its oblique form in the last column.
_NOUNS = """
teacher Lehrer m Lehrer              doctor Arzt m Ärzte                nurse Krankenpfleger m Krankenpfleger
farmer Bauer m Bauern Bauern         student Student m Studenten Studenten  lawyer Anwalt m Anwälte
writer Schriftsteller m Schriftsteller  singer Sänger m Sänger          driver Fahrer m Fahrer
baker Bäcker m Bäcker                neighbor Nachbar m Nachbarn Nachbarn  officer Offizier m Offiziere
artist Künstler m Künstler           guard Wächter m Wächter            judge Richter m Richter
king König m Könige                  queen Königin f Königinnen         girl Mädchen n Mädchen
boy Junge m Jungen Jungen            woman Frau f Frauen                man Mann m Männer
child Kind n Kinder                  friend Freund m Freunde            thief Dieb m Diebe
librarian Bibliothekar m Bibliothekare  beekeeper Imker m Imker         locksmith Schlosser m Schlosser
mother Mutter f Mütter               father Vater m Väter               sister Schwester f Schwestern
brother Bruder m Brüder              aunt Tante f Tanten                uncle Onkel m Onkel
daughter Tochter f Töchter           son Sohn m Söhne                   cousin Cousin m Cousins
dog Hund m Hunde                     cat Katze f Katzen                 horse Pferd n Pferde
bird Vogel m Vögel                   cow Kuh f Kühe                     sheep Schaf n Schafe
rabbit Kaninchen n Kaninchen         mouse Maus f Mäuse                 goat Ziege f Ziegen
hedgehog Igel m Igel
apple Apfel m Äpfel                  cake Kuchen m Kuchen               egg Ei n Eier
sandwich Brötchen n Brötchen         pie Torte f Torten                 potato Kartoffel f Kartoffeln
tomato Tomate f Tomaten              soup Suppe f Suppen                orange Orange f Orangen
dumpling Knödel m Knödel
book Buch n Bücher                   letter Brief m Briefe              report Bericht m Berichte
story Geschichte f Geschichten       poem Gedicht n Gedichte            song Lied n Lieder
map Karte f Karten                   article Artikel m Artikel          list Liste f Listen
box Kiste f Kisten                   bag Tasche f Taschen               basket Korb m Körbe
bottle Flasche f Flaschen            door Tür f Türen                   window Fenster n Fenster
drawer Schublade f Schubladen        suitcase Koffer m Koffer
key Schlüssel m Schlüssel            phone Telefon n Telefone           lamp Lampe f Lampen
chair Stuhl m Stühle                 clock Uhr f Uhren                  knife Messer n Messer
picture Bild n Bilder                ball Ball m Bälle                  hammer Hammer m Hämmer
guitar Gitarre f Gitarren            camera Kamera f Kameras            mirror Spiegel m Spiegel
table Tisch m Tische                 umbrella Regenschirm m Regenschirme  accordion Akkordeon n Akkordeons
coat Mantel m Mäntel                 hat Hut m Hüte                     shirt Hemd n Hemden
dress Kleid n Kleider                scarf Schal m Schals               jacket Jacke f Jacken
car Auto n Autos                     bus Bus m Busse                    boat Boot n Boote
bike Fahrrad n Fahrräder             train Zug m Züge                   truck Lastwagen m Lastwagen
house Haus n Häuser                  church Kirche f Kirchen            school Schule f Schulen
library Bibliothek f Bibliotheken    hospital Krankenhaus n Krankenhäuser  station Bahnhof m Bahnhöfe
museum Museum n Museen               kitchen Küche f Küchen             office Büro n Büros
tower Turm m Türme
garden Garten m Gärten               park Park m Parks                  forest Wald m Wälder
village Dorf n Dörfer                city Stadt f Städte                street Straße f Straßen
market Markt m Märkte                field Feld n Felder                river Fluss m Flüsse
party Feier f Feiern                 meeting Sitzung f Sitzungen        lesson Lektion f Lektionen
concert Konzert n Konzerte           game Spiel n Spiele                wedding Hochzeit f Hochzeiten
trip Reise f Reisen                  dinner Abendessen n Abendessen
plan Plan m Pläne                    problem Problem n Probleme         idea Idee f Ideen
question Frage f Fragen              answer Antwort f Antworten         decision Entscheidung f Entscheidungen
mistake Fehler m Fehler              secret Geheimnis n Geheimnisse
"""

# The words for women, where the German noun above means a man.
_WOMEN = "nurse:Krankenschwester doctor:Ärztin farmer:Bäuerin lawyer:Anwältin student:Studentin cousin:Cousine"
_WOMEN += " teacher:Lehrerin writer:Schriftstellerin singer:Sängerin driver:Fahrerin baker:Bäckerin neighbor:Nachbarin"
_WOMEN += " officer:Offizierin artist:Künstlerin guard:Wächterin judge:Richterin friend:Freundin thief:Diebin"
_WOMEN += " librarian:Bibliothekarin beekeeper:Imkerin locksmith:Schlosserin"

# Nouns as the first part of a compound.
_FIRST_PARTS = {
    "kitchen": "Küchen",
    "school": "Schul",
    "garden": "Garten",
    "apple": "Apfel",
    "potato": "Kartoffel",
    "tomato": "Tomaten",
    "winter": "Winter",
    "summer": "Sommer",
    "train": "Zug",
    "bus": "Bus",
    "city": "Stadt",
    "village": "Dorf",
    "birthday": "Geburtstags",
    "dinner": "Essens",
    "travel": "Reise",
    "love": "Liebes",
    "police": "Polizei",
    "office": "Büro",
    "church": "Kirchen",
    "market": "Markt",
    "story": "Geschichten",
    "hospital": "Krankenhaus",
    "family": "Familien",
    "toy": "Spielzeug",
    "company": "Firmen",
}
OUTER_FIRST_PARTS = ("company", "family", "city")  # those that read well before a whole compound
_COMPOUNDS = {
    ("police", "officer"): GermanNoun("Polizist", "m", "Polizisten", "Polizisten"),
    ("train", "station"): GermanNoun("Zugbahnhof", "m", "Zugbahnhöfe"),
    ("family", "doctor"): GermanNoun("Hausarzt", "m", "Hausärzte"),
}
_WOMEN_OF_COMPOUNDS = {("police", "officer"): "Polizistin", ("family", "doctor"): "Hausärztin"}

# English, German as a predicate and, if it differs, the stem before endings.
_ADJECTIVES = """
good:gut bad:schlecht great:großartig terrible:furchtbar wonderful:wunderbar strange:seltsam beautiful:schön
famous:berühmt clever:klug friendly:freundlich brave:mutig lazy:faul polite:höflich important:wichtig simple:einfach
difficult:schwierig interesting:interessant boring:langweilig delicious:lecker fresh:frisch sweet:süß
expensive:teuer:teur cheap:billig useful:nützlich dangerous:gefährlich big:groß small:klein huge:riesig little:winzig
tall:hoch:hoh long:lang short:kurz heavy:schwer empty:leer quiet:ruhig dirty:schmutzig clean:sauber broken:kaputt
hungry:hungrig tired:müde:müd old:alt young:jung new:neu red:rot green:grün blue:blau black:schwarz white:weiß
wooden:hölzern happy:glücklich sad:traurig angry:wütend afraid:ängstlich proud:stolz nervous:nervös calm:gelassen
sick:krank ready:bereit
"""
_ADVERBS = """
often:oft always:immer usually:meistens sometimes:manchmal rarely:selten never:nie already:schon
probably:wahrscheinlich certainly:bestimmt almost:fast finally:endlich suddenly:plötzlich really:wirklich
quickly:schnell slowly:langsam carefully:vorsichtig quietly:leise loudly:laut gladly:gern secretly:heimlich
very:sehr quite:ziemlich rather:eher so:so too:zu perhaps:vielleicht fortunately:glücklicherweise however:jedoch
then:dann again:wieder together:gemeinsam outside:draußen there:dort
"""
_NUMERALS = "two:zwei three:drei four:vier five:fünf six:sechs seven:sieben ten:zehn"
_NAMES = "Rome:Rom Vienna:Wien Prague:Prag Monday:Montag Tuesday:Dienstag Friday:Freitag Sunday:Sonntag"

# Determiners without their endings; "another" is two words.
DETERMINERS = {
    "the": "der",
    "a": "ein",
    "this": "dies",
    "another": "ein",
    "every": "jed",
    "some": "einig",
    "no": "kein",
}
PREPOSITIONS: dict[str, tuple[str, Case]] = {
    "in": ("in", "Dat"),
    "at": ("bei", "Dat"),
    "near": ("nahe", "Dat"),
    "behind": ("hinter", "Dat"),
    "under": ("unter", "Dat"),
    "on": ("an", "Dat"),
    "from": ("aus", "Dat"),
    "with": ("mit", "Dat"),
    "without": ("ohne", "Acc"),
    "about": ("über", "Acc"),
    "of": ("von", "Dat"),
    "by": ("von", "Dat"),
    "after": ("nach", "Dat"),
    "before": ("vor", "Dat"),
    "during": ("während", "Gen"),
}
ON_TOP = {"market", "field"}  # German has "auf" before them, not "in"
CONTRACTED = {("in", "dem"): "im", ("an", "dem"): "am", ("von", "dem"): "vom", ("bei", "dem"): "beim"}
SUBORDINATORS = {
    "that": "dass",
    "whether": "ob",
    "because": "weil",
    "when": "wenn",
    "although": "obwohl",
    "while": "während",
    "after": "nachdem",
    "before": "bevor",
    "if": "falls",
}
CONJUNCTIONS = {"and": "und", "or": "oder", "but": "aber"}

# Expressions of time: German words with their parts of speech and the parts of the meaning that they express.
TIMES: dict[tuple[str, ...], tuple[tuple[str, str, tuple[str, ...]], ...]] = {
    ("yesterday",): (("gestern", "ADV", ("head",)),),
    ("today",): (("heute", "ADV", ("head",)),),
    ("tomorrow",): (("morgen", "ADV", ("head",)),),
    ("last", "week"): (("letzte", "ADJ", ("last",)), ("Woche", "NOUN", ("head",))),
    ("last", "summer"): (("letzten", "ADJ", ("last",)), ("Sommer", "NOUN", ("head",))),
    ("that", "morning"): (("an", "ADP", ()), ("jenem", "DET", ("that",)), ("Morgen", "NOUN", ("head",))),
    ("one", "day"): (("eines", "DET", ("one",)), ("Tages", "NOUN", ("head",))),
    ("every", "morning"): (("jeden", "DET", ("every",)), ("Morgen", "NOUN", ("head",))),
    ("every", "week"): (("jede", "DET", ("every",)), ("Woche", "NOUN", ("head",))),
    ("this", "year"): (("dieses", "DET", ("this",)), ("Jahr", "NOUN", ("head",))),
    ("next", "week"): (("nächste", "ADJ", ("next",)), ("Woche", "NOUN", ("head",))),
    ("next", "summer"): (("nächsten", "ADJ", ("next",)), ("Sommer", "NOUN", ("head",))),
    ("this", "evening"): (("an", "ADP", ()), ("diesem", "DET", ("this",)), ("Abend", "NOUN", ("head",))),
}

# English verb, German infinitive, parts of a strong verb (third person, past, participle; "=" for a regular one), and
# traits: sein, dat, sich, a preposition with its case, a correlate.
_VERBS = """
arrive       an|kommen       =,kam,gekommen              sein
sleep        schlafen        schläft,schlief,geschlafen
laugh        lachen
sing         singen          =,sang,gesungen
dance        tanzen
run          laufen          läuft,lief,gelaufen         sein
walk         gehen           =,ging,gegangen             sein
work         arbeiten
disappear    verschwinden    =,verschwand,verschwunden   sein
fall         fallen          fällt,fiel,gefallen         sein
wait         warten
smile        lächeln
buy          kaufen
steal        stehlen         stiehlt,stahl,gestohlen
find         finden          =,fand,gefunden
lose         verlieren       =,verlor,verloren
open         öffnen
close        schließen       =,schloss,geschlossen
break        zerbrechen      zerbricht,zerbrach,zerbrochen
repair       reparieren
clean        putzen
carry        schleppen
hide         verstecken
read         lesen           liest,las,gelesen
write        schreiben       =,schrieb,geschrieben
see          sehen           sieht,sah,gesehen
hear         hören
watch        beobachten
follow       folgen          -                           sein,dat
chase        jagen
love         lieben
hate         hassen
admire       bewundern
praise       loben
blame        beschuldigen
meet         treffen         trifft,traf,getroffen
visit        besuchen
help         helfen          hilft,half,geholfen         dat
thank        danken          -                           dat
invite       ein|laden       lädt,lud,geladen
teach        unterrichten
eat          essen           isst,aß,gegessen
cook         kochen
drive        fahren          fährt,fuhr,gefahren
push         schieben        =,schob,geschoben
wear         tragen          trägt,trug,getragen
wash         waschen         wäscht,wusch,gewaschen
build        bauen
paint        bemalen
solve        lösen
discuss      besprechen      bespricht,besprach,besprochen
understand   verstehen       =,verstand,verstanden
accept       an|nehmen       nimmt,nahm,genommen
surprise     überraschen
attack       an|greifen      =,griff,gegriffen
feed         füttern
organize     organisieren
enjoy        genießen        =,genoss,genossen
leave        verlassen       verlässt,verließ,verlassen
enter        betreten        betritt,betrat,betreten
wait_for     warten          -                           auf+Acc
look_at      an|sehen        sieht,sah,gesehen
listen_to    zu|hören        -                           dat
talk_to      sprechen        spricht,sprach,gesprochen   mit+Dat
laugh_at     lachen          -                           über+Acc
think_about  nach|denken     =,dachte,gedacht            über+Acc
dream_of     träumen         -                           von+Dat
search_for   suchen          -                           nach+Dat
depend_on    ab|hängen       =,hing,gehangen             von+Dat
believe_in   glauben         -                           an+Acc
pick_up      auf|heben       =,hob,gehoben
put_down     hin|stellen
throw_away   weg|werfen      wirft,warf,geworfen
turn_off     aus|schalten
turn_on      ein|schalten
bring_back   zurück|bringen  =,brachte,gebracht
give_back    zurück|geben    gibt,gab,gegeben
write_down   auf|schreiben   =,schrieb,geschrieben
take_off     aus|ziehen      =,zog,gezogen
put_on       an|ziehen       =,zog,gezogen
clean_up     auf|räumen
call_up      an|rufen        =,rief,gerufen
tear_down    ab|reißen       =,riss,gerissen
send_back    zurück|schicken
hand_in      ein|reichen
wake_up      auf|wachen      -                           sein
get_up       auf|stehen      =,stand,gestanden           sein
stand_up     auf|richten     -                           sich
sit_down     hin|setzen      -                           sich
come_back    zurück|kommen   =,kam,gekommen              sein
run_away     weg|laufen      läuft,lief,gelaufen         sein
go_out       aus|gehen       =,ging,gegangen             sein
give_up      auf|geben       gibt,gab,gegeben
give         geben           gibt,gab,gegeben
send         schicken
show         zeigen
offer        an|bieten       =,bot,geboten
bring        bringen         =,brachte,gebracht
lend         leihen          =,lieh,geliehen
sell         verkaufen
say          sagen
think        denken          =,dachte,gedacht
hope         hoffen
claim        behaupten
notice       bemerken
remember     erinnern        -                           sich
admit        zu|geben        gibt,gab,gegeben
suspect      vermuten
wonder       fragen          -                           sich
ask          fragen
tell         erzählen        -                           dat
remind       erinnern        -                           daran
try          versuchen
decide       beschließen     =,beschloss,beschlossen
plan         planen
manage       schaffen        -                           es
refuse       weigern         -                           sich
forget       vergessen       vergisst,vergaß,vergessen
begin        an|fangen       fängt,fing,gefangen
allow        erlauben        -                           dat
persuade     überreden
force        zwingen         =,zwang,gezwungen
order        befehlen        befiehlt,befahl,befohlen    dat
seem         wirken
become       werden          wird,wurde,geworden         sein
look         aus|sehen       sieht,sah,gesehen
feel         fühlen          -                           sich
"""


def _nouns() -> dict[str, GermanNoun]:
    rows = (row.split() for line in _NOUNS.strip().splitlines() for row in line.split("  ") if row.strip())
    return {english: GermanNoun(*forms) for english, *forms in rows}


def _woman(form: str) -> GermanNoun:
    return GermanNoun(form, "f", form + ("nen" if form.endswith("in") else "n"))


def _traits(text: str) -> dict:
    traits: dict = {}
    for trait in text.split(",") if text else ():
        if trait == "sein":
            traits["auxiliary"] = "sein"
        elif trait == "dat":
            traits["case"] = "Dat"
        elif trait == "sich":
            traits["reflexive"] = True
        elif "+" in trait:
            traits["preposition"] = tuple(trait.split("+"))
        else:
            traits["correlate"] = trait
    return traits


def _verbs() -> dict[str, GermanVerb]:
    verbs = {}
    for row in _VERBS.strip().splitlines():
        name, infinitive, *rest = row.split()
        parts, traits = (*rest, "-", "")[:2] if rest else ("-", "")
        verbs[name] = verb(infinitive, parts, **_traits("" if traits == "-" else traits))
    return verbs


def _modal(infinitive: str, singular: str, plural: str) -> GermanVerb:
    return GermanVerb(infinitive, singular, singular, "", "", present_plural=plural)


def _table(entries: str) -> dict[str, str]:
    return dict(entry.split(":") for entry in entries.split())


NOUNS = _nouns()
ADVERBS = _table(_ADVERBS)
NUMERALS = _table(_NUMERALS)
_GERMAN_NAMES = _table(_NAMES)
_WOMAN = {english: _woman(form) for english, form in _table(_WOMEN).items()}
_ADJECTIVE = {english: forms for english, *forms in (entry.split(":") for entry in _ADJECTIVES.split())}

HABEN = GermanVerb("haben", "habe", "hat", "hatte", "gehabt")
SEIN = GermanVerb("sein", "bin", "ist", "war", "gewesen", auxiliary="sein", present_plural="sind")
WERDEN = GermanVerb("werden", "werde", "wird", "wurde", "worden", auxiliary="sein")
THERE_IS = verb("geben", "gibt,gab,gegeben")
MODALS = {
    "can": _modal("können", "kann", "können"),
    "could": _modal("können", "könnte", "könnten"),
    "may": _modal("dürfen", "darf", "dürfen"),
    "must": _modal("müssen", "muss", "müssen"),
    "should": _modal("sollen", "sollte", "sollten"),
    "would": _modal("werden", "würde", "würden"),
    "will": WERDEN,
}
VERBS = _verbs() | {
    "be": SEIN,
    "want": GermanVerb("wollen", "will", "will", "wollte", "gewollt"),
    "know": GermanVerb("wissen", "weiß", "weiß", "wusste", "gewusst"),
}


def noun(entry: Noun, modifiers: tuple[Noun, ...] = (), woman: bool = False) -> GermanNoun:
    """The German noun, in one word with its modifiers; ``woman`` asks for the word for a woman, if there is one."""
    key = (modifiers[-1].lemma, entry.lemma) if modifiers else None
    if key in _COMPOUNDS:
        whole = _woman(_WOMEN_OF_COMPOUNDS[key]) if woman and key in _WOMEN_OF_COMPOUNDS else _COMPOUNDS[key]
        modifiers = modifiers[:-1]
    else:
        whole = _WOMAN[entry.lemma] if woman and entry.lemma in _WOMAN else NOUNS[entry.lemma]
    for modifier in reversed(modifiers):
        whole = whole.compound_with(_FIRST_PARTS[modifier.lemma])
    return whole


def name(entry: Noun) -> str:
    """The German form of a name."""
    return _GERMAN_NAMES.get(entry.lemma, entry.lemma)


def predicate(adjective: str, kind: str) -> str:
    """The German adjective without ending, as said of a kind of things."""
    return "groß" if adjective == "tall" and kind != "building" else _ADJECTIVE[adjective][0]


def stem(adjective: str, kind: str) -> str:
    """The German adjective's stem, which endings follow, before a noun of a kind."""
    return "groß" if adjective == "tall" and kind != "building" else _ADJECTIVE[adjective][-1]
