#!/usr/bin/env python3
"""Measures tarn beside what a user would type instead.

    bench.py --tarn build/release/tarn [--only unpack-lz4,raw] [--markdown]

A seeded tree is packed and served by a private nginx on loopback, all on
tmpfs. The ways of one group take turns, --reps times, and their medians are
printed: wall seconds, the ratio to tarn (above 1: slower than tarn), CPU
seconds of the whole pipeline, its largest process in MiB ("<" where that is
less than this program itself), and for tarn the peak of its memory budget.
Server and client share the machine: trust ratios within a group, and no
difference below a fifth. Nothing is asserted about times; a way that fails or
leaves another tree is reported, and then the exit code is 1.
"""
import argparse
import os
import shutil
import signal
import statistics
import sys
import tempfile

import groups
import measure
import serve
from workload import size

HERE = os.path.dirname(os.path.abspath(__file__))


def parse():
    cmd = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    cmd.add_argument("--tarn", default="build/release/tarn")
    cmd.add_argument("--files", type=int, default=40_000)
    cmd.add_argument("--bytes", type=size, default=1_200_000_000)
    cmd.add_argument("--seed", type=int, default=1)
    cmd.add_argument("--reps", type=int, default=5, help="at least 4")
    cmd.add_argument("--only", default="", metavar="GROUP,...",
                     help="of: " + " ".join(groups.NAMES))
    cmd.add_argument("--peers", default="", metavar="WORD,...",
                     help="only ways that have one of these words")
    cmd.add_argument("--tarn-options", default="", metavar="'OPTION ...'",
                     help="added to every call of tarn")
    cmd.add_argument("--rate", default="40m",
                     help="limit of a connection in group limited")
    cmd.add_argument("--dir", help="default: /dev/shm, else TMPDIR")
    cmd.add_argument("--markdown", action="store_true")
    args = cmd.parse_args()
    if args.reps < 4:
        cmd.error("--reps: at least 4, medians of fewer say nothing")
    unknown = [g for g in args.only.split(",") if g and g not in groups.NAMES]
    if unknown:
        cmd.error("--only: no group %s" % ", ".join(unknown))
    args.tarn = os.path.abspath(args.tarn)
    if not os.access(args.tarn, os.X_OK):
        cmd.error("--tarn: %s is not a program" % args.tarn)
    return args


def place(args):
    """A directory with room for the tree, its copy and four archives."""
    needed = args.bytes * 5 + args.files * 8192
    for base in (args.dir, "/dev/shm", tempfile.gettempdir()):
        if base and os.access(base, os.W_OK):
            if shutil.disk_usage(base).free > needed:
                return tempfile.mkdtemp(prefix="tarn-bench.", dir=base)
            if base == args.dir:
                break
    sys.exit("no room for %d MB: choose --bytes or --dir" % (needed // 10**6))


class Report:
    """Rows of a group: as columns, or as a table for a document."""

    def __init__(self, markdown):
        self.markdown = markdown

    def line(self, cells):
        if self.markdown:
            print("| %s |" % " | ".join(cells).replace("curl |", "curl \\|"))
        else:
            print("  %-52s %8s %7s %8s %8s %8s" % tuple(cells))

    def group(self, title):
        print("\n%s%s" % ("### " if self.markdown else "", title))
        if self.markdown:
            print()
        self.line(["", "wall s", "ratio", "CPU s", "MiB", "budget"])
        if self.markdown:
            print("|---" + "|---:" * 5 + "|")

    @staticmethod
    def resident(peak):
        floor = measure.own_size()
        return ("%.0f" if peak > floor * 1.1 else "< %.0f") % (peak / 2**20)

    def row(self, way, runs, reference):
        wall = statistics.median(r.wall for r in runs)
        budget = [r.budget for r in runs if r.budget]
        name = way.name.replace("|", "\\|") if self.markdown else way.name
        self.line([
            name, "%.2f" % wall, "%.2f" % (wall / reference),
            "%.2f" % statistics.median(r.cpu for r in runs),
            self.resident(max(r.resident for r in runs)),
            "%.0f" % (max(budget) / 2**20) if budget else ""])


def run_group(group, bench, args, report):
    """Number of ways that failed."""
    ways = [w for w in group.ways if measure.installed(w)]
    if args.peers:
        ways = [w for w in ways if w.is_tarn or
                any(p in w.name for p in args.peers.split(","))]
    runs = {w: [] for w in ways}
    failed = {}
    for rep in range(args.reps):
        # Every other turn backwards: nobody is always behind the same.
        for way in ways if rep % 2 == 0 else ways[::-1]:
            if way not in failed:
                try:
                    runs[way].append(bench.run(way))
                except measure.Failed as why:
                    failed[way] = why
    done = [w for w in ways if w not in failed]
    report.group(group.title)
    times = {w: statistics.median(r.wall for r in runs[w]) for w in done}
    reference = next((times[w] for w in done if w.is_tarn),
                     min(times.values(), default=1))
    for way in done:
        report.row(way, runs[way], reference)
    for way, why in failed.items():
        print("  %s: FAILED: %s" % (way.name, why))
    sys.stdout.flush()
    return len(failed)


def main():
    args = parse()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    names = [n for n in args.only.split(",") if n] or groups.NAMES
    where = place(args)
    try:
        files = serve.Files(where, args.files, args.bytes, args.seed)
        for name in names:
            files.make(groups.FORMS[name])
            if name == "unpack-lz4":
                files.make("tar")
        with serve.Nginx(where, args.rate) as server:
            bench = measure.Bench(where, files)
            failed = 0
            print("%d files, %d MB; medians of %d" % (
                files.n_files, args.bytes // 10**6, args.reps))
            for name in names:
                group = groups.make(name, args, server)
                failed += run_group(group, bench, args,
                                    Report(args.markdown))
    finally:
        shutil.rmtree(where)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
