"""Text files without running text are errors that name the format; prose with the signs of a format is read."""

import pytest

from bert_attention.corpora.conllu import read_conllu
from bert_attention.corpora.running_text import read_running_text
from bert_attention.errors import InputError

FILM = "I saw it with my sister, and we laughed a lot. It is long, but never dull"
PROSE = (
    "The mill at the river burned down twice, in 1789 and in 1812. Its owners built it up again.\n\n"
    "Today it is a museum; few people visit it in winter. Its wheel still turns, though slowly.\n\n"
) * 3

# Files of each format, with a part of its name and of the remedy.
OTHER = {
    "csv": ("".join(f'{n},"{FILM} {n}.",{n % 2}\n' for n in range(9)), "a table (CSV)", 'read_csv("FILE")'),
    "csv with header": (
        f"text,label\n{FILM.replace(',', ';')}.,1\nA bore.,0\nGood fun.,1\n", "a table (CSV)", "to_parquet",
    ),
    "csv with broken quotes": (
        f"id,text\n1,{FILM}\n" + "2,A bore.\n3,Good.\n4,Fun.\n" * 2, "a table (CSV)", "column text",
    ),
    "csv with spaces": ("id, text, label\n" + '1, "A bore, and long.", 0\n' * 4, "a table (CSV)", "column text"),
    "csv of one long text": (f'id,text\n1,"{PROSE * 500}\n"\n', "a table (CSV)", "column text"),
    "semicolons": ("".join(f"{n};{FILM};{n % 2}\n" for n in range(4)), "a table (CSV)", "column text"),
    "vertical bars": ("".join(f"WAV{n}|{FILM}.|{FILM}.\n" for n in range(4)), "a table (CSV)", "column text"),
    "tsv": ("id\tlabel\ttext\n" + "".join(f'{n}\t1\t"{FILM}\n' for n in range(4)), "a table with tabs", "cut -f 3"),
    "transcript": (f"ANNA\t{FILM}.\nBEN\tSo what?\n" * 4, "a table with tabs", "cut -f"),
    "leipzig": (
        "".join(f"{n}\tThe sentence {n} says little.\n" for n in range(1, 9)), "numbered sentences", "cut -f 2 ",
    ),
    "leipzig, from the middle": (
        f"70311\t{FILM}.\n905112\tHe left.\n17\tNobody came.\n", "numbered sentences (as of the Leipzig", "cut -f 2 ",
    ),
    "latex": (
        f"% A draft.\n\\documentclass[a4paper]{{book}}\n\\begin{{document}}\n{PROSE}", "LaTeX", "pandoc -f latex",
    ),
    "latex chapter": (f"\\chapter*{{The mill}}\n{PROSE}", "LaTeX", "pandoc -f latex"),
    "latex without heading": (
        "As \\emph{he} says~\\cite{a}, it burned.\n\nIt did.\n\n" * 4, "LaTeX", "pandoc -f latex",
    ),
    "srt": ("".join(f"{n}\n00:00:0{n},100 --> 00:00:0{n},900\nHe left.\n\n" for n in range(1, 9)), "subtitles", "-->"),
    "srt with long lines": (
        "7\n01:02:03,004 --> 01:02:09,010\nHe left\nthe old mill\nfor good.\n\n" * 5, "subtitles", "grep",
    ),
    "webvtt": ("WEBVTT - The mill\n\nNOTE by Anna\n\n00:01.000 --> 00:04.000\nHe left.\n", "subtitles", "^WEBVTT"),
    "ssa": ("[Script Info]\nTitle: The mill\n", "subtitles", "times"),
    "ssa events": ("Dialog\u0075e: 0,0:00:01.00,0:00:02.00,Main,He left.\n", "subtitles", "times"),
    "lyrics": ("[00:12.00]The mill is old\n[00:15.30]The wheel is slow\n", "subtitles", "times"),
    "trees": ("( (S (NP-SBJ (NNP Anna)) (VP (VBD left)) (. .)) )\n" * 4, "bracketed trees", "corpora.treebank"),
    "trees with scores": ("(3 (2 It) (3 (2 is) (4 (3 good) (2 .))))\n" * 4, "bracketed trees", "corpora.treebank"),
    "html": (f"<!DOCTYPE html>\n<html><body><p>{PROSE}</p></body></html>", "XML or HTML", "pandoc -f html"),
    "html without head": (
        "He left.\n<p>The <b>mill</b> is old.</p>\n<p>It burned.</p>\n" * 3, "XML or HTML", "pandoc -f html",
    ),
    "tei": (f"<TEI>\n<text>{PROSE}</text>\n</TEI>\n", "XML or HTML", "without tags"),
    "wiki extractor": (f'<doc id="1" title="Mill">\n{PROSE}</doc>\n', "XML or HTML", "without tags"),
    "json lines": ('{"text": "He left.", "id": 1}\n' * 3, "JSON lines", "lines=True"),
    "json": ('{\n  "articles": [\n    {"text": "He left."}\n  ]\n}\n', "JSON", 'read_json("FILE")'),
    "json list": ('["He left.", "She came."]\n', "JSON", 'read_json("FILE")'),
    "wiki markup": (
        "== Mills ==\nThe [[mill]] is in [[Kent|the county]].\n{{Infobox\n| name = Mill }}\n", "wiki", "XML dump",
    ),
    "conllu": ("# sent_id = 1\n1\tA\ta\tDET\t_\t_\t2\tdet\t_\t_\n", "CoNLL-U", "corpora.treebank"),
    "conllu with a contraction": (
        "1-2\tdu\t_\t_\t_\t_\t_\t_\t_\t_\n1\tde\tde\tADP\t_\t_\t0\troot\t_\t_\n", "CoNLL-U", "text",
    ),
    "conll2012": ("#begin document (bc/a); part 000\n", "CoNLL-2012", "corpora.coreference"),
    "conll2003": ("-DOCSTART- -X- -X- O\n\nAnna NNP B-NP B-PER\n", "a word with its tags on each line", "as text"),
    "bio": ("Anna B-PER\nleft O\nKent B-LOC\n. O\n\n" * 3, "a word with its tags on each line", "as text"),
    "brown": ("The/at mill/nn burned/vbd down/rp ./.\n" * 3, "words with tags", "without tags"),
    "underscores": ("The_DT mill_NN burned_VBD down_RP ._.\n" * 3, "words with tags", "without tags"),
    "fasttext": ("__label__pos A joy.\n__label__neg A bore.\n" * 3, "sentences with labels", "sed"),
    "vectors": ("mill 0.1 -0.25 3e-05\nriver 0.3 0.2 1.5\n" * 3, "numbers", "running text"),
    "alignments": ("0-0 1-1 2p3\n0-0 2-1\n" * 3, "numbers", "running text"),
    "rtf": ("{\\rtf1\\ansi He left.}", "RTF", "plain text"),
}  # fmt: skip

