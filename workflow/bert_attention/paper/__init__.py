"""The paper: printed tables, numbers in prose, document, and the guide to the results."""
