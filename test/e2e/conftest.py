"""Fixtures of the end-to-end tests: the program TARN names, a server that
misbehaves by script, nginx, trees and archives. See ../support."""
import os
import shutil
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))

from faulty_server import FaultyServer  # noqa: E402
from nginx import Nginx  # noqa: E402
import program  # noqa: E402
import tree  # noqa: E402


def pytest_configure(config):
    config.addinivalue_line("markers", "needs(feature): of tarn --version")
    config.addinivalue_line("markers", "deep: large and slow; TARN_DEEP=1")


# Parameters and marks of tests that need what a minimal build lacks.
FEATURE_OF = {"zst": "zstd", "zstd": "zstd", "xz": "xz", "bz2": "bzip2",
              "bzip2": "bzip2", "sha256": "digests", "sha512": "digests"}


def skip_what_is_missing(items):
    missing = program.missing_features()
    for item in items:
        params = getattr(item, "callspec", None)
        needs = {FEATURE_OF.get(str(value)) for value in
                 (params.params.values() if params else ())}
        for mark in item.iter_markers("needs"):
            needs.update(mark.args)
        if needs & missing:
            item.add_marker(pytest.mark.skip(
                reason="not in this build; test_missing.py covers it"))


def pytest_collection_modifyitems(items):
    skip_what_is_missing(items)
    if os.environ.get("TARN_DEEP") == "1":
        return
    skip = pytest.mark.skip(reason="set TARN_DEEP=1 for deep tests")
    for item in items:
        if "deep" in item.keywords:
            item.add_marker(skip)


@pytest.fixture(scope="session", autouse=True)
def plain_umask():
    os.umask(0o022)


@pytest.fixture
def tmp_path(tmp_path):
    """pytest's own, but removed at once: trees are large."""
    yield tmp_path
    shutil.rmtree(tmp_path, ignore_errors=True)


@pytest.fixture
def server():
    """A faulty server. The program must never ask it with HEAD."""
    with FaultyServer() as srv:
        yield srv
    assert not [e for e in srv.log if e["method"] == "HEAD"]


@pytest.fixture
def other_server():
    with FaultyServer() as srv:
        yield srv


@pytest.fixture
def tarn():
    """run(*args): the program with arguments, until its end."""
    program.program()
    return program.run


@pytest.fixture(scope="session")
def nginx(tmp_path_factory):
    with Nginx(tmp_path_factory.mktemp("nginx")) as srv:
        yield srv


@pytest.fixture(scope="session")
def small_tree(tmp_path_factory):
    """A few files of every kind, and its pax archive in bytes."""
    top = tmp_path_factory.mktemp("small")
    tree.build(top / "tree", n_files=25, n_bytes=400_000)
    yield tree.Packed(top / "tree")
    shutil.rmtree(top, ignore_errors=True)
