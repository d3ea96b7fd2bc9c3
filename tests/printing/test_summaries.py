"""Summaries of corpora in HTML."""

import re

import pytest

from bert_attention.corpora.summaries import Summary
from bert_attention.printing.summaries import summaries_html

READ = Summary("running text", {"articles": 3}, {"tables <table>": 2}, example=[("sentence 1", "a < b & c")])


@pytest.mark.parametrize("encoders", [["tiny"], ["small", "<b>"]])
def test_each_corpus_has_a_block_with_what_each_encoder_gets(encoders):
    cut = [Summary("running text", {"segments": 1}, encoder=encoder) for encoder in encoders]
    html = summaries_html([READ, Summary("frames", {"sentences": 9}), *cut])
    text, frames = html.split('<div class="corpus">')[1:]
    assert "<h3>Running text</h3>\n<p>3 articles</p>" in text
    assert "<dt>left out</dt><dd>tables &lt;table&gt; (2)</dd>" in text
    assert "<dd>a &lt; b &amp; c</dd>" in text
    found = re.findall(r"<strong>For (.*?):</strong> 1 segment<", text)
    assert found == [encoder.replace("<", "&lt;").replace(">", "&gt;") for encoder in encoders]
    assert "<h3>Frames</h3>\n<p>9 sentences</p>" in frames
    assert not summaries_html([])
