"""The paper: printed tables, numbers in prose, the document, and the guide to the results."""
