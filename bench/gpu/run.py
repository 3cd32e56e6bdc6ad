#!/usr/bin/env python3
"""A GPU: the conformance suite, then attention and other programs beside those of PyTorch and Triton.

    run.py [--build=build] [--out=DIR]                      on the machine with the GPU, from a built tree
    run.py --compile-only --chip=sm_90 --programs=PACKAGE   elsewhere: programs, conformance cases and the runtime
    run.py --programs=PACKAGE                               with what was made so, where there is no compiler
    run.py --programs=PACKAGE --cases-only --device=ptx-emu the same cases on the emulator, without a GPU
    run.py --dry-run --out=DIR                              no GPU: small sizes on this processor, to check the script

PACKAGE is a directory, or one file if its name ends in .tar.xz. Codes are timed in rounds, one after the other in each
round, so that clocks that drift hit all alike; a round is several calls between two events, and the median of the
rounds counts. A peer that is missing or refuses a row is left out with a note. Results: CSV files, tables, an SVG. They
are written after each row. With --time-limit no row is begun that late, and a call with the same --out goes on with the
rows that are not in the CSV files yet. What needs a process of its own gets one: each case, a first call of each
program that was carried, which the driver then need not compile again, and what fills Triton's cache."""

import argparse
import contextlib
import datetime
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import attention
import cases
import machine as machines
import others
import package

TRITON_SECONDS = 60  # that what fills Triton's cache may take longer than the cases


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=str(package.ROOT / "build"), help="the build directory")
    parser.add_argument("--programs", help="where --compile-only puts programs and a later run finds them")
    parser.add_argument("--out", help="where results go (bench/results/CHIP)")
    parser.add_argument("--jobs", type=int, default=min(8, len(os.sched_getaffinity(0))), help="processes at once")
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--round-seconds", type=float, default=0.02, help="how long a round of one kernel may take")
    parser.add_argument("--filter", default="", help="only attention and programs whose name contains this")
    parser.add_argument("--quick", action="store_true", help="attention in f16, three lengths, fewer peers")
    parser.add_argument("--peers", help="only these, separated by commas; none where it is empty")
    parser.add_argument("--time-limit", type=float, default=math.inf, help="seconds after which no row is begun")
    parser.add_argument("--chip", default="sm_80", help="for --compile-only")
    parser.add_argument("--cases", default="", help="for --compile-only: conformance cases whose name contains this")
    parser.add_argument("--compile-only", action="store_true")
    parser.add_argument("--skip-conformance", action="store_true")
    parser.add_argument("--cases-only", action="store_true", help="run the cases of --programs, and nothing else")
    parser.add_argument("--device", help="for the cases and --dry-run: cuda, host, or ptx-emu without a GPU")
    parser.add_argument("--dry-run", action="store_true")
    return parser.parse_args()


def run_conformance(options, programs):
    """What failed of the programs, whether all is well, and a report."""
    if options.carried:
        failed, report = cases.run(options, programs)
        return set(failed), not failed, report
    tool = str(pathlib.Path(options.build) / "tests/device/conformance")
    parts = [["--filter=heads"]] if options.dry_run else [[], ["--f32=tf32", "--filter=f32"]]
    done = [subprocess.run([tool, f"--device={options.device}", *part], text=True, stdout=subprocess.PIPE)
            for part in parts]
    return set(), not any(part.returncode for part in done), "".join(part.stdout for part in done)


def print_failures(report):
    failures = [line for line in report.splitlines() if not line.startswith("pass")]
    print("\n".join(failures[:10] + failures[-1:] * (len(failures) > 10)), flush=True)


@contextlib.contextmanager
def triton_in_cache(options, shapes):
    """Starts processes that have Triton compile what these shapes will need, and in the end waits for them a while."""
    kinds = {(shape.element, str(shape.features), shape.mask()) for shape in shapes}
    wanted = not options.dry_run and (options.chosen is None or "Triton" in options.chosen)
    script = str(pathlib.Path(__file__).with_name("triton_attention.py"))
    started = [subprocess.Popen([sys.executable, "-B", script, *kind], stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL) for kind in sorted(kinds) if wanted]
    try:
        yield
    finally:
        end = time.monotonic() + TRITON_SECONDS
        for process in started:
            try:
                process.wait(max(0, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()


def measure(options, shapes, programs, time_is_up):
    """Whether ours did all that was measured."""
    library = package.library_path(options)
    machine = machines.Host(library, options.device) if options.dry_run else machines.Gpu(library)
    chip = re.search(r"[A-Z]*\d+\w*", machine.name)
    options.out = options.out or str(package.ROOT / "bench/results" / (chip[0].lower() if chip else "gpu"))
    options.facts = {"gpu": machine.name, **machine.software(), "date": datetime.date.today().isoformat(),
                     "commit": package.commit(options)}
    out = pathlib.Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    if options.report:
        (out / "gpu-conformance.txt").write_text(options.report)
    good = [part.run(machine, options, wanted, time_is_up)
            for part, wanted in ((attention, shapes), (others, programs)) if wanted]
    return all(good)


def run(options):
    start = time.monotonic()
    shapes, programs = ([item for item in items if options.filter in item.name()]
                        for items in (attention.shapes(options), others.programs(options.dry_run)))
    if options.compile_only:
        return package.make(options, shapes + programs)
    if options.cases_only:
        failed, report = cases.run(options, [])
        print(report, end="", flush=True)
        return 1 if failed or report.count("\n") == 1 else 0
    options.failed, good, options.report = set(), True, ""
    with triton_in_cache(options, shapes):
        if not options.skip_conformance:
            options.failed, good, options.report = run_conformance(options, shapes + programs)
            print_failures(options.report)
    good = measure(options, shapes, programs, lambda: time.monotonic() - start > options.time_limit) and good
    return 0 if good else 1


def main():
    options = arguments()
    if (options.compile_only or options.cases_only) and not options.programs:
        sys.exit(f"--{'compile' if options.compile_only else 'cases'}-only needs --programs")
    options.device = options.device or ("host" if options.dry_run else "cuda")
    options.carried = bool(options.programs) and not options.compile_only
    options.chosen = options.peers.split(",") if options.peers is not None else None
    with tempfile.TemporaryDirectory() as temporary:
        packed = options.programs if str(options.programs).endswith(".tar.xz") else None
        if packed or not options.programs:
            options.programs = temporary
        pathlib.Path(options.programs).mkdir(parents=True, exist_ok=True)
        if packed and options.carried:
            package.unpack(packed, temporary)
        status = run(options)
        if packed and options.compile_only:
            package.pack(temporary, packed)
        return status


if __name__ == "__main__":
    sys.exit(main())
