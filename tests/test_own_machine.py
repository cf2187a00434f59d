"""A machine file of the user's own: one TOML, no code. Every verb takes it as it takes gfx950."""

from __future__ import annotations

import re
import shutil
from importlib import resources
from pathlib import Path

import pytest

from bankwise.change.compile.compile import compile_text
from bankwise.errors import InputError
from bankwise.hardware import machine as machines
from bankwise.hardware.machine import Machine, machine, parse
from bankwise.hardware.toolchain import LANGUAGES, languages
from bankwise.read.amd.dialect import AMD
from bankwise.read.cuda import cuda_target
from bankwise.read.follow.driver import followed
from bankwise.read.ptx.dialect import PTX
from bankwise.read.sass.dialect import SASS
from command import Ended, bankwise
from isa_texts import amd_text
from kernel_texts import EXAMPLES

DATA = Path(__file__).parent / "data" / "isa"
OWN = "gfx1260"


def shipped(name: str = "gfx950") -> str:
    return (resources.files("bankwise.hardware") / f"{name}.toml").read_text("utf-8")


def own_text() -> str:
    """gfx950 under a new name; IREE and the assembler go on calling it gfx950."""
    text = shipped().replace('name = "gfx950"', f'name = "{OWN}"')
    return text.replace('"hip:gfx950"', f'"hip:{OWN}"')


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of machine files with one machine in it."""
    machines = tmp_path / "machines"
    machines.mkdir()
    (machines / f"{OWN}.toml").write_text(own_text())
    monkeypatch.setenv("BANKWISE_MACHINES", str(machines))
    return machines


def renamed(path: Path, to: Path) -> Path:
    """A copy of ``path`` for the new machine."""
    out = to / path.name.replace("gfx950", OWN)
    out.write_text(path.read_text("utf-8").replace("gfx950", OWN))
    return out


def same(own: Ended, known: Ended, own_path: Path | str = "", path: Path | str = "") -> None:
    """The answer for the new machine is that for gfx950, but for its name and its certificates."""
    assert (own.code, own.err.replace(OWN, "gfx950")) == (known.code, known.err)
    said = own.out.replace(str(own_path), str(path)) if own_path else own.out
    digest = re.compile('digest": "[0-9a-f]+"')
    assert digest.sub("", said.replace(OWN, "gfx950")) == digest.sub("", known.out)


def test_it_stands_beside_those_of_the_package(folder: Path) -> None:
    assert OWN in bankwise("machines").out
    same(
        bankwise("machines", OWN, "--format", "json"),
        bankwise("machines", "gfx950", "--format", "json"),
    )


def test_count_takes_it(folder: Path) -> None:
    words = ("ds_read_b128", "lane*256", "--format", "json")
    same(
        bankwise("count", "--target", OWN, *words), bankwise("count", "--target", "gfx950", *words)
    )


@pytest.mark.parametrize(
    "name", ["triton_matmul.gfx950.amdgcn", "triton_matmul.gfx950.ttgir", "gemm_gfx950.s"]
)
def test_check_reads_code_and_ttgir_that_name_it(name: str, folder: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(DATA / name, tmp_path))  # away from texts that tell more of it
    own = renamed(path, tmp_path)
    words = ("--format", "json", "--worth") if path.suffix == ".s" else ("--format", "json")
    same(bankwise("check", own, *words), bankwise("check", path, *words), own, path)


def test_triton_plan_takes_it(folder: Path, tmp_path: Path) -> None:
    files = [DATA / f"triton_matmul.gfx950.{kind}" for kind in ("ttgir", "amdgcn")]
    own = [renamed(file, tmp_path) for file in files]
    words = ("triton-plan", "--format", "json")
    same(bankwise(*words, *own), bankwise(*words, *files), tmp_path, DATA)


@pytest.mark.parametrize(
    ("verb", "example"),
    [
        ("solve", "solve/ck_kernel04_gfx950.toml"),
        ("check", "transpose_16x32/n_xor_m.toml"),
        ("coalesce", "transpose_16x32/n_xor_m.toml"),
    ],
)
def test_specs_and_problems_name_it(verb: str, example: str, folder: Path, tmp_path: Path) -> None:
    path = EXAMPLES / example
    text = path.read_text("utf-8")
    known, own = tmp_path / f"gfx950_{path.name}", tmp_path / f"{OWN}_{path.name}"
    for to, name in ((known, "gfx950"), (own, OWN)):
        line = f'machine = "{name}"'
        to.write_text(re.sub(r'^machine = ".*"', line, text, flags=re.MULTILINE))
    words = (verb, "--format", "json")
    same(bankwise(*words, own), bankwise(*words, known))


def test_mlir_is_checked_fixed_compiled_and_priced_for_it(folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("iree.compiler", reason="needs the extra [ir]")
    path = EXAMPLES / "gemm_gather_to_lds" / "gemm_gfx950.mlir"
    for words in (("check",), ("cost",)):
        own = bankwise(*words, path, "--target", OWN, "--format", "json")
        same(own, bankwise(*words, path, "--target", "gfx950", "--format", "json"))
    fixed = [tmp_path / f"{name}.mlir" for name in (OWN, "gfx950")]
    ended = [
        bankwise("fix", path, "--target", name, "-o", to)
        for name, to in zip((OWN, "gfx950"), fixed, strict=True)
    ]
    assert ended[0].code == ended[1].code
    assert fixed[0].read_text() == fixed[1].read_text()


def test_a_certificate_for_it_is_judged(folder: Path, tmp_path: Path) -> None:
    problem = renamed(EXAMPLES / "solve" / "ck_kernel04_gfx950.toml", tmp_path)
    certificate = tmp_path / "c.json"
    assert bankwise("solve", problem, "-o", certificate).code == 0
    assert OWN in certificate.read_text()
    assert bankwise("certify", certificate).code == 0


def test_triton_lays_out_scratch_memory_for_the_banks_that_its_file_states(
    folder: Path, tmp_path: Path
) -> None:
    """Nothing falls back to 32 banks because nobody has heard of the name."""
    path = DATA / "triton_transpose.gfx950.ttgir"
    own = renamed(path, tmp_path)
    before = bankwise("check", own, "--format", "json").out
    (folder / "gfx_narrow.toml").write_text(
        own_text()
        .replace(f'name = "{OWN}"', 'name = "gfx_narrow"')
        .replace(f"hip:{OWN}", "hip:gfx_narrow")
        .replace("\nbanks = 64\nread_b128 = [1, 2, 12, 20]", "\nbanks = 32\nread_b128 = [1, 2, 4]")
        .replace("\nwrite_b128 = [1, 2, 4, 8]", "\nwrite_b128 = [1, 2, 4]")
    )
    own.write_text(own.read_text().replace(OWN, "gfx_narrow"))
    after = bankwise("check", own, "--format", "json").out
    assert before != after.replace("gfx_narrow", OWN)


def without(text: str, table: str) -> str:
    """A machine file without one table, or one key."""
    if table == "machine_code":
        return "\n".join(x for x in text.split("\n") if not x.startswith("machine_code"))
    start = text.index(f"[{table}]")
    return text[:start] + text[text.index("\n[", start) + 1 :]


@pytest.mark.parametrize(
    ("key", "words", "says"),
    [
        ("triton", ("check", "T"), "there is no machine"),
        ("triton", ("check", "T", "--target", OWN), "the table [triton] is missing"),
        ("machine_code", ("check", "S"), "machine_code is missing"),
        ("iree", ("cost", "M", "--target", OWN), "the table [iree] is missing"),
    ],
)
def test_what_a_file_leaves_out_is_asked_for_by_name(
    key: str, words: tuple[str, ...], says: str, folder: Path, tmp_path: Path
) -> None:
    (folder / f"{OWN}.toml").write_text(without(own_text(), key))
    files = {
        "T": renamed(DATA / "triton_transpose.gfx950.ttgir", tmp_path),
        "S": renamed(DATA / "gemm_gfx950.s", tmp_path),
        "M": EXAMPLES / "gemm_gather_to_lds" / "gemm_gfx950.mlir",
    }
    ended = bankwise(*(files.get(word, word) for word in words))
    assert ended.code == 2
    assert says in " ".join(ended.err.split())
    assert bankwise("count", "--target", OWN, "ds_read_b128", "lane*16").code == 0


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("machine_code =", "machinecode =", "unknown key 'machinecode'"),
        ('machine_code = ["amd"]', 'machine_code = ["ami"]', "a list of amd, ptx, sass"),
        ('backend = "rocm"', 'backend = "hip"', "'hip' is none of rocm, cuda, none"),
        (f'target = "hip:{OWN}"', 'target = "gfx950"', '"cuda:90", "hip:gfx942"'),
        ("\nbanks = 64\n", "\nbanks = 48\n", "a power of two"),
        ("wave_size = 64", "wave_size = 64\nwaves = 3", "unknown key 'waves'"),
        ("width_bytes = 16", "width_bytes = 16\nmerges = 1", "unknown key 'merges'"),
        (f'name = "{OWN}"', 'name = "another"', "named after 'gfx1260'"),
    ],
)
def test_a_bad_file_is_one_error_that_names_it(old: str, new: str, says: str, folder: Path) -> None:
    assert old in own_text()
    (folder / f"{OWN}.toml").write_text(own_text().replace(old, new, 1))
    with pytest.raises(InputError) as caught:
        machine(OWN)
    assert str(folder / f"{OWN}.toml") in str(caught.value)
    assert says in str(caught.value)


def test_a_machine_of_the_package_is_not_replaced_in_silence(folder: Path) -> None:
    (folder / "gfx950.toml").write_text(shipped())
    with pytest.raises(InputError, match="comes with bankwise already"):
        machine("gfx942")


def test_a_folder_that_is_none_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("BANKWISE_MACHINES", str(tmp_path / "nowhere"))
    ended = bankwise("machines")
    assert ended.code == 2
    assert "BANKWISE_MACHINES" in ended.err


def test_two_machines_of_one_triton_name_are_asked_apart(folder: Path) -> None:
    (folder / f"{OWN}.toml").write_text(own_text().replace(f"hip:{OWN}", "hip:gfx950"))
    path = DATA / "triton_transpose.gfx950.ttgir"
    ended = bankwise("check", path)
    assert ended.code == 2
    assert "gfx1260 and gfx950 are all 'hip:gfx950'" in " ".join(ended.err.split())
    assert bankwise("check", path, "--target", OWN).code in (0, 1)


ROW = """
[[instruction]]
names = ["ds_read_b64_tr_b16"]
direction = "read"
width_bytes = 8
banks = 32
phases = ["0-15", "16-31", "32-47", "48-63"]
span = [1, 2, 4, 8]
source = ["analogy"]
evidence = "assumed"
confidence = 0.3
note = "Working assumption: a test."
"""


def test_an_instruction_is_one_row(folder: Path, tmp_path: Path) -> None:
    """gfx942 has no transposing read; with the row it is counted, wherever it occurs."""
    text = shipped("gfx942").replace('name = "gfx942"', 'name = "gfx_row"')
    (folder / "gfx_row.toml").write_text(text)
    path = tmp_path / "k.s"
    path.write_text(amd_text("\tds_read_b64_tr_b16 v[2:3], v0", target="gfx_row"))
    assert "has no row for ds_read_b64_tr_b16" in " ".join(bankwise("check", path).out.split())
    more = folder / "rows"
    more.mkdir()
    (more / "gfx_row.toml").write_text(text + ROW)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BANKWISE_MACHINES", str(more))
        ended = bankwise("check", path)
        counted = bankwise("count", "--target", "gfx_row", "ds_read_b64_tr_b16", "lane*8")
    assert "has no row" not in ended.out
    assert counted.out.startswith("ds_read_b64_tr_b16 on gfx_row: 4 passes, ideal 4")


def test_every_language_has_one_record() -> None:
    assert {AMD.name, PTX.name, SASS.name} == set(LANGUAGES)


def test_followers_and_compilers_are_those_of_the_files(folder: Path) -> None:
    assert followed(AMD) == (OWN, "gfx90a", "gfx942", "gfx950")
    assert languages(machine("sm_75").tools) == ("ptx",)
    with pytest.raises(InputError, match="unknown target 'nonsense'"):
        compile_text("", "nonsense")


def test_a_file_without_the_new_keys_is_still_a_machine() -> None:
    text = own_text()
    for key in ("triton", "iree", "machine_code"):
        text = without(text, key)
    found = parse(text, "old.toml")
    assert found.instruction("ds_read_b128").banks == 64


def test_cuda_for_no_gpu_reads_the_oldest_machines_and_the_own_ones_alone(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """sm_75 is the oldest, whose code is not followed; sm_80 is next. A file of the user's of an
    older GPU decides."""
    read, real = set[str](), machines._read

    def spied(name: str, shown: str) -> Machine:
        read.add(name)
        return real(name, shown)

    monkeypatch.setattr(machines, "_read", spied)
    assert (cuda_target("", "k.cu"), read) == ("sm_80", {"sm_75", "sm_80", OWN})
    older = (
        shipped("sm_80").replace('name = "sm_80"', 'name = "mine"').replace("cuda:80", "cuda:72")
    )
    (folder / "mine.toml").write_text(older)
    assert cuda_target("", "k.cu") == "mine"
