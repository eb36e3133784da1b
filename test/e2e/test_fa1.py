"""A5: FA1 archives come out whole from a file and over HTTP, in any
compression; what is damaged, cut or hostile does no harm."""
import json
import os
import random
import resource
import stat

import pytest

from canary import Arena
import fa1
from fa1 import Archive
import program
from program import QUICK, RETRY
import tree

pytestmark = pytest.mark.needs("fa1")

IS_ROOT = os.geteuid() == 0
USERS = ("root", "user") if IS_ROOT else ("user",)
IDS = {"uid": os.geteuid(), "gid": os.getegid()}


def some_files(rnd, n):
    files = {b"empty": b"", b"d/" + b"n" * 250: b"long name\n",
             "d/\u00fc\n\x01".encode(): b"odd name\n"}
    for i in range(n):
        size = rnd.choice((0, 1, 300, 4096, 65535, 65536, 200_000))
        files[b"d%d/f%03d" % (i % 4, i)] = rnd.randbytes(size)
    return files


@pytest.fixture(scope="module")
def mixed():
    """An archive of files whose blocks are mixed, and what is in it."""
    rnd = random.Random(5)
    files = some_files(rnd, 40)
    return files, fa1.mixed(files, rnd).bytes()


def content(root):
    """{path: content} of all files beneath."""
    top, found = os.fsencode(str(root)), {}
    for here, _, names in os.walk(top):
        for name in names:
            path = os.path.join(here, name)
            with open(path, "rb") as src:
                found[os.path.relpath(path, top)] = src.read()
    return found


def small():
    """An archive in which two files are mixed, with a checksum between."""
    a = Archive().dir(b"d", **IDS).whole(b"d/first", b"1" * 50, **IDS)
    a.file(b"a", **IDS).file(b"d/b", **IDS).data(b"a", b"a" * 30)
    a.data(b"d/b", b"b" * 20).sum().data(b"a", b"A" * 10).end(b"a")
    return a.data(b"d/b", b"B" * 5).end(b"d/b").sum()


SMALL = {b"d/first": b"1" * 50, b"a": b"a" * 30 + b"A" * 10,
         b"d/b": b"b" * 20 + b"B" * 5}


# ---- what comes out ----

@pytest.mark.parametrize("coder", tree.CODERS)
def test_mixed_files_come_out_whole_over_http(tarn, server, tmp_path, mixed,
                                              coder):
    files, data = mixed
    url = server.add("/x", tree.encode(data, coder))
    tarn("get", url, "-C", tmp_path / "o", "--chunk-size=256Ki",
         "--no-same-owner", *RETRY).expect(0)
    assert content(tmp_path / "o") == files


@pytest.mark.parametrize("coder", ("none", "gz"))
def test_mixed_files_come_out_whole_from_a_file(tarn, tmp_path, mixed, coder):
    files, data = mixed
    path = tmp_path / "no-telling-name"
    path.write_bytes(tree.encode(data, coder))
    res = tarn("get", "file://%s" % path, "-C", tmp_path / "o",
               "--no-same-owner").expect(0)
    assert "warning" not in res.err
    assert content(tmp_path / "o") == files


def test_a_retry_in_the_middle_changes_nothing(tarn, server, tmp_path, mixed):
    files, data = mixed
    url = server.add("/x", data, rules=[{"times": 2, "reset_after": 70_000}])
    tarn("get", url, "-C", tmp_path / "o", "--no-same-owner",
         *RETRY).expect(0)
    assert content(tmp_path / "o") == files


@pytest.mark.skipif(not IS_ROOT, reason="owners need root")
def test_owners_modes_and_special_bits_are_restored():
    a = Archive().dir(b"sticky", 0o777 | fa1.MODE_STICKY, 7, 8)
    a.whole(b"setuid", mode=0o755 | fa1.MODE_SETUID, uid=1234, gid=5678)
    a.whole(b"setgid", mode=0o750 | fa1.MODE_SETGID, uid=1234, gid=4294967294)
    a.whole(b"plain", mode=0o604 | 0o7000, uid=0, gid=0)
    a.dir(b"closed", 0o500, 9, 9).whole(b"closed/in", uid=9, gid=9)
    want = {b"sticky": (0o1777, 7, 8), b"setuid": (0o4755, 1234, 5678),
            b"setgid": (0o2750, 1234, 4294967294), b"plain": (0o604, 0, 0),
            b"closed": (0o500, 9, 9), b"closed/in": (0o644, 9, 9)}
    with Arena() as arena:
        arena.extract(a.sum().bytes()).expect(0)
        got = {path: (stat.S_IMODE(st.st_mode), st.st_uid, st.st_gid)
               for path, (st, _) in arena.picture().items() if path}
    assert got == want


