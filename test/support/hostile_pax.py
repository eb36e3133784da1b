"""Hostile archives: pax records, long names, what waits for a member."""
from hostile import Family, file, link
import tar_bytes as tar
from tar_bytes import archive, header, long, member, pax, record, symlink

FAMILY = Family("pax")
add = FAMILY.add
D = b"data\n"
GOOD = member(b"good", D)
X = member(b"x", D)
AFTER = member(b"after", D)

# ---- no records: a name that cannot be trusted ----
for _name, _bytes in (
        ("no_length", b" path=y\n"), ("letters", b"xx path=y\n"),
        ("length_zero", b"0 path=y\n"), ("length_one", b"1 path=y\n"),
        ("length_too_small", b"5 path=y\n"),
        ("length_too_large", b"99 path=y\n"),
        ("length_one_off", b"11 path=y\n"),
        ("length_negative", b"-9 path=y\n"),
        ("length_signed", b"+9 path=y\n"),
        ("length_hexadecimal", b"0x9 path=y\n"),
        ("length_huge", b"99999999999999999999999999 path=y\n"),
        ("length_of_two_to_the_64", b"18446744073709551625 path=y\n"),
        ("no_blank", b"9path=yz\n"), ("a_tab", b"9\tpath=y\n"),
        ("no_equals", b"9 pathyy\n"), ("no_key", b"5 =y\n"),
        ("no_newline", b"9 path=yy"), ("only_digits", b"9" * 50),
        ("nul_in_a_key", b"10 pa\0th=y\n"),
        ("garbage_behind", record(b"path", b"y") + b"garbage"),
        ("garbage_behind_zeros", record(b"path", b"y") + bytes(9) + b"z"),
        ("a_good_one_first", record(b"path", b"y") + b"7 nokey\n")):
    add("record_with_" + _name, archive(GOOD, pax(_bytes), X, AFTER), 65,
        {b"good": D}, says="pax record")
add("global_record_with_no_equals", archive(
    GOOD, pax(b"9 pathyy\n", b"g"), X), 65, {b"good": D}, says="pax record")
for _key, _values in (
        (b"size", (b"-1", b"1e3", b" 5", b"5 ", b"0x5", b"5.0",
                   b"9223372036854775808", b"18446744073709551621")),
        (b"uid", (b"root", b"1.5", b"--1", b"18446744073709551616")),
        (b"mtime", (b"now", b"1,5", b"1.5e3", b"--1", b"-", b"1.5x",
                    b"99999999999999999999"))):
    for _i, _value in enumerate(_values):
        add("%s_%d" % (_key.decode(), _i), archive(
            GOOD, pax({_key: _value}), X, AFTER), 65, {b"good": D},
            says=_key.decode())

# ---- odd, and right ----
add("no_records", archive(pax(b""), X), 0, {b"x": D}, silent=True)
add("zeros_behind", archive(pax(record(b"path", b"y") + bytes(700)), X), 0,
    {b"y": D}, silent=True)
add("unknown_keys", archive(pax({
    b"VENDOR.thing": b"\0\xff\n=", b"atime": b"rubbish",
    b"realtime.any": b"1", b"charset": b"x"}), X), 0, {b"x": D},
    silent=True)
add("last_record_of_a_key_counts", archive(pax(
    record(b"path", b"../x") + record(b"path", b"y")), X), 0, {b"y": D})
add("last_record_of_a_key_counts_against_it", archive(pax(
    record(b"path", b"y") + record(b"path", b"../x")), X, GOOD), 1,
    {b"good": D})
add("newlines_in_a_path", archive(pax({b"path": b"a\n9 path=b\n"}), X), 0,
    {b"a\n9 path=b\n": D})
add("good_path_over_a_bad_header", archive(
    pax({b"path": b"y"}), member(b"../outside/victim")), 0, {b"y": D})
add("good_link_over_a_bad_header", archive(
    GOOD, pax({b"linkpath": b"good"}),
    tar.hardlink(b"h", b"../outside/victim")), 0,
    {b"good": D, b"h": ("same", {"path": b"good"})})
add("times", archive(
    pax({b"mtime": b"1.5"}), member(b"a"), pax({b"mtime": b"-1.5"}),
    member(b"b"), pax({b"mtime": b"0.0000000019"}), member(b"c"),
    pax({b"mtime": b"-0.000000001"}), member(b"d"), pax({b"mtime": b"5."}),
    member(b"e")), 0,
    {b"a": file(mtime=1.5), b"b": file(mtime=-1.5),
     b"c": file(mtime_ns=1), b"d": file(mtime_ns=-1), b"e": file(mtime=5)})
add("time_of_a_link_and_a_directory", archive(
    pax({b"mtime": b"-7.25"}), tar.directory(b"d/"),
    pax({b"mtime": b"3.5"}), symlink(b"l", b"x")), 0,
    {b"d": ("dir", {"mtime": -7.25}), b"l": link(b"x")})

