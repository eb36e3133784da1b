"""Hostile archives: names of members."""
from hostile import DIR, Family, directory, file, link, same
import tar_bytes as tar
from tar_bytes import archive, hardlink, long, member, named, pax, symlink

FAMILY = Family("names")
add = FAMILY.add
D = b"data\n"
GOOD = member(b"good", D)

# ---- absolute ----
add("absolute", archive(member(b"/abs/x"), member(b"/abs/y")), 0,
    {b"abs/x": D, b"abs/y": D}, says="leading slashes")
add("absolute_to_a_victim", lambda out: archive(member(out + b"/victim")), 0,
    lambda out: {out.strip(b"/") + b"/victim": D}, says="leading slashes")
add("many_leading_slashes", archive(member(b"/////abs//x")), 0,
    {b"abs/x": D})
add("absolute_by_pax", archive(named(b"/" + b"p" * 120)), 0,
    {b"p" * 120: D})
add("absolute_by_prefix", archive(member(b"x", prefix=b"/etc")), 0,
    {b"etc/x": D})
add("the_root", archive(tar.directory(b"/"), GOOD), 0, {b"good": D})
add("only_slashes", archive(member(b"/" * 100, b""), GOOD), 0, {b"good": D})
add("a_home", archive(member(b"~/x"), member(b"~root/x")), 0,
    {b"~/x": D, b"~root/x": D})

# ---- dots ----
for _name, _path in (
        ("dotdot", b"../escaped"), ("dotdot_twice", b"../../escaped"),
        ("dotdot_within", b"a/../../x"), ("dotdot_that_stays", b"a/../b"),
        ("dotdot_absolute", b"/../x"), ("dotdot_at_the_end", b"a/.."),
        ("dotdot_alone", b".."),
        ("dotdot_doubled_slash", b"..//x"), ("dotdot_behind_dot", b"./../x"),
        ("dotdot_deep", b"a/b/c/../../../../x")):
    add(_name, archive(member(_path), GOOD), 1, {b"good": D}, says="..")
add("dotdot_directory", archive(tar.directory(b"../made/"), GOOD), 1,
    {b"good": D})
add("dotdot_slash", archive(tar.directory(b"../"), GOOD), 1, {b"good": D})
add("dotdot_symlink", archive(symlink(b"../link", b"x"), GOOD), 1,
    {b"good": D})
add("dotdot_to_a_victim", archive(member(b"../outside/victim"), GOOD), 1,
    {b"good": D})
add("dotdot_by_pax", archive(named(b"../outside/victim"), GOOD), 1,
    {b"good": D})
add("dotdot_by_gnu", archive(long(b"../outside/victim"),
                             member(b"good-name", fmt="gnu"), GOOD), 1,
    {b"good": D})
add("dotdot_by_prefix", archive(member(b"x", prefix=b"../outside"), GOOD), 1,
    {b"good": D})
add("dotdot_split_by_the_prefix",
    archive(member(b"./victim", prefix=b"../outside/."), GOOD), 1,
    {b"good": D})
add("dotdot_that_would_be_stripped",
    archive(member(b"../x"), member(b"a/../../x"), member(b"a/good")), 1,
    {b"good": D}, args=["--strip-components=1"])
add("dotdot_behind_what_is_stripped", archive(member(b"a/../x"), GOOD), 1,
    {}, args=["--strip-components=1"])
add("three_dots", archive(member(b".../x"), member(b"..x"), member(b"x..")), 0,
    {b".../x": D, b"..x": D, b"x..": D})
add("dot_as_a_file", archive(member(b"."), GOOD), 1, {b"good": D})
add("dot_as_a_symlink", archive(symlink(b".", b"/"), GOOD), 1, {b"good": D})
add("dot_as_a_hard_link", archive(GOOD, hardlink(b".", b"good")), 1,
    {b"good": D})
add("dot_directory_has_metadata",
    archive(tar.directory(b"./", mode=0o700, mtime=77), GOOD), 0,
    {b"": directory(mode=0o700, mtime=77), b"good": D})
add("dots_and_slashes", archive(member(b"./././x"), member(b"a//b/.//c")), 0,
    {b"x": D, b"a/b/c": D})
