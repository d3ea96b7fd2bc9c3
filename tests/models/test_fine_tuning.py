import numpy as np
import pytest
import torch

from bert_attention.errors import InputError
from bert_attention.models.classification import load_classifier, predict
from bert_attention.models.encoders import load_encoder, save_model
from bert_attention.models.fine_tuning import (
    _warmup_and_decay,
    fine_tune,
    in_half_precision,
    new_classifier,
    reorder_classes,
)
from bert_attention.models.inputs import model_inputs, padded_batch
from bert_attention.tokenization.sequences import EncodedSequence
from tests.models.random_models import CONFIGURATIONS, ONE_OF_EACH_FORM, random_classifier, random_model

RECIPE = {"epochs": 12, "examples_seen": None, "batch_size": 8, "learning_rate": 3e-3, "seed": 1}


def sequences(count, seed=0):
    """Sequences of many lengths, with the label 1 if they contain token 7, and 0 otherwise."""
    random = np.random.default_rng(seed)
    found, labels = [], []
    for index in range(count):
        ids = random.integers(10, 20, random.integers(3, 9)).astype(np.int32)
        if index % 2:
            ids[random.integers(1, len(ids))] = 7
        found.append(EncodedSequence(ids, np.zeros_like(ids), np.zeros_like(ids)))
        labels.append(float(index % 2))
    return found, labels


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bert")
    random_model("bert").save_pretrained(folder)
    return folder


@pytest.mark.parametrize("kind", ONE_OF_EACH_FORM)
def test_every_kind_of_encoder_learns_a_task(kind, tmp_path):
    random_model(kind).save_pretrained(tmp_path)
    model = new_classifier(tmp_path, ("no", "yes"), "pretrained", 1, "cpu")
    inputs, labels = sequences(64)
    losses = fine_tune(model, inputs, labels, 1, **RECIPE)
    others, expected = sequences(40, seed=1)
    assert losses[-1] < losses[0] / 2
    assert (predict(model, others, 1, 8)[0] == expected).mean() > 0.85
    assert not model.training


def test_scores_are_learned_by_squared_error(folder):
    model = new_classifier(folder, (), "pretrained", 1, "cpu")
    inputs, labels = sequences(64)
    fine_tune(model, inputs, [2 * label for label in labels], 0, **RECIPE | {"epochs": 15})
    predicted, _ = predict(model, inputs, 0, 8)
    assert predicted[1::2].mean() - predicted[::2].mean() == pytest.approx(2, abs=0.5)
    assert model.config.num_labels == 1


def test_scores_start_at_their_mean(folder):
    model = new_classifier(folder, (), "pretrained", 1, "cpu")
    inputs, _ = sequences(64)
    scores = [1000.0, 1002.0] * 32
    fine_tune(model, inputs, scores, 0, **RECIPE | {"epochs": 1, "learning_rate": 1e-9})
    assert predict(model, inputs, 0, 8)[0] == pytest.approx(1001, abs=3)


@pytest.mark.parametrize(("epochs", "examples_seen", "passes"), [(1, 21, 3), (2, 10, 2)])
def test_weights_depend_on_the_seed_alone_and_small_tasks_get_more_passes(folder, epochs, examples_seen, passes):
    def weights(seed):
        model = new_classifier(folder, ("no", "yes"), "pretrained", seed, "cpu")
        recipe = RECIPE | {"seed": seed, "epochs": epochs, "examples_seen": examples_seen}
        assert len(fine_tune(model, *sequences(10), 0, **recipe)) == passes
        return torch.cat([parameter.flatten() for parameter in model.parameters()])

    assert torch.equal(weights(1), weights(1))
    assert not torch.equal(weights(1), weights(2))


def test_tokens_that_no_example_has_keep_their_vectors(folder):
    model = new_classifier(folder, ("no", "yes"), "pretrained", 1, "cpu")
    embedding = model.get_input_embeddings()
    before, parameter = embedding.weight.detach().clone(), embedding.weight
    inputs, labels = sequences(16)
    fine_tune(model, inputs, labels, 0, **RECIPE | {"epochs": 2})
    used = {0, *np.concatenate([sequence.token_ids for sequence in inputs]).tolist()}  # 0 is padding
    assert set((embedding.weight != before).any(-1).nonzero()[:, 0].tolist()) == used
    assert embedding.weight is parameter
    assert embedding.padding_idx == 0


def test_random_weights_come_from_the_shape_alone(folder):
    own, drawn = (new_classifier(folder, ("a", "b"), name, 5, "cpu").bert for name in ("pretrained", "random"))
    name = "encoder.layer.0.output.dense.weight"
    assert torch.equal(own.state_dict()[name], random_model("bert").state_dict()[name])
    assert drawn.state_dict()[name].std().item() == pytest.approx(0.02, rel=0.1)
    assert drawn.state_dict()["encoder.layer.0.output.dense.bias"].abs().max().item() == 0


