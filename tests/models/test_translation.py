"""Translation models: a language that can be learnt in seconds, tokenizers of several kinds, and what is refused."""

import numpy as np
import pytest
import torch
from transformers import (
    AutoTokenizer,
    MarianConfig,
    MarianMTModel,
    MBart50Tokenizer,
    MBartConfig,
    MBartForConditionalGeneration,
    PreTrainedTokenizer,
)

from bert_attention.errors import InputError
from bert_attention.models.devices import torch_threads
from bert_attention.models.translation import TranslationModel, load_translation_model
from bert_attention.models.translation_accuracy import token_accuracy
from bert_attention.models.translation_input import encode_pairs, subwords, teacher_forcing_batch
from bert_attention.models.translation_training import train_subwords, train_translation_model
from bert_attention.tokenization.sequences import NO_LABEL, NO_WORD
from tests.models.random_models import random_translation_model, save_bert

ADJECTIVES = {"alt": "old", "rund": "round", "neu": "new", "klein": "little"}
NOUNS = {"hund": "dog", "haus": "house", "ball": "ball", "tisch": "table", "stuhl": "chair"}
SMALL = {
    "vocabulary_size": 80,
    "encoder_layers": 1,
    "decoder_layers": 1,
    "heads": 2,
    "width": 32,
    "batch_size": 16,
}
TINY = {
    "d_model": 16,
    "encoder_layers": 1,
    "decoder_layers": 1,
    "encoder_attention_heads": 2,
    "decoder_attention_heads": 2,
    "encoder_ffn_dim": 8,
    "decoder_ffn_dim": 8,
    "max_position_embeddings": 32,
}


def language(pairs, seed):
    """Two or three phrases, whose adjective follows its noun in the source and precedes it in the translation."""
    random = np.random.default_rng(seed)
    for _ in range(pairs):
        source, target = [], []
        for _ in range(random.integers(2, 4)):
            noun, adjective = random.choice(list(NOUNS)), random.choice(list(ADJECTIVES))
            source += [str(noun), str(adjective)]
            target += [ADJECTIVES[adjective], NOUNS[noun]]
        yield source, target


@pytest.fixture(scope="module")
def held_out():
    return list(language(40, seed=2))


@pytest.fixture(scope="module")
def trained(held_out, tmp_path_factory):
    """The folder of a model of the language, and the log of its training."""
    folder = tmp_path_factory.mktemp("translation") / "model"
    pairs = list(language(400, seed=1))
    return folder, train_translation_model(pairs, held_out, folder, seed=1, steps=300, learning_rate=5e-3, **SMALL)


def test_a_language_is_learnt(trained, held_out):
    folder, log = trained
    assert list(log.columns) == ["step", "loss", "held_out_accuracy"]
    assert log.step.tolist() == [60, 120, 180, 240, 300]
    assert log.loss.iloc[-1] < 0.3 < log.loss.iloc[0]
    assert log.held_out_accuracy.iloc[-1] > 0.97
    loaded = load_translation_model(folder, "cpu")
    assert token_accuracy(loaded, encode_pairs(loaded, held_out)) == log.held_out_accuracy.iloc[-1]


def test_it_translates_by_itself(trained, held_out):
    loaded = load_translation_model(trained[0], "cpu")
    right = 0
    for source, target in held_out:
        inputs = loaded.tokenizer(source, is_split_into_words=True, return_tensors="pt", return_token_type_ids=False)
        made = loaded.model.generate(**inputs, do_sample=False, num_beams=1, max_new_tokens=40)
        right += loaded.tokenizer.decode(made[0], skip_special_tokens=True) == " ".join(target)
    assert right > 0.8 * len(held_out)


def test_the_folder_is_one_of_transformers(trained, held_out):
    folder, _ = trained
    files = {path.name for path in folder.iterdir()}
    assert not [name for name in files if not name.endswith((".json", ".safetensors"))]
    loaded = load_translation_model(folder, "cpu")
    model = MarianMTModel.from_pretrained(folder, local_files_only=True).eval()
    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    batch = teacher_forcing_batch(encode_pairs(loaded, held_out[:5]), loaded)
    assert tokenizer(held_out[0][0], is_split_into_words=True).input_ids == [
        index for index in batch.inputs["input_ids"][0].tolist() if index != tokenizer.pad_token_id
    ]
    with torch.inference_mode():
        torch.testing.assert_close(loaded.model(**batch.inputs).logits, model(**batch.inputs).logits)
        maps = loaded.model(**batch.inputs, output_attentions=True).cross_attentions
    assert not loaded.model.training
    rows, columns = batch.labels.shape[1], batch.inputs["input_ids"].shape[1]
    assert [layer.shape for layer in maps] == [(5, 2, rows, columns)]