add("trailing_dot", archive(member(b"a/."), GOOD), 0, {b"a": D, b"good": D})

# ---- empty, trailing slashes ----
add("empty", archive(member(b""), GOOD), 1, {b"good": D}, says="name")
add("empty_by_gnu", archive(long(b""), member(b"x", fmt="gnu"), GOOD), 1,
    {b"good": D})
add("empty_by_pax_means_the_header", archive(
    pax({b"path": b""}), member(b"x")), 0, {b"x": D})
add("empty_beside_a_prefix", archive(member(b"", b"", prefix=b"p"), GOOD), 0,
    {b"p": DIR, b"good": D})
add("slash_behind_a_v7_file", archive(member(b"x/", b"", fmt="v7")), 0,
    {b"x": DIR})
add("slash_behind_a_v7_file_with_a_size",
    archive(tar.header(b"x/", size=512, fmt="v7"), GOOD), 0,
    {b"x": DIR, b"good": D}, says="size")
add("slash_behind_a_ustar_file", archive(member(b"x/", b"")), 0, {b"x": DIR})
add("slash_behind_a_ustar_file_with_content",
    archive(GOOD, member(b"x/", D), member(b"after")), 65, {b"good": D})
add("slashes_behind_a_symlink", archive(symlink(b"x///", b"good"), GOOD), 0,
    {b"x": link(b"good"), b"good": D})

# ---- bytes ----
add("nul_in_pax", archive(named(b"a\0b"), GOOD), 1, {b"good": D}, says="NUL")
add("nul_before_dotdot", archive(named(b"good\0/../../x"), GOOD), 1,
    {b"good": D})
add("nul_in_a_pax_link", archive(
    pax({b"linkpath": b"a\0b"}), symlink(b"l", b"x"), GOOD), 1, {b"good": D})
add("nul_ends_a_gnu_name", archive(
    long(b"seen\0/../../x"), member(b"x", fmt="gnu")), 0, {b"seen": D})
add("control_bytes", archive(member(b"\x1b[31mred\x07\r\x7f")), 0,
    {b"\x1b[31mred\x07\r\x7f": D}, args=["-v"])
add("control_bytes_in_what_is_refused",
    archive(member(b"../\x1b]0;title\x07\x9b1m"), GOOD), 1, {b"good": D})
add("a_newline", archive(member(b"a\nb/c\n")), 0, {b"a\nb/c\n": D},
    args=["-v"])
add("not_utf8", archive(member(b"\xff\xfe\x80"), named(b"latin\xe9")), 0,
    {b"\xff\xfe\x80": D, b"latin\xe9": D}, args=["-v"])
add("overlong_utf8", archive(member(b"\xc0\xae\xc0\xae\xc0\xafx")), 0,
    {b"\xc0\xae\xc0\xae\xc0\xafx": D}, args=["-v"])
add("hdrcharset_binary", archive(
    pax({b"hdrcharset": b"BINARY", b"path": b"\xe9\xff"}), member(b"x")), 0,
    {b"\xe9\xff": D})
add("formats_and_shells", archive(
    member(b"%s%n%99999d"), member(b"$(touch x)"), member(b"`touch y`; z"),
    member(b"-rf"), member(b"--help")), 0,
    {b"%s%n%99999d": D, b"$(touch x)": D, b"`touch y`; z": D, b"-rf": D,
     b"--help": D}, args=["-v"])
add("backslashes", archive(member(b"a\\..\\..\\x"), member(b"\\\\host\\x"),
                           member(b"C:\\x"), member(b"C:/x")), 0,
    {b"a\\..\\..\\x": D, b"\\\\host\\x": D, b"C:\\x": D, b"C:/x": D})
add("names_of_another_system", archive(
    member(b"CON"), member(b"x:stream"), member(b"trailing. ")), 0,
    {b"CON": D, b"x:stream": D, b"trailing. ": D})
add("case_tells_names_apart", archive(member(b"A", b"1"), member(b"a", b"2")),
    0, {b"A": b"1", b"a": b"2"})

# ---- lengths ----
add("full_name_field", archive(member(b"n" * 100),
                               member(b"v" * 100, fmt="v7")), 0,
    {b"n" * 100: D, b"v" * 100: D})
