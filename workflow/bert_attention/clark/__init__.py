"""Clark, Khandelwal, Levy and Manning 2019, "What Does BERT Look At?" (BlackboxNLP, arXiv 1906.04341)."""
