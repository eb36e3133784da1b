"""A6: bombs end with a clear error, before they have cost anything."""
import gzip
import io
import os
import tarfile
import time

import pytest

PEBIBYTE = 1 << 50


def archive(members):
    """A pax archive of (name, body, pax headers)."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name, body, headers in members:
            info = tarfile.TarInfo(name)
            info.size, info.pax_headers = len(body), headers
            tar.addfile(info, io.BytesIO(body))
    return out.getvalue()


def sparse(size):
    """A sparse member of `size` bytes of holes, as pax 1.0 has it."""
    body = b"1\n%d\n0\n" % size
    return ("GNUSparseFile.0/hole", body + bytes(-len(body) % 512), {
        "GNU.sparse.major": "1", "GNU.sparse.minor": "0",
        "GNU.sparse.name": "hole", "GNU.sparse.realsize": str(size)})


@pytest.fixture
def get(tarn, tmp_path):
    def run(data, *args):
        (tmp_path / "x").write_bytes(data)
        res = tarn("get", "file://%s/x" % tmp_path, "-C", tmp_path / "o",
                   *args)
        return res, tmp_path / "o"
    return run


def test_a_claim_of_a_pebibyte_is_refused_before_the_file_is_made(get):
    data = archive([("before", b"x" * 100, {}), sparse(PEBIBYTE),
                    ("behind", b"y", {})])
    began = time.monotonic()
    res, root = get(data, "--max-size=1G")
    res.expect(65)
    assert time.monotonic() - began < 10
    assert "hole" in res.err and "--max-size" in res.err
    assert str(PEBIBYTE) in res.err
    assert (root / "before").read_bytes() == b"x" * 100
    assert not (root / "hole").exists() and not (root / "behind").exists()


def test_claims_of_several_members_are_added(get):
    data = archive([("GNUSparseFile.0/%d" % i, *sparse(3_000_000)[1:])
                    for i in range(4)])
    get(data, "--max-size=9000000")[0].expect(65)
    get(data, "--max-size=12M")[0].expect(0)


def test_claims_at_the_end_of_all_numbers_do_not_wrap(get):
    data = archive([sparse(2 ** 63 - 1), sparse(2 ** 63 - 1), sparse(10)])
    res, root = get(data, "--max-size=1G")
    res.expect(65)
    assert not (root / "hole").exists()


def test_a_claim_that_was_left_out_does_not_count(get):
    data = archive([sparse(PEBIBYTE), ("behind", b"y", {})])
    res, root = get(data, "--max-size=1G", "--exclude=hole")
    res.expect(0)
    assert os.listdir(root) == ["behind"]


def test_decoded_bytes_count_whether_or_not_they_are_wanted(get):
    data = gzip.compress(archive([("a", bytes(3_000_000), {})]))
    res, _ = get(data, "--max-size=1M", "--exclude=a")
    res.expect(65)
    assert "--max-size" in res.err


def test_the_exact_size_and_number_are_allowed(get):
    data = archive([("a", b"x" * 10240, {}), ("b", b"", {})])
    get(data, "--max-size=%d" % len(data), "--max-files=2",
        "--max-ratio=1")[0].expect(0)
    res, _ = get(data, "--max-files=1")
    res.expect(65)
    assert "more than 1 members (--max-files)" in res.err


def test_members_that_are_left_out_or_refused_count_as_files(get):
    data = archive([("a%d" % i, b"", {}) for i in range(10)])
    get(data, "--max-files=9", "--exclude=*")[0].expect(65)
    data = archive([("../a%d" % i, b"", {}) for i in range(10)])
    get(data, "--max-files=9")[0].expect(65)


def test_a_bomb_ends_at_the_ratio_and_leaves_no_partial_file(get):
    data = gzip.compress(archive([("small", b"s", {}),
                                  ("zeros", bytes(60_000_000), {})]))
    res, root = get(data, "--max-ratio=20")
    res.expect(65)
    assert "--max-ratio" in res.err
    assert not (root / "zeros").exists()


@pytest.mark.parametrize("headers", (
    {"path": "n" * 2_000_000}, {"comment": "c" * 2_000_000},
    {"SCHILY.xattr.user.x": "v" * 2_000_000}))
def test_a_record_larger_than_any_sense_ends_the_job(get, headers):
    res, root = get(archive([("a", b"x", headers)]))
    res.expect(65)
    assert res.err.strip()
    assert os.listdir(root) == [] if root.exists() else True


def test_a_name_longer_than_any_system_has_is_refused_alone(get):
    data = archive([("n" * 300_000, b"x", {}), ("good", b"x", {})])
    res, root = get(data)
    res.expect(1)
    assert os.listdir(root) == ["good"]
    assert len(res.err) < 10_000
