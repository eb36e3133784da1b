"""Hostile archives: number fields, checksums and sizes that disagree."""
from hostile import DIR, Family, directory, file, link
import tar_bytes as tar
from tar_bytes import archive, base256, header, long, member, pax, symlink

FAMILY = Family("fields")
add = FAMILY.add
D = b"data\n"
GOOD = member(b"good", D)
AFTER = member(b"after", D)
INNER = member(b"inner")

# ---- garbage: the header cannot be trusted, nor anything behind it ----
for _field, _width in (("mode", 8), ("uid", 8), ("gid", 8), ("size", 12),
                       ("mtime", 12)):
    for _name, _value in (("letters", b"garbage!"), ("a_nine", b"0000900\0"),
                          ("a_minus", b"-000001\0"),
                          ("a_gap", b"00 01 0\0"),
                          ("a_sign_bit_only", b"\xc0" + bytes(6) + b"\1")):
        # Of these, negative numbers are fine: no id that can be restored.
        if _name == "a_sign_bit_only" and _field in ("uid", "gid", "mtime"):
            continue
        add("%s_with_%s" % (_field, _name), archive(
            GOOD, member(b"x", **{_field: _value.ljust(_width, b"\1")[:_width]
                                  if _name != "a_sign_bit_only" else
                                  base256(-5, _width)}), AFTER),
            65, {b"good": D}, says=_field)
add("size_base256_too_large", archive(
    GOOD, header(b"x", size=b"\x80" + b"\xff" * 11), AFTER), 65, {b"good": D},
    says="size")
add("size_beyond_int64", archive(
    GOOD, header(b"x", size=base256(2 ** 63, 12)), AFTER), 65, {b"good": D},
    says="size")
add("size_that_cannot_be_padded", archive(
    GOOD, header(b"x", size=base256(2 ** 63 - 1, 12)), AFTER), 65,
    {b"good": D}, says="size")
add("size_of_the_largest_kind", archive(
    GOOD, header(b"x", size=base256(2 ** 63 - 512, 12)), AFTER), 65,
    {b"good": D})
add("size_of_eight_gibibytes", archive(
    GOOD, header(b"x", size=b"777777777777"), AFTER), 65, {b"good": D})
add("size_over_the_limit", archive(
    GOOD, header(b"x", size=8 ** 11 - 1), AFTER), 65, {b"good": D},
    args=["--max-size=1Mi"])
add("mtime_base256_too_large", archive(
    GOOD, member(b"x", mtime=b"\x80" + b"\xff" * 11), AFTER), 65,
    {b"good": D}, says="mtime")
add("mode_too_large", archive(
    GOOD, member(b"x", mode=base256(2 ** 40, 8)), AFTER), 65, {b"good": D},
    says="mode")

# ---- odd, and right ----
add("blank_fields", archive(
    member(b"x", mode=b" " * 8, uid=b"\0" * 8, gid=b" " * 7, mtime=b"\0"),
    GOOD), 0, {b"x": file(mode=0, mtime=0), b"good": D})
add("leading_blanks", archive(
    member(b"x", mode=b"   640 \0", mtime=b"         77 "), GOOD), 0,
    {b"x": file(mode=0o640, mtime=63), b"good": D})
add("no_terminators", archive(
    member(b"x", mode=b"00000640", size=b"000000000005", mtime=b"0" * 11 +
           b"7")), 0, {b"x": file(mode=0o640, mtime=7)})
add("base256_everywhere", archive(
    member(b"x", mode=base256(0o640, 8), uid=base256(0, 8), gid=base256(0, 8),
           size=base256(5, 12), mtime=base256(-5, 12))), 0,
    {b"x": file(mode=0o640, mtime=-5)})
add("mtime_far_away", archive(
    member(b"x", mtime=base256(2 ** 62, 12)), GOOD), (0, 1), {
        b"x": D, b"good": D})
add("garbage_behind_the_fields", archive(
    member(b"x", raw={500: b"\xde\xad\xbe\xef" * 3}), GOOD), 0,
    {b"x": D, b"good": D}, silent=True)
add("half_a_magic", archive(
    member(b"x", magic=b"ustar\x0099", prefix=b"p"),
    member(b"y", magic=b"USTAR\x0000", prefix=b"p"), GOOD), 0,
    {b"p/x": D, b"y": D, b"good": D})

# ---- owners (row 14) ----
USER_TAKES = {"code": 0, "tree": {b"x": D, b"good": D}}
for _name, _uid in (("two_to_the_32", 2 ** 32), ("minus_one", -1),
                    ("minus_one_unsigned", 2 ** 32 - 1),
                    ("two_to_the_32_and_root", 2 ** 32 * 5),
                    ("minus_two_to_the_32", -2 ** 32)):
    for _field in ("uid", "gid"):
        add("%s_%s" % (_field, _name), archive(
            member(b"x", **{_field: base256(_uid, 8)}), GOOD), 1, {b"good": D},
            user=USER_TAKES)
    add("pax_uid_" + _name, archive(
        pax({b"uid": b"%d" % _uid}), member(b"x"), GOOD), 1, {b"good": D},
        user=USER_TAKES)
