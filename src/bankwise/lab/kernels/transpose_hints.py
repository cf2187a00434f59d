"""Cache hints for global loads and stores: CUDA's intrinsics, or PTX where there is none.

What is last to leave L2 outlives 256 MB of other writes: of 40 MB that were read so, a quarter is
still there on an H200 (docs/results_transpose.md).

HIP takes the plain access instead. Sources: CUDA C++ Programming Guide (load and store functions
using cache hints); PTX ISA, ``ld`` and ``createpolicy``.
"""

from __future__ import annotations

from collections.abc import Iterator

POLICIES = {
    "": "",
    "ef": "L2::evict_first.b64 %0, 1.0",
    "el": "L2::evict_last.b64 %0, 1.0",
    "el20": "L2::evict_last.L2::evict_first.b64 %0, 0.2",
    "el40": "L2::evict_last.L2::evict_first.b64 %0, 0.4",
    "el60": "L2::evict_last.L2::evict_first.b64 %0, 0.6",
}
"""What L2 is told of lines: nothing; first to leave; last to leave; so for 20, 40 or 60 % of them,
the others leave first."""
LOADS = {
    "": "*(p)",
    "nc": "__ldg(p)",
    "cs": "__ldcs(p)",
    "cg": "__ldcg(p)",
    "lu": "__ldlu(p)",
    "l2": "load_hinted(p)",
    **dict.fromkeys(filter(None, POLICIES), "load_hinted(p)"),
    "na": "load_hinted(p)",
    "p128": "load_hinted(p)",
    "p256": "load_hinted(p)",
}
"""``nc``: through the read-only path; ``cs``: streaming; ``cg``: in L2 only; ``lu``: last use;
``na``: past L1; ``l2``: so, and L2 fetches 256 bytes at a time; names of :data:`POLICIES`: so, too;
``p128``, ``p256``: through L1, and L2 fetches so many bytes at a time."""
_LOADS = {
    "l2": "L1::no_allocate.L2::256B",
    **dict.fromkeys(filter(None, POLICIES), "L1::no_allocate.L2::cache_hint"),
    "na": "L1::no_allocate",
    "p128": "L2::128B",
    "p256": "L2::256B",
}
STORES = {
    "": "*(p) = v",
    "cs": "__stcs(p, v)",
    "cg": "__stcg(p, v)",
    "wt": "__stwt(p, v)",
    "ef": "store_hinted(p, v)",
}
"""``wt``: write-through; ``ef``: first to leave L2."""
_PARTS = {"unsigned": ("",), "uint2": (".x", ".y"), "uint4": (".x", ".y", ".z", ".w")}


def policy(hint: str) -> str:
    """The statement that sets ``policy``, of 64 bits, to one of :data:`POLICIES`."""
    return f'asm("createpolicy.fractional.{POLICIES[hint]};" : "=l"(policy));'


def _policy_function(hint: str) -> str:
    return f"""__device__ __forceinline__ unsigned long long policy_{hint}() {{
  unsigned long long policy;
  {policy(hint)}
  return policy;
}}"""


def macros(load: str, store: str) -> Iterator[str]:
    """``LOAD(p)`` and ``STORE(p, v)`` for hints that are known."""
    yield "#if defined(__HIP_PLATFORM_AMD__)"
    yield f"#define LOAD(p) {LOADS['']}"
    yield f"#define STORE(p, v) {STORES['']}"
    yield "#define CLUSTER(n)"
    yield "#else"
    yield "#define CLUSTER(n) __cluster_dims__(n, 1, 1)"
    for hint in dict.fromkeys((load, store)):
        if POLICIES.get(hint):
            yield _policy_function(hint)
    if LOADS[load].startswith("load_hinted"):
        yield from (_load(kind, load) for kind in _PARTS)
    if STORES[store].startswith("store_hinted"):
        yield from (_store(kind) for kind in _PARTS)
    yield f"#define LOAD(p) {LOADS[load]}"
    yield f"#define STORE(p, v) {STORES[store]}"
    yield "#endif"


def _load(kind: str, hint: str) -> str:
    parts = _PARTS[kind]
    slots = ", ".join(f"%{i}" for i in range(len(parts)))
    slots = slots if len(parts) == 1 else f"{{{slots}}}"
    shape = {1: "", 2: ".v2", 4: ".v4"}[len(parts)]
    results = ", ".join(f'"=r"(v{part})' for part in parts)
    name = f"ld.global.nc.{_LOADS[hint]}{shape}.u32"
    last = len(parts)
    address = f"[%{last}], %{last + 1}" if hint in POLICIES else f"[%{last}]"
    given = f'"l"(p), "l"(policy_{hint}())' if hint in POLICIES else '"l"(p)'
    return f"""__device__ __forceinline__ {kind} load_hinted(const {kind}* p) {{
  {kind} v;
  asm("{name} {slots}, {address};" : {results} : {given});
  return v;
}}"""


def _store(kind: str) -> str:
    parts = _PARTS[kind]
    slots = ", ".join(f"%{i + 1}" for i in range(len(parts)))
    slots = slots if len(parts) == 1 else f"{{{slots}}}"
    shape = {1: "", 2: ".v2", 4: ".v4"}[len(parts)]
    values = ", ".join(f'"r"(v{part})' for part in parts)
    name = f"st.global.L2::cache_hint{shape}.u32"
    return f"""__device__ __forceinline__ void store_hinted({kind}* p, {kind} v) {{
  asm volatile("{name} [%0], {slots}, %{len(parts) + 1};"
               :: "l"(p), {values}, "l"(policy_ef()) : "memory");
}}"""
