import dataclasses
import gzip
import re
from collections import Counter
from time import process_time

import pytest
from hypothesis import given

from bert_attention.corpora.conllu import documents_of
from bert_attention.corpora.corefud import mention_type, read_corefud, write_corefud
from bert_attention.corpora.types import Document, Mention, Word
from bert_attention.errors import InputError
from tests.corpora.trees import drawn_documents
from tests.treebanks import tree


def conllu(*words, comments=()):
    """Sentence in CoNLL-U from words ``form xpos head misc``; misc is ``_`` if left out."""
    lines = list(comments)
    for number, word in enumerate(words, start=1):
        form, xpos, head, misc = [*word.split(), "_"][:4]
        lines.append(f"{number}\t{form}\t_\t_\t{xpos}\t_\t{head}\t{'dep' if head != '0' else 'root'}\t_\t{misc}")
    return "\n".join(lines) + "\n\n"


def spans(document):
    return [(mention.chain, mention.words) for mention in document.mentions]


def read(tmp_path, text, **options):
    path = tmp_path / "text.conllu"
    path.write_text(text, encoding="utf-8")
    return read_corefud(path, **options)


CHAINS = conllu(
    "Ada NNP 4 Entity=(e1-person-2(e2-name-1-)",
    "Byron NNP 1 Entity=e1)",
    "proudly RB 4 SpaceAfter=No",
    "showed VBD 0",
    "her PRP$ 6 Entity=(e3-object-2(e1-person-1-)|Gloss=x",
    "engine NN 4 Entity=e3)",
    comments=("# newdoc id = letters", "# global.Entity = eid-etype-head-other", "# sent_id = 1"),
) + conllu("She PRP 2 Entity=(e1-person)(e4-person-1)", "oiled VBD 0", "it PRP 2 Entity=(e3)")


def test_chains_mentions_heads_and_types(tmp_path):
    (document,), left_out = read(tmp_path, CHAINS)
    assert (document.id, left_out) == ("letters", {})
    assert document.mentions == (
        Mention("e1", (0, 1), 0, "proper"),
        Mention("e1", (4,), 4, "pronoun"),
        Mention("e3", (4, 5), 5, "nominal"),
        Mention("e1", (6,), 6, "pronoun"),
        Mention("e3", (8,), 8, "pronoun"),
    )
    assert [sentence.comments for sentence in document.sentences] == [("# sent_id = 1",), ()]
    assert [word.misc for word in document.sentences[0].words] == ["_", "_", "SpaceAfter=No", "_", "Gloss=x", "_"]


def test_nested_crossing_and_discontinuous_mentions(tmp_path):
    text = conllu(
        "a X 0 Entity=(1(2",
        "b X 1 Entity=(1(3[1/2])",
        "c X 2 Entity=1)2)(4[1/3])",  # the bracket opened last is closed first
        "d X 3 Entity=(3[2/2])(4[2/3])1)(4[1/2])",
        "e X 4 Entity=(4[2/2])(4[3/3])",
    )
    (document,), _ = read(tmp_path, text, singletons=True)
    found = [("2", (0, 1, 2)), ("1", (0, 1, 2, 3)), ("1", (1, 2)), ("3", (1, 3)), ("4", (2, 3, 4)), ("4", (3, 4))]
    assert spans(document) == found


@pytest.mark.parametrize(
    ("fields", "opening", "closing"),
    [
        ("GRP", "(7", "7)"),
        ("eid-etype-head-other", "(7-person-1-infstat:new,x:y", "7)"),
        ("entity-GRP-infstat-MIN", "(person-7-new-1", "person-7)"),  # early GUM
        ("eid-etype", "(7-person", "7-person)"),  # early CorefUD
    ],
)
def test_the_file_defines_the_order_of_fields(tmp_path, fields, opening, closing):
    words = (f"a X 0 Entity={opening}", f"b X 1 Entity={closing}", f"c X 1 Entity={opening})")
    (document,), _ = read(tmp_path, conllu(*words, comments=[f"# global.Entity = {fields}"]))
    assert spans(document) == [("7", (0, 1)), ("7", (2,))]


def test_documents_and_their_names(tmp_path):
    pair = ("a NN 0 Entity=(1)", "b PRP 1 Entity=(1)")
    comments = ("# sent_id = 1", "# newdoc id = second one", "# newpar", "# newdoc")
    documents, _ = read(tmp_path, "".join(conllu(*pair, comments=[comment]) for comment in comments))
    found = [(document.id, len(document.sentences), len(document.mentions)) for document in documents]
    assert found == [("text", 1, 2), ("second one", 2, 4), ("text-2", 1, 2)]
    assert documents[1].mentions[2] == Mention("1", (2,), 2, "nominal")  # words are numbered across sentences