def test_a_user_gets_no_special_bits_and_own_files():
    a = Archive().whole(b"setuid", mode=0o777 | fa1.MODE_SETUID, uid=0, gid=0)
    with Arena(user=True) as arena:
        arena.extract(a.sum().bytes()).expect(0)
        st, body = arena.picture()[b"setuid"]
        assert body == b"data\n" and stat.S_IMODE(st.st_mode) == 0o755
        assert st.st_uid != 0


def test_members_have_the_time_of_extraction(tarn, tmp_path):
    path = tmp_path / "x"
    path.write_bytes(small().bytes())
    tarn("get", "file://%s" % path, "-C", tmp_path / "o").expect(0)
    made = path.stat().st_mtime
    for name in ("a", "d", "d/b"):
        assert (tmp_path / "o" / name).stat().st_mtime >= made - 2


def test_an_end_that_nothing_proves_is_warned_of(tarn, server, tmp_path):
    url = server.add("/x", small().bytes(), rules=[
        {"ranges": "ignore", "framing": "close"}])
    res = tarn("get", url, "-C", tmp_path / "o", *RETRY).expect(0)
    assert "nothing proves" in res.err
    assert content(tmp_path / "o") == SMALL


def test_limits_count_members_and_bytes(tarn, server, tmp_path):
    url = server.add("/x", small().bytes())
    res = tarn("get", url, "-C", tmp_path / "1", "--max-files=3",
               *RETRY).expect(65)
    assert "--max-files" in res.err
    tarn("get", url, "-C", tmp_path / "2", "--max-files=4", *RETRY).expect(0)
    tarn("get", url, "-C", tmp_path / "3", "--max-size=100", *RETRY).expect(65)


# ---- damage ----

def test_a_cut_anywhere_is_refused_and_leaves_whole_files():
    a = small()
    data = a.bytes()
    cuts = set(a.ends) | {end + 1 for end in a.ends}
    cuts |= {end - 2 for end in a.ends}
    cuts = sorted(n for n in cuts if n < len(data))
    for n in cuts:
        with Arena() as arena:
            res = arena.extract(data[:n])
            assert res.code == 65, (n, res)
            got = {path: body for path, (st, body) in arena.picture().items()
                   if stat.S_ISREG(st.st_mode)}
        assert got.items() <= SMALL.items(), n
        assert res.err.strip()


def test_a_changed_byte_is_refused():
    data = small().bytes()
    rnd = random.Random(9)
    for at in rnd.sample(range(len(data)), 24):
        bad = bytearray(data)
        bad[at] ^= 1 << rnd.randrange(8)
        with Arena() as arena:
            res = arena.extract(bytes(bad))
            assert res.code == 65, (at, res)


@pytest.mark.parametrize("name, archive, says", [
    ("sum", small().sum(change=1), "wrong checksum at offset"),
    ("no_sum", Archive().whole(b"a"), "without its checksum"),
    ("nothing", Archive(), "without its checksum"),
    ("open", Archive().file(b"a").sum(), "before the end of member a"),
    ("data", Archive().data(b"a", b"x").sum(), "data without a begin of a"),
    ("end", Archive().end(b"a").sum(), "an end without a begin of a"),
    ("begin", Archive().file(b"a").file(b"a").sum(), "a second begin of a"),
    ("type", Archive().block(9, b"a").sum(), "unknown type 9"),
    ("named_sum", Archive().block(fa1.SUM, b"a", bytes(8)).sum(),
     "a checksum named a")])
def test_damage_is_named(tarn, tmp_path, name, archive, says):
    path = tmp_path / name
    path.write_bytes(archive.bytes())
    res = tarn("get", "file://%s" % path, "-C", tmp_path / "o").expect(65)
    assert says in res.err, repr(res)
    # A file that had ended before the damage was seen stays.
    assert (tmp_path / "o/a").exists() == (name in ("sum", "no_sum"))


def test_more_than_256_open_files_are_refused(tarn, tmp_path):
    a = Archive()
    for i in range(257):
        a.file(b"%d" % i)
    path = tmp_path / "x"
    path.write_bytes(a.bytes())
    res = tarn("get", "file://%s" % path, "-C", tmp_path / "o").expect(65)
    assert "256 files open at once" in res.err
    assert list((tmp_path / "o").iterdir()) == []


def in_turns(n, blocks, size):
    """`n` files, all open at once, their blocks in turns."""
    a = Archive()
    paths = [b"d%d/%d" % (i % 5, i) for i in range(n)]
    for path in paths:
        a.file(path, **IDS)
    for block in range(blocks):
        for path in paths:
            a.data(path, b"%d" % (block % 10) * size)
    for path in paths:
        a.end(path)
    return a.sum().bytes()


