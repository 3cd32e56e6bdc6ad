"""Programs other than long attention beside PyTorch: products, decoding, rows, elements.

Each row: a time, and beside what the machine can do: operations beside those of a large product of the same kind, or,
where memory bounds the program, bytes beside those of a copy. Such a row takes several sets of arguments in turn, so
that none is in a cache. Errors are relative to double precision, over a part of the result."""

import csv
import itertools
import math
import pathlib
import sys

import machine as machines
import package
import tec

sys.path.insert(0, str(package.ROOT / "bench"))

import programs as texts  # noqa: E402 - by way of that path

OURS = package.OURS
WIDTH = {"f16": 2, "bf16": 2, "f32": 4}
COLD_BYTES, MOST_SETS = 256 << 20, 16
CHECKED_ROWS = 256
MUCH = 3  # times the error of the best peer, from which on there is a note


class Program:
    """A row: what is computed, on what, and how much work that is: operations, or bytes where those bound it."""

    def __init__(self, title, element, text, arguments, result, flops=0, f32="ieee"):
        self.title, self.element, self.f32, self.flops = title, element, f32, flops
        self.made, self.inputs, self.output = text, [(extents, element) for extents in arguments], (result, element)

    def name(self):
        return f"{self.title}, {self.kind()}"

    def kind(self):
        return "tf32" if self.f32 == "tf32" else self.element

    def text(self):
        return self.made

    def arguments(self):
        return self.inputs

    def result(self):
        return self.output

    def bytes(self):
        return sum(math.prod(extents) * WIDTH[element] for extents, element in [*self.inputs, self.output])

    def sets(self):
        """How many sets of arguments take turns."""
        return 1 if self.flops else min(MOST_SETS, math.ceil(COLD_BYTES / self.bytes()))

    def work(self):
        return self.flops or self.bytes()

    def unit(self):
        return "TFLOP/s" if self.flops else "GB/s"

    def rate(self, seconds):
        """In units."""
        return self.work() / seconds * (1e-12 if self.flops else 1e-9)


class Product(Program):
    def __init__(self, rows, columns, depth, element="f16", turned=False, f32="ieee", counted=True):
        self.turned = turned
        super().__init__(f"product {rows} x {columns} x {depth}{', turned' if turned else ''}", element,
                         texts.gemm(rows, columns, depth, turned, element),
                         [(rows, depth), (columns, depth) if turned else (depth, columns)], (rows, columns),
                         2 * rows * columns * depth if counted else 0, f32)

    def peers(self, torch, a, b):
        return {"PyTorch": lambda: a @ (b.t() if self.turned else b)}

    def exact(self, torch, a, b):
        """The part of the result that is looked at, and the numbers there."""
        part = slice(CHECKED_ROWS)
        return part, a[part].double() @ (b.t() if self.turned else b).double()


class Attention(Program):
    """Of `heads` heads of keys, each for `group` heads of queries."""

    def __init__(self, heads, group, queries, keys, features, element, f32="ieee"):
        self.group = group
        title = f"{'decode' if queries == 1 else 'attention'} {heads}{f' x {group}' if group > 1 else ''} heads"
        many = (heads * group, queries, features)
        super().__init__(f"{title}, {keys} x {features}", element,
                         texts.grouped(heads, group, keys, features, element, queries) if group > 1 else
                         texts.attention(heads, keys, features, "plain", element, queries),
                         [many, (heads, keys, features), (heads, keys, features)], many,
                         4 * heads * group * queries * keys * features if queries > 1 else 0, f32)

    def peers(self, torch, *tensors):
        whole = [tensor.unsqueeze(0) for tensor in tensors]
        names = ["SDPA efficient", "SDPA math"] if self.element == "f32" else ["SDPA flash", "SDPA cuDNN"]
        options = {"enable_gqa": True} if self.group > 1 else {}
        return {name: machines.sdpa(torch, name)(*whole, False, **options) for name in [*names, "SDPA default"]}

    def exact(self, torch, query, key, value):
        part = [0, query.shape[0] - 1]
        query, key, value = (tensor[[0, -1]].double() for tensor in (query, key, value))
        scores = query @ key.transpose(1, 2) * query.shape[2] ** -0.5
        return part, torch.softmax(scores, -1) @ value


class Rows(Program):
    """A function of matrices that PyTorch has, too, each row by itself."""

    def __init__(self, title, element, text, extents, count, function):
        self.function = function
        super().__init__(f"{title} {extents[0]} x {extents[1]}", element, text, [extents] * count, extents)

    def peers(self, torch, *tensors):
        return {"PyTorch": lambda: self.function(torch, *tensors)}

    def exact(self, torch, *tensors):
        part = slice(CHECKED_ROWS)
        return part, self.function(torch, *(tensor[part].double() for tensor in tensors))


