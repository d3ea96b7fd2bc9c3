"""Overlays on an edition: digests belong to sources, names to what is replicated."""

import pytest

from bert_attention.errors import InputError
from bert_attention.running.edition import check_config
from bert_attention.running.overlays import check_name, put_together, read_settings, typed

PIN = "0" * 64


def test_a_new_source_does_not_keep_the_old_digest(edition):
    overlay = {"corpora": {"wikipedia": {"source": "path:mine.txt"}}}
    config = put_together(edition, [overlay])
    assert edition["corpora"]["wikipedia"]["sha256"]
    assert config["corpora"]["wikipedia"] == edition["corpora"]["wikipedia"] | {
        "source": "path:mine.txt",
        "sha256": None,
    }


@pytest.mark.parametrize(
    ("overlays", "digest"),
    [
        ([{"source": "path:b", "sha256": PIN}], PIN),
        ([{"source": "path:a"}], "1"),
        ([{"sha256": PIN}], PIN),
        ([{"source": "path:b", "sha256": PIN}, {"source": "path:c"}], None),
        ([{"source": "path:b"}, {"sha256": PIN}], PIN),
    ],
)
def test_a_digest_belongs_to_its_source(overlays, digest):
    entry = put_together({"entry": {"source": "path:a", "sha256": "1"}}, [{"entry": overlay} for overlay in overlays])
    assert entry["entry"]["sha256"] == digest


def test_what_counts_go_by_belongs_to_their_source(edition):
    given = {"source": "path:counts.txt", "vocabulary": PIN}
    entry = put_together(edition, [{"corpora": {"token_frequency": given}}])
    assert entry["corpora"]["token_frequency"] == given | {"sha256": None}
    others = put_together(entry, [{"corpora": {"token_frequency": {"source": "path:others.txt"}}}])
    assert others["corpora"]["token_frequency"]["vocabulary"] is None


def test_entries_of_lists_and_new_ones_may_leave_their_digest_out(edition):
    model = {"name": "mine", "source": "path:mine", "mlm_head": "fit"}
    config = put_together(
        edition, [{"edition": "mine", "models": [model], "corpora": {"tasks": {"qqp": {"source": "path:qqp"}}}}]
    )
    check_config(config)
    assert config["models"] == [model | {"sha256": None}]


def test_overlays_are_merged_as_snakemake_does(edition):
    overlay = {
        "attention": {"shards": 3},
        "corpora": {"tasks": {"qnli": None}},
        "fine_tuning": {"seeds": {"random": [7]}},
    }
    config = put_together(edition, [overlay, {"attention": {"words": "first"}}])
    assert config["attention"] == edition["attention"] | {"shards": 3, "words": "first"}
    assert config["corpora"]["tasks"]["qnli"] is None
    assert config["fine_tuning"]["seeds"] == {"pretrained": [1, 2], "random": [7]}


def refused(edition, *overlays):
    with pytest.raises(InputError) as caught:
        check_name(edition, overlays)
    return str(caught.value)


def test_a_change_of_what_is_replicated_needs_a_name(edition):
    message = refused(edition, {"models": [{"name": "mine"}], "corpora": {"wikipedia": {"segments": 7}}})
    assert message.startswith("edition embedded: is another one with other corpora.wikipedia.segments, models")
    assert "results/embedded/" in message
    assert "--config edition=mine" in message


@pytest.mark.parametrize(
    "overlays",
    [
        [{"edition": "embedded", "seed": 7}],
        [{"edition": "mine", "seed": 7}, {"training_effort": 0.5}],
        [{"corpora": {"tasks": {"qnli": None}}}],
        [{"attention": {"words": "first"}}],
    ],
)
def test_the_name_of_another_edition_does_not_do(edition, overlays):
    assert "give your edition a name of its own" in refused(edition, *overlays)


@pytest.mark.parametrize(
    "overlays",
    [
        [],
        [{"edition": "mine", "seed": 7}],
        [{"seed": 7}, {"edition": "mine"}],
        [{"edition": "mine", "seed": 7}, {"device": "cuda"}],
        [{"seed": 1906, "attention": {"words": "mean"}}],
        [{"attention": {"shards": 8, "batch_size": 2}, "keep_attention": False, "published_curves": True}],
        [{"on_bad_input": "skip", "corpora": {"wikipedia": {"sha256": None}}}],
    ],
)
def test_what_leaves_the_results_as_they_are_needs_no_name(edition, overlays):
    check_name(edition, overlays)


def test_a_repeated_model_may_lose_its_digest(edition):
    check_name(edition, [{"models": [edition["models"][0] | {"sha256": None}]}])


