"""Whole kernels on this computer's GPU: ``bankwise bench``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bankwise.cli.common import Output, app, err, examples, out, progress, write_json

bench = typer.Typer(
    no_args_is_help=True, help="Run generated kernels on this computer's GPU and measure them."
)
app.add_typer(bench, name="bench")

Folder = Annotated[
    str,
    typer.Option("--output", "-o", metavar="DIR", help="Write CSV, JSON and a plot there."),
]
Shapes = Annotated[
    list[str], typer.Option("--shape", metavar="AxBxC", help="Sizes; repeat. Default: all.")
]
Predict = Annotated[bool, typer.Option("--predict", help="Count only; needs no GPU.")]
Replay = Annotated[
    str, typer.Option(metavar="CSV", help="Show a table written before; needs no GPU.")
]
Outputs = Annotated[
    list[str], typer.Option("--output", "-o", metavar="OUT", help="Also .csv .png .svg .pdf.")
]
Repeats = Annotated[int, typer.Option(min=20, help="Launches whose median is the time.")]
Seed = Annotated[int, typer.Option(help="Seed of the random inputs.")]
Form = Annotated[Output, typer.Option("--format", help="How to print.")]


@bench.command(
    epilog=examples(
        "bankwise bench transpose",
        "bankwise bench transpose --size 65536x4096 --dtype fp16 --variants 300 -o results",
        "bankwise bench transpose --size 4095x4097 --size 256x127x129",
    )
)
def transpose(
    size: Annotated[
        list[str],
        typer.Option(
            "--size", metavar="MxK", help="Or a batch, BxMxK. Default: 65536x256, 65536x4096."
        ),
    ] = [],  # noqa: B006 - typer reads the default, nobody changes it
    dtype: Annotated[list[str], typer.Option("--dtype", help="fp16 or fp32; default both.")] = [],  # noqa: B006 - typer reads the default, nobody changes it
    target: Annotated[str, typer.Option("--target", "-t", help="The GPU here.")] = "sm_90",
    variants: Annotated[
        int, typer.Option(min=0, help="Tuned kernels to try per type and size; 0: none.")
    ] = 40,
    repeats: Annotated[int, typer.Option(min=20, help="Launches per kernel.")] = 55,
    seed: Annotated[int, typer.Option(help="Other variants for another seed.")] = 0,
    counters: Annotated[
        bool, typer.Option(help="Also read the conflict counters (ncu, rocprofv3).")
    ] = True,
    output: Folder = "",
    form: Annotated[Output, typer.Option("--format", help="How to print.")] = Output.text,
) -> None:
    """Transpose rung by rung: conflicts predicted and measured, share of a copy's speed."""
    from bankwise.errors import exit_code
    from bankwise.files import make_folder
    from bankwise.lab.bench_transpose import DTYPES, BenchOptions, bench_transpose, read_sizes
    from bankwise.lab.report.documents import transpose_document
    from bankwise.lab.report.transpose_files import save
    from bankwise.lab.report.transposing import print_transpose

    types = tuple(dtype) or DTYPES
    options = BenchOptions(read_sizes(size), types, target, variants, repeats, seed, counters)
    if output:
        make_folder(Path(output))
    with progress("matrices") as advance:
        report = bench_transpose(options, advance)
    if output:
        for path in save(report, Path(output)):
            err().print(f"wrote {path}")
    if form is Output.json:
        write_json(transpose_document(report))
    else:
        print_transpose(report, out())
    raise typer.Exit(exit_code(findings=not report.good))


@bench.command(
    epilog=examples(
        "bankwise bench attention --shape 4x1024x64",
        "bankwise bench attention --replay docs/data/h200_attention/attention.csv",
    )
)
def attention(
    shape: Shapes = [],  # noqa: B006 - typer reads the default, nobody changes it
    predict: Predict = False,
    replay: Replay = "",
    output: Outputs = [],  # noqa: B006
    repeats: Repeats = 21,
    seed: Seed = 0,
    form: Form = Output.text,
) -> None:
    """Fused attention (batch x sequence x head), f16 and f32: no mitigation, padding, swizzle."""
    _bench("attention", shape, predict, replay, output, repeats, seed, form)


@bench.command(
    epilog=examples(
        "bankwise bench gemm --shape 4096x4096x4096",
    )
)
def gemm(
    shape: Shapes = [],  # noqa: B006
    predict: Predict = False,
    replay: Replay = "",
    output: Outputs = [],  # noqa: B006
    repeats: Repeats = 21,
    seed: Seed = 0,
    form: Form = Output.text,
) -> None:
    """C = A B^T (m x n x k), f16 and f32: no mitigation, padding, swizzle."""
    _bench("gemm", shape, predict, replay, output, repeats, seed, form)


def _bench(
    kernel: str,
    shapes: list[str],
    predict: bool,
    replay: str,
    outputs: list[str],
    repeats: int,
    seed: int,
    form: Output,
) -> None:
    from bankwise.errors import exit_code
    from bankwise.lab.bench_attention import bench_attention
    from bankwise.lab.bench_cases import Steps, check_outputs, export, read_shape, replayed
    from bankwise.lab.report import bench_cases as report

    paths = [Path(one) for one in outputs]
    check_outputs(paths)
    if replay:
        found = replayed(kernel, replay)
    else:
        from bankwise.lab.bench_gemm import bench_gemm

        sizes = [read_shape(text) for text in shapes]
        steps = Steps(not predict, not predict, repeats, seed)
        run = bench_attention if kernel == "attention" else bench_gemm
        with progress("shapes") as advance:
            found = run(sizes, steps, advance)
    for path in paths:
        export(found, path)
    if form is Output.json:
        from bankwise.lab.report.documents import bench_document

        write_json(bench_document(found))
    else:
        report.print_bench(found, out())
    raise typer.Exit(exit_code(findings=not found.good))
