"""Models in the file formats of the published models on the hub."""

from fnmatch import fnmatch

import numpy as np
import pytest
import sentencepiece
from safetensors.torch import load

from bert_attention.downloads.clients import _MODEL_PATTERNS
from bert_attention.models.encoders import load_encoder
from bert_attention.models.masked_language_model import load_masked_language_model
from bert_attention.models.model_folder import check_as_stated, copy_model
from bert_attention.models.translation import load_translation_model
from bert_attention.models.translation_input import subwords
from bert_attention.tokenization.sequences import NO_WORD
from bert_attention.tokenization.wordpieces import load_tokenizer
from tests.rehearsal.models import bert_base_uncased, mbart_50, opus_mt

pytestmark = pytest.mark.filterwarnings("error:.*does not know these settings:UserWarning")
GERMAN = ["die Sitzung wird wieder aufgenommen", "das ist eine alte Frage", "wir danken dem Herrn Kommissar"] * 20
ENGLISH = ["the session is resumed", "this is an old question", "we thank the Commissioner"] * 20


def write(files, folder):
    """Write the files that the project downloads from a repository."""
    folder.mkdir()
    for name, content in files.items():
        if any(fnmatch(name, pattern) for pattern in _MODEL_PATTERNS):
            (folder / name).write_bytes(content)
    return folder


def test_the_published_bert_base_uncased_is_loaded(embedded_model, tmp_path):
    """The files have old names of layer norms, and neither the decoder nor the names of special tokens."""
    files = bert_base_uncased(embedded_model, layers=1, width=768)
    folder = tmp_path / "model"
    copy_model(write(files, tmp_path / "downloaded"), None, folder)
    check_as_stated(folder, stated_types=2, stated_family="bert")
    tokenizer = load_tokenizer(folder)
    assert (tokenizer.pad_token_id, tokenizer.mask_token_id, tokenizer.unk_token) == (0, 103, "[UNK]")
    weights = load(files["model.safetensors"])
    encoder = load_encoder(folder, "cpu").model.state_dict()
    norm = "encoder.layer.0.attention.output.LayerNorm"
    assert encoder[f"{norm}.weight"].equal(weights[f"bert.{norm}.gamma"])
    assert encoder[f"{norm}.bias"].equal(weights[f"bert.{norm}.beta"])
    head = load_masked_language_model(folder, "cpu").state_dict()
    transformed = "cls.predictions.transform.LayerNorm"
    assert head[f"{transformed}.weight"].equal(weights[f"{transformed}.gamma"])
    assert head["cls.predictions.decoder.weight"].equal(weights["bert.embeddings.word_embeddings.weight"])


@pytest.mark.filterwarnings("ignore:Recommended. pip install sacremoses")
def test_the_published_opus_mt_is_loaded(tmp_path):
    """Each side has a SentencePiece model, and there is no tokenizer.json."""
    files = opus_mt(GERMAN, ENGLISH)
    loaded = load_translation_model(write(files, tmp_path / "opus"), "cpu")
    assert not loaded.tokenizer.is_fast
    for sentences, side in ((GERMAN, "source"), (ENGLISH, "target")):
        pieces = sentencepiece.SentencePieceProcessor(model_proto=files[f"{side}.spm"])
        for sentence in set(sentences):
            ids, words = subwords(loaded.tokenizer, sentence.split(), target=side == "target")
            tokens = loaded.tokenizer.convert_ids_to_tokens(ids.tolist())
            assert tokens[:-1] == pieces.encode(sentence, out_type=str)
            starts = [token.startswith("\u2581") for token in tokens[:-1]]
            assert words.tolist() == [*(np.cumsum(starts) - 1), NO_WORD]


def test_the_published_mbart_50_is_loaded(tmp_path):
    """Ids of pieces are fairseq's: one more than in the SentencePiece model, from the third piece on."""
    files = mbart_50(GERMAN + ENGLISH)
    loaded = load_translation_model(write(files, tmp_path / "mbart"), "cpu", languages=["de_DE", "en_XX"])
    pieces = sentencepiece.SentencePieceProcessor(model_proto=files["sentencepiece.bpe.model"])
    german = pieces.get_piece_size() + 1 + 2  # the languages follow the pieces; German is the third
    ids, _ = subwords(loaded.tokenizer, GERMAN[0].split(), target=False)
    assert ids.tolist() == [german, *(number + 1 for number in pieces.encode(GERMAN[0])), 2]
