"""Hostile archives, each with what must become of it.

    for case in hostile.cases():
        data = case.bytes(outside)       # b"/tmp/x/outside": may be attacked
        want = case.want(root=True)      # .codes, .tree, .says

A case names the members that have to be there afterwards and nothing else may
be. Parents of the named members are directories without being named. The
families are in the hostile_*.py beside this file.
"""
import re

# What a name may have to be. A file is its content (bytes), or one of these.
DIR = ("dir", {})


def directory(**fields):
    """A directory with these of mode, mtime."""
    return ("dir", fields)


def file(content=b"data\n", **fields):
    """A file with this content (None: any) and these of mode, mtime."""
    return ("file", dict(fields, content=content))


def link(target):
    return ("link", {"target": target})


def same(path):
    """Another name of the file at `path`."""
    return ("same", {"path": path})


def fifo(**fields):
    return ("fifo", fields)


def char(major, minor):
    return ("char", {"dev": (major, minor)})


class Part:
    """Any of the things in this tree may be there, each of them whole."""

    def __init__(self, tree):
        self.tree = tree


class Want:
    def __init__(self, codes, tree, says, silent):
        self.codes = codes if isinstance(codes, tuple) else (codes,)
        self.partial = isinstance(tree, Part)
        tree = tree.tree if self.partial else tree
        self.tree = {path if isinstance(path, bytes) else path.encode():
                     file(what) if isinstance(what, bytes) else what
                     for path, what in tree.items()}
        self.says = (says,) if isinstance(says, str) else says
        self.silent = silent


class Case:
    """`data`: the archive, or a function that makes it of the path of a tree
    outside the target. `tree` may be such a function too, or a Part. `code`:
    the exit status, or several. `says`: words of the message. `user`: which of
    code, tree, says are others for a user. `before`: what is in the target
    already, a tree. `args`: options of the program. `needs`: a codec.
    `silent`: there is no warning."""

    def __init__(self, family, name, data, code, tree, says=(), user=None,
                 before=None, args=(), needs=None, silent=False):
        assert re.fullmatch(r"[a-z0-9_]+", name), name
        self.family, self.name, self.data = family, name, data
        self.code, self.tree, self.says = code, tree, says
        self.user, self.before = user or {}, before or {}
        self.args, self.needs, self.silent = tuple(args), needs, silent

    def __str__(self):
        return "%s-%s" % (self.family, self.name)

    def bytes(self, outside):
        return self.data(outside) if callable(self.data) else self.data

    def made_before(self, outside):
        return self.before(outside) if callable(self.before) else self.before

    def want(self, root, outside):
        own = {} if root else self.user
        tree = own.get("tree", self.tree)
        return Want(own.get("code", self.code),
                    tree(outside) if callable(tree) else tree,
                    own.get("says", self.says), self.silent)


class Family:
    """Collects the cases of one file: add(name, data, code, tree, ...)."""

    def __init__(self, name):
        self.name, self.cases = name, []

    def add(self, name, data, code=0, tree=None, **more):
        self.cases.append(Case(self.name, name, data, code, tree or {},
                               **more))


def cases():
    import hostile_codecs
    import hostile_ends
    import hostile_fields
    import hostile_links
    import hostile_names
    import hostile_pax
    import hostile_sparse
    import hostile_symlinks
    import hostile_types
    found = [case for module in (
        hostile_names, hostile_symlinks, hostile_links, hostile_types,
        hostile_fields, hostile_pax, hostile_sparse, hostile_ends,
        hostile_codecs) for case in module.FAMILY.cases]
    names = [str(case) for case in found]
    assert len(set(names)) == len(names)
    return found
