import logging

from bert_attention.running.jobs import log_counts


def test_counts_read_well_whatever_the_number(caplog):
    with caplog.at_level(logging.INFO):
        log_counts("left out", {"cycles": 1, "several roots": 3})
    assert caplog.messages == ["left out: several roots (3)", "left out: cycles (1)"]
