"""Numbers in prose about Coenen et al. 2019."""

from __future__ import annotations

from bert_attention.papers.coenen.claims import coenen, related_or_not, which_relation
from bert_attention.statistics.forms import count, points, share
from bert_attention.statistics.measures import ResultTables


def relation_told_best(t: ResultTables) -> str:
    """Return the relation with the highest F1."""
    rows = t.coenen_relations(direction="dependent_to_head", features="attention", optimizer="lbfgs")
    best = rows.loc[rows.f1.idxmax()]
    return f"{best.relation} (F1 {share(best.f1)})"


coenen.say(
    related_or_not=share.interval(lambda t: related_or_not(t).accuracy),
    related_or_not_by_sgd=share.interval(lambda t: related_or_not(t, optimizer="sgd").accuracy),
    related_or_not_as_far=share.interval(lambda t: related_or_not(t, negatives="same_distance").accuracy),
    related_or_not_by_distance=share.of(lambda t: related_or_not(t, features="distance_only").accuracy),
    related_or_not_random=share.of(lambda t: related_or_not(t, features="random_model").accuracy),
    which_relation=share.interval(lambda t: which_relation(t).accuracy),
    which_relation_by_sgd=share.interval(lambda t: which_relation(t, optimizer="sgd").accuracy),
    which_relation_above_form=points.interval(lambda t: which_relation(t).gain_over_form),
    which_relation_most_frequent=share.of(lambda t: which_relation(t).majority),
    which_relation_by_distance=share.of(lambda t: which_relation(t, features="distance_only").accuracy),
    which_relation_by_form=share.interval(
        lambda t: which_relation(t, features="dependent_form", optimizer=None).accuracy
    ),
    relation_count=count.of(lambda t: which_relation(t).classes),
    relation_told_best=relation_told_best,
)
coenen.headline(
    "Related words",
    "From attention alone, a linear probe tells whether two words are related for {coenen_related_or_not} of "
    "the pairs. From their distance alone, it tells {coenen_related_or_not_by_distance}.",
)
