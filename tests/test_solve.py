"""``solve`` and ``certify``: the worked problems, the JSON contract, the texts, allocations."""

import json
import random
import tomllib
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from bankwise.algebra.address import Fold, Padded
from bankwise.algebra.offset import Shape
from bankwise.ask.certify import certify
from bankwise.ask.solve import solve
from bankwise.ask.tile_problem import tile_problem
from bankwise.counting.conflict import count
from bankwise.errors import InputError, Refusal
from bankwise.hardware.machine import machine, names
from bankwise.read.tile_file.read import read_question
from bankwise.show.documents.solving import solve_document
from bankwise.show.schema import dumps, plain
from bankwise.solver import certify as judge
from bankwise.solver.best import best as best_of
from bankwise.solver.best import certified
from bankwise.solver.certificate import digest
from bankwise.solver.certificate_json import certificate_document
from bankwise.solver.general import listed_workload
from bankwise.solver.price import as_written, cost
from bankwise.solver.spaces import LINEAR, SHUFFLE, Space, row_folds
from bankwise.tile import Tile, Use, runs
from tile_problems import spread

EXAMPLES = Path(__file__).parents[1] / "examples" / "solve"


def example(name, **options):
    return solve(EXAMPLES / f"{name}.toml", **options)


def passes(report):
    return {a.name: int(a.passes) for a in report.accesses}


WORKED = [
    ("transpose_sm90", {"store": 1, "read": 1}),
    ("mfma_operand_gfx942", {"store": 8, "read": 8}),
    ("mfma_operand_narrow_gfx942", {"store": 4, "read": 4}),
    ("attention_k_gfx942", {"store": 4, "read": 4}),
    ("wave_tile_64_gfx950", {"gather_to_lds": 2, "read": 4}),
    ("wave_tile_128_gfx950", {"gather_to_lds": 8, "read": 4}),
    ("fp8_mma_sm90", {"blocked_store": 4, "fragment_read": 1}),
    ("fp8_wgmma_sm90", {"accumulator_store": 1, "row_read": 4}),
    ("fp8_mfma_gfx942", {"blocked_store": 4, "fragment_read": 4}),
    ("fp8_sliced_sm90", {"blocked_store": 4, "sliced_read": 1}),
    ("ck_kernel04_gfx950", {"write": 8, "read": 2}),
    ("ck_kernel08_gfx950", {"write": 8, "read": 4}),
    ("ck_kernel10_gfx950", {"write": 8, "read": 2}),
    ("masked_odd_sm90", {"store": 1, "column": 1}),
    ("wgmma_operand_sm90", {"second": 4, "multiply": 4}),
]
ABOVE_THE_FLOOR = {"wgmma_epilogue_sm90"}
"""By hand in tests/test_canonical.py."""


def test_every_example_is_worked_here():
    named = {name for name, _ in WORKED} | ABOVE_THE_FLOOR
    assert named == {path.stem for path in EXAMPLES.glob("*.toml")}


@pytest.mark.parametrize(("name", "expected"), WORKED, ids=[name for name, _ in WORKED])
def test_a_worked_problem_is_solved_certified_and_said_in_texts_that_agree(name, expected):
    report = example(name)
    assert passes(report) == expected
    assert report.optimal
    assert report.exit_code == 0
    assert report.total_passes == report.total_floor
    dims = report.layout.layout
    document = plain(solve_document(report))
    assert json.loads(json.dumps(document)) == document
    if report.certificate is None:
        return
    assert judge.check(report.certificate).accepted
    shape = report.certificate.dims
    element = np.arange(1 << sum(bits for _, bits in shape))
    values, first = {}, 0
    for dim, bits in shape:
        values[dim] = element >> first & (1 << bits) - 1
        first += bits
    offsets = dims(element)
    layout = document["layout"]
    assert np.array_equal(eval(layout["offset"], dict(values)), offsets)
    assert np.array_equal(run_mlir_lines(layout["emit"]["mlir"], values), offsets)
    named = [f"{dim}{i}" for dim, bits in shape for i in range(bits)]
    assert [layout["bases"][bit] for bit in named] == [
        int(offsets[1 << i]) for i in range(len(named))
    ]


ARITH = {
    "muli": np.multiply,
    "addi": np.add,
    "xori": np.bitwise_xor,
    "andi": np.bitwise_and,
    "shrui": np.right_shift,
    "remui": np.remainder,
}


