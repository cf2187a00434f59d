"""Random PTX whose branches and numbers depend on what nobody knows, and what it does.

A program is a list of nodes, written as PTX by :func:`text` and run by :class:`Run`, thread by
thread in Python integers: arithmetic, guards, ``if``, loops that lanes leave apart. Numbers of the
launch are drawn once for a run, what memory gives for each thread.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

THREADS, WARP, MASK = 64, 32, 0xFFFFFFFF
REGISTERS = [f"%r{n}" for n in range(1, 11)]
PREDICATES = [f"%p{n}" for n in range(1, 5)]
NUMBERS = [0, 1, 2, 3, 4, 5, 7, 8, 12, 16, 31, 32, 33, 64, 128, 252, 256, 1024, -1, -4]

Words = list[int]
Guard = tuple[str, bool] | None
"""A predicate, and what it has to be."""


@dataclass(frozen=True)
class Op:
    name: str
    to: str
    sources: tuple[str, ...]
    guard: Guard = None


@dataclass(frozen=True)
class Store:
    register: str
    offset: int
    guard: Guard


@dataclass(frozen=True)
class If:
    guard: tuple[str, bool]
    then: list[Node]
    otherwise: list[Node]


@dataclass(frozen=True)
class Loop:
    """``body``, again while rounds are fewer than ``most``; lanes leave behind it at ``guard``."""

    most: str
    body: list[Node]
    guard: Guard


@dataclass(frozen=True)
class Return:
    guard: tuple[str, bool]


Node = Op | Store | If | Loop | Return


def _signed(x: int) -> int:
    return (x ^ 0x80000000) - 0x80000000


OPERATIONS: Mapping[str, tuple[int, Callable[..., int]]] = {
    "add.s32": (2, lambda x, y: x + y),
    "sub.s32": (2, lambda x, y: x - y),
    "mul.lo.s32": (2, lambda x, y: x * y),
    "mad.lo.s32": (3, lambda x, y, z: x * y + z),
    "and.b32": (2, lambda x, y: x & y),
    "or.b32": (2, lambda x, y: x | y),
    "xor.b32": (2, lambda x, y: x ^ y),
    "min.u32": (2, min),
    "max.s32": (2, lambda x, y: max(_signed(x), _signed(y))),
    "shl.b32": (2, lambda x, y: x << y if y < 32 else 0),
    "shr.u32": (2, lambda x, y: x >> min(y, 32)),
    "shr.s32": (2, lambda x, y: _signed(x) >> min(y, 31)),
    "mov.u32": (1, lambda x: x),
    "neg.s32": (1, lambda x: -x),
    "not.b32": (1, lambda x: ~x),
    "setp.lt.u32": (2, lambda x, y: x < y),
    "setp.ge.s32": (2, lambda x, y: _signed(x) >= _signed(y)),
    "setp.eq.s32": (2, lambda x, y: x == y),
}
_BOOLEAN: Mapping[str, Callable[[int, int], int]] = {
    "and.pred": lambda p, q: p & q,
    "or.pred": lambda p, q: p | q,
    "xor.pred": lambda p, q: p ^ q,
}
_SPECIAL = {
    "%tid.x": list(range(THREADS)),
    "%laneid": [n % WARP for n in range(THREADS)],
    "%warpid": [n // WARP for n in range(THREADS)],
}
LAUNCH = ("n0", "n1")
START: list[Node] = [
    *(Op("mov.u32", to, (of,)) for to, of in zip(REGISTERS, _SPECIAL, strict=False)),
    Op("launch", "%r4", ("n0",)),
    Op("launch", "%r5", ("n1",)),
    Op("memory", "%r6", ()),
    *(Op("mul.lo.s32", f"%r{7 + n}", ("%r1", by)) for n, by in enumerate(("4", "12", "36", "1"))),
    Op("setp.lt.u32", "%p1", ("%r2", "13")),
    Op("setp.ge.s32", "%p2", ("%r4", "3")),
    Op("setp.eq.s32", "%p3", ("%r6", "0")),
    Op("setp.eq.s32", "%p4", ("%r3", "0")),
]


def program(pick: random.Random, size: int, returns: bool = False) -> list[Node]:
    """``returns``: threads may end anywhere."""
    some = (_body(pick, size, 0, returns) for _ in range(2))
    return [*START, *(node for body in some for node in (*body, _store(pick)))]


def known(nodes: list[Node], pick: random.Random) -> list[Node]:
    """The same with numbers and lanes for what the launch or memory would tell."""

    def of(node: Node) -> Node:
        if isinstance(node, If):
            return If(node.guard, known(node.then, pick), known(node.otherwise, pick))
        if isinstance(node, Loop):
            most = node.most if node.most.isdecimal() else "lane"
            return Loop(most, known(node.body, pick), node.guard)
        if isinstance(node, Op) and node.name in ("launch", "memory"):
            return Op(
                "and.b32", node.to, (pick.choice(["%tid.x", "%laneid"]), str(pick.choice(NUMBERS)))
            )
        return node

    return [of(node) for node in nodes]


def _guard(pick: random.Random) -> tuple[str, bool]:
    return pick.choice(PREDICATES), pick.random() < 0.5


def _maybe(pick: random.Random) -> Guard:
    return _guard(pick) if pick.random() < 0.3 else None


def _store(pick: random.Random) -> Store:
    return Store(pick.choice(REGISTERS), pick.choice([0, 4, 256]), _maybe(pick))


def _source(pick: random.Random) -> str:
    return str(pick.choice(NUMBERS)) if pick.random() < 0.4 else pick.choice(REGISTERS)


def _op(pick: random.Random) -> Op:
    way = pick.random()
    if way < 0.1:
        operands = (_source(pick), _source(pick), pick.choice(PREDICATES))
        return Op("selp.b32", pick.choice(REGISTERS), operands, _maybe(pick))
    if way < 0.2:
        operands = (pick.choice(PREDICATES), pick.choice(PREDICATES))
        return Op(pick.choice([*_BOOLEAN]), pick.choice(PREDICATES), operands, _maybe(pick))
    if way < 0.25:
        return Op("memory", pick.choice(REGISTERS), (), _maybe(pick))
    name = pick.choice([*OPERATIONS])
    to = pick.choice(PREDICATES if name.startswith("setp") else REGISTERS)
    operands = (pick.choice(REGISTERS), *(_source(pick) for _ in range(OPERATIONS[name][0] - 1)))
    return Op(name, to, operands, _maybe(pick))


def _body(pick: random.Random, size: int, depth: int, returns: bool) -> list[Node]:
    return [_node(pick, size, depth, returns) for _ in range(pick.randint(2, size))]


def _node(pick: random.Random, size: int, depth: int, returns: bool) -> Node:
    way = pick.random()
    if way < 0.6 or (way >= 0.8 and depth == 3):
        return _op(pick)
    if way < 0.8:
        return _store(pick)
    if returns and pick.random() < 0.2:
        return Return(_guard(pick))
    body = _body(pick, size, depth + 1, returns)
    if way < 0.92:
        other = _body(pick, size, depth + 1, returns) if pick.random() < 0.5 else []
        return If(_guard(pick), body, other)
    return Loop(pick.choice(["1", "3", *LAUNCH, "lane", "memory"]), body, _maybe(pick))


def text(nodes: list[Node]) -> tuple[str, dict[int, int]]:
    """The body of a kernel, and which line of it each store is, by its place among the stores."""
    lines: list[str] = []
    stores: dict[int, int] = {}
    labels = iter(range(1_000_000))

    def write(some: list[Node]) -> None:
        for node in some:
            if isinstance(node, Op):
                lines.append(f"{_prefix(node.guard)}{_written(node)}")
            elif isinstance(node, Store):
                stores[id(node)] = len(lines)
                at = f"[{node.register}+{node.offset}]"
                lines.append(f"{_prefix(node.guard)}st.shared.u32 {at}, %r1;")
            elif isinstance(node, If):
                branch(node)
            elif isinstance(node, Return):
                lines.append(f"{_prefix(node.guard)}ret;")
            else:
                loop(node)

    def branch(node: If) -> None:
        n = next(labels)
        lines.append(f"{_prefix((node.guard[0], not node.guard[1]))}bra $L_else{n};")
        write(node.then)
        lines.extend([f"bra $L_join{n};", f"$L_else{n}:"])
        write(node.otherwise)
        lines.append(f"$L_join{n}:")

    def loop(node: Loop) -> None:
        n = next(labels)
        most = node.most if node.most.isdecimal() else f"%most{n}"
        if most != node.most:
            of = "mov.u32 {}, %laneid;" if node.most == "lane" else _written(_bound(node, "{}"))
            lines.extend([of.format(most), f"and.b32 {most}, {most}, 3;"])
        lines.extend([f"mov.u32 %round{n}, 0;", f"$L_loop{n}:"])
        write(node.body)
        if node.guard is not None:
            lines.append(f"{_prefix(node.guard)}bra $L_out{n};")
        lines.append(f"add.u32 %round{n}, %round{n}, 1;")
        lines.append(f"setp.lt.u32 %more{n}, %round{n}, {most};")
        lines.extend([f"@%more{n} bra $L_loop{n};", f"$L_out{n}:"])

    write(nodes)
    return "\n".join(lines), stores


def _bound(node: Loop, to: str) -> Op:
    return Op("memory", to, ()) if node.most == "memory" else Op("launch", to, (node.most,))


def _prefix(guard: Guard) -> str:
    return "" if guard is None else f"@{'' if guard[1] else '!'}{guard[0]} "


def _written(node: Op) -> str:
    if node.name == "memory":
        return f"ld.global.u32 {node.to}, [%rd1];"
    if node.name == "launch":
        return f"ld.param.u32 {node.to}, [k_param_{1 + LAUNCH.index(node.sources[0])}];"
    return f"{node.name} {node.to}, {', '.join(node.sources)};"


class Run:
    """One run: what each store touched, warp by warp, in order: ``touched[store, warp]``."""

    def __init__(self, nodes: list[Node], pick: random.Random) -> None:
        self.pick = pick
        self.launch = {
            name: pick.choice([pick.randrange(8), pick.getrandbits(32)]) for name in LAUNCH
        }
        self.held: dict[str, Words] = {}
        self.touched: dict[tuple[int, int], list[list[int | None]]] = {}
        self.left = [True] * THREADS
        self.run(nodes, [True] * THREADS)

    def run(self, nodes: list[Node], active: list[bool]) -> None:
        for node in nodes:
            active = self.not_ended(active)
            if isinstance(node, Op):
                self.put(node.to, self.result(node), self.guarded(node.guard, active))
            elif isinstance(node, Store):
                self.store(node, self.guarded(node.guard, active))
            elif isinstance(node, If):
                then = self.guarded(node.guard, active)
                rest = [a and not t for a, t in zip(active, then, strict=True)]
                for some, body in ((then, node.then), (rest, node.otherwise)):
                    if any(some):
                        self.run(body, some)
            elif isinstance(node, Return):
                ends = self.guarded(node.guard, active)
                self.left = [left and not x for left, x in zip(self.left, ends, strict=True)]
            else:
                self.loop(node, active)

    def not_ended(self, active: list[bool]) -> list[bool]:
        return [a and left for a, left in zip(active, self.left, strict=True)]

    def loop(self, node: Loop, active: list[bool]) -> None:
        most = self.most(node)
        rounds = 0
        while any(active):
            self.run(node.body, active)
            active = self.not_ended(active)
            if node.guard is not None:
                leaves = self.guarded(node.guard, active)
                active = [a and not x for a, x in zip(active, leaves, strict=True)]
            rounds += 1
            active = [a and rounds < m for a, m in zip(active, most, strict=True)]

    def most(self, node: Loop) -> Words:
        if node.most.isdecimal():
            return [int(node.most)] * THREADS
        found = _SPECIAL["%laneid"] if node.most == "lane" else self.result(_bound(node, ""))
        return [word & 3 for word in found]

    def result(self, node: Op) -> Words:
        if node.name == "memory":
            most = self.pick.choice([1, 9, 32])
            return [self.pick.getrandbits(most) for _ in range(THREADS)]
        if node.name == "launch":
            return [self.launch[node.sources[0]]] * THREADS
        sources = [self.value(text) for text in node.sources]
        if node.name == "selp.b32":
            return [x if p else y for x, y, p in zip(*sources, strict=True)]
        function = _BOOLEAN.get(node.name) or OPERATIONS[node.name][1]
        return [function(*words) & MASK for words in zip(*sources, strict=True)]

    def value(self, text: str) -> Words:
        if not text.startswith("%"):
            return [int(text) & MASK] * THREADS
        return _SPECIAL[text] if text in _SPECIAL else self.held[text]

    def put(self, name: str, words: Words, active: list[bool]) -> None:
        old = self.held.get(name, words)
        self.held[name] = [w if a else o for w, o, a in zip(words, old, active, strict=True)]

    def guarded(self, guard: Guard, active: list[bool]) -> list[bool]:
        if guard is None:
            return active
        return [a and bool(p) is guard[1] for a, p in zip(active, self.held[guard[0]], strict=True)]

    def store(self, node: Store, active: list[bool]) -> None:
        places = [x + node.offset & MASK for x in self.value(node.register)]
        for warp in range(THREADS // WARP):
            own = slice(warp * WARP, (warp + 1) * WARP)
            row = [x if a else None for x, a in zip(places[own], active[own], strict=True)]
            if any(active[own]):
                self.touched.setdefault((id(node), warp), []).append(row)


def runs(nodes: list[Node], pick: random.Random, count: int) -> Iterator[Run]:
    return (Run(nodes, pick) for _ in range(count))
