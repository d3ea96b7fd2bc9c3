"""Pages of attention maps to be labelled by eye."""

import csv

import numpy as np
from matplotlib.image import imread

from bert_attention.corpora.pattern_annotations import write_maps
from bert_attention.running.contact_sheets import contact_sheet, main, pages_of
from tests.annotated_maps import small_maps

MAPS = small_maps(10)


def test_every_map_is_on_one_page_and_another_seed_gives_another_order():
    pages = pages_of(MAPS, 4, seed=1)
    assert [len(page) for page in pages] == [4, 4, 2]
    ids = [item.id for page in pages for item in page]
    assert sorted(ids) == list(range(1, 11))
    assert ids == [item.id for page in pages_of(MAPS, 4, seed=1) for item in page]
    assert ids != [item.id for page in pages_of(MAPS, 4, seed=2) for item in page]


def test_a_page_shows_each_map_under_its_number_and_nothing_of_its_origin():
    figure = contact_sheet(MAPS[:3], rows=2, columns=2)
    assert [panel.get_title() for panel in figure.axes] == ["1", "2", "3", ""]
    assert not [text for panel in figure.axes for text in panel.texts]
    (image,) = figure.axes[1].images
    assert np.allclose(image.get_array(), MAPS[1].attention)
    assert image.get_clim() == (0, MAPS[1].attention.max())
    assert list(figure.axes[1].get_xticks()) == list(figure.axes[1].get_yticks()) == [0, 3, 5]
    assert not figure.axes[3].axison


def test_the_program_writes_pages_and_says_where_each_map_stands(tmp_path):
    write_maps(MAPS, tmp_path / "maps.parquet")
    main([str(tmp_path / "maps.parquet"), str(tmp_path / "pages"), "--rows", "2", "--columns", "3", "--seed", "5"])
    assert sorted(path.name for path in (tmp_path / "pages").iterdir()) == ["order.csv", "page_01.png", "page_02.png"]
    assert imread(tmp_path / "pages" / "page_01.png").shape[:2] == (500, 750)
    rows = list(csv.DictReader((tmp_path / "pages" / "order.csv").open()))
    expected = [item.id for page in pages_of(MAPS, 6, seed=5) for item in page]
    assert [int(row["map"]) for row in rows] == expected
    assert [(row["page"], row["row"], row["column"]) for row in rows[4:7]] == [
        ("1", "2", "2"),
        ("1", "2", "3"),
        ("2", "1", "1"),
    ]