def test_the_seed_decides_alone_and_the_global_generator_is_left_alone(held_out, tmp_path):
    pairs = list(language(50, seed=1))
    for name, seed in (("one", 1), ("same", 1), ("other", 2)):
        state = torch.get_rng_state()
        train_translation_model(pairs, held_out, tmp_path / name, seed=seed, steps=3, **SMALL)
        assert torch.equal(torch.get_rng_state(), state)
        torch.rand(3)  # what is drawn elsewhere plays no part
    for file in ("model.safetensors", "tokenizer.json", "config.json"):
        one, same, other = ((tmp_path / name / file).read_bytes() for name in ("one", "same", "other"))
        assert one == same
        assert (one == other) == (file != "model.safetensors")


def test_the_threads_of_the_caller_play_no_part(held_out, tmp_path):
    for threads in (1, 2):
        with torch_threads(threads):
            train_translation_model(held_out, held_out, tmp_path / str(threads), seed=1, steps=2)
            assert torch.get_num_threads() == threads
    one, two = ((tmp_path / name / "model.safetensors").read_bytes() for name in "12")
    assert one == two


@pytest.mark.parametrize("before", [False, True])
def test_an_interrupted_training_leaves_what_was_there(before, held_out, tmp_path):
    def interrupted(batches):
        yield batches[0]
        raise KeyboardInterrupt

    if before:
        (tmp_path / "model").mkdir()
        (tmp_path / "model" / "old").touch()
    with pytest.raises(KeyboardInterrupt):
        train_translation_model(held_out, held_out, tmp_path / "model", seed=1, steps=3, progress=interrupted, **SMALL)
    assert [path.name for path in tmp_path.rglob("*")] == (["model", "old"] if before else [])
    train_translation_model(held_out, held_out, tmp_path / "model", seed=1, steps=1, **SMALL)
    assert [path.name for path in tmp_path.iterdir()] == ["model"]
    assert not (tmp_path / "model" / "old").exists()


def test_training_on_nothing_is_refused(held_out, tmp_path):
    with pytest.raises(InputError, match="training sentence pairs: there are none"):
        train_translation_model([], held_out, tmp_path / "model", seed=1, **SMALL)
    with pytest.raises(InputError, match="held-out sentence pairs: there are none"):
        train_translation_model(held_out, [], tmp_path / "model", seed=1, **SMALL)
    with pytest.raises(InputError, match=r"sentence pair 2, target '': has no words"):
        train_translation_model([*held_out[:1], (["hund"], [])], held_out, tmp_path / "model", seed=1, **SMALL)
    assert not list(tmp_path.iterdir())


def test_subwords_of_known_words():
    """``ab`` is frequent enough to be one subword; of ``abc``, ``ab`` is known, and ``x`` was never seen."""
    tokenizer = train_subwords(["ab ab ab c"], vocabulary_size=9)
    assert tokenizer.convert_ids_to_tokens(range(3)) == ["</s>", "<unk>", "<pad>"]
    ids, words = subwords(tokenizer, ["abc", "ab", "x"], target=False)
    assert tokenizer.convert_ids_to_tokens(ids.tolist()) == ["▁ab", "c", "▁ab", "▁", "<unk>", "</s>"]
    assert words.tolist() == [0, 0, 1, 2, 2, NO_WORD]
    assert tokenizer.decode(ids[:3]) == "abc ab"
    assert tokenizer("abc ab x").input_ids == ids.tolist()


def test_a_vocabulary_is_no_larger_than_asked_for():
    sentences = [" ".join(words) for pair in language(30, seed=1) for words in pair]
    small, large = (train_subwords(sentences, size) for size in (40, 60))
    assert (len(small), len(large)) == (40, 60)
    assert large.get_vocab() == train_subwords(sentences, 60).get_vocab()