def test_types_follow_the_tag_of_the_head():
    def types(*tags):
        return {mention_type(Word("w", "_", upos, xpos, "_", 0, "root")) for xpos, upos in map(str.split, tags)}

    assert types("PRP NOUN", "PRP$ _", "_ PRON", "PPER PRON") == {"pronoun"}  # PPER is of another tag set
    assert types("NNP NOUN", "NNPS _", "_ PROPN") == {"proper"}
    assert types("NN PROPN", "WP PRON", "DT PRON", "_ NOUN") == {"nominal"}


EMPTY_NODES = """\
1\ta\t_\t_\tX\t_\t0\troot\t_\t_
2\tb\t_\t_\tX\t_\t1\tdep\t_\t_
2.1\t_\t_\t_\t_\t_\t_\t_\t1:dep\tEntity=(1)(2(3)|Gloss=x
3\tc\t_\t_\tX\t_\t1\tdep\t_\t_
3.1\t_\t_\t_\t_\t_\t_\t_\t1:dep\tEntity=2)

1-2\tde\t_\t_\t_\t_\t_\t_\t_\t_
1\td\t_\t_\tX\t_\t0\troot\t_\tEntity=(2(1)
2\te\t_\t_\tX\t_\t1\tdep\t_\tEntity=(1)2)
"""


def test_empty_nodes_stand_between_words(tmp_path):
    (document,), left_out = read(tmp_path, EMPTY_NODES)
    assert spans(document) == [("2", (2,)), ("1", (3,)), ("2", (3, 4)), ("1", (4,))]
    assert left_out == {"mentions of empty nodes": 2}
    assert [line.split("\t")[-1] for _, line in document.sentences[0].other_lines] == ["Gloss=x", "_"]
    write_corefud([document], tmp_path / "written.conllu")
    assert read_corefud(tmp_path / "written.conllu")[0] == [document]


@pytest.mark.parametrize(
    ("mentions", "problem"),
    [
        ([("1", (0, 1, 2)), ("1", (1, 2, 3))], "two mentions of chain 1 cross (the first at word 0), which"),
        ([("1", (0,)), ("1", (0,))], "chain 1 has two mentions of the same words"),
        ([("1", (3, 4)), ("1", (0,))], "a mention of chain 1 is in two sentences"),
        ([("a-b", (0,)), ("a-b", (1,))], "the chain 'a-b' cannot be written in Entity="),
    ],
)
def test_mentions_that_brackets_cannot_express_are_not_written(tmp_path, mentions, problem):
    found = tuple(Mention(chain, words, words[0], "nominal") for chain, words in mentions)
    with pytest.raises(InputError, match=re.escape(f"document d: {problem}")):
        write_corefud([Document("d", (tree([0, 1, 1, 1]),) * 2, found)], tmp_path / "written.conllu")
    assert not list(tmp_path.iterdir())


MULTIWORD = "1-2\tab" + "\t_" * 7 + "\tEntity=(1)\n"
FIELDS = "# global.Entity = etype-head\n"


@pytest.mark.parametrize(
    ("sentences", "line", "problem", "kind"),
    [
        (conllu("a X 0 Entity=(1"), 1, "the mention of chain 1 that opens here is not closed", "brackets not closed"),
        (conllu("a X 0", "b X 1 Entity=1)"), 2, "chain 1 is closed but was not opened", "brackets not opened"),
        (conllu("a X 0", "b X 1 Entity=(1)(-x)"), 2, "in '(1)(-x)' has no id", "brackets without an id"),
        (conllu("a X 0", "b X 1 Entity=(1)2"), 2, "'2' in '(1)2' belongs to no bracket", "text outside brackets"),
        (conllu("a X 0 Entity=(1[1/2])"), 1, "opens here lacks some of its 2 parts", "parts of mentions missing"),
        (conllu("a X 0 Entity=(1[2/2])"), 1, "part 2 of 2 of a mention of chain 1", "parts of mentions missing"),
        (conllu("a X 0 Entity=(1[3/2])"), 1, "there is no part 3 of 2", "parts of mentions missing"),
        (conllu("a X 0 Entity=(1)(1)"), 1, "chain 1 has two mentions of the same words", "mentions given twice"),
        (conllu("a X 0 Entity=(1") + conllu("b X 0 Entity=1)"), 1, "is in two sentences", "mentions across sentences"),
        (MULTIWORD + conllu("a X 0", "b X 1"), 1, "Entity= is at a multiword token", "brackets at multiword tokens"),
        (FIELDS + conllu("a X 0"), 1, "are 'etype-head', but eid or GRP is missing", "fields without a chain"),
    ],
)
def test_a_bad_document_is_an_error_that_names_its_line_or_is_skipped_and_counted(
    tmp_path, sentences, line, problem, kind
):
    bad = f"# newdoc id = bad\n# global.Entity = GRP\n{sentences}"
    line += CHAINS.count("\n") + 2
    with pytest.raises(InputError, match=rf"text.conllu, line {line}: .*{re.escape(problem)}"):
        read(tmp_path, CHAINS + bad)
    documents, left_out = read(tmp_path, CHAINS + bad + CHAINS.replace("letters", "last"), on_bad_input="skip")
    assert ([document.id for document in documents], left_out) == (["letters", "last"], {kind: 1})
    with pytest.raises(InputError, match=r"text.conllu: holds no document"):
        read(tmp_path, bad, on_bad_input="skip")


