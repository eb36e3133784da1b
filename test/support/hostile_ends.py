"""Hostile archives: cut at every structure, data behind the end, what is not
an archive at all."""
import random

from hostile import DIR, Family, link
import tar_bytes as tar
from tar_bytes import END, archive, long, member, pax, symlink

FAMILY = Family("ends")
add = FAMILY.add
D = b"data\n"
GOOD = member(b"good", D)
AFTER = member(b"after", D)

# ---- cut ----
# Each part, and what is in the tree once it is whole.
PARTS = (("file", member(b"a", b"a" * 700), {b"a": b"a" * 700}),
         ("pax", pax({b"path": b"b" * 120}), None),
         ("named", member(b"b", D), {b"b" * 120: D}),
         ("gnu", long(b"c" * 150), None),
         ("long", member(b"c", D, fmt="gnu"), {b"c" * 150: D}),
         ("directory", tar.directory(b"e/"), {b"e": DIR}),
         ("symlink", symlink(b"f", b"a"), {b"f": link(b"a")}))


def cuts():
    """(name, bytes, code, tree): cut within and behind each structure."""
    data, tree = b"", {}
    for name, part, made in PARTS:
        # A whole first header tells that it is an archive.
        body = len(part) - 512
        yield name + "_one_byte_of_the_header", data + part[:1], 65, tree
        yield name + "_within_the_header", data + part[:300], 65, tree
        yield name + "_header_but_a_byte", data + part[:511], 65, tree
        if body:
            yield name + "_behind_the_header", data + part[:512], 65, tree
            yield name + "_within_the_content", data + part[:514], 65, tree
        data += part
        if made is None:
            yield name + "_behind_the_long_header", data, 65, tree
            continue
        tree = dict(tree, **{k.decode(): v for k, v in made.items()})
        if body:
            # The content is there, its padding is not.
            yield name + "_within_the_padding", data[:-1], 65, tree
        yield name + "_whole", data, 0, tree
    yield "within_the_first_end_block", data + bytes(100), 65, tree
    yield "first_end_block_but_a_byte", data + bytes(511), 65, tree
    yield "behind_one_end_block", data + bytes(512), 0, tree
    yield "within_the_second_end_block", data + bytes(1000), 65, tree


for _name, _data, _code, _tree in cuts():
    _warned = _code == 0 and ("whole" in _name or "one_end" in _name)
    add("cut_" + _name, _data, _code, _tree,
        says=("end blocks" if "whole" in _name else "zero block")
        if _warned else ())

# ---- behind the end ----
ENDED = archive(GOOD)
add("zeros_behind", ENDED + bytes(20_000), 0, {b"good": D}, silent=True)
add("half_a_block_of_zeros_behind", ENDED + bytes(300), 0, {b"good": D},
    silent=True)
add("garbage_behind", ENDED + b"garbage" * 500, 0, {b"good": D},
    says="behind the end")
add("one_byte_behind", ENDED + b"g", 0, {b"good": D}, says="behind the end")
add("late_byte_behind", ENDED + bytes(100_001) + b"g", 0, {b"good": D},
    says="behind the end")
add("two_archives", ENDED + archive(AFTER), 0, {b"good": D},
    says="behind the end")
add("two_archives_read_on", ENDED + archive(AFTER), 0,
    {b"good": D, b"after": D}, args=["--ignore-zeros"])
add("two_archives_with_padding_read_on",
    ENDED + bytes(512 * 18) + archive(AFTER) + bytes(512 * 18), 0,
    {b"good": D, b"after": D}, args=["--ignore-zeros"])
add("hostile_second_archive_read_on",
    ENDED + archive(member(b"../outside/victim"), AFTER), 1,
    {b"good": D, b"after": D}, args=["--ignore-zeros"])
add("garbage_behind_read_on", ENDED + b"garbage!" * 64, 65, {b"good": D},
    args=["--ignore-zeros"])
add("one_zero_block_between", archive(GOOD, bytes(512), AFTER), 0,
    {b"good": D}, says="zero block")
add("one_zero_block_between_read_on", archive(GOOD, bytes(512), AFTER), 0,
    {b"good": D, b"after": D}, args=["--ignore-zeros"])
add("one_zero_block_first", archive(bytes(512), AFTER), 0, {},
    says="zero block")
add("end_blocks_first", END + archive(AFTER), 0, {}, says="behind the end")
add("end_blocks_first_read_on", END + archive(AFTER), 0, {b"after": D},
    args=["--ignore-zeros"])
add("no_end_blocks_read_on", GOOD, 0, {b"good": D}, args=["--ignore-zeros"])

# ---- no archive, or an empty one ----
add("only_end_blocks", END, 0, {}, silent=True)
add("a_record_of_zeros", bytes(10_240), 0, {}, silent=True)
add("one_zero_block", bytes(512), 0, {}, says="zero block")
for _name, _data, _says in (
        ("nothing", b"", "not a"),
        ("one_byte", b"x", "not a"), ("a_newline", b"\n", "not a"),
        ("zeros_but_no_block", bytes(511), "not a"),
        ("html", b"<!DOCTYPE html>\n<html><body>Log in</body></html>\n" * 30,
         "HTML"),
        ("html_in_capitals", b"  <HTML><HEAD>" + b" " * 600, "HTML"),
        ("zip", b"PK\3\4" + bytes(600), "zip"),
        ("empty_zip", b"PK\5\6" + bytes(18), "zip"),
        ("random", random.Random(1).randbytes(20_000), "not a"),
        ("text", b"All work and no play.\n" * 100, "not a"),
        ("json", b'{"error": "denied"}\n' + b" " * 600, "not a"),
        ("elf", b"\x7fELF\2\1\1" + bytes(600), "not a"),
        ("cpio", b"070701" + b"0" * 600, "not a"),
        ("seven_zip", b"7z\xbc\xaf\x27\x1c" + bytes(600), "not a"),
        ("ar", b"!<arch>\n" + b"debian-binary   " * 40, "not a"),
        ("no_checksum", member(b"x", checksum=b" " * 8), "not a"),
        ("shifted_by_a_byte", b"\0" + ENDED, "not a"),
        ("byte_order_mark", b"\xef\xbb\xbf" + ENDED, "not a")):
    add("not_" + _name, _data, 65, {}, says=_says)
