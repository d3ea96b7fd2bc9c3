"""Sources of models and corpora, and the clients that download them."""