@pytest.mark.parametrize("memory", ("2Mi", "96Mi"))
def test_256_files_at_once_fit_in_any_budget(tarn, tmp_path, memory):
    path = tmp_path / "x"
    path.write_bytes(in_turns(256, 10, 1500))
    tarn("get", "file://%s" % path, "-C", tmp_path / "o",
         "--memory=" + memory).expect(0)
    got = content(tmp_path / "o")
    want = b"".join(b"%d" % i * 1500 for i in range(10))
    assert len(got) == 256 and set(got.values()) == {want}


def test_too_few_descriptors_for_what_is_open_end_in_a_clear_error(tarn,
                                                                   tmp_path):
    path = tmp_path / "x"
    path.write_bytes(in_turns(100, 2, 10))
    res = tarn("get", "file://%s" % path, "-C", tmp_path / "o",
               preexec_fn=lambda: resource.setrlimit(
                   resource.RLIMIT_NOFILE, (100, 100))).expect(66)
    assert "limit of open files" in res.err
    assert content(tmp_path / "o") == {}


# ---- hostile names ----

def hostile(out):
    """(name of a case, archive, exit status, files that come out)"""
    good = {b"good": b"data\n"}

    def of(path):
        return Archive().whole(path, **IDS).whole(b"good", **IDS).sum()

    yield "absolute", of(out + b"/victim"), 0, {
        **good, (out + b"/victim").strip(b"/"): b"data\n"}
    for path in (b"../escaped", b"a/../../escaped", b"..", b"a/..",
                 b"../outside/victim", b"", b".", b"/", b"nul\0/x",
                 b"c" * 256, b"e/" * 4097 + b"x"):
        yield "%.20r" % path, of(path), 1, good
    for bit in (fa1.MODE_SYMLINK, fa1.MODE_DEVICE, fa1.MODE_DIR,
                fa1.MODE_PIPE, fa1.MODE_CHAR, fa1.MODE_SOCKET):
        a = Archive().file(b"odd", 0o644 | bit, **IDS).file(b"good", **IDS)
        a.data(b"odd", b"/etc/passwd").data(b"good", b"data\n")
        yield "%x" % bit, a.end(b"odd").end(b"good").sum(), 1, good
    yield "dir_dotdot", Archive().dir(b"../made").dir(b"..", 0o777).whole(
        b"good", **IDS).sum(), 1, good
    # Two names of one file are open at once: the later one wins.
    a = Archive().file(b"good", **IDS).file(b"./good", **IDS)
    a.data(b"./good", b"data\n").data(b"good", b"other").end(b"./good")
    yield "two_names", a.end(b"good").sum(), 0, good
    # A directory takes the place of a file that is still open.
    a = Archive().file(b"x", **IDS).dir(b"x", **IDS).data(b"x", b"lost")
    a.end(b"x").whole(b"x/in", **IDS).whole(b"good", **IDS)
    yield "file_to_dir", a.sum(), 0, {**good, b"x/in": b"data\n"}


@pytest.mark.parametrize("user", USERS)
def test_hostile_names_change_nothing_outside(user):
    n_cases = len(list(hostile(b"")))
    assert n_cases >= 20
    for i in range(n_cases):
        with Arena(user=user == "user") as arena:
            name, archive, code, want = list(hostile(arena.outside))[i]
            before = arena.canary()
            res = arena.extract(archive.bytes())
            assert arena.canary() == before, name
            assert res.code == code, (name, res)
            got = {path: body for path, (st, body) in arena.picture().items()
                   if stat.S_ISREG(st.st_mode)}
            assert got == want, (name, res)


@pytest.mark.parametrize("link", (b"..", b"../outside"))
def test_a_link_that_is_there_already_leads_nowhere(link):
    a = Archive().whole(b"link/victim", **IDS).sum()
    with Arena() as arena:
        arena.make_before({b"link": ("link", {"target": link})})
        before = arena.canary()
        arena.extract(a.bytes()).expect(1)
        assert arena.canary() == before


def test_long_names_in_many_open_files_take_little_memory(tarn, tmp_path):
    a = Archive()
    for i in range(250):
        a.file(b"%d/" % i + b"n" * 60_000)
    path = tmp_path / "x"
    path.write_bytes(a.bytes())
    res = tarn("get", "file://%s" % path, "-C", tmp_path / "o",
               *QUICK).expect(65)
    if not program.SANITIZED:
        assert res.maxrss < 128 << 20


def test_a_listing_tells_that_fa1_has_no_times(tmp_path):
    archive = Archive()
    archive.file(b"f", 0o640)
    archive.data(b"f", b"text")
    archive.end(b"f")
    archive.sum()
    (tmp_path / "x.fa1").write_bytes(archive.bytes())
    res = program.run("list", "--json", tmp_path / "x.fa1").expect(0)
    line = json.loads(res.out)
    assert (line["path"], line["size"], line["mode"]) == ("f", 4, "0640")
    assert line["mtime"] is None and line["mtime_sec"] is None
