"""Attention forward, queries as many as keys, beside that of PyTorch and Triton.

Each shape has 16k tokens in all and 2048 features over all heads. The longest sequences come first."""

import csv
import math
import pathlib
import re

import machine as machines
import package
import tec

OURS = package.OURS
LENGTHS = [512, 1024, 2048, 4096, 8192, 16384]
QUICK_LENGTHS = [512, 2048, 16384]
HEAD_DIMS = [64, 128, 256]
QUICK_PEERS = ["SDPA flash", "SDPA cuDNN", "Triton"]


class Shape:
    """One row of the benchmark."""
    f32 = "ieee"

    def __init__(self, element, features, length, causal, tokens, width):
        self.element, self.features, self.length, self.causal = element, features, length, causal
        self.batch, self.heads = max(tokens // length, 1), max(width // features, 1)

    def name(self):
        return f"{self.element}-d{self.features}-s{self.length}-{self.mask()}"

    def mask(self):
        return "causal" if self.causal else "full"

    def tokens(self):
        return self.batch * self.length

    def width(self):
        return self.heads * self.features

    def flops(self):
        return 4 * self.batch * self.heads * self.length ** 2 * self.features * (0.5 if self.causal else 1)

    def parted(self):
        """The extents of each tensor, as peers take it."""
        return self.batch, self.heads, self.length, self.features

    def result(self):
        return (self.batch * self.heads, self.length, self.features), self.element

    def arguments(self):
        return [self.result()] * 3

    def text(self):
        """The program: the conformance suite's template, filled in."""
        words = {"causal" if self.causal else "plain"} | ({"narrow"} if self.element != "f32" else set())
        sizes = {"B": self.batch * self.heads, "M": self.length, "N": self.length, "D": self.features,
                 "E": self.features, "T": self.element, "SCALE": f"{self.features ** -0.5:.9e}"}
        lines = []
        for line in (package.ROOT / "tests/device/attention.mlir").read_text().splitlines():
            condition = re.match(r"([?!])(\w+) ?(.*)", line)
            if condition:
                if (condition[2] in words) != (condition[1] == "?"):
                    continue
                line = condition[3]
            lines.append(re.sub(r"@(\w+)@", lambda found: str(sizes.get(found[1], found[0])), line))
        return "\n".join(lines) + "\n"


def shapes(options):
    if options.dry_run:
        return [Shape(element, features, length, causal, 128, 128) for element in ("f16", "bf16")
                for features in (64, 128) for causal in (False, True) for length in (64, 128)]
    return [Shape(element, features, length, causal, 16384, 2048)
            for element in (["f16"] if options.quick else ["f16", "bf16"])
            for length in reversed(QUICK_LENGTHS if options.quick else LENGTHS)
            for features in HEAD_DIMS for causal in (False, True)]


# ---------------------------------------------------------------------------------------------------------- measuring


def prepare_ours(machine, options, shape, tensors):
    """A callable that gives our result, and what to do when done with it."""
    path = package.compile_program(options, shape, machine.target)
    if not path or path in options.failed:
        raise tec.Error("failed in a process of its own" if path else "not compiled")
    program = machine.library.load(path, machine.device)
    result = machine.empty(shape.parted(), shape.element)
    arguments = [machine.view(tensor, *shape.result()) for tensor in tensors]
    output = machine.view(result, *shape.result())

    def call():
        machine.library.call(program, arguments, output)
        return result

    return call, lambda: machine.library.destroy(program)


def prepare(machine, options, shape, peers):
    """The callables of all that can do the shape, each called once; and the clean-up."""
    tensors = machine.tensors([(shape.parted(), shape.element)] * 3)
    calls, results, clean_up = {}, {}, lambda: None
    try:
        calls[OURS], clean_up = prepare_ours(machine, options, shape, tensors)
    except tec.Error as error:
        print(f"note: no {OURS} for {shape.name()}: {error}")
    for name in [*calls, *peers]:
        try:
            if name in peers:
                calls[name] = peers[name](*tensors, shape.causal)
            results[name] = calls[name]()
            machine.time(calls[name], 1)  # waits, so that errors show here
        except Exception as error:  # a peer may refuse in whatever way it likes
            print(f"note: {name} cannot do {shape.name()}: {(str(error) or repr(error)).splitlines()[0]}")
            calls.pop(name, None)
            results.pop(name, None)
    if OURS in results:
        for name in results.keys() - {OURS}:
            distance = machine.distance(results[OURS], results[name])
            if not distance < 0.1:
                print(f"note: {OURS} and {name} differ by {distance:.3g} for {shape.name()}")
    return calls, clean_up


def measure(machine, options, shape, peers):
    """Median seconds by name."""
    calls, clean_up = prepare(machine, options, shape, peers)
    try:
        return machines.medians(machine, options, calls)
    finally:
        clean_up()
        machine.release()


# ------------------------------------------------------------------------------------------------------------- results


COLUMNS = ["element", "head dim", "length", "mask", "kernel", "seconds", "TFLOP/s", "of matmul peak"]


def write_csv(path, rows, facts):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS + list(facts))
        for shape, seconds, peak in rows:
            for name, value in seconds.items():
                rate = shape.flops() / value
                writer.writerow([shape.element, shape.features, shape.length, shape.mask(), name, f"{value:.6e}",
                                 f"{rate * 1e-12:.4g}", f"{rate / peak:.3f}", *facts.values()])