@pytest.mark.parametrize("kind", ONE_OF_EACH_FORM)
@pytest.mark.parametrize("classes", [("a", "b", "c"), ("a", "b"), ()])
def test_a_trained_head_in_the_folder_is_not_used(kind, classes, tmp_path):
    trained = random_classifier(kind)  # of three classes
    trained.save_pretrained(tmp_path / "with_head")
    trained.base_model.save_pretrained(tmp_path / "without_head")
    found, expected = (
        new_classifier(tmp_path / name, classes, "pretrained", 1, "cpu").state_dict()
        for name in ("with_head", "without_head")
    )
    torch.testing.assert_close(found, expected, rtol=0, atol=0)
    for name, weight in load_encoder(tmp_path / "with_head", "cpu").model.state_dict().items():
        if "pooler" not in name:  # some families have the pooler only in the classifier, or only in the encoder
            assert torch.equal(found[f"{trained.base_model_prefix}.{name}"], weight)


@pytest.mark.parametrize("initialisation", ["pretrained", "random"])
def test_weights_are_trained_in_float32_whatever_the_checkpoint_has(initialisation, tmp_path):
    random_model("bert").bfloat16().save_pretrained(tmp_path)
    model = new_classifier(tmp_path, ("no", "yes"), initialisation, 1, "cpu")
    assert {weight.dtype for weight in model.parameters()} == {torch.float32}


def test_the_rate_rises_for_a_tenth_of_the_steps_and_falls_to_zero():
    factor = _warmup_and_decay(20)
    assert [factor(step) for step in (0, 1, 2, 11, 20)] == pytest.approx([0.5, 1, 1, 0.5, 0])


@pytest.mark.parametrize("kind", CONFIGURATIONS)
def test_the_classes_of_a_fine_tuned_model_are_put_in_the_tasks_order(kind, tmp_path):
    model = random_classifier(kind)
    model.config.id2label = {0: "CONTRADICTION", 1: "Entailment", 2: "neutral"}
    inputs = model_inputs(model, *padded_batch(sequences(3)[0], model.config.pad_token_id or 0))
    before = model(**inputs).logits
    reorder_classes(model, ("entailment", "neutral", "contradiction"))
    save_model(model, tmp_path / "model")
    found = load_classifier(tmp_path / "model", "cpu")
    assert torch.allclose(found(**inputs).logits, before[:, [1, 2, 0]], atol=1e-4)
    assert found.config.id2label == {0: "entailment", 1: "neutral", 2: "contradiction"}


def test_a_fine_tuned_model_can_have_other_class_names_but_not_another_task():
    model = random_classifier("bert")
    before = model.classifier.weight.clone()
    reorder_classes(model, ("entailment", "neutral", "contradiction"))
    assert torch.equal(model.classifier.weight, before)
    with pytest.raises(InputError, match="has 3 outputs, but the task needs 2"):
        reorder_classes(model, ("negative", "positive"))


def test_class_names_can_differ_by_a_sign_alone():
    model = random_classifier("bert")
    before = model.classifier.weight.clone()
    model.config.id2label = {0: "1", 1: "0", 2: "-1"}
    reorder_classes(model, ("-1", "0", "1"))
    assert torch.equal(model.classifier.weight, before[[2, 1, 0]])


@pytest.mark.parametrize("name", ["entail", "LABEL_1", "neutral"])
def test_class_names_of_which_only_some_are_the_tasks_are_an_error(name):
    model = random_classifier("bert")
    model.config.id2label = {0: "contradiction", 1: name, 2: "neutral"}
    problem = f"has the classes contradiction, {name}, neutral, but the task has entailment, neutral, contradiction\n"
    with pytest.raises(InputError, match=problem):
        reorder_classes(model, ("entailment", "neutral", "contradiction"))


def test_saved_weights_are_rounded_to_float16_and_read_as_float32(tmp_path):
    model = random_classifier("bert")
    before = {name: weight.clone() for name, weight in model.state_dict().items() if weight.is_floating_point()}
    save_model(in_half_precision(model), tmp_path / "model")
    found = load_classifier(tmp_path / "model", "cpu")
    assert {weight.dtype for weight in found.parameters()} == {torch.float32}
    for name, weight in before.items():
        torch.testing.assert_close(found.state_dict()[name], weight, rtol=2**-11, atol=2**-25)
    assert (tmp_path / "model" / "model.safetensors").stat().st_size < 2.2 * sum(map(torch.numel, before.values()))


@pytest.mark.parametrize("number", [1e5, float("nan")])
def test_weights_that_exceed_float16_are_an_error(number):
    model = random_classifier("bert")
    with torch.no_grad():
        model.classifier.weight[0, 0] = number
    with pytest.raises(InputError, match=r"in classifier.weight infinite, or too large .*\n  Remedy: set a small"):
        in_half_precision(model)
