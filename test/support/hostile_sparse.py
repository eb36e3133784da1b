"""Hostile archives: maps of sparse files."""
from hostile import Family, file, link
import tar_bytes as tar
from tar_bytes import archive, header, member, octal, pax, record, symlink

FAMILY = Family("sparse")
add = FAMILY.add
D = b"data\n"
GOOD = member(b"good", D)
AFTER = member(b"after", D)
ONE = b"1" * 512
PIB = 2 ** 50


def old_gnu(pieces, real, stored, more=(), name=b"x", tail=b""):
    """GNU's type S: four pieces in the header, 21 in each block behind."""
    def entries(some):
        return b"".join(tar.number(at, 12) + tar.number(n, 12)
                        for at, n in some)
    raw = {386: entries(pieces), 483: tar.number(real, 12)}
    if more:
        raw[482] = b"\1"
    head = header(name, kind=b"S", size=len(stored), fmt="gnu", raw=raw)
    blocks = b"".join((entries(some).ljust(504, b"\0") +
                       (b"\1" if i + 1 < len(more) else b"\0")
                       ).ljust(512, b"\0") for i, some in enumerate(more))
    return head + blocks + tail + tar.padded(stored)


def pax_00(pieces, real, stored, blocks=None):
    text = record(b"GNU.sparse.size", b"%d" % real)
    text += record(b"GNU.sparse.numblocks",
                   b"%d" % (len(pieces) if blocks is None else blocks))
    for at, n in pieces:
        text += record(b"GNU.sparse.offset", b"%d" % at)
        text += record(b"GNU.sparse.numbytes", b"%d" % n)
    return pax(text) + member(b"x", stored)


def pax_01(pieces, real, stored, text=None, blocks=None):
    text = text or b",".join(b"%d,%d" % piece for piece in pieces)
    return pax({b"GNU.sparse.size": b"%d" % real,
                b"GNU.sparse.numblocks":
                    b"%d" % (len(pieces) if blocks is None else blocks),
                b"GNU.sparse.map": text,
                b"GNU.sparse.name": b"x"}) + member(b"GNUSparse/x", stored)


def pax_10(pieces, real, stored, text=None, name=b"x"):
    if text is None:
        text = b"%d\n" % len(pieces)
        text += b"".join(b"%d\n%d\n" % piece for piece in pieces)
    return pax({b"GNU.sparse.major": b"1", b"GNU.sparse.minor": b"0",
                b"GNU.sparse.name": name,
                b"GNU.sparse.realsize": b"%d" % real}) + \
        member(b"GNUSparse/x", tar.padded(text) + stored)


FORMS = {"old": old_gnu, "v00": pax_00, "v01": pax_01, "v10": pax_10}
HOLE = bytes(512) + ONE + bytes(512)
BOTH = {b"good": D, b"after": D}

for _form, _make in FORMS.items():
    add("right_" + _form, archive(
        _make([(512, 512), (1536, 0)], 1536, ONE), GOOD), 0,
        {b"x": HOLE, b"good": D}, silent=True)
    add("only_a_hole_" + _form, archive(
        _make([(100_000, 0)], 100_000, b""), GOOD), 0,
        {b"x": bytes(100_000), b"good": D})
    # A map that is wrong: the member is refused, the rest goes on.
    for _name, _pieces, _real, _stored in (
            ("overlap", [(0, 512), (256, 512)], 1024, ONE * 2),
            ("the_same_twice", [(0, 512), (0, 512)], 1024, ONE * 2),
            ("descending", [(1024, 512), (0, 512)], 1536, ONE * 2),
            ("beyond_the_size", [(0, 512), (4096, 512)], 1024, ONE * 2),
            ("a_size_of_zero", [(0, 512)], 0, ONE),
            ("a_short_sum", [(0, 512)], 1024, ONE * 2),
            ("a_wild_offset", [(2 ** 62, 512)], 2 ** 62, ONE),
            ("an_offset_that_wraps", [(2 ** 63 - 512, 1024)], 2 ** 63 - 512,
             ONE * 2),
            ("a_length_that_wraps", [(512, 2 ** 63 - 512)], 1024, ONE)):
        add("%s_%s" % (_name, _form),
            archive(GOOD, _make(_pieces, _real, _stored), AFTER), 1, BOTH,
            says="sparse map")
    # Readers that go by the map would find another header next.
    for _name, _pieces, _real, _stored in (
            ("a_long_sum", [(0, 512), (512, 512)], 1024, ONE),
            ("no_sum_at_all", [(0, 512)], 512, b"")):
        add("%s_%s" % (_name, _form),
            archive(GOOD, _make(_pieces, _real, _stored), AFTER), 65,
            {b"good": D}, says="sparse map")
    add("claims_a_pebibyte_" + _form, archive(
        GOOD, _make([(0, 512), (PIB, 0)], PIB, ONE)), 65, {b"good": D},
        args=["--max-size=1Mi"])

