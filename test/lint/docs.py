"""Links of README.md and docs/*.md lead to files and headings that exist;
paths of the source tree in them exist; each test that docs/transfer.md,
docs/formats.md and docs/safety.md name is in test/, with the case in its
brackets."""
import glob
import os
import re
import sys

source = os.environ["TARN_SOURCE"]
NAMING_TESTS = ("docs/transfer.md", "docs/formats.md", "docs/safety.md")


def read(path):
    with open(os.path.join(source, path), encoding="utf-8") as text:
        return text.read()


def files(*patterns):
    return sorted(os.path.relpath(path, source) for pattern in patterns
                  for path in glob.glob(os.path.join(source, pattern)))


def without_code(text):
    return re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)


def anchors(path):
    """The ids that headings get: lower case, hyphens for blanks."""
    heads = re.findall(r"^#+ (.*)$", without_code(read(path)), flags=re.M)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-")
            for head in heads}


def wrong_link(page, target):
    if re.match(r"[a-z]+:", target):
        return False
    path, _, anchor = target.partition("#")
    path = os.path.normpath(os.path.join(os.path.dirname(page), path)) \
        if path else page
    if not os.path.exists(os.path.join(source, path)):
        return True
    return bool(anchor) and anchor not in anchors(path)


def tests():
    """Name of each test -> the text of its file."""
    found = {}
    for path in files("test/*/*.c"):
        text = read(path)
        for name in re.findall(r"^static void (\w+)\(void \*\*", text, re.M):
            found[name] = text
    for path in files("test/e2e/test_*.py"):
        text = read(path)
        for name in re.findall(r"^def (test_\w+)\(", text, re.M):
            found[name] = text
    return found


def is_test_name(word):
    name = word.partition("[")[0]
    return re.fullmatch(r"[a-z][a-z0-9_]*(\[\w+\])?", word) and \
        not name.startswith(("tarn_", "lint_")) and \
        (name.startswith("test_") or name.count("_") >= 2)


def main():
    found, n_links, n_tests = [], 0, 0
    known = tests()
    for page in files("README.md", "docs/*.md"):
        text = without_code(read(page))
        for target in re.findall(r"\[[^]]*\]\(([^)\s]+)\)", text):
            n_links += 1
            if wrong_link(page, target):
                found.append("%s: no such file or heading: %s" % (page, target))
        for word in re.findall(r"`([^`\n]+)`", text):
            if re.fullmatch(r"(src|test|docs|cmake|include)/[a-z0-9_./-]+",
                            word):
                if not os.path.exists(os.path.join(source, word)):
                    found.append("%s: no such file: %s" % (page, word))
            elif page in NAMING_TESTS and is_test_name(word):
                n_tests += 1
                name, _, case = word.rstrip("]").partition("[")
                if name not in known:
                    found.append("%s: no such test: %s" % (page, name))
                elif case and '"%s"' % case not in known[name]:
                    found.append("%s: no such case: %s" % (page, word))
    if not n_links or not n_tests or not known:
        found.append("nothing was checked")
    print("\n".join(found) or "%d links, %d tests" % (n_links, n_tests))
    return bool(found)


sys.exit(main())
