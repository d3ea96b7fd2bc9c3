"""List the words of each segment of the running text, and which of them predict each other."""

from bert_attention.corpora.co_occurrence import CoOccurrences
from bert_attention.corpora.jsonlines import read_articles, read_segments, write_records
from bert_attention.files import folders_of
from bert_attention.papers.vig.words import words_of_segments
from bert_attention.running.scripts import run_script
from bert_attention.tokenization.word_forms import forms_of_articles, forms_of_segments
from bert_attention.tokenization.wordpieces import encode_segments, load_tokenizer


def main(snakemake):
    paths = snakemake.input
    tokenizer, segments = load_tokenizer(folders_of(paths.tokenizer)[0]), read_segments(paths.segments)
    lengths = map(len, encode_segments(segments, tokenizer, "zeros", paths.segments))
    articles, forms = [segment.article for segment in segments], forms_of_segments(segments, tokenizer)
    co_occurrences = CoOccurrences(forms_of_articles(read_articles(paths.articles), tokenizer))
    write_records(words_of_segments(forms, articles, lengths, co_occurrences), snakemake.output[0])


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
