"""Compares what tarn makes of an archive with what GNU tar makes of it.

    res, picture = check(data)            # both trees are the same
    res, picture = check(data, "user")    # run by a user, when root tests
"""
import os
import subprocess
import time

import canary
from canary import Arena
import tree


def by_gnu_tar(arena, data):
    """Extracts as the one who will run tarn."""
    target = arena.top + b"/by-gnu"
    os.mkdir(target)
    who = {}
    if arena.user and os.geteuid() == 0:
        os.chown(target, canary.NOBODY, canary.NOBODY)
        who = {"user": canary.NOBODY, "group": canary.NOBODY,
               "extra_groups": []}
    # Else it sets the time of a directory before all of its files are there.
    argv = ["tar", "--delay-directory-restore", "-xf", arena.archive]
    res = subprocess.run(argv, cwd=target, stderr=subprocess.PIPE, **who)
    return target, res


def without_own_times(picture, since):
    """Directories that are in no archive get the time of the extraction."""
    for what in picture.values():
        if (what["mode"].startswith("0o4") and
                since <= what["mtime"] < since + 3600 * 10 ** 9):
            what["mtime"] = "now"
    return picture


def check(data, user="root", code=0, way=None):
    """The same tree, and the same opinion of whether all went well."""
    since = (int(time.time()) - 1) * 10 ** 9
    with Arena(user=user == "user") as arena:
        res = arena.extract(data, way=way)
        target, gnu = by_gnu_tar(arena, data)
        assert res.code == code, repr(res)
        assert (gnu.returncode == 0) == (res.code == 0), gnu.stderr
        ours = without_own_times(tree.picture(os.fsdecode(arena.target)),
                                 since)
        theirs = without_own_times(tree.picture(os.fsdecode(target)), since)
        assert tree.differences(theirs, ours) == []
        return res, ours