class PairsOfLetters(PreTrainedTokenizer):
    """A tokenizer in Python, which keeps no map to words; ``[`` and ``]`` surround a sentence."""

    def __init__(self, **kwargs):
        self.letters = [chr(number) for number in range(33, 127)]
        self.vocabulary = {"<unk>": 0} | {
            piece: place
            for place, piece in enumerate(
                [*self.letters, *(one + other for one in self.letters for other in self.letters)], start=1
            )
        }
        super().__init__(unk_token="<unk>", **kwargs)

    @property
    def vocab_size(self):
        return len(self.vocabulary)

    def get_vocab(self):
        return dict(self.vocabulary)

    def _tokenize(self, text):
        return [word[start : start + 2] for word in text.split() for start in range(0, len(word), 2)]

    def _convert_token_to_id(self, token):
        return self.vocabulary.get(token, 0)

    def _convert_id_to_token(self, index):
        return list(self.vocabulary)[index]

    def build_inputs_with_special_tokens(self, token_ids_0, token_ids_1=None):
        return [self.vocabulary["["], *token_ids_0, self.vocabulary["]"], self.vocabulary["]"]]


def test_words_are_found_for_a_tokenizer_without_a_map():
    tokenizer = PairsOfLetters()
    ids, words = subwords(tokenizer, ["hund", "alt", "ä"], target=False)
    assert tokenizer.convert_ids_to_tokens(ids.tolist()) == ["[", "hu", "nd", "al", "t", "<unk>", "]", "]"]
    assert words.tolist() == [-1, 0, 0, 1, 1, 2, -1, -1]
    with pytest.raises(InputError, match=r"word 2 of the sentence .*\n  Remedy: remove the word"):
        subwords(tokenizer, ["hund", " "], target=False)