def softmax(torch, x):
    return torch.softmax(x, 1)


def rms_norm(torch, x):
    return torch.nn.functional.rms_norm(x, (x.shape[1],), eps=1e-5)


def add(torch, x, y):
    return x + y


def programs(small):
    """All rows; small ones for a dry run."""
    def size(number):
        return number // 64 if small else number

    def heads(number):
        return max(1, number // 32) if small else number

    square, rows = size(4096), (size(16384), size(4096))
    found = [Product(*[size(length)] * 3, turned=turned) for length in (4096, 8192) for turned in (False, True)]
    found += [Product(square, square, square, "f32", f32=f32) for f32 in ("ieee", "tf32")]
    found += [Product(count, square, square, turned=turned, counted=False)
              for count in (1, 16) for turned in (False, True)]
    found += [Attention(heads(count), group, 1, size(8192), 128, element)
              for count, group in ((32, 1), (256, 1), (8, 4), (64, 4)) for element in ("f16", "bf16")]
    found += [Attention(heads(32), 1, size(2048), size(2048), 128, "f32", f32) for f32 in ("ieee", "tf32")]
    found += [Rows("softmax", "f32", texts.softmax(*rows), rows, 1, softmax),
              Rows("RMS norm", "f32", texts.rms_norm(*rows), rows, 1, rms_norm)]
    return found + [Rows("add", element, texts.add(*rows, element), rows, 2, add) for element in ("f16", "f32")]


# ---------------------------------------------------------------------------------------------------------- measuring


class Code:
    """What became of a program in one of the codes: seconds, an error relative to double precision, or a note."""

    def __init__(self, seconds=math.nan, error=math.nan, note=""):
        self.seconds, self.error, self.note = seconds, error, note


def in_turn(functions):
    """A function that calls the next of these each time."""
    turn = itertools.cycle(functions)
    return lambda: next(turn)()


def our_calls(machine, loaded, program, sets):
    """For each set of arguments a callable that gives our result."""
    def bind(tensors):
        result = machine.empty(*program.result())
        views = [machine.view(tensor, *kind) for tensor, kind in zip(tensors, program.arguments())]
        output = machine.view(result, *program.result())

        def call():
            machine.library.call(loaded, views, output)
            return result
        return call
    return [bind(tensors) for tensors in sets]


def peer_calls(machine, program, sets, chosen):
    """By name, for each set of arguments, a callable that gives the result of a peer."""
    if not machine.torch:
        return {}
    prepared = [program.peers(machine.torch, *tensors) for tensors in sets]
    return {name: [peers[name] for peers in prepared] for name in prepared[0] if chosen is None or name in chosen}


def relative_error(machine, program, found, exact):
    if not exact:
        return math.nan
    part, numbers = exact
    difference = found.reshape(program.result()[0])[part].double() - numbers
    return (difference.norm() / numbers.norm()).item()


def try_calls(machine, program, calls, exact):
    """What each makes of the first set; what fails is taken out of the calls."""
    codes = {}
    for name, functions in list(calls.items()):
        try:
            codes[name] = Code(error=relative_error(machine, program, functions[0](), exact))
            machine.time(functions[0], 1)  # waits, so that errors show here
        except Exception as error:  # a peer may refuse in whatever way it likes
            codes[name] = Code(note=(str(error) or repr(error)).splitlines()[0])
            del calls[name]
    return codes


def measure(machine, options, program):
    """Codes by name."""
    machine.use_tf32(program.f32 == "tf32")
    sets = [machine.tensors(program.arguments()) for _ in range(program.sets())]
    exact = program.exact(machine.torch, *sets[0]) if machine.torch else None
    calls, codes, loaded = {}, {}, None
    try:
        path = package.compile_program(options, program, machine.target)
        if not path or path in options.failed:
            raise tec.Error("not compiled" if not path else "failed in a process of its own")
        loaded = machine.library.load(path, machine.device)
        calls[OURS] = our_calls(machine, loaded, program, sets)
    except tec.Error as error:
        codes[OURS] = Code(note=str(error))
    try:
        calls |= peer_calls(machine, program, sets, options.chosen)
        codes |= try_calls(machine, program, calls, exact)
        for name, seconds in machines.medians(machine, options, {name: in_turn(calls[name]) for name in calls}).items():
            codes[name].seconds = seconds
    finally:
        if loaded:
            machine.library.destroy(loaded)
        machine.release()
    return codes


# ------------------------------------------------------------------------------------------------------------- results


COLUMNS = ["program", "code", "seconds", "rate", "unit", "of ceiling", "relative error", "note"]


class Ceilings:
    """What the machine was measured to do, each when it is first asked for."""

    def __init__(self, machine):
        self.machine, self.found = machine, {}

    def of(self, program):
        """FLOP/s or bytes per second."""
        kind = program.kind() if program.flops else "copy"
        if kind not in self.found:
            self.found[kind] = self.machine.peak(kind) if program.flops else self.machine.bandwidth()
        return self.found[kind]

    def text(self):
        return ", ".join(f"copy {rate * 1e-9:.0f} GB/s" if kind == "copy" else f"{kind} {rate * 1e-12:.3g} TFLOP/s"
                         for kind, rate in self.found.items())


def number(value, form):
    return "" if math.isnan(value) else format(value, form)


def write_csv(path, rows, ceilings, facts):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS + list(facts))
        for program, codes in rows:
            for name, code in codes.items():
                writer.writerow([program.name(), name, number(code.seconds, ".6e"),
                                 number(program.rate(code.seconds), ".4g"), program.unit(),
                                 number(program.work() / code.seconds / ceilings.of(program), ".3f"),
                                 number(code.error, ".2e"), code.note, *facts.values()])


