"""The workspace that a health check reads, and another that it must not."""

import pytest

from memory.models import Scope
from tests import factories as make


@pytest.fixture
def here(db) -> Scope:
    return make.scope(make.workspace("here"))


@pytest.fixture
def there(db) -> Scope:
    return make.scope(make.workspace("there"))
