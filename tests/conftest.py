"""What all tests share: one Hypothesis profile, whose verdicts do not depend on a busy machine, and
processes that stay small."""

import pytest
from hypothesis import settings

import memory

settings.register_profile("bankwise", deadline=None)
settings.load_profile("bankwise")


def pytest_collection_finish() -> None:
    memory.settle()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown() -> None:
    memory.give_back()
