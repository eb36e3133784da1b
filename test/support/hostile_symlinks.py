"""Hostile archives: symbolic links, and writing through them."""
from hostile import DIR, Family, directory, file, link, same
import tar_bytes as tar
from tar_bytes import archive, hardlink, member, named, pax, symlink

FAMILY = Family("symlinks")
add = FAMILY.add
D = b"data\n"
GOOD = member(b"good", D)


def out_link(name=b"l", below=b""):
    return lambda out: symlink(name, out + below)


def refused(name, *members, tree, code=1, **more):
    """Members may be functions of the tree outside."""
    add(name, lambda out: archive(*[m(out) if callable(m) else m
                                    for m in members], GOOD), code,
        lambda out: dict(tree(out) if callable(tree) else tree,
                         **{"good": D}), **more)


# ---- out of the target ----
refused("absolute", out_link(), member(b"l/victim"),
        tree=lambda out: {b"l": link(out)})
refused("absolute_new_file", out_link(), member(b"l/new/file"),
        tree=lambda out: {b"l": link(out)})
refused("to_the_root", symlink(b"l", b"/"),
        lambda out: member(b"l" + out + b"/victim"),
        tree={b"l": link(b"/")})
refused("to_the_parent", symlink(b"l", b".."), member(b"l/outside/victim"),
        tree={b"l": link(b"..")})
refused("to_the_parent_of_a_child", tar.directory(b"d/"),
        symlink(b"d/l", b"../.."), member(b"d/l/outside/victim"),
        tree={b"d/l": link(b"../..")})
refused("by_a_relative_path", symlink(b"l", b"../outside"),
        member(b"l/victim"), tree={b"l": link(b"../outside")})
refused("out_and_in_again", symlink(b"l", b"../target/d"),
        tar.directory(b"d/"), member(b"l/x"),
        tree={b"l": link(b"../target/d"), b"d": DIR})
refused("out_and_in_again_absolute",
        lambda out: symlink(b"l", out + b"/../target/d"),
        tar.directory(b"d/"), member(b"l/x"),
        tree=lambda out: {b"l": link(out + b"/../target/d"), b"d": DIR})
refused("chain", symlink(b"a", b"b"), symlink(b"b", b"c"),
        symlink(b"c", b".."), member(b"a/outside/victim"),
        tree={b"a": link(b"b"), b"b": link(b"c"), b"c": link(b"..")})
refused("chain_of_parents", tar.directory(b"a/b/"),
        symlink(b"a/b/up", b".."), symlink(b"a/b/upup", b"up/.."),
        symlink(b"esc", b"a/b/upup/../outside"), member(b"esc/victim"),
        tree={b"a/b/up": link(b".."), b"a/b/upup": link(b"up/.."),
              b"esc": link(b"a/b/upup/../outside")})
refused("two_links_in_one_path", tar.directory(b"a/"),
        symlink(b"a/l", b"../b"), tar.directory(b"b/"),
        symlink(b"b/m", b"../../outside"), member(b"a/l/m/victim"),
        tree={b"a/l": link(b"../b"), b"b/m": link(b"../../outside")})
for _name, _target in (("proc_cwd", b"/proc/self/cwd"),
                       ("proc_root", b"/proc/self/root"),
                       ("proc_fd", b"/proc/self/fd/3")):
    refused(_name, symlink(b"l", _target), member(b"l/x"),
            tree={b"l": link(_target)})
refused("directory_below", out_link(), tar.directory(b"l/made/"),
        tree=lambda out: {b"l": link(out)})
refused("metadata_of_a_directory_below", out_link(),
        tar.directory(b"l/dir/", mode=0o777, mtime=1),
        tree=lambda out: {b"l": link(out)})
refused("symlink_below", out_link(), symlink(b"l/made", b"x"),
        tree=lambda out: {b"l": link(out)})
refused("hard_link_below", out_link(), member(b"x"),
        hardlink(b"l/made", b"x"),
        tree=lambda out: {b"l": link(out), b"x": D})
refused("fifo_below", out_link(), tar.header(b"l/made", kind=b"6"),
        tree=lambda out: {b"l": link(out)})
refused("replaces_nothing_below", out_link(), symlink(b"l/victim", b"x"),
        tar.header(b"l/dir/inner", kind=b"6"),
        tree=lambda out: {b"l": link(out)})

