"""measure.py - interleaved rounds, a yardstick that tells when others had the machine, and what the numbers belong to.

The yardstick is a small product that stays in the cache; a round in which it runs below .93 of its best is one in
which something else had the machine, and is dropped. What counts is the median of the other rounds; where they are too
few, the samples are marked as disturbed and the best of all rounds counts. The clock of a processor changes within
minutes, so its multiply-add peak is measured in each round as well; and where reading bounds the codes, so is the
bandwidth of plain reads.
"""

import argparse
import concurrent.futures
import ctypes
import datetime
import os
import pathlib
import re
import statistics
import shutil
import subprocess
import time

import programs

ROOT = pathlib.Path(__file__).resolve().parent.parent
SAMPLE_SECONDS = 0.02  # a sample repeats short calls for at least so long
QUIET = 0.93  # of the yardstick's best speed


def seconds_of(function, calls=1, clock=time.perf_counter):
    start = clock()
    for _ in range(calls):
        function()
    return (clock() - start) / calls


def clock_of(threads):
    return time.process_time if threads == 1 else time.perf_counter


def timer(function, clock):
    """Tells the seconds of one of so many calls, behind one that brings its own data and code into the caches."""
    def seconds(calls):
        function()
        return seconds_of(function, calls, clock)
    return seconds


class Yardstick:
    """A product of 320 x 320 matrices, which stays in the caches, for some milliseconds: shorter samples vary of
    themselves."""
    SIZE, CALLS = 320, 12

    def __init__(self, tec, build, threads):
        self.clock, self.threads = clock_of(threads), threads
        self.peak_function = ctypes.CDLL(str(build / "tools/fma_peak.so")).fma_peak
        self.peak_function.restype = ctypes.c_double
        self.program = tec.compile(programs.gemm(self.SIZE, self.SIZE, self.SIZE))
        self.program.prepare()
        self.seconds = self.timer(self.program.call)
        self.best = min(self.seconds(self.CALLS) for _ in range(20))

    def timer(self, function):
        return timer(function, self.clock)

    def peak(self):
        """FLOP/s of independent f32 multiply-adds on all threads at once; 0 where unknown."""
        return self.peak_function(self.threads) * 1e9

    def is_quiet(self):
        seconds = self.seconds(self.CALLS)
        self.best = min(self.best, seconds)
        return seconds * QUIET <= self.best


class PlainReads:
    """Reads of arrays far beyond the caches, on each thread its own."""
    BYTES = 1 << 28

    def __init__(self, threads):
        import numpy  # which not all benchmarks need
        self.arrays = [numpy.ones(self.BYTES // 4, numpy.float32) for _ in range(threads)]
        self.readers = (numpy.max, lambda array: numpy.dot(array, array))
        self.pool = concurrent.futures.ThreadPoolExecutor(threads)

    def bandwidth(self):
        """Bytes a second by the faster of two ways to read."""
        best = min(seconds_of(lambda: list(self.pool.map(reader, self.arrays))) for reader in self.readers)
        return self.BYTES * len(self.arrays) / best


PEAK, BANDWIDTH = object(), object()  # among the names of a round


class Samples:
    """`seconds` by name, the multiply-add peak in FLOP/s, and the bandwidth in bytes a second where plain reads are given, 0
    otherwise; `settled`: from quiet rounds; `dropped`: the number of other rounds."""

    def __init__(self, timers, yardstick, rounds, patience, plain_reads=None):
        """Measures by the timers of a dictionary in turn until there are `rounds` quiet rounds, or `patience` seconds and
        three rounds are over."""
        repeats = {name: max(1, int(SAMPLE_SECONDS / seconds(1))) for name, seconds in timers.items()}
        quiet, everything, start = [], [], time.perf_counter()
        while len(quiet) < rounds and (len(everything) < 3 or time.perf_counter() - start < patience):
            quiet_before = yardstick.is_quiet()
            everything.append({name: seconds(repeats[name]) for name, seconds in timers.items()})
            everything[-1][PEAK] = yardstick.peak()
            everything[-1][BANDWIDTH] = plain_reads.bandwidth() if plain_reads else 0
            if quiet_before and yardstick.is_quiet():
                quiet.append(everything[-1])
        self.settled, self.dropped = len(quiet) >= rounds, len(everything) - len(quiet)
        summary, kept = (statistics.median, quiet) if self.settled else (min, everything)
        self.seconds = {name: summary([row[name] for row in kept]) for name in timers}
        self.peak, self.bandwidth = ((summary if self.settled else max)(row[limit] for row in kept)
                                     for limit in (PEAK, BANDWIDTH))


def facts():
    """What the numbers belong to."""
    told = dict(re.findall(r"(\S[^\t\n]*?)\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text()))
    cpu = told.get("model name", "unknown")  # servers of several generations share one
    if "cpu family" in told:
        cpu += f" (family {told['cpu family']}, model {told.get('model', 'unknown')})"
    commit = "unknown"
    if shutil.which("git"):
        git = subprocess.run(["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
        commit = git.stdout.strip() or commit
    return {"cpu": cpu, "cores": len(os.sched_getaffinity(0)),
            "date": datetime.date.today().isoformat(), "commit": commit}


def argument_parser(doc):
    """What the benchmarks of hosts share."""
    def numbers(text):
        return [int(number) for number in text.split(",")]
    parser = argparse.ArgumentParser(description=doc.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="small sizes, few rounds")
    parser.add_argument("--threads", type=numbers, default=sorted({1, min(2, len(os.sched_getaffinity(0)))}),
                        help="numbers of threads, as in 1,2")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build", help="a release build (build)")
    parser.add_argument("--output", type=pathlib.Path, help="where the results go")
    return parser


def output_of(arguments, is_part):
    """Where the results go: those of a part of the rows, or of small ones, do not replace those that are kept."""
    return arguments.output or (arguments.build / "bench" if is_part else ROOT / "bench/results")
