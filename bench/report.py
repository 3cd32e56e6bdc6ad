"""report.py - the measured rows of bench/run as a Markdown page, a CSV file and an SVG chart."""

import csv
from xml.sax.saxutils import escape


def describe(row):
    """One line for people who wait."""
    return (f"{row['name']}, {row['threads']} threads: fused {row['fused_seconds'] * 1e3:.2f} ms, "
            f"unfused {row['unfused_seconds'] * 1e3:.2f} ms")


def speedup(row):
    return row["unfused_seconds"] / row["fused_seconds"]


def fraction(row, code):
    """Of the FMA peak; None where there is no product to count."""
    return row["flops"] / row[code + "_seconds"] / row["peak"] if row["flops"] and row["peak"] else None


def peak_text(rows):
    """The multiply-add peaks of the rows' rounds, from the least to the most."""
    gigaflops = [row["peak"] / 1e9 for row in rows]
    return f"{min(gigaflops):.0f} to {max(gigaflops):.0f} GFLOP/s"


def peaks(rows):
    """The same by number of threads."""
    return ", ".join(f"{peak_text([row for row in rows if row['threads'] == threads])} on {in_threads(threads)}"
                     for threads in sorted({row["threads"] for row in rows}))


def percent(value):
    return "-" if value is None else f"{value * 100:.0f}%"


def memory(size):
    return f"{size / 2**20:.1f} MiB" if size >= 2**20 else f"{size / 2**10:.0f} KiB"


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|---" + "|--:" * (len(header) - 1) + "|"]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows]) + "\n"


def scaling(row, rows):
    """How many times as fast as on one thread, in the same run; - where that is the row itself or was not measured."""
    single = [other["fused_seconds"] for other in rows if other["name"] == row["name"] and other["threads"] == 1]
    return f"{single[0] / row['fused_seconds']:.2f}x" if single and row["threads"] > 1 else "-"


def run_table(rows):
    return table(["program (f32)", "threads", "fused", "unfused", "speed-up", "fused over one thread",
                  "fused, of FMA peak", "unfused, of FMA peak", "fused scratch", "unfused scratch"],
                 [(row["name"] + ("" if row["quiet"] else " (disturbed)"), row["threads"],
                   f"{row['fused_seconds'] * 1e3:.2f} ms", f"{row['unfused_seconds'] * 1e3:.2f} ms",
                   f"{speedup(row):.2f}x", scaling(row, rows),
                   percent(fraction(row, "fused")), percent(fraction(row, "unfused")),
                   memory(row["fused_scratch"]), memory(row["unfused_scratch"])) for row in rows])


def page(facts, rows, compile_rows, memory_rows):
    dropped = sum(row["dropped"] for row in rows)
    return f"""# Measured on a host

{facts['cpu']}, {facts['cores']} cores, {facts['date']}, commit {facts['commit']}. Made by `bench/run`.
The f32 FMA peak, measured in each round: {peaks(rows)}.

Fused and unfused (`--fuse=off`) code of the same compiler, in interleaved rounds; medians; CPU time on one
thread, wall-clock time on more. {dropped} rounds in which a
yardstick showed that something else had the machine were dropped. A row marked as disturbed never got quiet rounds enough:
it shows the best of all its rounds, and says less.
Floating-point operations are those of the products as written, 2 M N K each, and half of them under a causal mask.
Attention rows: heads x length x features. Scratch is memory beside arguments and results.

{run_table(rows)}
## Resident memory
The largest resident set of `tcc-attn run` with plain attention, 2 heads, 64 features; compiler and arguments included.

{table(["length", "fused", "unfused"], [(length, memory(fused), memory(unfused)) for length, fused, unfused in memory_rows])}
## Compile time
{table(["what", "median", "bar"],
       [(what, f"{value:.1f} ms", f"{bar} ms" if bar else "-") for what, value, bar in compile_rows])}"""


def write_csv(path, facts, rows):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["program", "threads", "fused_seconds", "unfused_seconds", "flops", "peak_flops_per_second",
                         "fused_scratch_bytes", "unfused_scratch_bytes", "rounds_dropped", "cpu", "date", "commit"])
        for row in rows:
            writer.writerow([row["name"], row["threads"], f"{row['fused_seconds']:.6g}", f"{row['unfused_seconds']:.6g}",
                             f"{row['flops']:.6g}", f"{row['peak']:.6g}", row["fused_scratch"], row["unfused_scratch"],
                             row["dropped"], facts["cpu"], facts["date"], facts["commit"]])


# The chart: for each line a label and a bar for each of its codes, from 0 to 1.
LEFT, WIDTH, BAR, GAP, TOP = 260, 460, 10, 6, 60


def chart(title, lines, colors):
    """`lines`: (label, {code: fraction or None}); `colors` by code, in the order of the bars."""
    height = TOP + sum(BAR * len(bars) + GAP for _, bars in lines) + 20
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 60}" height="{height}" '
             'font-family="sans-serif" font-size="11">',
             f'<rect width="100%" height="{height}" fill="white"/>',
             f'<text x="10" y="20" font-size="14">{escape(title)}</text>']
    for i, (code, color) in enumerate(colors.items()):
        parts.append(f'<rect x="{10 + 110 * i}" y="32" width="10" height="10" fill="{color}"/>'
                     f'<text x="{25 + 110 * i}" y="41">{escape(code)}</text>')
    for quarter in range(5):
        x = LEFT + WIDTH * quarter / 4
        parts.append(f'<line x1="{x}" x2="{x}" y1="{TOP - 8}" y2="{height - 15}" stroke="#e4e4e4"/>'
                     f'<text x="{x}" y="{height - 3}" text-anchor="middle">{25 * quarter}%</text>')
    y = TOP
    for label, bars in lines:
        parts.append(f'<text x="{LEFT - 8}" y="{y + BAR * len(bars) / 2 + 4}" text-anchor="end">{escape(label)}</text>')
        for code in colors:
            if code in bars:
                parts.append(f'<rect x="{LEFT}" y="{y}" width="{WIDTH * (bars[code] or 0):.1f}" height="{BAR - 1}" '
                             f'fill="{colors[code]}"/>')
                y += BAR
        y += GAP
    return "\n".join(parts + ["</svg>", ""])


def in_threads(threads):
    return f"{threads} thread" + ("s" if threads > 1 else "")


def write(directory, facts, rows, compile_rows, memory_rows):
    (directory / "host.md").write_text(page(facts, rows, compile_rows, memory_rows))
    lines = [(f"{row['name']}, {in_threads(row['threads'])}", {code: fraction(row, code) for code in ("fused", "unfused")})
             for row in rows if row["flops"]]
    title = f"Share of the f32 FMA peak, {facts['cpu']}, {facts['date']}"
    (directory / "host.svg").write_text(chart(title, lines, {"fused": "#2a6fbb", "unfused": "#c9c9c9"}))
    write_csv(directory / "host.csv", facts, rows)
