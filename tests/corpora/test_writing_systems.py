"""Text in scripts whose sentences do not end with a full stop and a space."""

import pytest

from bert_attention.corpora.next_sentence import next_sentence_task
from bert_attention.corpora.running_text import read_running_text, train_sentence_splitter
from bert_attention.corpora.segments import build_segments
from bert_attention.corpora.types import Article
from bert_attention.corpora.wikipedia import prose_paragraphs
from bert_attention.corpora.writing_systems import count_words, join_lines, split_sentences

CHINESE = ["今天早上下雨了。", "孩子们还想去公园吗？", "“我们下午去！”", "妈妈笑着说，她会带伞。"]
HINDI = ["आज सुबह बारिश हुई।", "बच्चे बाग़ में खेलना चाहते हैं।", "क्या हम दोपहर में जाएँगे?", "माँ ने छाता लिया।"]


@pytest.mark.parametrize(("sentences", "between"), [(CHINESE, ""), (HINDI, " ")])
def test_sentences_end_as_unicode_says(sentences, between):
    text = between.join(sentences)
    assert list(split_sentences(text, train_sentence_splitter([text] * 9))) == sentences


def test_full_stops_are_left_to_the_trained_splitter():
    text = "Dr. Smith met her. She asked: “Why?” He left."
    splitter = train_sentence_splitter([text])
    assert split_sentences(text, splitter) == tuple(splitter.tokenize(text))


@pytest.mark.parametrize(("sentences", "between"), [(CHINESE, ""), (HINDI, " ")])
def test_running_text_is_cut_into_segments(tmp_path, sentences, between):
    path = tmp_path / "text.txt"
    path.write_text("\n\n".join([between.join(sentences)] * 10), encoding="utf-8")
    articles, _ = read_running_text(path)
    segments, left_out = build_segments(
        articles, lambda texts: [tuple((letter, True) for letter in text) for text in texts], "sentences", 60, 0
    )
    assert len(segments) > 5
    assert left_out["chunks of a single sentence"] <= 1


def test_wrapped_lines_are_joined_without_spaces_that_the_script_lacks():
    assert join_lines("今天下雨了， 孩子们 went out。 她笑了") == "今天下雨了，孩子们 went out。她笑了"
    assert join_lines("the rain, it fell") == "the rain, it fell"


def test_paragraphs_of_a_dump_end_as_sentences_in_any_script():
    text = "\n\n".join(["今天早上下雨了，孩子们想去公园。" * 4, "सुबह बारिश हुई और बच्चे बाग़ में खेलना चाहते थे।"])
    kept, left_out = prose_paragraphs(text)
    assert (len(kept), left_out.total()) == (2, 0)


def test_words_of_scripts_without_spaces_are_characters():
    assert count_words("今天 rain") == 3
    articles = [Article(str(n), (tuple(CHINESE * 3),)) for n in range(8)]
    assert next_sentence_task(articles, 0).train