def save_mbart(folder, **changes):
    """A random model of many languages, in the manner of mBART-50."""
    pieces = ["<unk>", "<s>", "</s>", "▁", *"abcdefghijklmnopqrstuvwxyz", "▁hund", "▁dog"]
    tokenizer = MBart50Tokenizer(vocab=[(piece, -1.0) for piece in pieces])
    tokenizer.save_pretrained(folder)
    special = {"pad_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 2} | changes
    MBartForConditionalGeneration(MBartConfig(vocab_size=len(tokenizer), **TINY, **special)).save_pretrained(folder)
    return folder


def test_a_model_of_many_languages_begins_with_them(tmp_path):
    loaded = load_translation_model(save_mbart(tmp_path), "cpu", languages=["de_DE", "en_XX"])
    (pair,) = encode_pairs(loaded, [(["hund", "da"], ["dogs"])])
    tokens = loaded.tokenizer.convert_ids_to_tokens
    assert tokens(pair.source_ids.tolist()) == ["de_DE", "▁hund", "▁", "d", "a", "</s>"]
    assert pair.source_words.tolist() == [-1, 0, 1, 1, 1, -1]
    assert tokens(pair.target_ids.tolist()) == ["en_XX", "▁dog", "s", "</s>"]
    assert pair.target_words.tolist() == [-1, 0, 0, -1]
    batch = teacher_forcing_batch([pair], loaded)
    assert tokens(batch.inputs["decoder_input_ids"][0].tolist()) == ["</s>", "en_XX", "▁dog", "s"]
    expected = loaded.model.prepare_decoder_input_ids_from_labels(batch.labels)
    assert torch.equal(batch.inputs["decoder_input_ids"], expected)


def test_languages_are_checked(tmp_path, trained):
    save_mbart(tmp_path)
    with pytest.raises(InputError, match=r"is multilingual, but no languages were given\n  Remedy: set its languages"):
        load_translation_model(tmp_path, "cpu")
    with pytest.raises(InputError, match="does not know one of the languages de_DE, en"):
        load_translation_model(tmp_path, "cpu", languages=["de_DE", "en"])
    with pytest.raises(
        InputError, match=r"is bilingual, but languages were given\n  Remedy: set its languages to null"
    ):
        load_translation_model(trained[0], "cpu", languages=["de_DE", "en_XX"])


def test_a_batch_is_shifted_and_padded(trained):
    loaded = load_translation_model(trained[0], "cpu")
    pairs = encode_pairs(loaded, [(["hund", "alt"] * 2, ["old", "dog"] * 2), (["hund"], ["dog"])])
    batch = teacher_forcing_batch(pairs, loaded)
    long, short = (pair.target_ids.tolist() for pair in pairs)
    end, start = loaded.tokenizer.eos_token_id, loaded.tokenizer.pad_token_id
    missing = len(long) - len(short)
    assert long[-1] == short[-1] == end
    assert batch.labels.tolist() == [long, short + [NO_LABEL] * missing]
    assert batch.inputs["decoder_input_ids"][0].tolist() == [start, *long[:-1]]
    assert batch.inputs["decoder_input_ids"][1, : len(short)].tolist() == [start, *short[:-1]]
    assert batch.inputs["decoder_attention_mask"].sum(1).tolist() == [len(long), len(short)]
    assert batch.inputs["attention_mask"].sum(1).tolist() == [len(pair.source_ids) for pair in pairs]


@pytest.mark.parametrize("kind", ["marian", "fsmt"])
def test_padding_company_and_what_follows_change_nothing(kind, trained):
    loaded = load_translation_model(trained[0], "cpu")
    if kind == "fsmt":
        loaded = TranslationModel(random_translation_model("fsmt", loaded.tokenizer), loaded.tokenizer)
    pairs = encode_pairs(loaded, [(["hund", "alt"] * 3, ["old", "dog"] * 3), (["haus", "neu"], ["new", "house"])])
    together, alone, changed = (teacher_forcing_batch(given, loaded) for given in (pairs, pairs[1:], pairs[1:]))
    changed.inputs["decoder_input_ids"][:, -1] = 5
    n = alone.labels.shape[1]
    with torch.inference_mode():
        logits = loaded.model(**alone.inputs).logits[0]
        torch.testing.assert_close(loaded.model(**together.inputs).logits[1, :n], logits)
        after_change = loaded.model(**changed.inputs).logits[0]
    torch.testing.assert_close(after_change[:-1], logits[:-1])
    assert not torch.allclose(after_change[-1], logits[-1])


def test_too_long_a_sentence_is_refused(tmp_path):
    loaded = load_translation_model(save_mbart(tmp_path), "cpu", languages=["de_DE", "en_XX"])
    encode_pairs(loaded, [(["hund"] * 30, ["dog"])])  # and two special tokens
    with pytest.raises(InputError, match=r"sentence pair 2, target .* has 33 subwords, but the model takes at most 32"):
        encode_pairs(loaded, [(["hund"], ["dog"]), (["hund"], ["dog"] * 31)])


def test_other_models_are_refused(tmp_path, embedded_model):
    with pytest.raises(InputError, match=r"is not a translation model \(model type bert\)"):
        load_translation_model(save_bert(tmp_path / "bert", embedded_model))
    with pytest.raises(InputError, match="cannot be loaded"):
        load_translation_model(tmp_path / "nothing")
    with pytest.raises(InputError, match=r"its config\.json has no decoder_start_token_id"):
        load_translation_model(save_mbart(tmp_path / "mbart", decoder_start_token_id=None))


@pytest.fixture
def copy(trained, tmp_path):
    """A copy of the trained model to be damaged."""
    for path in trained[0].iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    return tmp_path


def test_weights_in_another_format_are_refused(copy):
    (copy / "model.safetensors").rename(copy / "pytorch_model.bin")
    with pytest.raises(InputError, match=r"no safetensors weights.*\n  Remedy: get a revision"):
        load_translation_model(copy)


def test_damaged_or_incomplete_weights_are_refused(copy):
    weights = copy / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:1000])
    with pytest.raises(InputError, match="cannot be loaded"):
        load_translation_model(copy)
    config = MarianConfig.from_pretrained(copy)
    MarianMTModel(config).save_pretrained(copy)
    config.decoder_layers = 2
    config.save_pretrained(copy)
    with pytest.raises(InputError, match=r"lack .*decoder\.layers\.1\."):
        load_translation_model(copy)


def test_a_model_without_its_tokenizer_is_refused(copy):
    (copy / "tokenizer.json").unlink()
    (copy / "tokenizer_config.json").unlink()
    with pytest.raises(InputError, match=r"its tokenizer cannot be loaded.*\n  Remedy: get all files"):
        load_translation_model(copy)
