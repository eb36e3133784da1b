"""libtarn.map lists the TARN_EXTERN declarations of tarn.h, all and no other,
in alphabetical order."""
import os
import re
import sys

source = os.environ["TARN_SOURCE"]


def read(path):
    with open(os.path.join(source, path), encoding="utf-8") as text:
        return text.read()


def main():
    header = re.sub(r"/\*.*?\*/", "", read("include/tarn/tarn.h"), flags=re.S)
    header = re.sub(r"^#define.*", "", header, flags=re.M)
    # The name before the first bracket of a declaration is the function's.
    declared = re.findall(r"\bTARN_EXTERN\b[^;(]*?\b(\w+)\s*\(", header)
    shown = re.search(r"global:(.*?)local:", read("cmake/libtarn.map"), re.S)
    mapped = re.findall(r"(\w+);", shown.group(1))
    found = ["%s is in tarn.h, not in libtarn.map" % name
             for name in declared if name not in mapped]
    found += ["%s is in libtarn.map, not in tarn.h" % name
              for name in mapped if name not in declared]
    if mapped != sorted(set(mapped)):
        found.append("libtarn.map is not in alphabetical order")
    if len(declared) != len(re.findall(r"\bTARN_EXTERN\b", header)):
        found.append("a TARN_EXTERN of tarn.h was not understood")
    if not declared:
        found.append("tarn.h declares nothing")
    print("\n".join(found) or "%d calls" % len(declared))
    return bool(found)


sys.exit(main())