# ---- beneath the target ----
add("chain_beneath", archive(
    symlink(b"a", b"b"), symlink(b"b", b"./c/"), tar.directory(b"c"),
    member(b"a/x")), 0,
    {b"a": link(b"b"), b"b": link(b"./c/"), b"c/x": D})
add("up_and_down_beneath", archive(
    tar.directory(b"d/"), symlink(b"d/up", b".."), member(b"d/up/e/x"),
    symlink(b"d/same", b"../d/./../d"), member(b"d/same/y")), 0,
    {b"d/up": link(b".."), b"e/x": D, b"d/same": link(b"../d/./../d"),
     b"d/y": D})
add("to_the_target_itself", archive(
    symlink(b"here", b"."), member(b"here/here/here/x")), 0,
    {b"here": link(b"."), b"x": D})
add("dangling_stays", archive(
    symlink(b"l", b"missing"), symlink(b"m", b"/missing/x"),
    symlink(b"n", b"../missing")), 0,
    {b"l": link(b"missing"), b"m": link(b"/missing/x"),
     b"n": link(b"../missing")})
add("below_a_dangling_one", archive(
    symlink(b"l", b"missing"), member(b"l/x"), GOOD), 1,
    {b"l": link(b"missing"), b"good": D})
add("below_a_link_to_a_file", archive(
    member(b"x"), symlink(b"l", b"x"), member(b"l/y"), GOOD), 1,
    {b"x": D, b"l": link(b"x"), b"good": D})


def chain(n):
    """Link 0 leads to link 1 and so on; link n - 1 to a directory."""
    links = [symlink(b"l%d" % i, b"l%d" % (i + 1)) for i in range(n - 1)]
    return links + [symlink(b"l%d" % (n - 1), b"d"), tar.directory(b"d/")]


def chain_tree(n):
    tree = {b"l%d" % i: link(b"l%d" % (i + 1)) for i in range(n - 1)}
    return dict(tree, **{"l%d" % (n - 1): link(b"d"), "d": DIR})


add("chain_of_40", archive(*chain(40), member(b"l0/x")), 0,
    lambda out: dict(chain_tree(40), **{"d/x": D}))
add("chain_of_41", archive(*chain(41), member(b"l0/x"), GOOD), 1,
    lambda out: dict(chain_tree(41), good=D))
add("chain_of_500", archive(*chain(500), member(b"l0/x"), GOOD), 1,
    lambda out: dict(chain_tree(500), good=D))
add("loop", archive(symlink(b"a", b"a"), member(b"a/x"), symlink(b"b", b"c"),
                    symlink(b"c", b"b"), member(b"b/x"), GOOD), 1,
    {b"a": link(b"a"), b"b": link(b"c"), b"c": link(b"b"), b"good": D})
add("fork", archive(*[symlink(b"l%d" % i, b"l%d/l%d" % (i + 1, i + 1))
                      for i in range(30)], symlink(b"l30", b"."),
                    member(b"l0/x"), GOOD), 1,
    lambda out: dict({b"l%d" % i: link(b"l%d/l%d" % (i + 1, i + 1))
                      for i in range(30)}, l30=link(b"."), good=D))

# ---- replaced, never written through ----
add("file_over_a_link", lambda out: archive(
    symlink(b"a", out + b"/victim"), member(b"a", b"new")), 0, {b"a": b"new"})
add("file_over_a_dangling_link", lambda out: archive(
    symlink(b"a", out + b"/new"), member(b"a", b"new")), 0, {b"a": b"new"})
add("directory_over_a_link", lambda out: archive(
    symlink(b"a", out), tar.directory(b"a/", mode=0o777, mtime=9),
    member(b"a/victim", b"new")), 0,
    {b"a/victim": b"new", b"a": directory(mtime=9)})
add("directory_dot_over_a_link", lambda out: archive(
    symlink(b"a", out), tar.directory(b"a/."), member(b"a/victim")), 0,
    {b"a/victim": D})
add("link_over_an_empty_directory", lambda out: archive(
    tar.directory(b"a/", mode=0o777, mtime=9), symlink(b"a", out), GOOD), 0,
    lambda out: {b"a": link(out), b"good": D})
