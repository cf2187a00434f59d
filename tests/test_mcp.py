"""``bankwise mcp``: a real process, a real client, real files; and nothing outside of its roots."""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters

import make_llms
from bankwise.ask.jobs import Jobs
from bankwise.errors import InputError
from bankwise.hardware.folders import machine_files
from bankwise.hardware.machine import machine
from bankwise.read.toolkit import find_program
from bankwise.servers.mcp.asked import AgentLimits, Desk
from bankwise.servers.mcp.kept import Kept
from bankwise.servers.mcp.roots import real_roots
from bankwise.servers.mcp.tools import MOST_TEXT, TOOLS
from bankwise.show.schema import json_schema
from brute import brute_count
from command import bankwise

ROOT = Path(__file__).parents[1]
DATA = Path(__file__).parent / "data"
PTX = (DATA / "ptx_fix/transpose.ptx").read_text("utf-8")
SERVER = "from bankwise.cli import main; main()"
SECRET = "the_secret_of_somebody_else"
Values = dict[str, Any]


class Agent:
    """A client that holds every answer against the schema that its tool announced."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.schemas: dict[str, Values] = {}

    async def call(self, tool: str, **values: Any) -> Values:
        """The document of an answer."""
        found = await self.client.call_tool(tool, values)
        assert not found.is_error, found.content
        jsonschema.validate(found.structured_content, self.schemas[tool])
        text = found.content[0]
        assert text.type == "text"
        assert json.loads(text.text) == found.structured_content
        return dict(found.structured_content)

    async def error(self, tool: str, values: Values) -> str:
        """The words of an answer that is none."""
        found = await self.client.call_tool(tool, values)
        assert found.is_error, found.structured_content
        text = found.content[0]
        assert text.type == "text"
        assert "Traceback" not in text.text
        assert "internal error" not in text.text
        return text.text


@asynccontextmanager
async def serving(root: Path, *options: str) -> AsyncIterator[Agent]:
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    words = ["-c", SERVER, "mcp", "--root", str(root), *options]
    async with Client(StdioServerParameters(command=sys.executable, args=words, env=env)) as client:
        agent = Agent(client)
        for tool in (await client.list_tools()).tools:
            assert tool.output_schema is not None
            for schema in (tool.input_schema, tool.output_schema):
                jsonschema.Draft202012Validator.check_schema(schema)
                assert schema["type"] == "object"
            agent.schemas[tool.name] = tool.output_schema
        yield agent


def session(root: Path, scenario: Callable[[Agent], Awaitable[None]], *options: str) -> None:
    async def run() -> None:
        async with serving(root, *options) as agent:
            await scenario(agent)

    asyncio.run(run())


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with a kernel, and beside it what nobody may read."""
    made = tmp_path / "root"
    (made / "sub").mkdir(parents=True)
    (made / "sub/transpose.ptx").write_text(PTX, "utf-8")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.ptx").write_text(PTX.replace("tile", SECRET), "utf-8")
    launch = f'[[launch]]\nkernel = "{SECRET}"\n{SECRET} = 1\n'
    (outside / "launches.toml").write_text(launch, "utf-8")
    (outside / "bankwise.toml").write_text(f'kernel = "{SECRET}"\nwrong = 3\n', "utf-8")
    return made


