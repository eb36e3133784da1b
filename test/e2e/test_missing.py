"""What a build lacks answers 69 and names it, before anything is written."""
import bz2
import hashlib
import lzma
import subprocess

import pytest

import fa1
import program

MISSING = program.missing_features()
PACKED = {"zstd": lambda data: subprocess.run(
              ["zstd", "-q", "-c"], input=data, check=True,
              stdout=subprocess.PIPE).stdout,
          "xz": lzma.compress, "bzip2": bz2.compress}


@pytest.mark.parametrize("codec", ("zstd", "xz", "bzip2"), ids=lambda c: "of-" + c)
def test_a_codec_is_there_or_answers_69(tarn, server, codec):
    data = b"tarn" * 1000
    url = server.add("/obj", PACKED[codec](data))
    res = tarn("get", url, "-O")
    if codec in MISSING:
        assert codec in res.expect(69).err
        assert res.out == b""
    else:
        assert res.expect(0).out == data


def test_digests_are_there_or_answer_69(tarn, server):
    url = server.add("/obj", b"tarn")
    res = tarn("get", url, "-O", "--raw", "--digest",
               "sha256:" + hashlib.sha256(b"tarn").hexdigest())
    res.expect(69 if "digests" in MISSING else 0)


def test_fa1_is_there_or_answers_69(tarn, tmp_path):
    path = tmp_path / "x"
    path.write_bytes(fa1.Archive().whole(b"a").sum().bytes())
    res = tarn("get", "file://%s" % path, "-C", tmp_path / "o",
               "--no-same-owner")
    if "fa1" in MISSING:
        assert "liblzma" in res.expect(69).err
        assert not (tmp_path / "o").exists()
    else:
        res.expect(0)
        assert (tmp_path / "o/a").read_bytes() == b"data\n"
