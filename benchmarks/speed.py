"""How fast poise is: beside the plain C loops of limit.c and beside other libraries, in one run; each method beside OGD.

    python benchmarks/speed.py            all of it, about a minute or two
    python benchmarks/speed.py --quick    a third of the rows, 3 rounds, two widths
    python benchmarks/speed.py --check    only: do the C loops compute what numpy computes?

Every limit is a ratio of two times of the same run, or a time for one call. The exit code is 1 when
a limit is missed or poise's scores are not those of the C loop (`--no-gate`: always 0).
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, replace
from importlib import import_module, metadata, util
from pathlib import Path

import speed_methods
import speed_own
from limit import COMPILER, FLAGS, Limit, compiler_version
from limit_check import check
from speed_methods import Ratio
from speed_pairs import AGREE, Line, Plan, native, portable
from speed_peers import Peer, block_of_rows, one_row

COLUMNS, QUICK_COLUMNS = (8, 20, 50, 100, 300), (8, 50)
ROUNDS, QUICK_ROUNDS = 9, 3
PACKAGES = ("numpy", "scipy", "scikit-learn", "river", "vowpalwabbit", "pandas", "poise")
NOTE = (
    "Note: machines are noisy. Each ratio is the median over rounds in which both sides ran one\n"
    "after the other; it comes from this one run, and a neighbour on the machine can move it."
)


def main() -> int:
    options = _options()
    if not (options.check or options.c_only or util.find_spec("poise")):
        sys.exit("poise is not installed here: install it, or pass --c-only to time the C loops")
    limit = Limit()
    if options.check:
        return 0 if check(limit) else 1
    plan = _plan(options)
    only_portable = os.environ.get("POISE_CPU") == "portable"
    facts = _facts()
    if not options.c_only:
        facts["loop"] = import_module("poise._core").build()
    print("\n".join(f"{name:14} {value}" for name, value in facts.items()))
    with import_module("threadpoolctl").threadpool_limits(1):
        lines = portable(limit, plan) if only_portable else native(limit, plan)
        _print_pairs("one block, portable code" if only_portable else "one block", lines)
        calls, peers = ([], []) if only_portable else _others(plan)
        methods = [] if only_portable or plan.c_only else _methods(options)
        if methods:
            calls.append(_fourier(plan))
            own, called_back = _own(plan)
            methods += own
            calls.append(called_back)
    beside = [] if only_portable or plan.c_only else _run_portable(options)
    if beside:
        _print_pairs("one block, portable code (POISE_CPU=portable)", beside)
    if options.json:
        _write(options.json, facts, {"pairs": lines, "portable": beside, "methods": methods}, calls, peers)
    print(f"\n{NOTE}")
    return _verdict([*lines, *beside, *methods, *calls], gate=options.gate)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a third of the rows, 3 rounds")
    parser.add_argument("--rows", type=int, help="rows of each block (default: 16 MB of f64)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write every number here")
    parser.add_argument("--check", action="store_true", help="only check the C loops against numpy")
    parser.add_argument("--c-only", action="store_true", help="leave poise out")
    parser.add_argument("--no-gate", dest="gate", action="store_false", help="exit 0 in any case")
    return parser.parse_args()


def _plan(options: argparse.Namespace) -> Plan:
    plan = Plan(COLUMNS, options.rows, 1.0, ROUNDS, options.c_only)
    if options.quick:
        return replace(plan, columns=QUICK_COLUMNS, share=1 / 3, rounds=QUICK_ROUNDS)
    return plan


def _facts() -> dict[str, str]:
    """Tell the machine and the versions in plain text."""
    facts = {
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "system": platform.platform(),
        "compiler": compiler_version(),
        "C flags": " ".join((COMPILER, *FLAGS)),
        "python": platform.python_version(),
    }
    for name in PACKAGES:
        try:
            facts[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            facts[name] = "not installed"
    return facts


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.processor()


def _others(plan: Plan) -> tuple[list[Peer], list[Peer]]:
    """Run and print the calls of one row and the block peers."""
    calls = one_row(plan)
    _print_peers("one row a call, 8 columns", calls)
    peers, reasons = block_of_rows(plan)
    _print_peers("one block, 20 columns, other libraries", peers)
    for reason in reasons:
        print(reason)
    return calls, peers


def _methods(options: argparse.Namespace) -> list[Ratio]:
    """Run and print every method beside OGD, and the kernel learner beside numpy."""
    columns = speed_methods.QUICK_COLUMNS if options.quick else speed_methods.COLUMNS
    rounds = QUICK_ROUNDS if options.quick else ROUNDS
    methods = speed_methods.every_method(columns, rounds)
    print(speed_methods.table("one block, 1:9, every method", "OGD", methods))
    kernels = speed_methods.kernel(rounds)
    print(speed_methods.table("2,000 rows in one block, on one thread", "numpy", kernels))
    return [*methods, *kernels]


def _fourier(plan: Plan) -> Peer:
    call = speed_methods.fourier(plan.rounds)
    _print_peers("one block, random Fourier features", [call])
    return call


def _own(plan: Plan) -> tuple[list[Ratio], Peer]:
    ratios, called_back, reason = speed_own.own(plan.rounds)
    print(speed_methods.table("one block, a method of one's own", "built-in", ratios) if ratios else f"\n{reason}")
    _print_peers("one block, a method of one's own", [called_back])
    return ratios, called_back


def _run_portable(options: argparse.Namespace) -> list[Line]:
    """Run the plain cases again in a process where poise uses its portable code."""
    with tempfile.TemporaryDirectory() as folder:
        found = Path(folder) / "portable.json"
        command = [sys.executable, __file__, "--no-gate", "--json", str(found)]
        if options.quick:
            command.append("--quick")
        if options.rows is not None:
            command += ["--rows", str(options.rows)]
        environment = {**os.environ, "POISE_CPU": "portable"}
        subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
        return [Line(**line) for line in json.loads(found.read_text(encoding="utf-8"))["pairs"]]


def _print_pairs(title: str, lines: list[Line]) -> None:
    print(f"\n{title}\n{'case':27}{'d':>5}{'dtype':>7}{'C ns/row':>10}{'poise':>9}", end="")
    print(f"{'ratio':>8}{'limit':>7}  ok?")
    for line in lines:
        print(f"{line.case:27}{line.d:5}{line.dtype:>7}{line.c_ns:10.1f}", end="")
        if line.ratio is None:
            print(f"{'-':>9}{'-':>8}{'-':>7}")
            continue
        most = f"{'-':>7}" if line.limit is None else f"{line.limit:7.1f}"
        print(f"{line.poise_ns:9.1f}{line.ratio:8.2f}{most}  {_word(line)}")


def _word(line: Line) -> str:
    if not line.agrees:
        return f"scores differ by {line.differs:.1e} (at most {AGREE[line.dtype]:.0e})"
    return "ok" if line.ok else "MISSED"


def _print_peers(title: str, peers: list[Peer]) -> None:
    print(f"\n{title}\n{'call':56}{'ns/row':>10}{'x poise':>10}{'limit':>7}  ok?")
    for peer in peers:
        times = "-" if peer.times_poise is None else f"{peer.times_poise:.1f}"
        print(f"{peer.name:56}{peer.ns:10.1f}{times:>10}", end="")
        verdict = "ok" if peer.ok else "MISSED"
        print(f"{'-':>7}" if peer.limit is None else f"{peer.limit:7.0f}  {verdict}")


def _write(path: Path, facts: dict[str, str], pairs: dict[str, Sequence[Line | Ratio]], *others: list[Peer]) -> None:
    table: dict[str, object] = {"facts": facts}
    table |= {name: [asdict(line) for line in lines] for name, lines in pairs.items()}
    for name, peers in zip(("one_row", "peers"), others, strict=True):
        table[name] = [asdict(peer) for peer in peers]
    path.write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")


def _verdict(lines: Sequence[Line | Ratio | Peer], *, gate: bool) -> int:
    """Say how many limits were missed; 1 when any was and the gate is on."""
    missed = sum(not line.ok for line in lines)
    limited = sum(line.limit is not None for line in lines)
    print(f"{limited - missed} of {limited} limits met" if limited else "no limits: poise left out")
    return 1 if missed and gate else 0


if __name__ == "__main__":
    sys.exit(main())
