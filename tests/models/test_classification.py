import numpy as np
import pytest
import torch

from bert_attention.corpora.types import PairTask, TaskExample
from bert_attention.errors import InputError
from bert_attention.models.classification import load_classifier, pass_on_first_token_only, predict, predictions
from bert_attention.models.encoders import save_model
from bert_attention.models.families import FAMILIES
from bert_attention.models.fine_tuning import new_classifier
from bert_attention.models.inputs import model_inputs
from bert_attention.models.task_answers import answers_after_fine_tuning, answers_before_fine_tuning, linear_predictions
from bert_attention.tokenization.sequences import EncodedSequence
from tests.attention.test_hooks import batch
from tests.models.random_models import CONFIGURATIONS, INNER_LAYERS, WITH_MIXING, random_classifier, random_model
from tests.models.test_fine_tuning import sequences

OPTIONS = {"pad_id": 0, "batch_size": 4, "device": "cpu"}
BEFORE = {"seeds": [3, 5], "segment_ids": "zeros"}


@pytest.fixture
def folder(tmp_path):
    random_model("bert").save_pretrained(tmp_path / "bert")
    return tmp_path / "bert"


@pytest.mark.parametrize(("kind", "attention"), [("bert", "sdpa"), ("mpnet", "eager")])
def test_a_classifier_has_the_fastest_attention(kind, attention, tmp_path):
    random_classifier(kind).save_pretrained(tmp_path)
    loaded = load_classifier(tmp_path, "cpu")
    assert (loaded.training, loaded.config._attn_implementation, loaded.num_labels) == (False, attention, 3)


@pytest.mark.parametrize("kind", CONFIGURATIONS)
def test_a_classifier_returns_outputs_by_name_whatever_its_config_says(kind, tmp_path):
    model = random_classifier(kind, return_dict=False)
    model.save_pretrained(tmp_path)
    inputs, _ = sequences(3)
    found, _ = predict(load_classifier(tmp_path, "cpu"), inputs, 1, 4)
    model.config.return_dict = True
    assert found.tolist() == predict(model, inputs, 1, 4)[0].tolist()


def test_an_encoder_without_a_head_is_an_error(folder):
    with pytest.raises(InputError, match=r"such as classifier\.bias"):
        load_classifier(folder, "cpu")


@pytest.mark.parametrize(
    ("kind", "changes"), [*((kind, {}) for kind in CONFIGURATIONS), *(("albert", inner) for inner in INNER_LAYERS)]
)
def test_a_last_layer_that_passes_on_one_token_leaves_logits_and_gradients(kind, changes):
    model = random_classifier(kind, **changes)
    inputs = model_inputs(model, *batch([9, 4, 7]))
    results = []
    for _ in range(2):
        output = model(**inputs, output_hidden_states=True)
        trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
        gradients = torch.autograd.grad(output.logits.square().sum(), trained, materialize_grads=True)
        results.append([output.logits.detach(), output.hidden_states[-1][:, 0].detach(), *gradients])
        pass_on_first_token_only(model)
    for expected, result in zip(*results, strict=True):
        torch.testing.assert_close(result, expected, rtol=1e-4, atol=1e-5 * max(float(expected.abs().max()), 0.1))
    one_token = kind in WITH_MIXING and FAMILIES[kind].ablations_share_a_pass and kind != "albert"  # layers are one
    assert output.hidden_states[-1].shape[1] == (1 if one_token else 9)


def test_predictions_and_states_do_not_depend_on_the_batch():
    model, (inputs, _) = random_classifier("bert"), sequences(9)
    together = predict(model, inputs, 0, 4)
    for found, *alone in zip(together, *(predict(model, [sequence], 0, 1) for sequence in inputs), strict=True):
        np.testing.assert_allclose(found, np.concatenate(alone), atol=1e-5)
    hidden = model.bert(torch.from_numpy(inputs[0].token_ids[None]).long()).last_hidden_state
    np.testing.assert_allclose(together[1][0], hidden[0, 0].detach(), atol=1e-5)


def test_logits_predict_the_likeliest_class_and_a_single_logit_is_a_score():
    assert predictions(torch.tensor([[[0.1, 0.9, 0.3], [2.0, -1.0, 1.9]]])).tolist() == [[1.0, 0.0]]
    assert predictions(torch.tensor([[0.5], [-2.0]])).tolist() == [0.5, -2.0]


def test_answers_before_fine_tuning_are_of_untrained_heads_and_a_linear_classifier(folder):
    train, labels = sequences(20)
    validation, _ = sequences(7, seed=1)
    examples = tuple(TaskExample("a", None, label) for label in labels)
    task = PairTask("sst2", ("negative", "positive"), ("accuracy",), examples, examples[:7])
    found = list(answers_before_fine_tuning(folder, task, train, validation, **BEFORE, **OPTIONS))
    untrained = [("pretrained_untrained_head", seed) for seed in (3, 5)]
    assert [answer[:2] for answer in found] == [*untrained, ("pretrained_frozen", None)]
    model = new_classifier(folder, task.classes, "pretrained", 5, "cpu").eval()
    (answers, states), (_, train_states) = (predict(model, inputs, 0, 4) for inputs in (validation, train))
    assert found[1][2].tolist() == answers.tolist()
    assert found[2][2].tolist() == linear_predictions(train_states, labels, states, classify=True).tolist()
    long = EncodedSequence(*(np.ones(600, dtype=np.int32) for _ in range(3)))
    with pytest.raises(InputError, match=r"but the corpus has sequences of 600"):
        next(answers_before_fine_tuning(folder, task, [], [long], **BEFORE, **OPTIONS))


def test_a_fine_tuned_model_is_named_by_its_folder(folder):
    model = new_classifier(folder, ("a", "b"), "random", 7, "cpu").eval()
    save_model(model, folder.parent / "random_7")
    inputs, _ = sequences(6)
    initialisation, seed, answers = answers_after_fine_tuning(folder.parent / "random_7", inputs, **OPTIONS)
    assert (initialisation, seed) == ("random", 7)
    assert answers.tolist() == predict(model, inputs, 0, 4)[0].tolist()


def test_linear_predictions_learn_classes_and_scores():
    random = np.random.default_rng(0)
    states = random.normal(3, 5, (400, 4))
    scores = states @ [1.0, -2.0, 0.0, 0.5]
    predicted = linear_predictions(states[:300], scores[:300], states[300:], classify=False)
    assert predicted == pytest.approx(scores[300:], abs=0.1)
    predicted = linear_predictions(states[:300], (scores[:300] > 0).astype(float), states[300:], classify=True)
    assert (predicted == (scores[300:] > 0)).mean() > 0.95
    assert linear_predictions(np.ones((2, 3)), [1, 1], np.zeros((2, 3)), classify=True).tolist() == [1, 1]
