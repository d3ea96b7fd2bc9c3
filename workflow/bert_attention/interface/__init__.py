"""The public interface for notebooks and scripts: an encoder on texts, analyses of own corpora, and figures."""