# ---- global headers ----
for _key, _value in ((b"path", b"../outside/victim"), (b"path", b"y"),
                     (b"linkpath", b"../outside/victim"), (b"size", b"0"),
                     (b"size", b"1000000")):
    _text = "%s_%s" % (_key.decode(), _value.decode().strip("./")[:1])
    add("global_" + _text, archive(
        pax({_key: _value}, b"g"), X, symlink(b"l", b"x"), AFTER), 0,
        {b"x": D, b"l": link(b"x"), b"after": D}, says="global header")
add("global_time_and_its_end", archive(
    pax({b"mtime": b"7"}, b"g"), member(b"a"), pax({b"mtime": b""}),
    member(b"b"), pax({b"mtime": b"8"}), member(b"c"),
    pax({b"mtime": b""}, b"g"), member(b"d")), 0,
    {b"a": file(mtime=7), b"b": file(mtime=tar.MTIME), b"c": file(mtime=8),
     b"d": file(mtime=tar.MTIME)})
add("global_between_a_header_and_its_member", archive(
    pax({b"path": b"y"}), pax({b"mtime": b"7"}, b"g"), X), 0,
    {b"y": file(mtime=7)})
add("many_global_headers", archive(
    *[pax({b"mtime": b"%d" % i}, b"g") + member(b"f%d" % i)
      for i in range(50)]), 0,
    lambda out: {b"f%d" % i: file(mtime=i) for i in range(50)})

# ---- what waits for a member ----
add("two_for_one_member", archive(
    pax({b"path": b"../x", b"mtime": b"7"}), pax({b"path": b"y"}), X), 0,
    {b"y": file(mtime=tar.MTIME)}, says="two long headers")
add("two_gnu_names", archive(
    long(b"../x"), long(b"y"), member(b"x", fmt="gnu")), 0, {b"y": D},
    says="two long headers")
add("gnu_and_pax_names", archive(
    long(b"../x"), pax({b"path": b"y"}), X), 0, {b"y": D})
add("pax_and_gnu_names", archive(
    pax({b"path": b"y"}), long(b"../x"), X), 0, {b"y": D})
add("gnu_link_without_a_link", archive(
    long(b"../outside/victim", b"K"), member(b"x", fmt="gnu")), 0, {b"x": D})
add("a_name_is_for_one_member", archive(
    long(b"y"), member(b"x", fmt="gnu"), member(b"z", fmt="gnu")), 0,
    {b"y": D, b"z": D})
add("a_name_goes_with_a_refused_member", archive(
    pax({b"path": b"../y"}), X, AFTER, long(b"../z"),
    member(b"x", fmt="gnu"), GOOD), 1, {b"after": D, b"good": D})
add("a_name_goes_with_a_refused_type", archive(
    pax({b"path": b"y"}), member(b"x", kind=b"M", fmt="gnu"), AFTER), 1,
    {b"after": D})
add("a_name_waits_behind_a_label", archive(
    long(b"y"), header(b"label", kind=b"V", fmt="gnu"),
    member(b"x", fmt="gnu")), 0, {b"y": D})
add("a_name_for_no_member", archive(GOOD, pax({b"path": b"y"})), 1,
    {b"good": D})
add("a_gnu_name_for_no_member", archive(GOOD, long(b"y")), 1, {b"good": D})
add("a_name_for_no_member_of_two_archives", archive(
    GOOD, pax({b"path": b"y"})) + archive(X), 1, {b"good": D, b"x": D},
    args=["--ignore-zeros"])
add("sixteen_in_a_row", archive(
    *[pax({b"comment": b"%d" % i}, b"g") for i in range(15)],
    pax({b"path": b"y"}), X), 0, {b"y": D})
add("seventeen_in_a_row", archive(
    GOOD, *[pax({b"path": b"y"})] * 17, X), 65, {b"good": D}, says="in a row")
add("thousands_in_a_row", archive(
    GOOD, *[long(b"y")] * 5000, X), 65, {b"good": D}, says="in a row")

# ---- sizes ----
add("records_of_a_megabyte", archive(
    pax(record(b"comment", b"c" * ((1 << 20) - 17))), X), 0, {b"x": D})
add("records_beyond_a_megabyte", archive(
    GOOD, pax(record(b"comment", b"c" * (1 << 20))), X), 65, {b"good": D},
    says="long header")
add("records_of_eight_gibibytes", archive(
    GOOD, header(b"pax", kind=b"x", size=8 ** 11 - 1), X), 65, {b"good": D},
    says="long header")
add("gnu_name_of_eight_gibibytes", archive(
    GOOD, header(b"L", kind=b"L", size=8 ** 11 - 1, fmt="gnu"), X), 65,
    {b"good": D}, says="long header")
add("global_records_of_an_exbibyte", archive(
    GOOD, header(b"g", kind=b"g", size=2 ** 60), X), 65, {b"good": D},
    says="long header")
add("hundred_thousand_records", archive(
    pax(b"".join(record(b"k%d" % (i % 10), b"") for i in range(100_000))), X),
    0, {b"x": D})
