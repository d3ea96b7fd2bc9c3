"""Values in column ``statistic`` of table ``comparison_headlines``."""

from __future__ import annotations

# Statistics of each layer:
PREVIOUS_TOKEN = "previous_token"  # mean over heads
PREVIOUS_TOKEN_HEAD = "previous_token_head"  # the layer's head with the most attention to the previous token
SEP = "sep"  # mean over heads
CLS = "cls"  # mean over heads
PUNCTUATION = "punctuation"  # mean over heads
SEP_FROM_SEP = "sep_from_sep"  # mean over heads
ENTROPY = "entropy"  # mean over heads, in nats
ENTROPY_OF_CLS = "entropy_of_cls"  # mean over heads, in nats
SEP_BY_NORM = "sep_by_norm"
# Statistics of each relation, with the layer and head that find it best:
RELATION_HEAD = "relation_head"
# Statistics of the whole encoder:
DEPENDENCY_HEAD = "dependency_head"
DEPENDENCY_OFFSET = "dependency_offset"
RELATIONS_BEYOND_OFFSET = "relations_beyond_offset"
PROBE = "probe"
PROBE_OF_DISTANCES = "probe_of_distances"
NORM_AGAINST_WEIGHT_SEP = "norm_against_weight_sep"
NORM_AGAINST_WEIGHT_OTHER = "norm_against_weight_other"