add("link_over_a_directory_with_content", lambda out: archive(
    member(b"a/x"), symlink(b"a", out), member(b"a/victim")), 1,
    {b"a/x": D, b"a/victim": D})
add("directory_and_back", lambda out: archive(
    symlink(b"a", out), tar.directory(b"a/"), symlink(b"a", out),
    member(b"a/victim"), GOOD), 1,
    lambda out: {b"a": link(out), b"good": D})
add("link_and_directory_many_times", lambda out: archive(
    *[symlink(b"a", out), tar.directory(b"a/", mode=0o777)] * 20,
    symlink(b"a", out), member(b"a/new"), GOOD), 1,
    lambda out: {b"a": link(out), b"good": D})
add("fifo_and_device_over_a_link", lambda out: archive(
    symlink(b"a", out + b"/victim"), tar.header(b"a", kind=b"6"),
    symlink(b"a", out + b"/victim"), member(b"a")), 0, {b"a": D})
add("swapped_between_two_members", lambda out: archive(
    tar.directory(b"real/"), symlink(b"l", b"real"), member(b"l/one"),
    symlink(b"l", out), member(b"l/two"), GOOD), 1,
    lambda out: {b"real/one": D, b"l": link(out), b"good": D})
add("swapped_below_a_cached_directory", lambda out: archive(
    tar.directory(b"real/sub/"), symlink(b"l", b"real"),
    member(b"l/sub/one"), symlink(b"l", out), member(b"l/sub/two"),
    member(b"l/dir/two"), GOOD), 1,
    lambda out: {b"real/sub/one": D, b"l": link(out), b"good": D})
add("swapped_and_back", lambda out: archive(
    tar.directory(b"r/"), symlink(b"l", b"r"), member(b"l/1"),
    symlink(b"l", out), symlink(b"l", b"r"), member(b"l/2")), 0,
    {b"r/1": D, b"r/2": D, b"l": link(b"r")})
add("directory_whose_parent_is_swapped", lambda out: archive(
    tar.directory(b"real/"), symlink(b"l", b"real"),
    tar.directory(b"l/dir/", mode=0o711, mtime=9), symlink(b"l", out), GOOD),
    0, lambda out: {b"real/dir": directory(mode=0o711, mtime=9),
                    b"l": link(out), b"good": D})
# A directory gets its metadata behind all that lies in it, by whatever names.
add("read_only_directory_under_two_names", archive(
    tar.directory(b"p/q/", mode=0), symlink(b"al", b"p/q"),
    tar.directory(b"al/d/", mode=0o711, mtime=9), member(b"al/d/x")), 0,
    {b"p/q": directory(mode=0), b"p/q/d": directory(mode=0o711, mtime=9),
     b"p/q/d/x": D, b"al": link(b"p/q")})
add("parent_under_two_names_keeps_its_time", archive(
    tar.directory(b"p/q/", mtime=5), symlink(b"al", b"p/q"),
    member(b"al/x"), tar.directory(b"al/d/", mtime=9), member(b"al/d/y")), 0,
    {b"p/q": directory(mtime=5), b"p/q/x": D, b"p/q/d": directory(mtime=9),
     b"p/q/d/y": D, b"al": link(b"p/q")})
add("large_file_below_a_swapped_link", lambda out: archive(
    tar.directory(b"r/"), symlink(b"l", b"r"),
    member(b"l/victim", b"v" * 2_000_000), symlink(b"l", out), GOOD), 0,
    lambda out: {b"r/victim": b"v" * 2_000_000, b"l": link(out), b"good": D})

# ---- there before the archive ----
add("there_before", archive(member(b"pre/victim"), member(b"pre/new"), GOOD),
    1, lambda out: {b"pre": link(out), b"good": D},
    before=lambda out: {b"pre": link(out)})
add("there_before_relative", archive(member(b"pre/victim"), GOOD), 1,
    {b"pre": link(b"../outside"), b"good": D},
    before={b"pre": link(b"../outside")})
add("there_before_and_beneath", archive(member(b"pre/x")), 0,
    {b"pre": link(b"d"), b"d/x": D}, before={b"pre": link(b"d"), b"d": DIR})
add("there_before_as_a_file", archive(member(b"pre", b"new")), 0,
    {b"pre": b"new"}, before=lambda out: {b"pre": link(out + b"/victim")})