def test_a_check_is_short_and_the_rest_of_it_can_be_read_in_pieces(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(root)
    whole = json.loads(bankwise("check", "sub/transpose.ptx", "--format", "json").out)
    reads = [n for n, line in enumerate(PTX.splitlines(), 1) if "ld.shared" in line]
    reads += [n for n, line in enumerate(PTX.splitlines(), 1) if "ld.u32" in line]

    async def scenario(agent: Agent) -> None:
        assert list(agent.schemas) == list(TOOLS)
        found = await agent.call("check", file="sub/transpose.ptx")
        assert (found["of"], found["exit_code"]) == (whole["schema"], 1)
        assert found["verdict"] == whole["verdict"]
        (one,) = found["findings"]
        assert one["message"] == "32-way bank conflict: read of tile"
        places = {one["place"], *one["also"]}
        assert places == {f"sub/transpose.ptx:{line}" for line in reads}
        assert found["findings_in_all"] == len(reads)
        assert len(json.dumps(found)) < len(json.dumps(whole)) / 4
        assert found["left"]["accesses"] == len(whole["accesses"])

        pages: list[Any] = []
        start: int | None = 0
        while start is not None:
            asked = {"answer": found["answer"], "at": "/accesses", "start": start, "many": 3}
            page = await agent.call("more", **asked)
            pages += page["value"]
            start = page["next"]
        assert pages == whole["accesses"]
        top = await agent.call("more", answer=found["answer"])
        assert set(top["value"]) == set(whole) - {"folder"}
        said = await agent.call("more", answer=found["answer"], at="/verdict", start=3, many=4)
        assert said["value"] == whole["verdict"][3:7]
        again = await agent.call("check", text=PTX, name="../../etc/k.ptx", kernel="trans*")
        assert again["findings"][0]["place"] == f"pasted.ptx:{reads[0]}"
        assert again["verdict"] == whole["verdict"]

    session(root, scenario)


def test_a_fix_is_a_patch_that_git_takes_and_no_file_is_written(root: Path) -> None:
    async def scenario(agent: Agent) -> None:
        found = await agent.call("fix", file="sub/transpose.ptx")
        verdicts = {one["judge"]: one["status"] for one in found["verdicts"]}
        assert verdicts["proof"] == "passed"
        assert [p.name for p in root.rglob("*")] == ["sub", "transpose.ptx"]
        assert (root / "sub/transpose.ptx").read_text("utf-8") == PTX
        subprocess.run(["git", "apply", "-"], cwd=root, input=found["patch"].encode(), check=True)
        assert (root / "sub/transpose.ptx").read_text("utf-8") != PTX
        after = await agent.call("check", file=str(root / "sub/transpose.ptx"))
        assert after["exit_code"] == 0
        assert after["findings"] == []

    session(root, scenario)


def test_count_solve_and_explain_say_what_the_command_says(tmp_path: Path) -> None:
    question = ROOT / "examples/solve/wave_tile_128_gfx950.toml"
    (tmp_path / "tile.toml").write_text(question.read_text("utf-8"), "utf-8")

    async def scenario(agent: Agent) -> None:
        asked = {"target": "gfx950", "instruction": "ds_read_b128"}
        found = await agent.call("count", **asked, offsets="lane%16*128 + lane//16*16")
        row = machine("gfx950").instruction("ds_read_b128")
        offsets = [x % 16 * 128 + x // 16 * 16 for x in range(64)]
        wanted = brute_count(row, [offsets], [True] * 64)
        assert (found["passes"], found["ideal"], found["ways"]) == wanted

        found = await agent.call("solve", file="tile.toml")
        whole = json.loads(bankwise("solve", question, "--format", "json").out)
        assert (found["passes"], found["optimal"]) == (whole["total_passes"], whole["optimal"])
        texts = {one["language"]: one["text"] for one in found["layouts"]}
        assert texts == whole["layout"]["emit"]

        rule = await agent.call("explain", name="bank-conflict")
        assert rule == json.loads(bankwise("explain", "bank-conflict", "--format", "json").out)
        assert "did you mean bank-conflict" in await agent.error(
            "explain", {"name": "bank-conflic"}
        )

        word = await agent.call("explain", name="wavefront in Nsight")
        assert word == json.loads(bankwise("explain", "pass", "--format", "json").out)

        drawn = await agent.call("show", layout="Swizzle<3,4,3>", target="sm_90")
        piece = await agent.call("more", answer=drawn["answer"], at="/offsets", many=8)
        # Bits 7 to 9 of a byte offset go onto bits 4 to 6: rows of 128 bytes.
        rows = [[row * 128 + (byte ^ row << 4) for byte in range(128)] for row in range(8)]
        assert piece["value"] == rows
        assert len(drawn["layouts"][0]["text"]) > 200
        assert "error" in await agent.error("show", {"layout": "nothing of ours"})

    session(tmp_path, scenario)


def test_nothing_outside_of_the_roots_is_read(root: Path) -> None:
    outside = root.parent / "outside"
    (root / "link.ptx").symlink_to(outside / "secret.ptx")
    (root / "linked").symlink_to(outside)
    (root / "dump").mkdir()
    (root / "dump/k.ptx").symlink_to(outside / "secret.ptx")
    (root / "bankwise.toml").symlink_to(outside / "bankwise.toml")
    names = [str(outside / "secret.ptx"), "../outside/secret.ptx", "link.ptx", "linked"]
    names += ["linked/secret.ptx", "sub/../../outside/secret.ptx", "/etc/passwd", "/", ".."]
    gone = [str(outside / "gone.ptx"), "../outside/gone.ptx", "linked/gone.ptx"]
    # The lines of the kernel are said to be those of a file outside.
    listed = f'.file 1 "{outside}/secret.ptx"\n' + PTX.replace(
        "\tld.shared.u32 \t%r16", "\t.loc 1 9 1\n\tld.shared.u32 \t%r16"
    )

    async def scenario(agent: Agent) -> None:
        for name in (*names, *gone):
            said = await agent.error("check", {"file": name})
            assert said.startswith(f"error: {name!r} is outside of the roots"), said
            assert SECRET not in said
        for name in ("", "sub/gone.ptx", "a\0b", "~/.bashrc", "x" * 10_000, "sub/transpose.ptx/x"):
            await agent.error("check", {"file": name})
        launch = [str(outside / "launches.toml")]
        for asked in (
            {"file": "dump"},
            {"file": "sub/transpose.ptx"},
            {"file": "sub/transpose.ptx", "launch": launch},
            {"text": listed, "name": "k.ptx"},
        ):
            short = await agent.client.call_tool("check", asked)
            assert SECRET not in str(short)
            if short.is_error:
                continue
            for at in ("", "/accesses", "/kernels", "/notes", "/refusals"):
                piece = {"answer": short.structured_content["answer"], "at": at, "many": 100}
                assert SECRET not in str(await agent.client.call_tool("more", piece))

    session(root, scenario)


def test_a_fence_holds_for_whatever_a_process_opens(tmp_path: Path) -> None:
    inner, own = tmp_path / "inner", tmp_path / "own"
    inner.mkdir(), own.mkdir()
    (inner / "a").write_text("a"), (tmp_path / "b").write_text(SECRET)
    (inner / "link").symlink_to(tmp_path / "b")
    code = f"""
import os, pathlib
from bankwise.ask.fence import stay_inside
stay_inside(({str(inner)!r},), {str(own)!r})
def told(what):
    try:
        what()
        return "done"
    except PermissionError:
        return "refused"
here, out = pathlib.Path({str(inner)!r}), pathlib.Path({str(tmp_path)!r})
print(*(told(one) for one in (
    (here / "a").read_text, (here / "link").read_text, (out / "b").read_text,
    lambda: os.listdir(out), lambda: os.listdir(here), lambda: os.open(out / "b", os.O_RDONLY),
    lambda: (here / "a").write_text("x"), lambda: (here / "new").touch(),
    lambda: pathlib.Path({str(own)!r}, "c").write_text("c"), lambda: open("/etc/passwd"),
)))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    wanted = "done refused refused refused done refused refused refused done refused"
    assert done.stdout.split() == wanted.split()
    assert (inner / "a").read_text() == "a"


def test_source_is_compiled_only_where_that_was_allowed(root: Path) -> None:
    source = (DATA / "cuda_fix/transpose_f32.cu").read_text("utf-8")
    (root / "k.cu").write_text(source, "utf-8")
    compiler = find_program("nvcc") is not None and find_program("nvdisasm") is not None

    async def refused(agent: Agent) -> None:
        for asked in ({"file": "k.cu"}, {"text": source, "name": "k.cu"}):
            for tool in ("check", "fix"):
                assert "bankwise mcp --compile" in await agent.error(tool, asked)

    async def allowed(agent: Agent) -> None:
        (root / "bankwise.toml").write_text('target = "sm_90"\nflags = ["-DUNUSED=1"]\n', "utf-8")
        found = await agent.call("check", file="k.cu")
        assert found["findings"][0]["message"].startswith("32-way bank conflict: read of tile[")
        found = await agent.call("check", text=source, name="k.cu", target="sm_90")
        assert found["findings"][0]["place"].startswith("k.cu:7:")

    session(root, refused)
    if compiler:
        session(root, allowed, "--compile")


def test_whatever_it_is_asked_with_it_answers(root: Path) -> None:
    rng = random.Random(6)
    values = ("", 0, -1, None, True, [], {}, ["x"], "x", "sub", "sub/transpose.ptx", "\0", "9" * 50)
    keys = ["file", "text", "name", "target", "launch", "arg", "at", "answer", "start", "offsets"]

    async def scenario(agent: Agent) -> None:
        for _ in range(150):
            tool = rng.choice([*TOOLS, "none"])
            asked = {rng.choice(keys): rng.choice(values) for _ in range(rng.randrange(4))}
            if asked.get("file") in ("sub", "sub/transpose.ptx"):
                continue
            await agent.error(tool, asked)
        too_long = {"text": "x" * (MOST_TEXT + 1)}
        assert f"length <= {MOST_TEXT}" in await agent.error("check", too_long)
        assert (await agent.call("check", text=PTX))["exit_code"] == 1

    session(root, scenario)


def test_what_may_be_read_beside_answers(root: Path) -> None:
    async def scenario(agent: Agent) -> None:
        lists = [one.uri for one in (await agent.client.list_resources()).resources]
        names = ("glossary", "rules", "machines", "schemas")
        assert lists == [f"bankwise://{name}" for name in names]
        for uri in lists:
            text = (await agent.client.read_resource(uri)).contents[0].text  # type: ignore[union-attr]
            places = [line.split(": ")[0].removeprefix("- ") for line in text.splitlines()[2:]]
            assert len(places) > 10
            for place in places:
                (content,) = (await agent.client.read_resource(place)).contents
                if uri.endswith("machines"):
                    name = place.rpartition("/")[2]
                    assert content.text == machine_files()[name].read_text("utf-8")  # type: ignore[union-attr]
                if uri.endswith("schemas"):
                    name = place.removeprefix("bankwise://schemas/")
                    schema = json.loads(json.dumps(json_schema(name)))
                    assert json.loads(content.text) == schema  # type: ignore[union-attr]
        for wrong in ("bankwise://machines/../x", "file:///etc/passwd", "bankwise://", "x"):
            with pytest.raises(Exception, match="nothing is at"):
                await agent.client.read_resource(wrong)

    session(root, scenario)


def desk(folder: Path, code: str, **limits: Any) -> Desk:
    """A desk whose jobs run this Python text instead of bankwise."""
    worker = folder / "worker.py"
    worker.write_text(code, "utf-8")
    jobs = Jobs(worker=(sys.executable, str(worker)), **limits)
    return Desk(AgentLimits(real_roots([folder])), jobs)


def alive(number: int) -> bool:
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    return True


def test_who_is_no_longer_waited_for_is_ended(tmp_path: Path) -> None:
    marker = tmp_path / "pid"
    code = f"import os, time\nopen({str(marker)!r}, 'w').write(str(os.getpid()))\ntime.sleep(600)"
    asked = desk(tmp_path, code)

    async def run() -> None:
        call = asyncio.create_task(asked.call("check", {"text": PTX}))
        while not marker.exists() or not marker.read_text():
            await asyncio.sleep(0.01)
        call.cancel()
        with suppress(asyncio.CancelledError):
            await call

    asyncio.run(run())
    asked.jobs.close()
    number, until = int(marker.read_text()), time.monotonic() + 60
    while alive(number) and time.monotonic() < until:
        time.sleep(0.01)
    assert not alive(number)


def test_a_job_has_its_time_and_some_come_one_after_the_other(tmp_path: Path) -> None:
    asked = desk(tmp_path, "import time\ntime.sleep(600)", seconds=0.2)

    async def run() -> None:
        for _ in range(3):
            calls = [asked.call("check", {"text": PTX}) for _ in range(4)]
            for told in await asyncio.gather(*calls, return_exceptions=True):
                assert isinstance(told, InputError)
                assert "ended after 0.2 s" in str(told)

    asyncio.run(run())
    asked.jobs.close()


def nested(rng: random.Random, depth: int) -> Any:
    kind = rng.randrange(5 if depth else 2)
    if kind == 0:
        return rng.randrange(1_000)
    if kind == 1:
        return "x~/" * rng.randrange(300)
    if kind == 2:
        return [nested(rng, depth - 1) for _ in range(rng.randrange(30))]
    return {f"k~/{n}": nested(rng, depth - 1) for n in range(rng.randrange(12))}


def read(kept: Kept, name: str, at: str = "") -> Any:
    """A value put together from its pieces, as an agent would."""
    first = kept.piece(name, at, 0, 7)
    value = first.value
    step = first
    while step.next is not None:
        step = kept.piece(name, at, step.next, 7)
        value = value + step.value
    return whole(kept, name, value)


def whole(kept: Kept, name: str, value: Any) -> Any:
    if isinstance(value, dict):
        if set(value) == {"left_out", "characters"}:
            return read(kept, name, value["left_out"])
        return {key: whole(kept, name, item) for key, item in value.items()}
    return [whole(kept, name, item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("seed", range(20))
def test_pieces_are_small_and_together_they_are_the_answer(seed: int) -> None:
    rng, kept = random.Random(seed), Kept(characters=900)
    document = {"schema": "bankwise.check/1", "a": nested(rng, 4), "b": nested(rng, 4)}
    name = kept.keep(document)
    assert read(kept, name) == document
    for at in ("", "/a", "/b"):
        assert len(json.dumps(kept.piece(name, at, 0, 5).value)) < 2 * 900 + 2_000


def test_old_answers_are_forgotten_by_name() -> None:
    kept = Kept(most=2)
    names = [kept.keep({"schema": "x", "n": n}) for n in range(4)]
    assert kept.piece(names[-1], "/n", 0, 1).value == 3
    with pytest.raises(InputError, match=r"no answer is called 'answer-1'\n.*answer-3, answer-4"):
        kept.piece(names[0], "", 0, 1)


def test_without_its_package_it_says_what_to_install(tmp_path: Path) -> None:
    hide = (
        "import importlib.util as u\nfind = u.find_spec\n"
        "u.find_spec = lambda name, *more: None if name == 'mcp' else find(name, *more)\n"
    )
    words = [sys.executable, "-c", hide + SERVER, "mcp"]
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(words, env=env, capture_output=True, text=True, check=False)
    said = r"error: `bankwise mcp` needs the package mcp\n  hint: pip install .*\[mcp\]'\n"
    assert done.returncode == 2
    assert re.fullmatch(said, done.stderr)
    gone = bankwise("mcp", "--root", tmp_path / "gone")
    assert (gone.code, gone.err) == (
        2,
        f"error: {tmp_path}/gone: this is no folder\n  hint: --root DIR\n",
    )


def test_the_page_for_programs_is_what_code_and_pages_say() -> None:
    assert make_llms.FILE.read_text("utf-8") == make_llms.text(), "python tests/make_llms.py"
    linked = re.findall(r"\]\(([^)]+)\)", make_llms.text())
    assert all((make_llms.DOCS / name).is_file() for name in linked)
    assert len(linked) > 30
