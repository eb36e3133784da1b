"""Hostile archives: one type in place of another, odd and unknown types."""
from hostile import DIR, Family, char, directory, fifo, file, link
import tar_bytes as tar
from tar_bytes import archive, header, member, pax, symlink

FAMILY = Family("types")
add = FAMILY.add
D = b"data\n"
GOOD = member(b"good", D)
INNER = member(b"inner")
FIFO = header(b"x", kind=b"6")
NULL = header(b"x", kind=b"3", major=1, minor=3)
REFUSED = {"code": 1, "tree": {b"good": D}}

# ---- swapped ----
add("file_over_a_directory_with_content", archive(
    tar.directory(b"x/", mode=0o711, mtime=3), member(b"x/y"), member(b"x"),
    GOOD), 1, {b"x": directory(mode=0o711, mtime=3), b"x/y": D, b"good": D})
add("file_over_an_empty_directory", archive(
    tar.directory(b"x/", mode=0o777, mtime=3), member(b"x", mode=0o600)), 0,
    {b"x": file(mode=0o600, mtime=tar.MTIME)})
add("directory_over_a_file", archive(
    member(b"x"), tar.directory(b"x/"), member(b"x/y")), 0, {b"x/y": D})
add("below_a_file", archive(member(b"x"), member(b"x/y"), GOOD), 1,
    {b"x": D, b"good": D})
add("far_below_a_file", archive(
    member(b"x"), tar.directory(b"x/y/z/"), symlink(b"x/l", b"y"), GOOD), 1,
    {b"x": D, b"good": D})
add("fifo_over_a_file", archive(member(b"x"), FIFO), 0, {b"x": fifo()})
add("file_over_a_fifo", archive(FIFO, member(b"x")), 0, {b"x": D})
add("below_a_fifo", archive(FIFO, member(b"x/y"), GOOD), 1,
    {b"x": fifo(), b"good": D})
add("file_over_a_fifo_there_before", archive(member(b"x")), 0, {b"x": D},
    before={b"x": fifo()})
add("directory_over_a_fifo", archive(FIFO, tar.directory(b"x/")), 0,
    {b"x": DIR})
add("symlink_over_a_fifo", archive(FIFO, symlink(b"x", b"y")), 0,
    {b"x": link(b"y")})
add("all_types_in_a_row", archive(
    member(b"x"), FIFO, symlink(b"x", b"y"), tar.directory(b"x/"),
    member(b"x", b"last", mode=0o640, mtime=8)), 0,
    {b"x": file(b"last", mode=0o640, mtime=8)})
add("file_there_before", archive(member(b"x", b"new", mode=0o600)), 0,
    {b"x": file(b"new", mode=0o600)},
    before={b"x": file(b"old", mode=0o444)})
add("directory_there_before", archive(
    tar.directory(b"x/", mode=0o711, mtime=2), member(b"x", b"new"), GOOD), 1,
    {b"x": directory(mode=0o711, mtime=2), b"x/y": b"old", b"good": D},
    before={b"x/y": b"old"})

# ---- devices ----
add("device", archive(NULL, GOOD), 0, {b"x": char(1, 3), b"good": D},
    user=REFUSED)
add("device_over_a_file", archive(member(b"x"), NULL, GOOD), 0,
    {b"x": char(1, 3), b"good": D},
    user={"code": 1, "tree": {b"x": D, b"good": D}})
add("file_over_a_device", archive(NULL, member(b"x"), GOOD), 0,
    {b"x": D, b"good": D}, user={"code": 1})
add("device_outside", lambda out: archive(
    symlink(b"l", out), header(b"l/victim", kind=b"3", major=1, minor=3),
    GOOD), 1, lambda out: {b"l": link(out), b"good": D})
# The kernel's numbers have 12 and 20 bits: no other device may come of these.
add("device_numbers_that_do_not_fit", archive(
    header(b"x", kind=b"3", major=0x1001, minor=3),
    header(b"y", kind=b"4", major=1, minor=0x100003), GOOD), 1, {b"good": D})
add("device_numbers_of_garbage", archive(
    GOOD, header(b"x", kind=b"3", major=b"zzz"), INNER), 65, {b"good": D})
