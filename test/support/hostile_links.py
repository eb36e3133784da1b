"""Hostile archives: hard links."""
from hostile import DIR, Family, Part, fifo, file, link, same
import tar_bytes as tar
from tar_bytes import archive, hardlink, long, member, pax, symlink

FAMILY = Family("hardlinks")
add = FAMILY.add
D = b"data\n"
GOOD = member(b"good", D)
A = member(b"a", b"1")


def with_content(name, target, body, **fields):
    return hardlink(name, target, size=len(body), **fields) + tar.padded(body)


# ---- targets ----
add("missing", archive(hardlink(b"h", b"missing"), GOOD), 1, {b"good": D},
    says="h")
add("missing_directory", archive(hardlink(b"h", b"no/such"), GOOD), 1,
    {b"good": D})
add("missing_leaves_what_was_there", archive(
    member(b"h"), hardlink(b"h", b"missing"), GOOD), 1,
    {b"h": D, b"good": D})
add("to_itself", archive(A, hardlink(b"a", b"a"), hardlink(b"./a", b"a")), 0,
    {b"a": b"1"})
add("to_itself_and_not_there", archive(hardlink(b"a", b"a"), GOOD), 1,
    {b"good": D})
add("absolute_means_the_target", archive(A, hardlink(b"h", b"/a")), 0,
    {b"a": b"1", b"h": same(b"a")})
add("absolute_to_a_victim", lambda out: archive(
    hardlink(b"h", out + b"/victim"), GOOD), 1, {b"good": D})
for _name, _target in (("dotdot", b"../outside/victim"),
                       ("dotdot_within", b"x/../../outside/victim"),
                       ("dotdot_absolute", b"/../outside/victim"),
                       ("dotdot_alone", b"..")):
    add(_name, archive(hardlink(b"h", _target), GOOD), 1, {b"good": D})
add("dotdot_by_pax", archive(
    pax({b"linkpath": b"../outside/victim"}), hardlink(b"h", b"good"), GOOD),
    1, {b"good": D})
add("dotdot_by_gnu", archive(
    long(b"../outside/victim", b"K"), hardlink(b"h", b"good", fmt="gnu"),
    GOOD), 1, {b"good": D})
add("dotdot_in_both_names", archive(
    hardlink(b"../h", b"../outside/victim"), GOOD), 1, {b"good": D})
add("to_a_directory", archive(
    tar.directory(b"d/"), hardlink(b"h", b"d"), hardlink(b"i", b"d/"), GOOD),
    1, {b"d": DIR, b"good": D})
add("to_the_target", archive(hardlink(b"h", b"."), hardlink(b"i", b"/"),
                             GOOD), 1, {b"good": D})
add("no_target", archive(hardlink(b"h", b""), GOOD), 1, {b"good": D})
add("target_that_was_refused", archive(
    member(b"../a"), hardlink(b"h", b"../a"), GOOD), 1, {b"good": D})
add("target_below_a_file", archive(A, hardlink(b"h", b"a/b"), GOOD), 1,
    {b"a": b"1", b"good": D})
add("target_of_256_bytes", archive(hardlink(b"h", b"c" * 256), GOOD), 1,
    {b"good": D})
add("target_of_5000_bytes_missing", archive(
    hardlink(b"h", b"d/" * 2500 + b"x"), GOOD), 1, {b"good": D})
add("target_there_before", archive(hardlink(b"h", b"pre")), 0,
    {b"pre": b"old", b"h": same(b"pre")}, before={b"pre": b"old"})
add("before_its_target", archive(hardlink(b"h", b"a"), A), 1, {b"a": b"1"})
add("to_a_fifo", archive(tar.header(b"p", kind=b"6"), hardlink(b"h", b"p")),
    0, {b"p": fifo(), b"h": same(b"p")})
add("chain", archive(A, hardlink(b"b", b"a"), hardlink(b"c", b"b"),
                     hardlink(b"d/d", b"c")), 0,
    {b"a": b"1", b"b": same(b"a"), b"c": same(b"a"), b"d/d": same(b"a")})
add("thousand", archive(A, *[hardlink(b"h%d" % i, b"a")
                             for i in range(1000)]), 0,
    lambda out: dict({b"h%d" % i: same(b"a") for i in range(1000)}, a=b"1"))

# ---- replaced ----
add("target_replaced_later", archive(
    A, hardlink(b"h", b"a"), member(b"a", b"2")), 0, {b"a": b"2", b"h": b"1"})
