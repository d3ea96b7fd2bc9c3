"""Translation models: training on a small language, tokenizers of several kinds, and loading."""

import shutil

import numpy as np
import pytest
import torch
from transformers import AutoTokenizer, MarianMTModel, MBart50Tokenizer, MBartConfig, MBartForConditionalGeneration

from bert_attention.errors import InputError
from bert_attention.models.devices import torch_threads
from bert_attention.models.translation import TranslationModel, load_translation_model
from bert_attention.models.translation_accuracy import token_accuracy
from bert_attention.models.translation_input import encode_pairs, subwords, teacher_forcing_batch
from bert_attention.models.translation_training import train_subwords, train_translation_model
from bert_attention.tokenization.sequences import NO_LABEL, NO_WORD
from tests.models.random_models import TRANSLATION, random_model, random_translation_model

ADJECTIVES = {"alt": "old", "rund": "round", "neu": "new", "klein": "little"}
NOUNS = {"hund": "dog", "haus": "house", "ball": "ball", "tisch": "table", "stuhl": "chair"}
LAYERS = {"encoder_layers": 1, "decoder_layers": 1}
SMALL = LAYERS | {"vocabulary_size": 80, "heads": 2, "width": 32, "batch_size": 16}
TINY = TRANSLATION | LAYERS | {"max_position_embeddings": 32}


def language(pairs, seed):
    """Sentences of two or three phrases: noun and adjective in the source, adjective and noun in the translation."""
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


def test_a_language_is_learned_and_transformers_alone_translates_with_the_folder(trained, held_out):
    folder, log = trained
    assert list(log.columns) == ["step", "loss", "held_out_accuracy"]
    assert log.step.tolist() == [60, 120, 180, 240, 300]
    assert log.loss.iloc[-1] < 0.3 < log.loss.iloc[0]
    assert log.held_out_accuracy.iloc[-1] > 0.97
    loaded = load_translation_model(folder, "cpu")
    assert not loaded.model.training
    assert token_accuracy(loaded, encode_pairs(loaded, held_out)) == log.held_out_accuracy.iloc[-1]
    model = MarianMTModel.from_pretrained(folder, local_files_only=True).eval()
    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    correct = 0
    for source, target in held_out[:10]:
        inputs = tokenizer(source, is_split_into_words=True, return_tensors="pt", return_token_type_ids=False)
        generated = model.generate(**inputs, do_sample=False, num_beams=1, max_new_tokens=40)
        correct += tokenizer.decode(generated[0], skip_special_tokens=True) == " ".join(target)
    assert correct > 7


def test_weights_depend_on_the_seed_alone(held_out, tmp_path):
    """Neither the caller's threads nor the global generator do; matrices are large enough for several threads."""
    for name, seed, threads in (("one", 1, 1), ("same", 1, 2), ("other", 2, 1)):
        state = torch.get_rng_state()
        with torch_threads(threads):
            train_translation_model(held_out, held_out, tmp_path / name, seed=seed, steps=2)
            assert torch.get_num_threads() == threads
        assert torch.equal(torch.get_rng_state(), state)
        torch.rand(3)  # moves the global generator
    for file in ("model.safetensors", "tokenizer.json", "config.json"):
        one, same, other = ((tmp_path / name / file).read_bytes() for name in ("one", "same", "other"))
        assert one == same
        assert (one == other) == (file != "model.safetensors")


def test_training_without_pairs_or_words_is_an_error_and_leaves_no_folder(held_out, tmp_path):
    for pairs, others, problem in (
        ([], held_out, "training sentence pairs: there are none"),
        (held_out, [], "held-out sentence pairs: there are none"),
        ([(["hund"], ["dog"]), (["hund"], [])], held_out, "sentence pair 2, target '': has no words"),
    ):
        with pytest.raises(InputError, match=problem):
            train_translation_model(pairs, others, tmp_path / "model", seed=1, **SMALL)
    assert not list(tmp_path.iterdir())