@given(drawn_documents())
def test_any_document_is_read_back_or_is_an_input_error(tmp_path_factory, document):
    path = tmp_path_factory.getbasetemp() / "any.conllu"
    try:
        write_corefud([document], path)
    except InputError as error:
        assert "two mentions of" in str(error)
        return
    assert read_corefud(path, singletons=True) == ([document], Counter())
    sizes = Counter(mention.chain for mention in document.mentions)
    coreferent = tuple(mention for mention in document.mentions if sizes[mention.chain] > 1)
    assert read_corefud(path)[0][0].mentions == coreferent


def test_mentions_of_ontogum_are_read_and_written_back(real_data, tmp_path):
    files = sorted(real_data("ontogum").glob("*.conllu"))
    assert len(files) >= 158  # the full release has more
    opened, types = 0, Counter()
    for file in files[::6]:
        text = file.read_text(encoding="utf-8")
        opened += "".join(re.findall(r"Entity=([^|\n]*)", text)).count("(")
        (document,), left_out = read_corefud(file, singletons=True)
        assert (document.id, left_out) == (file.stem, {})
        write_corefud([document], tmp_path / file.name)
        assert read_corefud(tmp_path / file.name, singletons=True)[0] == [document]
        opened -= len(document.mentions)
        types.update(mention.type for mention in read_corefud(file)[0][0].mentions)
    assert opened == 0
    shares = [types[kind] / types.total() for kind in ("pronoun", "nominal", "proper")]
    assert shares == pytest.approx([0.46, 0.35, 0.19], abs=0.05)


WORDS = conllu("I PRP 2 Entity=(e)", "know VB 0", "me PRP 2 Entity=(e)")


def test_a_document_is_read_once_from_a_folder(tmp_path):
    for name in ("d.conllu", "d.conllu~", "d.conllu.bak"):
        (tmp_path / name).write_text(WORDS)
    assert [document.id for document in read_corefud(tmp_path, singletons=True)[0]] == ["d"]
    (tmp_path / "d.conllu.gz").write_bytes(gzip.compress(WORDS.encode()))
    with pytest.raises(InputError, match=r"holds d.conllu and d.conllu.gz, which would be read as two files"):
        read_corefud(tmp_path)


@pytest.mark.parametrize("ids", [("a", "b", "a"), ("x", "x")])
def test_two_documents_with_one_id_are_refused(tmp_path, ids):
    (tmp_path / "d.conllu").write_text("".join(f"# newdoc id = {name}\n{WORDS}" for name in ids))
    with pytest.raises(InputError, match=rf"the document {ids[0]} occurs a second time, after .*d.conllu, line 1\n"):
        read_corefud(tmp_path / "d.conllu")


def test_numbers_at_the_end_of_ids_are_no_parts_of_a_text(tmp_path):
    path = tmp_path / "coreference.conllu"
    for ids in (("chapter 001", "chapter 002"), ("a 100", "b 100", "a 101")):
        path.write_text("".join(f"# newdoc id = {name}\n{WORDS}" for name in ids))
        documents = read_corefud(path)[0]
        assert [document.text_id for document in documents] == documents_of(path) == list(ids)
        parts = [dataclasses.replace(document, text=document.id[0]) for document in documents]
        write_corefud(parts, path)
        assert read_corefud(path)[0] == parts
        assert documents_of(path) == [name[0] for name in ids]


@pytest.mark.parametrize("name", ["c{}", "c[1/{}]"])
def test_many_open_mentions_are_refused_before_they_fill_the_memory(tmp_path, name):
    opening = [f"w X 0 Entity=({name.format(number + 2)}" for number in range(5000)]
    lines = [*opening[:1], *(line.replace(" 0 ", " 1 ") for line in opening[1:])]
    with pytest.raises(InputError, match=r"line \d+: more than 200 mentions are open or lack a part"):
        read(tmp_path, conllu(*lines))


@pytest.mark.parametrize("comment", ["# newdoc id = x", "# global.Entity = eid-"])
def test_spaces_in_comments_take_linear_time(tmp_path, comment):
    started = process_time()
    read(tmp_path, f"{comment}{' ' * 100_000}y\n{WORDS}", singletons=True)
    assert process_time() - started < 2