def run_mlir_lines(text, values):
    """The last value of lines of arith, interpreted."""
    known, last = {f"%{k}": v for k, v in values.items()}, None
    for line in text.splitlines():
        if line.startswith("//"):
            return known[line.split()[-1]]
        name, _, operation, *rest = line.split(" ")
        operands = "".join(rest).split(":")[0].split(",")
        if operation == "arith.constant":
            last = int(operands[0])
        else:
            a, b = (known[o] for o in operands)
            last = ARITH[operation.removeprefix("arith.")](a, b)
        known[name] = last
    return last


def test_the_transpose_is_n_xor_2m_in_every_notation_that_can_say_it():
    report = example("transpose_sm90", steps=True)
    assert report.layout.offset == "32 * m + (n ^ 2 * m)"
    assert report.family_size == 322_560
    assert report.emit["cute"] == "Sw<4,1,4> o 0 o (16,32):(32,1)"
    assert report.emit["iree"] == "#iree_codegen.xor_shuffle<32, 2>"
    assert report.emit["wave"].startswith("not a member")
    assert "5 passes, 3 more" in report.emit["wave"]
    assert "m0^n1 m1^n2 m2^n3 m3^n4" in {v for s in report.steps for _, v in s.values}


def test_narrow_and_wide_stores_stand_side_by_side():
    report = example("mfma_operand_narrow_gfx942")
    assert report.notes == ("store as 2 x ds_write_b64",)
    prices = {(int(c.passes), c.instructions) for c in report.pareto if c.lds_bytes == 16384}
    assert {(12, 3), (16, 2)} <= prices
    wide = example("mfma_operand_gfx942")
    assert {(int(c.passes), c.instructions) for c in wide.pareto if c.lds_bytes == 16384} >= {
        (16, 2)
    }


def test_the_attention_tile_has_three_plans_and_the_cheapest_is_the_answer():
    """The ways that the talk leaves open: whole, padded, split; and what each is cheaper than."""
    report = example("attention_k_gfx942")
    front = {(p.passes, p.issue_cycles): p for p in report.pareto}
    assert {(40, 36), (32, 36), (24, 40)} <= set(front)
    assert front[40, 36].lds_bytes == front[24, 40].lds_bytes == 16_384
    assert front[32, 36].assumed == ("ds_write2_b64",)
    assert (report.layout.passes, report.layout.cycles) == (24, 64)
    assert report.layout.splits == ("store as 2 x ds_write_b64",)
    assert [(p.passes, p.cycles) for p in report.baselines] == [(264, 300), (32, 68)]
    assert report.standing.proved
    whole = example("attention_k_gfx942", prefer="fewest-instructions")
    assert (whole.layout.passes, whole.layout.instructions) == (32, 5)
    document = plain(solve_document(report))
    assert document["plan"]["splits"] == list(report.layout.splits)
    assert document["standing"]["proved"]
    assert [b["issue_cycles"] for b in document["baselines"]] == [36, 36]
    with pytest.raises(InputError, match="fewest-pass"):
        example("attention_k_gfx942", prefer="fewest-pass")


def test_a_kernel_of_f16_a_b_transposed_takes_9216_passes_in_the_same_memory():
    """384 stores and 1,536 reads of a workgroup: what IREE's padding does takes 12,288."""
    question = tomllib.loads((EXAMPLES / "attention_k_gfx942.toml").read_text())
    store, read = question["access"]
    asked = {**question, "access": [{**store, "weight": 384}, {**read, "weight": 1536}]}
    report = solve(asked)
    assert report.total_passes == 9_216
    assert report.layout.lds_bytes == 16_384
    assert {9_216, 12_288, 15_360} <= {p.passes for p in report.pareto}
    whole = solve({**asked, "solve": {"allow_narrowing": False, "max_lds_bytes": 16_384}})
    assert whole.total_passes == 15_360
    assert whole.known.conditions[0] == "with accesses left whole"


def test_nobody_knows_what_a_split_costs_where_issue_cycles_are_not_known():
    question = tomllib.loads((EXAMPLES / "attention_k_gfx942.toml").read_text())
    lanes = [" ".join(a["lanes"].split()[:5]) for a in question["access"]]
    accesses = [{**a, "lanes": x} for a, x in zip(question["access"], lanes, strict=True)]
    asked = {**question, "machine": "sm_80", "access": accesses}
    report = solve(asked, policy="ck")
    assert report.layout.cycles is None
    assert report.layout.splits == ()
    assert report.standing.proved
    assert all(p.issue_cycles is None for p in report.pareto)
    assert plain(solve_document(report))["plan"]["issue_cycles"] is None
    padded = solve(asked)
    assert min(p.passes for p in padded.baselines) < report.total_passes, "IREE pads unasked"
    assert padded.total_passes <= min(p.passes for p in padded.baselines)
    assert not padded.standing.proved
    assert padded.exit_code == 3
    assert "no more passes than what is there" in str(padded.standing)


