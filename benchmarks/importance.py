"""Speed of the gradients with respect to attention, compared with the bare forward pass and a loop over segments.

The masked-language-model head is untrained, because its quality does not change the time.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch
from transformers import AutoModelForMaskedLM, PreTrainedModel

from benchmarks.measuring import Measurement, in_turn
from benchmarks.workloads import BATCH, SEED, Workload
from bert_attention.papers.clark.importance import masked_sequences, sums_of_sequences, table
from bert_attention.statistics.sums import Sums
from bert_attention.tokenization.wordpieces import token_categories


def with_untrained_head(workload: Workload) -> PreTrainedModel:
    """Return a masked language model on the workload's encoder."""
    torch.manual_seed(SEED)
    encoder = workload.encoder.model
    model = AutoModelForMaskedLM.from_config(encoder.config, attn_implementation="eager")
    model.base_model.load_state_dict(encoder.state_dict(), strict=False)
    return model.eval().to(workload.encoder.device)


def plain_loop(model: PreTrainedModel, workload: Workload) -> np.ndarray:
    """Return the mean absolute gradient for attention to [SEP], ``[layer, head]``, from the model's own loss."""
    categories, means = token_categories(workload.tokenizer), []
    for sequence, labels in zip(*masked_sequences(workload.sequences, workload.tokenizer, SEED), strict=True):
        token_ids = torch.from_numpy(sequence.token_ids).long()[None].to(model.device)
        outputs = model(input_ids=token_ids, labels=labels[None].to(model.device), output_attentions=True)
        for attention in outputs.attentions:
            attention.retain_grad()
        outputs.loss.backward()
        is_sep = categories.masks(sequence.token_ids)["sep"]
        means.append([grads.grad[0].cpu()[:, :, is_sep].abs().mean((1, 2)).numpy() for grads in outputs.attentions])
    return np.mean(means, axis=0)


def measure(workload: Workload, rounds: int) -> Iterator[Measurement]:
    """Measure the whole table."""
    model, found = with_untrained_head(workload), {}

    def ours() -> None:
        added = sums_of_sequences(model, workload.sequences, workload.tokenizer, batch_size=BATCH, seed=SEED)
        found["ours"] = table(Sums.of(added, range(len(workload.sequences))))

    functions = {"bare": workload.bare_forward, "ours": ours}
    times = in_turn(functions | {"plain": lambda: found.update(plain=plain_loop(model, workload))}, rounds)
    rows = found["ours"]["clark_importance"]
    sep_rows = rows[(rows["target"] == "sep") & (rows["measure"] == "gradient")]["value"].to_numpy()
    amount = f"{len(workload.sequences)} segments of {workload.tokens} wordpieces"
    agreement = f"to {np.abs(sep_rows / found['plain'].ravel() - 1).max():.0e}"
    yield times.measurement("importance (gradients)", workload, amount, agreement)