add("link_replaced_later", archive(
    A, hardlink(b"h", b"a"), member(b"h", b"2")), 0, {b"a": b"1", b"h": b"2"})
add("over_a_file", archive(member(b"h", b"old"), A, hardlink(b"h", b"a")), 0,
    {b"a": b"1", b"h": same(b"a")})
add("over_a_link", lambda out: archive(
    symlink(b"h", out + b"/victim"), A, hardlink(b"h", b"a")), 0,
    {b"a": b"1", b"h": same(b"a")})
add("over_an_empty_directory", archive(
    tar.directory(b"h/"), A, hardlink(b"h", b"a")), 0,
    {b"a": b"1", b"h": same(b"a")})
add("over_a_directory_with_content", archive(
    member(b"h/x"), A, hardlink(b"h", b"a")), 1, {b"a": b"1", b"h/x": D})
add("over_its_own_target", archive(
    member(b"a/x", b"1"), hardlink(b"a", b"a/x"), GOOD), 1,
    {b"a/x": b"1", b"good": D})
add("to_what_was_replaced", archive(
    A, member(b"a", b"2"), hardlink(b"h", b"a"), member(b"a", b"3")), 0,
    {b"a": b"3", b"h": b"2"})

# ---- a link's header says nothing of the file ----
add("metadata_of_a_link_header", archive(
    member(b"a", b"1", mode=0o600, mtime=7),
    hardlink(b"h", b"a", mode=0o777, mtime=9, uid=4711)), 0,
    {b"a": file(b"1", mode=0o600, mtime=7), b"h": same(b"a")})
add("metadata_of_one_there_before", archive(
    hardlink(b"h", b"pre", mode=0o7777, mtime=9, uid=4711)), 0,
    {b"pre": file(b"old", mode=0o640, mtime=1), b"h": same(b"pre")},
    before={b"pre": file(b"old", mode=0o640, mtime=1)})

# ---- with a size ----
INNER = member(b"inner")
add("with_content_in_ustar", archive(
    A, with_content(b"h", b"a", INNER), GOOD), 65, {b"a": b"1"}, says="size")
add("with_content_in_pax", archive(
    pax({b"comment": b"x"}), A, with_content(b"h", b"a", b"22"), GOOD), 0,
    {b"a": b"22", b"h": same(b"a"), b"good": D})
add("with_an_archive_as_content_in_pax", archive(
    pax({b"comment": b"x"}), A, with_content(b"h", b"a", INNER), GOOD), 0,
    {b"a": INNER, b"h": same(b"a"), b"good": D})
add("with_content_and_no_target", archive(
    pax({b"comment": b"x"}), A, with_content(b"h", b"no", INNER), GOOD), 1,
    {b"a": b"1", b"good": D})
add("with_content_and_a_target_outside", archive(
    pax({b"comment": b"x"}), A,
    with_content(b"h", b"../outside/victim", INNER), GOOD), 1,
    {b"a": b"1", b"good": D})
add("with_content_and_a_target_through_a_link", lambda out: archive(
    pax({b"comment": b"x"}), symlink(b"l", out),
    with_content(b"h", b"l/victim", INNER), GOOD), 1,
    lambda out: {b"l": link(out), b"good": D})
add("with_content_to_itself", archive(
    pax({b"comment": b"x"}), A, with_content(b"a", b"a", b"22"), GOOD), 0,
    {b"a": b"22", b"good": D})
add("with_a_pax_size", archive(
    A, pax({b"size": b"2"}), hardlink(b"h", b"a"), tar.padded(b"22"), GOOD),
    0, {b"a": b"22", b"h": same(b"a"), b"good": D})
add("with_content_cut_short", archive(
    pax({b"comment": b"x"}), A,
    hardlink(b"h", b"a", size=1000), b"cut", end=b""), 65,
    Part({b"a": b"1", b"h": same(b"a")}))
add("with_a_size_in_gnu", archive(
    member(b"a", b"1", fmt="gnu"), hardlink(b"h", b"a", size=512, fmt="gnu"),
    member(b"good", fmt="gnu")), 0,
    {b"a": b"1", b"h": same(b"a"), b"good": D}, says="size")
add("with_a_size_in_v7", archive(
    member(b"a", b"1", fmt="v7"), hardlink(b"h", b"a", size=512, fmt="v7"),
    member(b"good", fmt="v7")), 0,
    {b"a": b"1", b"h": same(b"a"), b"good": D}, says="size")