def test_wave_reaches_the_optimum_at_64_columns_and_8_passes_per_read_at_128():
    narrow, wide = (example(f"wave_tile_{n}_gfx950", family="wave") for n in (64, 128))
    assert passes(narrow)["read"] == 4
    assert narrow.optimal
    assert passes(wide)["read"] == 8
    assert not wide.optimal
    assert wide.exit_code == 1
    assert judge.check(wide.certificate).accepted


def test_composable_kernels_32_bank_descriptor_is_kernel_04_and_loses_6_passes_per_read():
    """Another XOR transform of CK reaches the optimum."""
    report = example("ck_kernel04_gfx950")
    assert (report.fits["ck"].best.passes, report.fits["ck"].lost) == (10, 0)
    fold = Fold(64, 8, 8)
    stated = tile_problem(read_question(EXAMPLES / "ck_kernel04_gfx950.toml"))
    work = listed_workload(stated.machine, stated.shape, stated.accesses)
    assert [u.passes for u in cost(work, fold).uses] == [8, 8]


PROBLEM = {
    "machine": "sm_90",
    "tile": {"shape": [16, 32], "element_bits": 32},
    "access": [
        {"name": "store", "op": "write", "lanes": "n0 n1 n2 n3 n4", "registers": "m0 m1 m2 m3"},
        {"name": "read", "op": "read", "lanes": "m0 m1 m2 m3 n0", "weight": 4},
    ],
}


def test_the_json_has_the_keys_of_its_contract():
    document = plain(solve_document(solve(PROBLEM)))
    assert document["schema"] == "bankwise.solve/1"
    assert (document["machine"], document["total_passes"], document["total_floor"]) == (
        "sm_90",
        5,
        5,
    )
    assert document["optimal"] is True
    assert document["how"] == "every access is ideal"
    assert (document["space"], document["conditions"]) == (
        "all layouts",
        ["with accesses left whole"],
    )
    for access in document["accesses"]:
        assert {"name", "instruction", "passes", "ideal", "floor"} <= set(access)
    assert document["layout"]["bases"]["m0"] == 34
    assert {"python", "c", "mlir", "cute", "triton", "iree", "wave", "ck"} <= set(
        document["layout"]["emit"]
    )
    assert {"passes", "instructions", "lds_bytes", "operations"} <= set(document["pareto"][0])


def test_two_vectors_that_exclude_each_other_are_refused_by_name():
    tile = {"shape": [64, 64], "element_bits": 16}
    rows = {"name": "rows", "op": "write", "lanes": "m0 m1 m2 m3 m4", "vector": "n0 n1 n2"}
    columns = {"name": "columns", "op": "read", "lanes": "n0 n1 n2 n3 n4", "vector": "m0 m1 m2"}
    whole = {"allow_narrowing": False}
    report = solve({"machine": "sm_90", "tile": tile, "access": [rows, columns], "solve": whole})
    assert report.exit_code == 2
    assert "'rows'" in report.refusal.reason
    assert "'columns'" in report.refusal.reason
    assert plain(solve_document(report))["layout"] is None


def test_a_family_restricts_the_answer_and_padding_has_no_certificate():
    report = solve({**PROBLEM, "solve": {"family": "padding"}})
    assert report.layout.layout == Padded(32, 2)
    assert report.layout.offset == "34 * m + n"
    assert report.certificate is None
    assert report.optimal
    assert report.known.space == "all layouts"
    small = solve({**PROBLEM, "solve": {"family": "padding", "max_lds_bytes": 2110}})
    assert small.layout.layout == Padded(32, 1)
    with pytest.raises(InputError, match="unknown family"):
        solve(PROBLEM, family="no")


def test_a_budget_in_seconds_is_kept_and_labelled():
    lanes = random.Random(7)
    reads = [
        {"name": f"r{i}", "op": "read", "lanes": " ".join(lanes.sample(BITS, 5))} for i in range(40)
    ]
    tile = {"shape": [64, 128], "element_bits": 32}
    report = solve({"machine": "sm_90", "tile": tile, "access": reads}, budget_s=0.01)
    assert report.known.how.startswith(("best found within the budget", "exhausted", "reaches"))
    assert report.optimal == (not report.known.how.startswith("best"))
    assert report.total_floor <= report.known.at_least <= report.total_passes
    with pytest.raises(InputError, match="no positive number"):
        solve(PROBLEM, budget_s=0)


