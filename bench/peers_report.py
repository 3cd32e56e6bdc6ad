"""peers_report.py - the rows of bench/host as a Markdown page, a CSV file and an SVG chart."""

import csv

import report
from code_process import OURS

COLORS = ["#2a6fbb", "#333333", "#e4572e", "#f3a712", "#76b041", "#a23b72", "#8a8a8a", "#c9c9c9"]


def fraction(row, name):
    """Of what bounds the row; None where that is not measured."""
    amount, bound = (row["bytes"], row["bandwidth"]) if row["by_bandwidth"] else (row["flops"], row["peak"])
    return amount / row["seconds"][name] / bound if bound else None


def names_of(results):
    """All codes, ours first, in the order in which they come up."""
    return list(dict.fromkeys([OURS] + [name for result in results for row in result["rows"] for name in row["seconds"]]))


def bandwidth_text(rows):
    """The bandwidths of the rows that reading bounds, from the least to the most."""
    gigabytes = [row["bandwidth"] / 1e9 for row in rows if row["by_bandwidth"]]
    return f", {min(gigabytes):.1f} to {max(gigabytes):.1f} GB/s" if gigabytes else ""


def cell(row, name):
    if name not in row["seconds"]:
        return "-"
    share = fraction(row, name)
    text = "?" if share is None else f"{share * 100:.0f}%"
    return text if name == OURS else f"{text} ({row['seconds'][name] / row['seconds'][OURS]:.2f}x)"


def page(facts, results):
    names = names_of(results)
    rows = [(row["name"] + ("" if row["quiet"] else " (disturbed)"), result["threads"],
             f"{row['seconds'][OURS] * 1e3:.3g} ms", *(cell(row, name) for name in names))
            for result in results for row in result["rows"]]
    limits = "; ".join(f"{result['threads']}: {report.peak_text(result['rows'])}{bandwidth_text(result['rows'])}"
                       for result in results)
    missing = list(dict.fromkeys(text for result in results for text in result["missing"]))
    compiled = [(name, f"{value:.0f} ms") for result in results for name, value in result["compile"].items()]
    dropped = sum(row["dropped"] for result in results for row in result["rows"])
    return f"""# Beside other libraries

{facts['cpu']}, {facts['cores']} cores, {facts['date']}, commit {facts['commit']}. Made by `bench/host`.
Measured in the rounds of each row, f32 multiply-add peak and bandwidth of plain reads: {limits}.

Each cell: the share of the peak (of the bandwidth in the rows of decoding and of products with one row; more than all of
it where caches hold what is read), and in brackets how many times as long as ours it took. All codes of a row ran on the
same arguments, each in a process that was stopped but for its turns, in interleaved rounds, and agreed; medians; CPU time
on one thread, wall-clock time on more. {dropped} rounds were dropped because something else had the machine; a row
marked as disturbed never got quiet rounds enough and shows the best of all. Under a causal mask only the visible half
counts. Weights of linear layers and of the MLP are constants, but for PyTorch, OpenBLAS and oneDNN. What takes ten times
as long as ours was measured before the rounds. Attention rows: length x features. Products of i8 are added up in i32.
Asleep: threads sleep between calls, ours as always, others as far as their settings allow (OpenVINO has none). Awake:
they look for the next call, ours for 200 us, others as they do unless told otherwise.

{report.table(["program", "on", "our time", *names], rows)}
{"Left out: " + "; ".join(missing) + "." if missing else ""}

## Compile time
From text to code in memory, attention 8 x 1024 x 64.

{report.table(["what", "time"], compiled)}"""


def write_csv(path, facts, results):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["program", "threads", "code", "seconds", "flops", "bytes", "peak_flops_per_second",
                         "bytes_per_second", "quiet", "cpu", "date", "commit"])
        for result in results:
            for row in result["rows"]:
                for name, seconds in row["seconds"].items():
                    writer.writerow([row["name"], result["threads"], name, f"{seconds:.6g}", f"{row['flops']:.6g}",
                                     f"{row['bytes']:.6g}", f"{row['peak']:.6g}", f"{row['bandwidth']:.6g}",
                                     int(row["quiet"]), facts["cpu"], facts["date"], facts["commit"]])


def write(directory, facts, results):
    (directory / "peers.md").write_text(page(facts, results))
    lines = [(f"{row['name']}, {result['threads']}",
              {name: fraction(row, name) for name in row["seconds"]})
             for result in results for row in result["rows"]]
    title = f"Share of peak or bandwidth, {facts['cpu']}, {facts['date']}"
    (directory / "peers.svg").write_text(report.chart(title, lines, dict(zip(names_of(results), COLORS))))
    write_csv(directory / "peers.csv", facts, results)