def test_known_words_have_their_subwords():
    """``ab`` is frequent enough to be one subword, and ``x`` was never seen."""
    tokenizer = train_subwords(["ab ab ab c"], vocabulary_size=9)
    assert len(tokenizer) == 9
    assert tokenizer.convert_ids_to_tokens(range(3)) == ["</s>", "<unk>", "<pad>"]
    ids, words = subwords(tokenizer, ["abc", "ab", "x"], target=False)
    assert tokenizer.convert_ids_to_tokens(ids.tolist()) == ["▁ab", "c", "▁ab", "▁", "<unk>", "</s>"]
    assert words.tolist() == [0, 0, 1, 2, 2, NO_WORD]
    assert tokenizer("abc ab x").input_ids == ids.tolist()
    with pytest.raises(InputError, match=r"word 2 of the sentence .*\n  Remedy: remove the word"):
        subwords(tokenizer, ["ab", ""], target=False)


def save_mbart(folder, **changes):
    """A random multilingual model like mBART-50."""
    pieces = ["<unk>", "<s>", "</s>", "▁", *"abcdefghijklmnopqrstuvwxyz", "▁hund", "▁dog"]
    tokenizer = MBart50Tokenizer(vocab=[(piece, -1.0) for piece in pieces])
    tokenizer.save_pretrained(folder)
    special = {"pad_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 2} | changes
    MBartForConditionalGeneration(MBartConfig(**(TINY | special), vocab_size=len(tokenizer))).save_pretrained(folder)
    return folder


def test_sentences_of_a_multilingual_model_begin_with_their_language_and_have_a_maximum_length(tmp_path):
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
    encode_pairs(loaded, [(["hund"] * 30, ["dog"])])  # 32 subwords with the special tokens
    with pytest.raises(InputError, match=r"sentence pair 2, target .* has 33 subwords, but the model takes at most 32"):
        encode_pairs(loaded, [(["hund"], ["dog"]), (["hund"], ["dog"] * 31)])


@pytest.mark.parametrize(
    ("multilingual", "languages", "problem"),
    [
        (True, None, r"is multilingual, but no languages were given\n  Remedy: set its languages"),
        (True, ["de_DE", "en"], "does not know one of the languages de_DE, en"),
        (False, ["de_DE", "en_XX"], r"is bilingual, but languages were given\n  Remedy: set its languages to null"),
    ],
)
def test_languages_are_checked(tmp_path, trained, multilingual, languages, problem):
    with pytest.raises(InputError, match=problem):
        load_translation_model(save_mbart(tmp_path) if multilingual else trained[0], "cpu", languages=languages)


@pytest.mark.parametrize("kind", ["marian", "fsmt"])
def test_logits_depend_on_neither_padding_nor_other_pairs_nor_later_tokens(kind, trained):
    loaded = load_translation_model(trained[0], "cpu")
    if kind == "fsmt":
        loaded = TranslationModel(random_translation_model("fsmt", loaded.tokenizer), loaded.tokenizer)
    pairs = encode_pairs(loaded, [(["hund", "alt"] * 3, ["old", "dog"] * 3), (["haus", "neu"], ["new", "house"])])
    together, alone, changed = (teacher_forcing_batch(some, loaded) for some in (pairs, pairs[1:], pairs[1:]))
    long, short = (pair.target_ids.tolist() for pair in pairs)
    assert together.labels.tolist() == [long, short + [NO_LABEL] * (len(long) - len(short))]
    starts = together.inputs["decoder_input_ids"][:, :2].tolist()
    assert starts == [[loaded.model.config.decoder_start_token_id, target[0]] for target in (long, short)]
    changed.inputs["decoder_input_ids"][:, -1] = 5
    n = alone.labels.shape[1]
    with torch.inference_mode():
        logits = loaded.model(**alone.inputs).logits[0]
        torch.testing.assert_close(loaded.model(**together.inputs).logits[1, :n], logits)
        after_change = loaded.model(**changed.inputs).logits[0]
    torch.testing.assert_close(after_change[:-1], logits[:-1])
    assert not torch.allclose(after_change[-1], logits[-1])


def test_other_translation_models_are_errors(trained, tmp_path):
    random_model("bert").save_pretrained(tmp_path / "bert")
    with pytest.raises(InputError, match=r"is not a translation model \(model type bert\)"):
        load_translation_model(tmp_path / "bert")
    with pytest.raises(InputError, match=r"its config\.json has no decoder_start_token_id"):
        load_translation_model(save_mbart(tmp_path / "mbart", decoder_start_token_id=None))
    for name in ("config.json", "model.safetensors"):
        shutil.copyfile(trained[0] / name, tmp_path / name)
    with pytest.raises(InputError, match=r"its tokenizer cannot be loaded.*\n  Remedy: get all files"):
        load_translation_model(tmp_path)