BITS = [f"n{i}" for i in range(7)] + [f"m{i}" for i in range(6)]


def test_a_mask_is_counted_and_the_optimum_of_the_whole_wave_is_tried():
    masked = dict(PROBLEM["access"][1], active="lane < 20")
    report = solve({**PROBLEM, "access": [PROBLEM["access"][0], masked]})
    assert passes(report) == {"store": 1, "read": 1}
    assert str(report.known) == (
        "optimal among all layouts, with accesses left whole: every access is ideal"
    )
    lanes = "m0 m1 m2 m3 m0^n0"
    hard = {"name": "hard", "op": "read", "lanes": "m0 m1 m2 m3 n0", "active": "lane != 3"}
    other = {"name": "other", "op": "read", "lanes": lanes, "active": "lane != 3"}
    third = {"name": "third", "op": "read", "lanes": "n0^m1 n1 m0 m1^n2 m2"}
    found = solve({**PROBLEM, "access": [PROBLEM["access"][0], hard, other, third]})
    assert found.certificate is None
    assert found.optimal == (found.total_passes == sum(a.ideal for a in found.accesses))


def test_reg_counts_the_registers_of_its_access_only():
    store = dict(PROBLEM["access"][0], registers="m0", active="reg == 1 or lane < 16")
    report = solve({**PROBLEM, "access": [store, PROBLEM["access"][1]]})
    assert report.accesses[0].ideal == 1
    half = dict(store, active="reg == 1")
    report = solve({**PROBLEM, "access": [half, PROBLEM["access"][1]]})
    assert report.accesses[0].ideal == Fraction(1, 2)


def test_a_two_address_instruction_is_counted_as_what_it_is():
    """Each of its rounds fetches one half of every lane's 16 bytes: half of the banks."""
    tile = {"shape": [64, 64], "element_bits": 16}
    read = {
        "name": "read",
        "op": "read",
        "lanes": "m0 m1 m2 m3 n3 n4",
        "vector": "n0 n1 n2",
        "instruction": "ds_read2_b64",
    }
    asked = {"machine": "gfx942", "tile": tile, "access": [read]}
    report = solve({**asked, "solve": {"max_lds_bytes": 8192}})
    row = machine("gfx942").instruction("ds_read2_b64")
    assert report.accesses[0].instruction == "ds_read2_b64"
    assert report.accesses[0].ideal == 2 * len(row.phases)
    assert report.accesses[0].passes == 2 * report.accesses[0].ideal
    padded = solve(asked)
    assert padded.accesses[0].passes == padded.accesses[0].ideal
    assert padded.layout.lds_bytes > 8192


def test_a_copy_reports_the_lines_it_fetches():
    report = example("wave_tile_128_gfx950")
    assert report.accesses[0].lines == (8.0, 8.0)


@pytest.mark.parametrize("name", names())
def test_every_machine_solves_a_transpose(name):
    lanes = machine(name).wave_size.bit_length() - 1
    tile = {"shape": [64, 64], "element_bits": 32}
    store = {"name": "w", "op": "write", "lanes": " ".join(BITS[:6][:lanes])}
    read = {"name": "r", "op": "read", "lanes": " ".join(f"m{i}" for i in range(lanes))}
    report = solve({"machine": name, "tile": tile, "access": [store, read]})
    assert report.optimal
    assert judge.check(report.certificate).accepted


# --- certify --------------------------------------------------------------------------------------


def test_certify_reads_certificates_and_answers_and_rejects_damage(tmp_path):
    report = solve(PROBLEM)
    stated = json.loads(dumps(certificate_document(report.certificate)))
    for data in (stated, plain(solve_document(report))):
        file = tmp_path / "cert.json"
        file.write_text(json.dumps(data))
        certificate, verdict = certify(file)
        assert certificate == report.certificate
        assert verdict.accepted
    with pytest.raises(InputError, match="digest"):
        certify({**stated, "total_passes": 1})
    file.write_text('{"schema": "bankwise.certificate/1",')
    with pytest.raises(InputError, match="not JSON"):
        certify(file)
    with pytest.raises(InputError, match="no such file"):
        certify(tmp_path / "none.json")
    with pytest.raises(InputError, match="no certificate"):
        certify(plain(solve_document(solve(PROBLEM, family="padding"))))


