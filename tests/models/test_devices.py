"""The device that PyTorch uses, with a simulated GPU."""

import pytest
import torch

from bert_attention.errors import InputError
from bert_attention.models.devices import choose_device
from bert_attention.models.translation_training import train_translation_model

PAIRS = [(["der", "hund"], ["the", "dog"]), (["ein", "haus"], ["a", "house"])] * 4


@pytest.fixture
def gpu(monkeypatch):
    """Simulate a GPU, and restore PyTorch's switches afterwards."""
    backends = torch.backends.cuda
    before = backends.mem_efficient_sdp_enabled(), backends.flash_sdp_enabled()
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.backends.cudnn, "allow_tf32", True)
    monkeypatch.setenv("CUBLAS_WORKSPACE_CONFIG", ":16:8")
    yield
    torch.use_deterministic_algorithms(False)
    torch.utils.deterministic.fill_uninitialized_memory = True
    backends.enable_mem_efficient_sdp(before[0])
    backends.enable_flash_sdp(before[1])


def test_a_cpu_is_chosen_without_a_gpu(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert choose_device("cpu") == choose_device("auto") == torch.device("cpu")
    with pytest.raises(InputError, match="no usable GPU"):
        choose_device("cuda")
    assert not torch.are_deterministic_algorithms_enabled()


@pytest.mark.usefixtures("gpu")
@pytest.mark.parametrize("device", ["auto", "cuda"])
def test_a_gpu_computes_reproducibly_only_if_chosen(device):
    assert choose_device("cpu") == torch.device("cpu")
    assert not torch.are_deterministic_algorithms_enabled()
    assert choose_device(device) == torch.device("cuda")
    assert torch.are_deterministic_algorithms_enabled()
    assert torch.is_deterministic_algorithms_warn_only_enabled()
    assert not torch.backends.cuda.mem_efficient_sdp_enabled()
    assert not torch.backends.cudnn.allow_tf32


@pytest.mark.skipif(
    torch.version.cuda is not None and not torch.cuda.is_available(), reason="Adam notices that the GPU is simulated"
)
@pytest.mark.usefixtures("gpu")
def test_a_translation_model_is_trained_on_the_cpu(tmp_path):
    """Its rule requests no GPU, so another job can use it."""
    small = {"vocabulary_size": 60, "decoder_layers": 1, "heads": 2, "width": 16, "steps": 1}
    train_translation_model(PAIRS, PAIRS, tmp_path / "model", seed=1, **small)
    assert not torch.are_deterministic_algorithms_enabled()
