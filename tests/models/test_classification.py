"""Sequence classification models: loading, and predictions from logits."""

import numpy as np
import pytest
import torch

from bert_attention.errors import InputError
from bert_attention.models.classification import let_first_token_go_on, load_classifier, predict, predictions
from bert_attention.models.families import FAMILIES
from bert_attention.models.inputs import model_inputs
from tests.attention.test_hooks import batch
from tests.models.random_models import CONFIGURATIONS, WITH_MIXING, random_classifier, random_model
from tests.models.test_fine_tuning import sequences


@pytest.mark.parametrize(("kind", "attention"), [("bert", "sdpa"), ("mpnet", "eager")])
def test_a_model_is_loaded_as_saved_with_its_fastest_attention(kind, attention, tmp_path):
    saved = random_classifier(kind)
    saved.save_pretrained(tmp_path)
    loaded = load_classifier(tmp_path, "cpu")
    assert (loaded.training, loaded.config._attn_implementation, loaded.num_labels) == (False, attention, 3)
    for name, weights in saved.state_dict().items():
        torch.testing.assert_close(loaded.state_dict()[name], weights)


def test_a_folder_without_a_classification_model_is_refused(tmp_path):
    with pytest.raises(InputError, match="cannot be loaded"):
        load_classifier(tmp_path, "cpu")
    random_model("bert").save_pretrained(tmp_path)
    with pytest.raises(InputError, match=r"such as classifier\.bias"):
        load_classifier(tmp_path, "cpu")


@pytest.mark.parametrize("kind", CONFIGURATIONS)
def test_a_last_layer_that_passes_on_one_token_leaves_logits_and_gradients(kind):
    model = random_classifier(kind)
    inputs = model_inputs(model, *batch([9, 4, 7]))
    found = []
    for _ in range(2):
        output = model(**inputs, output_hidden_states=True)
        trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
        gradients = torch.autograd.grad(output.logits.square().sum(), trained, materialize_grads=True)
        found.append([output.logits.detach(), output.hidden_states[-1][:, 0].detach(), *gradients])
        let_first_token_go_on(model)
    for expected, result in zip(*found, strict=True):
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
