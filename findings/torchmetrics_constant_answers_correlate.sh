#!/usr/bin/env bash
# torchmetrics finds a Matthews correlation above 0 for a classifier that always gives the same answer.
#
# Version:   torchmetrics 1.9.0, torch 2.13.0; compared with scikit-learn 1.9.1
# Behavior:  If all answers are the same, the correlation is 0/0. scikit-learn and torchmetrics with more than two classes return 0. For
#            two classes, torchmetrics adds a small number to the denominator but another one to the numerator, so that the
#            result depends on the number of examples and on how frequent the answer is.
# Seen:      answer 1 for 4 examples, 3 of them of class 1: .577; for 1,000 examples, 900 of class 1: .084; with a third class that
#            does not occur: 0.0. The correlation is the metric of CoLA in GLUE.
#
# Exit status: 0 if seen again, 1 if the behavior has changed, 2 if the packages cannot be installed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
{
    "${PYTHON:-python3}" -m venv "$folder/venv"
    "$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
        torchmetrics==1.9.0 torch==2.13.0 scikit-learn==1.9.1 numpy==2.4.6
} || exit 2
cd "$folder"
venv/bin/python - <<'PYTHON'
import sys

import sklearn.metrics
import torch
from torchmetrics.functional.classification import binary_matthews_corrcoef, multiclass_matthews_corrcoef


def labels(ones, zeros):
    return torch.cat([torch.ones(ones, dtype=torch.long), torch.zeros(zeros, dtype=torch.long)])


few, many = labels(3, 1), labels(900, 100)
of_few, of_many = (binary_matthews_corrcoef(torch.ones_like(each), each).item() for each in (few, many))
three_classes = multiclass_matthews_corrcoef(torch.ones_like(many), many, num_classes=3).item()
expected = sklearn.metrics.matthews_corrcoef(many, torch.ones_like(many))
print(f"always 1: {of_few:.3f} of 4 examples, {of_many:.3f} of 1,000; three classes: {three_classes}; scikit-learn: {expected}")
sys.exit(0 if (round(of_few, 3), round(of_many, 3), three_classes, expected) == (0.577, 0.084, 0.0, 0.0) else 1)
PYTHON
