"""Text in scripts whose sentences do not end with a full stop and a space."""

import pytest

from bert_attention.corpora.next_sentence import next_sentence_task
from bert_attention.corpora.running_text import train_sentence_splitter
from bert_attention.corpora.types import Article
from bert_attention.corpora.wikipedia import prose_paragraphs
from bert_attention.corpora.writing_systems import count_words, join_lines, split_sentences

CHINESE = ["今天早上下雨了。", "孩子们还想去公园吗？", "“我们下午去！”", "妈妈笑着说，她会带伞。"]
ENGLISH = ["Dr. Smith met her near the old station.", "She asked: “Why did you come?”", "He left without a word."]
HINDI = ["आज सुबह बारिश हुई।", "बच्चे बाग़ में खेलना चाहते हैं।", "क्या हम दोपहर में जाएँगे?", "माँ ने छाता लिया।"]


@pytest.mark.parametrize(("sentences", "between"), [(CHINESE, ""), (HINDI, " "), (ENGLISH, " ")])
def test_sentences_end_as_unicode_says(sentences, between):
    text = between.join(sentences)
    assert list(split_sentences(text, train_sentence_splitter([text] * 9))) == sentences
    kept, left_out = prose_paragraphs(f"{text * 2}\n\n{text * 3}")
    assert (len(kept), left_out.total()) == (2, 0)


def test_wrapped_lines_are_joined_as_the_script_requires():
    assert join_lines("今天下雨了， 孩子们 went out。 她笑了") == "今天下雨了，孩子们 went out。她笑了"
    assert join_lines("the rain, it fell") == "the rain, it fell"


def test_words_of_scripts_without_spaces_are_characters():
    assert count_words("今天 rain") == 3
    articles = [Article(str(n), (tuple(CHINESE * 3),)) for n in range(8)]
    assert next_sentence_task(articles, 0).train
