"""The heads that link predicates and frame elements, as printed, and what was published of them."""

import itertools

import pandas as pd

from bert_attention.kovaleva.column_values import FRAME_LINKS, VARIANTS
from bert_attention.paper.kovaleva_table_frames import format_table
from tests.paper.printed import published_rows, published_values


def table_of(layers, heads):
    """Described, attention grows with layer and head; released, it falls."""
    rows = []
    places = itertools.product(VARIANTS, FRAME_LINKS, range(1, layers + 1), range(1, heads + 1))
    for variant, link, layer, head in places:
        value = (10 * layer + head) / 1000
        value = value if variant == "described" else 0.5 - value
        value += {"annotated": 0.1, "reversed": 0.2, "random_pair": 0.3}[link]
        rows.append(
            {"layer": layer, "head": head, "variant": variant, "link": link, "attention": value}
            | {"low": value - 0.01, "high": value + 0.01, "n": 1234}
            | {"gain": -value, "gain_low": -value - 0.02, "gain_high": -value + 0.02}
        )
    return pd.DataFrame(rows)


OFFSETS = pd.DataFrame(
    {"variant": ["described"] * 2 + ["released"] * 2, "offset": [-2, 4, -2, 4], "share": [0.1, 0.4, 0.3, 0.2]}
)


SELECTION = pd.DataFrame({"outcome": ["chosen", "sentences that sing"], "sentences": [1234, 4321]})


def printed(layers, heads):
    return format_table(table_of(layers, heads), OFFSETS, SELECTION, published_values("kovaleva_frames"))


def test_the_best_heads_come_first_then_those_of_the_paper():
    table = printed(8, 6)
    labels = [[row[0] for row in group] for group in table.groups]
    assert labels[0] == [f"8-{head}, as described" for head in (6, 5, 4, 3, 2)]
    assert labels[1] == [f"1-{head}, as released" for head in (1, 2, 3, 4, 5)]
    assert labels[2] == ["1-2, as released", "7-6, as released"]
    best = table.groups[0][0][1:]
    assert best == ["0.186 (0.176–0.196)", "0.286", "0.386", "−0.186 (−0.206 to −0.166)", "—"]
    assert [group[-1] for group in table.groups[2]] == ["0.201", "0.209"]
    assert table.groups[2][1][1] == "0.524 (0.514–0.534)"


def test_a_head_that_the_encoder_lacks_has_no_numbers():
    assert printed(6, 12).groups[2][1] == ["7-6, as released", *"————", "0.209"]


def test_notes_tell_what_to_compare_with():
    notes = printed(1, 3).notes
    assert notes[1] == (
        "Of 5,555 sentences, 1,234 pass the filters of section 4.2 (left out: 4,321 sentences that sing)."
    )
    assert notes[2].startswith("As described: 1,234 sentences. 99th percentile of all heads, to predicate: 0.113.")
    assert notes[2].endswith("offset +4 alone would have 0.400.")
    assert notes[3].endswith("offset −2 alone would have 0.300.")


def test_the_published_map_holds_the_heads_that_the_paper_names():
    by_head = published_rows("kovaleva", "frames_by_head").set_index("layer")["by_head"]
    assert by_head.index.tolist() == list(range(1, 13))
    cells = {(layer, head): value for layer in by_head.index for head, value in enumerate(by_head[layer], start=1)}
    assert len(cells) == 144
    named = published_values("kovaleva_frames").set_index("id").loc[["K08", "K09"]]
    assert sorted(cells, key=cells.get)[-2:] == list(zip(named["layer"], named["head"], strict=True))
    assert sorted(cells.values())[-2:] == named["value"].tolist()