# Prose with the signs of these formats.
READ = {
    "commas": "He came, saw, and left,\nand nobody, not even Anna,\nknew why, or asked him.\n" * 4,
    "a comma in each line": "The mill is old, and slow.\nThe wheel is new, and fast.\nThe owner is dead, I hear.\n" * 4,
    "a comma at each end": "The mill is old,\nthe wheel is slow,\nthe owner sleeps,\nthe rivers flow.\n" * 4,
    "commas without spaces": "河水流过磨坊,没有人知道原因。\n磨坊很旧,轮子转得很慢。\n" * 4,
    "large numbers": "The mill made 1,250 sacks a day.\n\nIn 1812 it burned. The loss was 20,000 pounds.\n\n" * 4,
    "semicolons": "The mill is old; the wheel is new.\nThe river rose; the wheel stood still.\n" * 4,
    "a list first": "mills, rivers, bridges\n\n" + PROSE,
    "a backslash": "He typed C:\\Users\\Anna and hit Enter. Then he wrote \\emph{slowly} in the margin.\n\n" + PROSE,
    "a note on LaTeX": "Write \\section{Mills} for a heading. Everything else stays.\n\n" + PROSE * 2,
    "brackets": "(see Smith 1999) The mill (built 1789) burned (twice) [sic], as Brown (2001) says.\n\n" + PROSE,
    "a bracket at the start": "[1] The mill burned down. [2] It was built again.\n\n" + PROSE,
    "arrows": "Turn left --> you see the mill. A -> B -> C is the way. At 10:30 --> noon it is closed.\n\n" + PROSE,
    "times": "At 00:00:01,100 he started. At 00:00:02,300 he stopped.\n\n" + PROSE,
    "angle brackets": "<3 is a heart. If a < b and b > c, then stop.\n\n" + PROSE,
    "unknown words": "<unk> went to the mill. Nobody saw <unk> there, it is said.\n\n" + PROSE,
    "a tag": "He wrote <b>mill</b> on the wall.\n\n" + PROSE,
    "a quotation in brackets": '["Stop!" he said.] The mill burned.\n\n' + PROSE,
    "braces": "{The mill} is the title of the book that he wrote.\n\n" + PROSE,
    "tabs": "\tThe mill is old. It burned down twice.\n\tThe wheel is new:\tit turns fast.\n" * 4,
    "a number first": "1\tThe mill\n\n" + PROSE,
    "numbers": "In 1789, 1812 and 1848 it burned: 3 times in 60 years.\n\n" + PROSE,
    "slashes": "He and/or she paid 3/4 of it, by day/night, via http://example.org/mill.\n\n" + PROSE,
    "vertical bars": "The mill | The river | The wheel\n\n" + PROSE,
    "markdown": "# The mill\n\n| year | event |\n|---|---|\n| 1789 | it burned |\n\n" + PROSE,
    "a play": "ANNA. He left, I think.\nBEN. So, what?\nANNA. He left, for good.\n" * 4,
}  # fmt: skip


@pytest.mark.parametrize("kind", OTHER)
def test_other_formats_are_an_error_that_names_them(tmp_path, kind):
    text, name, remedy = OTHER[kind]
    (tmp_path / "file.txt").write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        list(read_running_text(tmp_path / "file.txt")[0])
    assert caught.value.problem.startswith(f"looks like {name}")
    assert remedy in caught.value.remedy
    assert "if it is running text, set `format: plain`" in caught.value.for_workflow().remedy


@pytest.mark.parametrize("kind", READ)
def test_prose_with_the_signs_of_other_formats_is_read(tmp_path, kind):
    (tmp_path / "file.txt").write_text(READ[kind], encoding="utf-8")
    assert list(read_running_text(tmp_path / "file.txt")[0])


@pytest.mark.parametrize("kind", ["csv", "latex", "leipzig"])
def test_a_named_format_is_not_checked(tmp_path, kind):
    (tmp_path / "file.txt").write_text(OTHER[kind][0], encoding="utf-8")
    assert list(read_running_text(tmp_path / "file.txt", "plain")[0])


@pytest.mark.parametrize("kind", ["trees", "trees with scores"])
def test_the_error_of_the_reader_of_trees_names_bracketed_trees(tmp_path, kind):
    (tmp_path / "trees.mrg").write_text(OTHER[kind][0])
    with pytest.raises(InputError, match=r"trees.mrg, line 1: .*\n  Remedy: convert the file to CoNLL-X"):
        read_conllu(tmp_path / "trees.mrg")