# ---- text and tables of the maps ----
for _name, _text in (("negative", b"-512,512"), ("odd", b"0,512,1024"),
                     ("letters", b"0,512,a,b"), ("empty_entry", b"0,,512,1"),
                     ("blank", b"0, 512"), ("huge", b"0,99999999999999999999"),
                     ("trailing", b"0,512,")):
    add("map_text_%s_v01" % _name, archive(
        GOOD, pax_01([], 1024, ONE, text=_text, blocks=1), AFTER), 1, BOTH,
        says="sparse map")
for _name, _text in (
        ("negative", b"1\n-512\n512\n"), ("count_too_large", b"9\n0\n512\n"),
        ("count_huge", b"99999999999999999999\n0\n512\n"),
        ("count_of_a_million", b"1000000\n0\n512\n"),
        ("letters", b"one\n0\n512\n"), ("no_newline", b"1\n0\n512"),
        ("endless_digits", b"1\n" + b"0" * 600 + b"\n512\n"),
        ("nothing", b""), ("a_blank", b"1\n 0\n512\n")):
    add("map_text_%s_v10" % _name, archive(
        GOOD, pax_10([], 512, ONE, text=_text), AFTER), 1, BOTH,
        says="sparse map")
add("wrong_count_v00", archive(
    GOOD, pax_00([(0, 512)], 512, ONE, blocks=7), AFTER), 1, BOTH)
add("wrong_count_v01", archive(
    GOOD, pax_01([(0, 512)], 512, ONE, blocks=7), AFTER), 1, BOTH)
add("map_cut_v10", archive(GOOD, pax_10([(0, 512)], 512, ONE))[:-1024 - 600],
    65, {b"good": D})
add("more_blocks_old", archive(
    old_gnu([(i * 1024, 512) for i in range(4)], 25 * 1024, ONE * 25,
            more=[[(i * 1024, 512) for i in range(4, 25)]]), GOOD), 0,
    {b"x": (ONE + bytes(512)) * 25, b"good": D})
add("more_blocks_without_end_old", archive(
    GOOD, old_gnu([], 512, ONE, more=[[(0, 0)]] * 3000))[:-1024 - 512 - 300],
    65, {b"good": D})
add("garbage_in_the_table_old", archive(
    GOOD, header(b"x", kind=b"S", size=512, fmt="gnu",
                 raw={386: b"garbage!" * 3, 483: octal(512, 12)}), ONE,
    AFTER), 1, BOTH)
add("negative_in_the_table_old", archive(
    GOOD, old_gnu([(-512, 512)], 512, ONE), AFTER), 1, BOTH)

# ---- names of sparse files are names ----
add("dotdot_by_the_real_name", archive(
    pax_10([(0, 512)], 512, ONE, name=b"../outside/victim"), GOOD), 1,
    {b"good": D})
add("through_a_link_by_the_real_name", lambda out: archive(
    symlink(b"l", out), pax_10([(0, 512)], 512, ONE, name=b"l/victim"),
    GOOD), 1, lambda out: {b"l": link(out), b"good": D})
add("replaces_what_was_there", archive(
    pax_10([(512, 512), (1536, 0)], 1536, ONE)), 0, {b"x": HOLE},
    before={b"x": file(b"old" * 1000)})
add("cut_within_a_piece", archive(
    GOOD, pax_10([(0, 512), (4096, 5000)], 9096, b"1" * 5512))[:-4000], 65,
    {b"good": D})
add("nested_archive_in_a_hole", archive(
    pax_10([(0, 1024)], 2048, archive(end=member(b"evil", b"")) * 2), GOOD),
    0, {b"x": member(b"evil", b"") * 2 + bytes(1024), b"good": D})
