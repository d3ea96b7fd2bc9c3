"""The device that PyTorch uses, with a simulated GPU."""

import pytest
import torch

from bert_attention.errors import InputError
from bert_attention.models.devices import choose_device


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
def test_a_gpu_computes_reproducibly_only_if_chosen():
    assert choose_device("cpu") == torch.device("cpu")
    assert not torch.are_deterministic_algorithms_enabled()
    assert choose_device("auto") == choose_device("cuda") == torch.device("cuda")
    assert torch.are_deterministic_algorithms_enabled()
    assert torch.is_deterministic_algorithms_warn_only_enabled()
    assert not torch.backends.cuda.mem_efficient_sdp_enabled()
    assert not torch.backends.cudnn.allow_tf32
