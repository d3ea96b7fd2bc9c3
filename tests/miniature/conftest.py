"""The documents that several tests share."""

import pytest

from miniature import generate_documents

SIZE = 3000
SEED = 7


@pytest.fixture(scope="session")
def documents():
    return generate_documents(SIZE, SEED)


@pytest.fixture(scope="session")
def sentences(documents):
    return [sentence for document in documents for sentence in document.sentences]
