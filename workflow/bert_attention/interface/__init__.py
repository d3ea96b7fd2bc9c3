"""What people call from a notebook or a script: a model run on texts, analyses of one's own corpora, and figures."""
