"""A1, D3: archives of one tree in every format, on which all programs agree,
extract to what GNU tar makes of them, and list as it lists them.

TARN_CORPUS names another folder of archives to take instead."""
import os
import re
import subprocess

import pytest

from against_gnu import check
import program

HERE = os.path.dirname(os.path.abspath(__file__))
CORPUS = os.environ.get("TARN_CORPUS") or os.path.join(
    HERE, "..", "data", "dotnet-tar")
USER = "root" if os.geteuid() == 0 else "user"


def archives():
    return sorted(os.path.join(here, name)
                  for here, _, names in os.walk(CORPUS)
                  for name in names if name.endswith((".tar", ".tar.gz")))


def ids(path):
    return os.path.relpath(path, CORPUS)


ARCHIVES = archives()


def test_the_corpus_is_there():
    assert len(ARCHIVES) >= (1 if "TARN_CORPUS" in os.environ else 143)


@pytest.mark.parametrize("path", ARCHIVES, ids=ids)
def test_an_archive_is_restored_as_gnu_tar_restores_it(path):
    if USER == "user" and "specialfiles" in path:
        pytest.skip("only root makes devices")
    with open(path, "rb") as src:
        res, picture = check(src.read(), USER)
    assert len(picture) > 1 and "warning" not in res.err


# ---- list ----

def gnu_lines(path):
    out = subprocess.run(
        ["tar", "-tvv", "--full-time", "--quoting-style=escape", "-f", path],
        check=True, stdout=subprocess.PIPE, env=program.environment()).stdout
    return out.decode("utf-8", "surrogateescape").splitlines()


def fields(line):
    """Mode, owner, size or device, date, time, and the rest as it is."""
    found = re.fullmatch(r"(\S+) +(\S+) +(\S+) +(\S+) +(\S+) (.*)", line)
    assert found, line
    return found.groups()


@pytest.fixture(scope="module")
def has_list():
    if program.run("list", "--help").code != 0:
        pytest.skip("no tarn list in this version")


@pytest.mark.usefixtures("has_list")
@pytest.mark.parametrize("path", ARCHIVES, ids=ids)
def test_an_archive_lists_as_with_gnu_tar_field_by_field(path):
    res = program.run("list", "-vv", "--full-time", path).expect(0)
    ours = res.out.decode("utf-8", "surrogateescape").splitlines()
    assert [fields(line) for line in ours] == [fields(line)
                                               for line in gnu_lines(path)]