add("uid_of_a_directory_and_a_link", archive(
    tar.directory(b"d/", uid=2 ** 32), symlink(b"l", b"x", uid=-1), GOOD), 1,
    {b"good": D},
    user={"code": 0, "tree": {b"d": DIR, b"l": link(b"x"), b"good": D}})
add("uid_that_is_not_restored", archive(member(b"x", uid=2 ** 32), GOOD), 0,
    {b"x": D, b"good": D}, args=["--no-same-owner"])
add("name_of_an_owner_beats_a_wild_number", archive(
    member(b"x", uid=2 ** 32, uname=b"root"), GOOD), 0,
    {b"x": D, b"good": D})

# ---- checksums ----
add("checksum_signed", archive(
    member(b"\xff\xfe", checksum=tar.sums(member(b"\xff\xfe")[:512])[1])), 0,
    {b"\xff\xfe": D}, silent=True)
for _name, _sum in (("wrong", 1), ("blank", b" " * 8), ("nul", b"\0" * 8),
                    ("letters", b"checksum"), ("high", b"\xff" * 8)):
    add("checksum_" + _name, archive(GOOD, member(b"x", checksum=_sum), AFTER),
        65, {b"good": D}, says="checksum")
add("checksum_of_the_first_header", archive(
    member(b"x", checksum=1), AFTER), 65, {}, says="not a tar")
for _at in (0, 100, 120, 130, 140, 156, 160, 257, 270, 300, 345, 511):
    _data = bytearray(archive(GOOD, AFTER, GOOD))
    _data[1024 + _at] ^= 0x40
    add("flipped_bit_at_%d" % _at, bytes(_data), 65, {b"good": D},
        says="checksum")
add("garbage_between_members", archive(GOOD, b"\xaa" * 512, AFTER), 65,
    {b"good": D})

# ---- sizes that disagree ----
add("size_larger_than_the_rest", archive(
    GOOD, member(b"x", b"cut", size=100_000), end=b""), 65, {b"good": D})
add("size_smaller_than_the_content", archive(
    GOOD, member(b"x", b"c" * 2000, size=512), AFTER), 65,
    {b"good": D, b"x": b"c" * 512})
add("size_that_hides_a_member", archive(
    header(b"x", size=len(INNER)), INNER, AFTER), 0,
    {b"x": INNER, b"after": D})
# CVE-2025-62518: the pax size says where the next header is, the ustar one
# says 0. Readers that mix them find the members of an archive in an archive.
NESTED = archive(member(b"evil"), symlink(b"evil-link", b"/"))
PAX_SIZE = pax({b"size": b"%d" % len(NESTED)})
add("pax_size_over_zero", archive(PAX_SIZE, header(b"x"), NESTED, AFTER), 0,
    {b"x": NESTED, b"after": D})
add("pax_size_over_a_smaller_one", archive(
    PAX_SIZE, header(b"x", size=512), NESTED, AFTER), 0,
    {b"x": NESTED, b"after": D})
add("pax_size_over_a_larger_one", archive(
    pax({b"size": b"5"}), header(b"x", size=512 * 9), tar.padded(D), AFTER),
    0, {b"x": D, b"after": D})
add("pax_size_zero_over_a_size", archive(
    pax({b"size": b"0"}), header(b"x", size=1024), AFTER), 0,
    {b"x": b"", b"after": D})
add("pax_size_over_a_base256_one", archive(
    PAX_SIZE, header(b"x", size=base256(2 ** 40, 12)), NESTED, AFTER), 0,
    {b"x": NESTED, b"after": D})
for _name, _between in (
        ("a_gnu_name", long(b"x")), ("a_gnu_link", long(b"y", b"K")),
        ("a_global_header", pax({b"comment": b"c"}, b"g")),
        ("a_global_size", pax({b"size": b"0"}, b"g")),
        ("a_volume_label", header(b"label", kind=b"V", fmt="gnu"))):
    add("pax_size_before_" + _name, archive(
        PAX_SIZE, _between, header(b"x"), NESTED, AFTER), 0,
        {b"x": NESTED, b"after": D})
add("pax_size_of_a_refused_member", archive(
    PAX_SIZE, header(b"../x"), NESTED, AFTER), 1, {b"after": D})
add("pax_size_is_for_one_member", archive(
    PAX_SIZE, header(b"x"), NESTED, member(b"y"), AFTER), 0,
    {b"x": NESTED, b"y": D, b"after": D})
add("pax_size_beside_an_unknown_type", archive(
    PAX_SIZE, header(b"x", kind=b"Z"), NESTED, AFTER), 0,
    {b"x": NESTED, b"after": D})
add("pax_size_beside_a_long_gnu_name", archive(
    PAX_SIZE, long(b"d/" * 300 + b"x"), header(b"y", fmt="gnu"), NESTED,
    AFTER), 0, {b"d/" * 300 + b"x": NESTED, b"after": D})