def read_csv(path, wanted, facts):
    """What an earlier call of the same commit measured."""
    found, named = {}, {program.name(): program for program in wanted}
    if path.exists():
        with open(path, newline="") as file:
            for row in csv.DictReader(file):
                if row["commit"] == facts["commit"] and row["program"] in named:
                    found.setdefault(row["program"], {})[row["code"]] = Code(
                        float(row["seconds"] or "nan"), float(row["relative error"] or "nan"), row["note"])
    return [(named[name], codes) for name, codes in found.items()]


def notes(program, codes):
    """What a reader should know of a row."""
    found = [f"{name} cannot do it: {code.note}" for name, code in codes.items() if code.note]
    least = min((code.error for name, code in codes.items() if name != OURS and code.error >= 0), default=math.inf)
    ours = codes[OURS].error
    if not codes[OURS].note and least < math.inf and not ours <= MUCH * least:
        found.append(f"{OURS} errs {ours:.2e}, the best peer {least:.2e}")
    return [f"{program.name()}: {note}" for note in found]


def table_row(program, codes, ceiling):
    ours = codes[OURS]
    peers = {name: code for name, code in codes.items() if name != OURS and not math.isnan(code.seconds)}
    fastest = min(peers, key=lambda name: peers[name].seconds, default=None)
    cells = [program.name()] + ["-"] * 3
    if not math.isnan(ours.seconds):
        cells[1:] = [f"{ours.seconds * 1e6:.1f} us", f"{program.rate(ours.seconds):.4g} {program.unit()}",
                     number(program.work() / ours.seconds / ceiling, ".0%") or "-"]
    cells += [f"{fastest}, {peers[fastest].seconds * 1e6:.1f} us",
              number(peers[fastest].seconds / ours.seconds, ".2f") or "-"] if fastest else ["-"] * 2
    least = min((code.error for code in peers.values() if code.error >= 0), default=math.nan)
    return "| " + " | ".join(cells + [number(ours.error, ".1e") or "-", number(least, ".1e") or "-"]) + " |"


def write_table(path, machine, rows, ceilings, facts):
    body = [table_row(program, codes, ceilings.of(program)) for program, codes in rows]
    told = [f"* {note}" for program, codes in rows for note in notes(program, codes)]
    path.write_text("\n".join([
        f"# Programs on {machine.name}", "", package.describe(facts), "",
        f"Medians. The ceiling is a large product of the same kind, or, for bytes, a copy: {ceilings.text()}.",
        "The ratio is the time of the fastest peer over ours. Errors are relative to double precision, over the first",
        f"{CHECKED_ROWS} rows or the first and the last head.", "",
        "| program | time | rate | of ceiling | fastest peer | ratio | error | least error of peers |",
        "|---" * 8 + "|", *body, *(["", "Notes:", "", *told] if told else [])]) + "\n")


def run(machine, options, wanted, time_is_up):
    """Measures what is not in the results yet, and writes them after each row; whether ours did all of these."""
    out = pathlib.Path(options.out)
    rows, ceilings, good = read_csv(out / "gpu-programs.csv", wanted, options.facts), Ceilings(machine), True
    done = {program.name() for program, _ in rows}
    for program in wanted:
        if program.name() in done:
            continue
        if time_is_up():
            print(f"note: the time is up; call again for the {len(wanted) - len(rows)} programs that are left")
            break
        ceiling = ceilings.of(program)
        codes = measure(machine, options, program)
        good = good and not codes[OURS].note
        rows.append((program, codes))
        rows.sort(key=lambda row: wanted.index(row[0]))
        print("\n".join([table_row(program, codes, ceiling)] + [f"note: {note}" for note in notes(program, codes)]),
              flush=True)
        write_csv(out / "gpu-programs.csv", rows, ceilings, options.facts)
        write_table(out / "gpu-programs.md", machine, rows, ceilings, options.facts)
    return good