add("full_prefix", archive(member(b"n" * 100, prefix=b"p" * 155)), 0,
    {b"p" * 155 + b"/" + b"n" * 100: D})
add("gnu_has_no_prefix", archive(
    member(b"x", fmt="gnu", prefix=b"../../" + b"1" * 100)), 0, {b"x": D})
add("component_of_255_bytes", archive(named(b"c" * 255)), 0, {b"c" * 255: D})
add("component_of_256_bytes", archive(named(b"c" * 256), GOOD), 1,
    {b"good": D})
add("directory_of_256_bytes", archive(named(b"c" * 256 + b"/x"), GOOD), 1,
    {b"good": D})
add("component_of_256_bytes_by_gnu", archive(
    long(b"c" * 256), member(b"x", fmt="gnu"), GOOD), 1, {b"good": D})
add("path_of_5000_bytes", archive(named(b"/".join([b"d" * 249] * 20))), 0,
    {b"/".join([b"d" * 249] * 20): D})
add("link_in_a_path_of_5000_bytes", archive(
    named(b"/".join([b"d" * 249] * 20)),
    symlink(b"/".join([b"d" * 249] * 19) + b"/l", b"x"),
    hardlink(b"/".join([b"d" * 249] * 19) + b"/h",
             b"/".join([b"d" * 249] * 20))), 0,
    {b"/".join([b"d" * 249] * 20): D,
     b"/".join([b"d" * 249] * 19) + b"/l": link(b"x"),
     b"/".join([b"d" * 249] * 19) + b"/h":
         same(b"/".join([b"d" * 249] * 20))})
add("path_of_4096_components", archive(named(b"a/" * 4095 + b"x")), 0,
    {b"a/" * 4095 + b"x": D})
add("path_of_4097_components", archive(named(b"a/" * 4096 + b"x"), GOOD), 1,
    {b"good": D})
add("path_of_a_megabyte", archive(named(b"a/" * 500_000 + b"x"), GOOD), 1,
    {b"good": D})
add("dots_of_a_megabyte", archive(named(b"./" * 500_000 + b"x")), 0, {b"x": D})
add("name_of_a_megabyte", archive(named(b"n" * 1_000_000), GOOD), 1,
    {b"good": D})
add("gnu_name_of_a_megabyte", archive(
    long(b"n" * 1_000_000), member(b"x", fmt="gnu"), GOOD), 1, {b"good": D})
add("gnu_name_beyond_the_limit", archive(
    GOOD, long(b"n" * (1 << 20)), member(b"x", fmt="gnu")), 65, {b"good": D})

# ---- one name several times ----
add("twice", archive(member(b"x", b"1"), member(b"./x", b"22"),
                     member(b"/x", b"333")), 0, {b"x": b"333"})
add("twice_shorter", archive(member(b"x", b"1" * 70_000), member(b"x", b"")),
    0, {b"x": b""})
add("twice_read_only", archive(member(b"x", b"1", mode=0),
                               member(b"x", b"2", mode=0o444)), 0,
    {b"x": file(b"2", mode=0o444)})
add("directory_twice", archive(tar.directory(b"d", mode=0o500),
                               tar.directory(b"d/", mode=0o711)), 0,
    {b"d": directory(mode=0o711)})
add("children_of_a_read_only_directory", archive(
    tar.directory(b"d/", mode=0o555), member(b"d/x"),
    tar.directory(b"d/e/", mode=0), member(b"d/e/y")), 0,
    {b"d": directory(mode=0o555), b"d/x": D, b"d/e": directory(mode=0),
     b"d/e/y": D})
add("children_before_their_directory", archive(
    member(b"d/x"), tar.directory(b"d/", mode=0o500, mtime=5)), 0,
    {b"d": directory(mode=0o500, mtime=5), b"d/x": D})

# ---- --strip-components ----
add("all_is_stripped", archive(member(b"a/b"), GOOD), 0, {},
    args=["--strip-components=5"])
add("stripped_link_targets", archive(
    member(b"top/a"), hardlink(b"top/h", b"top/a"),
    symlink(b"top/s", b"top/a"), hardlink(b"top/gone", b"a")), 1,
    {b"a": D, b"h": same(b"a"), b"s": link(b"top/a")},
    args=["--strip-components=1"])