def read_csv(path, wanted, peaks, facts):
    """The rows of an earlier call of the same commit for shapes that are wanted."""
    found = {}
    if path.exists():
        with open(path, newline="") as file:
            for row in csv.DictReader(file):
                if row["commit"] == facts["commit"]:
                    key = row["element"], row["head dim"], row["length"], row["mask"]
                    found.setdefault(key, {})[row["kernel"]] = float(row["seconds"])
    named = {(shape.element, str(shape.features), str(shape.length), shape.mask()): shape for shape in wanted}
    return [(named[key], seconds, peaks[named[key].element]) for key, seconds in found.items() if key in named]


def write_table(path, machine, rows, names, peaks, facts):
    with open(path, "w") as file:
        file.write(f"# Attention forward on {machine.name}\n\n{package.describe(facts)}\n\n"
                   f"TFLOP/s, medians; {rows[0][0].tokens()} tokens, {rows[0][0].width()} features. Large matrix product: ")
        file.write(", ".join(f"{element} {peak * 1e-12:.0f} TFLOP/s" for element, peak in peaks.items()) + ".\n")
        file.write("The last column is our speed over that of the fastest peer.\n\n")
        file.write("| type | D | S | mask | " + " | ".join(names) + " | ratio |\n" + "|---" * (5 + len(names)) + "|\n")
        for shape, seconds, _ in rows:
            cells = [f"{shape.flops() / seconds[name] * 1e-12:.4g}" if name in seconds else "-" for name in names]
            others = [value for name, value in seconds.items() if name != OURS]
            ratio = f"{min(others) / seconds[OURS]:.2f}" if others and OURS in seconds else "-"
            row = [shape.element, shape.features, shape.length, shape.mask(), *cells, ratio]
            file.write("| " + " | ".join(map(str, row)) + " |\n")


COLOURS = ["#c1121f", "#1d6fb8", "#2a9d55", "#e09f3e", "#7b5ea7", "#8d8d8d", "#17a2a2"]


def panel(group, names, left, top, width, height):
    """The lines of one element type, head dim and mask over the lengths."""
    shape = group[0][0]
    lengths = [row[0].length for row in group]
    rates = {name: [shape.flops() / seconds[name] * 1e-12 if name in seconds else None for shape, seconds, _ in group]
             for name in names}
    highest = max((rate for values in rates.values() for rate in values if rate), default=1) * 1.1
    parts = [f'<rect x="{left}" y="{top}" width="{width}" height="{height}" fill="none" stroke="#bbb"/>',
             f'<text x="{left}" y="{top - 6}">{shape.element}, D = {shape.features}, '
             f'{shape.mask()}; top {highest:.3g} TFLOP/s</text>']
    step = width / max(len(lengths) - 1, 1)
    for i, length in enumerate(lengths):
        parts.append(f'<text x="{left + i * step:.0f}" y="{top + height + 14}" text-anchor="middle">{length}</text>')
    for name, colour in zip(names, COLOURS):
        points = [f"{left + i * step:.1f},{top + height * (1 - rate / highest):.1f}"
                  for i, rate in enumerate(rates[name]) if rate]
        thick = 3 if name == OURS else 1.5
        parts.append(f'<polyline points="{" ".join(points)}" fill="none" stroke="{colour}" stroke-width="{thick}"/>')
    return parts


def write_svg(path, machine, rows, names):
    groups = {}
    for row in rows:
        groups.setdefault((row[0].element, row[0].features, row[0].causal), []).append(row)
    width, height, columns = 260, 160, 4
    lines = math.ceil(len(groups) / columns)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{columns * (width + 50) + 30}" '
             f'height="{lines * (height + 60) + 80}" font-family="sans-serif" font-size="11">',
             '<rect width="100%" height="100%" fill="white"/>',
             f'<text x="30" y="20" font-size="14">{machine.name}</text>']
    for i, (name, colour) in enumerate(zip(names, COLOURS)):
        parts.append(f'<text x="{30 + i * 150}" y="40" fill="{colour}" font-weight="bold">{name}</text>')
    for i, group in enumerate(groups.values()):
        parts += panel(group, names, 30 + i % columns * (width + 50), 80 + i // columns * (height + 60), width, height)
    pathlib.Path(path).write_text("\n".join(parts + ["</svg>"]) + "\n")


def write_results(out, machine, rows, names, peaks, facts):
    write_csv(out / "gpu-attention.csv", rows, facts)
    write_table(out / "gpu-attention.md", machine, rows, names, peaks, facts)
    write_svg(out / "gpu-attention.svg", machine, rows, names)


def run(machine, options, wanted, time_is_up):
    """Measures what is not in the results yet, and writes them after each shape; whether ours did all of these."""
    out, good = pathlib.Path(options.out), True
    chosen = QUICK_PEERS if options.quick and options.chosen is None else options.chosen
    peers = {name: peer for name, peer in machine.peers().items() if chosen is None or name in chosen}
    peaks = {element: machine.peak(element) for element in dict.fromkeys(shape.element for shape in wanted)}
    rows = read_csv(out / "gpu-attention.csv", wanted, peaks, options.facts)
    names = list(dict.fromkeys([OURS, *peers, *(name for _, seconds, _ in rows for name in seconds)]))
    done = {shape.name() for shape, _, _ in rows}
    for shape in wanted:
        if shape.name() in done:
            continue
        if time_is_up():
            print(f"note: the time is up; call again for the {len(wanted) - len(rows)} shapes that are left")
            break
        seconds = measure(machine, options, shape, peers)
        good = good and OURS in seconds
        rows.append((shape, seconds, peaks[shape.element]))
        print(shape.name() + ": " + ", ".join(f"{name} {shape.flops() / value * 1e-12:.3g}"
                                              for name, value in seconds.items()), flush=True)
        rows.sort(key=lambda row: (row[0].element, row[0].features, row[0].causal, row[0].length))
        write_results(out, machine, rows, names, peaks, options.facts)
    return good