def test_nested_values_of_the_command_line_get_their_types():
    """Snakemake leaves them as text."""
    given = {
        "seed": 7,
        "keep_attention": "false",
        "edition": "8",
        "attention": {"batch_size": "8", "words": "first"},
        "fine_tuning": {"learning_rate": "2e-5", "seeds": {"random": ["1", "2"]}},
        "corpora": {
            "treebank": {"ptb_escapes": "true", "sentences": {"train": "null"}},
            "wikipedia": {"source": "path:a"},
        },
        "models": [{"name": "a", "segment_types": "1", "sha256": "{"}],
    }
    assert typed(given) == {
        "seed": 7,
        "keep_attention": False,
        "edition": "8",
        "attention": {"batch_size": 8, "words": "first"},
        "fine_tuning": {"learning_rate": 2e-5, "seeds": {"random": [1, 2]}},
        "corpora": {"treebank": {"ptb_escapes": True, "sentences": {"train": None}}, "wikipedia": {"source": "path:a"}},
        "models": [{"name": "a", "segment_types": 1, "sha256": "{"}],
    }


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (template, r"has the key __use_yte__: Snakemake has run whatever code")
        for template in (
            "edition: mine\n__use_yte__: true\n",
            "__use_yte__: false\n",
            '{"__use_yte__": true}',
            "x: &x {__use_yte__: true}\n<<: *x\n",
        )
    ]
    + [
        ("edition: !!python/tuple [a]\n", "cannot be read as plain YAML"),
        ("", "has no keys"),
        ("seed: 1\nedition: mine\nseed: 2\n", ", line 3: .*the key seed is there twice"),
        ("corpora:\n  wikipedia: {articles: 1, articles: 2}\n", ", line 2: .*the key articles is there twice"),
        ("edition: mine\nseed: 0755\n", ", line 2: .*0755 is 493 in YAML: write 493, or what you meant"),
        ("seed: 1:30\n", ", line 1: .*1:30 is 90 in YAML: write 90"),
        ("edition: mine\nseed: {a\nb: c\n", ", line 3: cannot be read as plain YAML .*expected ',' or '}'"),
        (
            "attention:\n\tshards: 3\n",
            r", line 2: cannot be read as plain YAML .*cannot start any token.*\n.*indented with spaces",
        ),
        ("seed: " + "[" * 5000 + "]" * 5000, "cannot be read as plain YAML .too many brackets"),
    ],
)
def test_a_file_that_is_no_plain_edition_is_named(tmp_path, content, message):
    (tmp_path / "mine.yaml").write_text(content)
    with pytest.raises(InputError, match=f"mine.yaml.*{message}"):
        read_settings(tmp_path / "mine.yaml")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("edition: mine\n# café\n".encode("latin1"), r", line 2: is not UTF-8 \(byte 0xe9\)\n  Remedy: .*iconv"),
        ("edition: mine\n".encode("utf-16"), r", line 1: is not UTF-8 \(byte 0xff\)\n  Remedy: .*utf-16"),
    ],
)
def test_a_file_in_another_encoding_is_named_with_its_line(tmp_path, content, message):
    (tmp_path / "mine.yaml").write_bytes(content)
    with pytest.raises(InputError, match=f"mine.yaml{message}"):
        read_settings(tmp_path / "mine.yaml")


def test_a_folder_is_no_edition(tmp_path):
    with pytest.raises(InputError, match=r"cannot be read \(Is a directory\)\n  Remedy: correct the path"):
        read_settings(tmp_path)


BOMB = "a0: &a0 [x, x]\n" + "".join(f"a{place}: &a{place} [*a{place - 1}, *a{place - 1}]\n" for place in range(1, 60))


@pytest.mark.parametrize("content", ["corpora: &x\n  tasks: *x\n", "seed: &x [1, *x]\n", BOMB])
def test_anchors_that_stand_for_too_much_are_refused(tmp_path, content):
    (tmp_path / "mine.yaml").write_text(content)
    with pytest.raises(InputError, match=r"mine.yaml, line 1: .*stands for more than 100,000 values, or holds itself"):
        read_settings(tmp_path / "mine.yaml")


def test_an_anchor_may_be_used_twice(tmp_path):
    (tmp_path / "mine.yaml").write_text("a: &a {source: path:x}\nb: *a\nc: {<<: *a, sha256: null}\n")
    assert read_settings(tmp_path / "mine.yaml")["c"] == {"source": "path:x", "sha256": None}


def test_a_number_with_an_exponent_is_one_in_yaml_and_json(tmp_path):
    (tmp_path / "mine.yaml").write_text("{rate: 2e-5, other: 1.5E4, name: 1e5f, digest: '12e3'}")
    settings = read_settings(tmp_path / "mine.yaml")
    assert settings == {"rate": 2e-5, "other": 15_000.0, "name": "1e5f", "digest": "12e3"}