add("nodes_ignored", archive(FIFO, NULL, GOOD), 0, {b"good": D},
    args=["--ignore-node-files"])
add("device_garbage_on_a_file", archive(
    member(b"x", major=b"\xff\xfe???", minor=b"zzz")), 0, {b"x": D})

# ---- a size where no content can be ----
for _name, _kind in (("symlink", b"2"), ("char", b"3"), ("block", b"4"),
                     ("fifo", b"6")):
    add("size_on_a_" + _name, archive(
        GOOD, header(b"x", kind=_kind, link=b"y" if _kind == b"2" else b"",
                     size=512), INNER), 65, {b"good": D}, says="size")
add("size_on_a_directory", archive(
    tar.directory(b"x/", size=4096), GOOD), 0, {b"x": DIR, b"good": D},
    says="size")
add("pax_size_on_a_directory", archive(
    pax({b"size": b"512"}), tar.directory(b"x/"), GOOD), 0,
    {b"x": DIR, b"good": D}, says="size")
add("pax_size_on_a_symlink", archive(
    GOOD, pax({b"size": b"512"}), symlink(b"x", b"y"), INNER), 65,
    {b"good": D})

# ---- other types ----
add("contiguous", archive(member(b"x", kind=b"7")), 0, {b"x": D},
    silent=True)
add("old_nul_type", archive(member(b"x", kind=b"\0", fmt="v7")), 0,
    {b"x": D}, silent=True)
for _name, _kind in (("letter", b"Z"), ("digit", b"9"), ("high", b"\xff"),
                     ("control", b"\x1b")):
    add("unknown_" + _name, archive(member(b"x", kind=_kind), GOOD), 0,
        {b"x": D, b"good": D}, says="unknown type")
add("unknown_with_a_link_target", archive(
    member(b"x", kind=b"Q", link=b"../outside/victim"), GOOD), 0,
    {b"x": D, b"good": D})
add("volume_label", archive(header(b"../label", kind=b"V", fmt="gnu"), GOOD),
    0, {b"good": D}, silent=True)
add("volume_label_with_a_size", archive(
    header(b"label", kind=b"V", size=len(INNER), fmt="gnu"), INNER, GOOD), 0,
    {b"good": D})
add("dump_directory", archive(
    header(b"x/", kind=b"D", size=512, mode=0o711, fmt="gnu"),
    tar.padded(b"Yy\0Nz\0\0"), GOOD), 0,
    {b"x": directory(mode=0o711), b"good": D})
add("dump_directory_removes_nothing", archive(
    header(b"x/", kind=b"D", size=512, mode=0o755, fmt="gnu"),
    tar.padded(b"\0"), GOOD), 0, {b"x/y": b"old", b"good": D},
    before={b"x/y": b"old"})
add("part_of_a_volume", archive(
    member(b"x", INNER, kind=b"M", fmt="gnu"), GOOD), 1, {b"good": D})
add("list_of_long_names", archive(
    member(b"././@MaNgLeD", b"Rename a to ../outside/victim\n", kind=b"N",
           fmt="gnu"), GOOD), 1, {b"good": D})

# ---- modes ----
add("setuid", archive(member(b"x", mode=0o6755), member(b"y", mode=0o1755)),
    0, {b"x": file(mode=0o6755), b"y": file(mode=0o1755)},
    user={"tree": {b"x": file(mode=0o755), b"y": file(mode=0o1755)}})
add("setuid_for_nobodys_owner", archive(
    member(b"x", mode=0o6755, uid=2 ** 32, gid=0), GOOD), 1, {b"good": D},
    user={"code": 0, "tree": {b"x": file(mode=0o755), b"good": D}})
add("setuid_without_owners", archive(member(b"x", mode=0o6755)), 0,
    {b"x": file(mode=0o755)}, args=["--no-same-owner"])
add("all_mode_bits", archive(
    member(b"x", mode=0o1777777), tar.directory(b"d/", mode=0o40000), GOOD),
    0, {b"x": file(mode=0o7777), b"d": directory(mode=0), b"good": D},
    user={"tree": {b"x": file(mode=0o1755), b"d": directory(mode=0),
                   b"good": D}})
