import pytest

from bert_attention.errors import InputError
from bert_attention.running.rule_logs import check_logs


def test_rules_without_a_log_and_with_that_of_another_are_all_named():
    logs = {"a": ["logs/a.log"], "b": ["logs/b.log"], "mine": ["logs/a.log"], "none": []}
    with pytest.raises(InputError) as raised:
        check_logs(logs)
    assert "none has no log" in str(raised.value)
    assert "mine has the log of a, logs/a.log" in str(raised.value)
    assert "b has" not in str(raised.value)
    check_logs({"a": ["logs/a.log"], "b": ["logs/b.log"]})
