import pytest
import torch

from bert_attention.errors import InputError
from bert_attention.models.devices import choose_device


def test_devices():
    assert choose_device("cpu").type == "cpu"
    if torch.cuda.is_available():
        assert choose_device("auto").type == choose_device("cuda").type == "cuda"
    else:
        assert choose_device("auto").type == "cpu"
        with pytest.raises(InputError, match="no usable GPU"):
            choose_device("cuda")