add("there_before_as_a_directory", archive(
    tar.directory(b"pre/"), member(b"pre/x")), 0, {b"pre/x": D},
    before=lambda out: {b"pre": link(out)})
add("hard_link_to_one_there_before", archive(
    hardlink(b"h", b"pre/victim"), GOOD), 1,
    lambda out: {b"pre": link(out), b"good": D},
    before=lambda out: {b"pre": link(out)})

# ---- hard links and links ----
add("hard_link_to_a_link", lambda out: archive(
    symlink(b"a", out + b"/victim"), hardlink(b"b", b"a"),
    member(b"b", b"new")), 0,
    lambda out: {b"a": link(out + b"/victim"), b"b": b"new"})
add("hard_link_to_a_link_stays_a_link", lambda out: archive(
    symlink(b"a", out + b"/victim"), hardlink(b"b", b"a", mode=0o777)), 0,
    lambda out: {b"a": link(out + b"/victim"), b"b": same(b"a")})
add("content_for_a_hard_link_to_a_link", lambda out: archive(
    pax({b"comment": b"x"}), symlink(b"a", out + b"/victim"),
    pax({b"comment": b"x"}), hardlink(b"b", b"a", size=4),
    tar.padded(b"evil"), GOOD), 1,
    lambda out: {b"a": link(out + b"/victim"), b"b": same(b"a"), b"good": D})
add("hard_link_through_a_link", lambda out: archive(
    symlink(b"l", out), hardlink(b"h", b"l/victim"), GOOD), 1,
    lambda out: {b"l": link(out), b"good": D})
add("hard_link_through_links_upwards", archive(
    tar.directory(b"a/b/c/"), symlink(b"a/b/c/up", b"../.."),
    symlink(b"a/b/escape", b"c/up/../.."),
    hardlink(b"exfil", b"a/b/escape/outside/victim"), GOOD), 1,
    {b"a/b/c/up": link(b"../.."), b"a/b/escape": link(b"c/up/../.."),
     b"good": D})

# ---- targets and metadata ----
add("targets_are_kept_as_they_are", archive(
    symlink(b"1", b"/..//a/./../b//"), symlink(b"2", b"\x1b[31m\n\xff"),
    symlink(b"3", b"t" * 4095)), 0,
    {b"1": link(b"/..//a/./../b//"), b"2": link(b"\x1b[31m\n\xff"),
     b"3": link(b"t" * 4095)})
add("target_of_4096_bytes", archive(symlink(b"l", b"t" * 4096), GOOD), 1,
    {b"good": D})
add("no_target", archive(symlink(b"l", b""), GOOD), 1, {b"good": D})
add("mode_and_time_stay_with_the_link", lambda out: archive(
    symlink(b"l", out + b"/victim", mode=0o7777, mtime=1, uid=12, gid=12)), 0,
    lambda out: {b"l": link(out + b"/victim")})
add("owner_of_what_a_link_leads_to", lambda out: archive(
    symlink(b"l", out, uid=4711, gid=4711),
    tar.directory(b"d/", uid=0), symlink(b"d/m", b"../../outside/victim",
                                         uid=4711)), 0,
    lambda out: {b"l": link(out), b"d/m": link(b"../../outside/victim")})


def deep_links():
    """A chain of links whose real path is longer than PATH_MAX: programs that
    ask for the real path and cut it let the last link escape."""
    parts, path, tree = [], b"", {}
    for step in b"abcdefghijklmnop":
        step = bytes([step])
        real = b"d" * 247
        parts.append(pax({b"path": path + real}) + tar.directory(b"d"))
        parts.append(symlink(path + step, real))
        tree[path + step] = link(real)
        path += real + b"/"
    short = b"/".join(bytes([c]) for c in b"abcdefghijklmnop")
    parts.append(symlink(short + b"/" + b"l" * 254, b"../" * 16))
    tree[path + b"l" * 254] = link(b"../" * 16)
    escape = short + b"/" + b"l" * 254 + b"/../outside"
    parts.append(symlink(b"escape", escape))
    tree[b"escape"] = link(escape)
    return parts, tree


add("real_path_beyond_path_max", archive(
    *deep_links()[0], hardlink(b"flag", b"escape/victim"),
    member(b"escape/victim", b"evil"), member(b"escape/new"), GOOD), 1,
    dict(deep_links()[1], good=D))