@pytest.mark.parametrize("name", ["transpose_sm90", "mfma_operand_gfx942", "fp8_mma_sm90"])
def test_a_certificate_with_any_number_changed_is_rejected(name):
    stated = json.loads(dumps(certificate_document(example(name).certificate)))
    for path in number_paths(stated):
        body = json.loads(json.dumps(stated))
        table = body
        for key in path[:-1]:
            table = table[key]
        table[path[-1]] += 1
        body["digest"] = digest(body)
        try:
            _, verdict = certify(body)
        except InputError:
            continue
        assert not verdict.accepted, path


def number_paths(value, path=()):
    if isinstance(value, dict):
        return [p for k, v in value.items() for p in number_paths(v, (*path, k))]
    if isinstance(value, list):
        return [p for i, v in enumerate(value) for p in number_paths(v, (*path, i))]
    return [path] if type(value) is int else []


# --- allocations of a kernel ----------------------------------------------------------------------


def demand(name, row, lanes, span, weight=1, waves=(0,), active=None):
    """An access of one wave after the other, each executed ``weight`` times."""
    starts = np.array([spread(lanes) ^ wave for wave in waves])
    mask = np.ones(starts.shape, bool) if active is None else active
    instruction = machine(name).instruction(row)
    written = as_written(instruction)
    return Use(row, instruction.direction, runs(starts, span), mask, *written, weight * len(waves))


def tile_of(row, elements, size, *uses):
    return Tile(Shape((("n", row), ("m", elements // row)), 8 * size), uses)


def best_plan(tile, name):
    space = Space(LINEAR, tuple(row_folds(tile, [tile.row])), linear=True)
    found = best_of(tile, machine(name), [space])
    return found, found.plans[0], found.known(found.plans[0])


def test_the_optimum_of_an_allocation_is_exact_where_its_accesses_are_linear():
    lanes = [1 << i for i in range(7, 11)]
    store = demand("gfx942", "ds_write_b128", [8, 16, 32, 64, 128, 256], 8, 1, (0, 512, 1024))
    read = demand("gfx942", "ds_read_b64", [*lanes, 4, 8], 4, 5, (0, 16))
    tile = tile_of(128, 8192, 2, store, read)
    found, plan, known = best_plan(tile, "gfx942")
    assert plan.passes == 3 * 8 + 2 * 5 * 8
    assert found.present.passes == 3 * 8 + 2 * 5 * 64
    assert known.optimal
    assert known.at_least == plan.passes
    assert judge.check(certified(found, plan.layout)).accepted
    folds = best_of(tile, machine("gfx942"), [Space(SHUFFLE, tuple(row_folds(tile, [128])))])
    assert plan.passes <= folds.plans[0].passes


@pytest.mark.parametrize("seed", range(20))
def test_the_best_layout_of_an_allocation_costs_by_counting_what_it_says(seed):
    rng = random.Random(seed)
    bits = [1 << i for i in range(2, 12)]
    weights = [rng.randint(1, 3) for _ in range(3)]
    uses = [
        demand("gfx950", "ds_read_b64", rng.sample(bits, 6), 4, weight, (0, 4 << seed % 9))
        for weight in weights
    ]
    found, plan, _ = best_plan(tile_of(64, 4096, 2, *uses), "gfx950")
    row = machine("gfx950").instruction("ds_read_b64")
    total = sum(
        int(count(row, plan.layout(use.elements[..., 0]) * 2).passes.sum()) * weight
        for use, weight in zip(uses, weights, strict=True)
    )
    assert plan.passes == total
    assert plan.passes <= found.present.passes


def test_an_allocation_that_is_not_linear_says_why():
    mask = np.ones((1, 32), bool)
    mask[0, 7] = False
    lanes = [32 << i for i in range(5)]
    read = demand("sm_90", "ld.shared.b32", lanes, 1, active=mask)
    found, plan, known = best_plan(tile_of(32, 1024, 4, read), "sm_90")
    assert certified(found, plan.layout) is None
    assert known.optimal == (plan.passes == plan.ideal)
    plain = demand("sm_90", "ld.shared.b32", lanes, 1)
    copy = Use("copy", "write", runs(np.array([[0, 16]]), 16), np.ones((1, 2), bool), kind="dma")
    found, plan, known = best_plan(tile_of(32, 1024, 4, plain, copy), "sm_90")
    assert "units" in known.how
    assert isinstance(found.proof, Refusal)
    assert plan.passes >= plan.ideal
