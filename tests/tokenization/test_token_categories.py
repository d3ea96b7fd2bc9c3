import numpy as np

from bert_attention.tokenization.token_categories import TokenCategories


def test_masks_are_disjoint_and_cover_all_tokens():
    masks = TokenCategories(cls=101, sep=102, punctuation=(1010, 1012)).masks(np.array([101, 7, 1012, 102, 1010, 0]))
    assert masks["cls"].tolist() == [True, False, False, False, False, False]
    assert masks["sep"].tolist() == [False, False, False, True, False, False]
    assert masks["punctuation"].tolist() == [False, False, True, False, True, False]
    assert (sum(mask.astype(int) for mask in masks.values()) == 1).all()
