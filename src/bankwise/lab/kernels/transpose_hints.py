"""Cache hints for global loads and stores: CUDA's intrinsics, or PTX where there is none.

HIP takes the plain access instead. Sources: CUDA C++ Programming Guide (load and store functions
using cache hints); PTX ISA, ``ld`` and ``createpolicy``.
"""

from __future__ import annotations

from collections.abc import Iterator

LOADS = {
    "": "*(p)",
    "nc": "__ldg(p)",
    "cs": "__ldcs(p)",
    "cg": "__ldcg(p)",
    "lu": "__ldlu(p)",
    "l2": "load_hinted(p)",
    "ef": "load_hinted(p)",
    "na": "load_hinted(p)",
    "p128": "load_hinted(p)",
    "p256": "load_hinted(p)",
}
"""``nc``: through the read-only path; ``cs``: streaming; ``cg``: in L2 only; ``lu``: last use;
``na``: past L1; ``l2``: so, and L2 fetches 256 bytes at a time; ``ef``: so, and first to leave L2;
``p128``, ``p256``: through L1, and L2 fetches so many bytes at a time."""
_LOADS = {
    "l2": "L1::no_allocate.L2::256B",
    "ef": "L1::no_allocate.L2::cache_hint",
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
_POLICY = """__device__ __forceinline__ unsigned long long evict_first() {
  unsigned long long policy;
  asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}"""


def macros(load: str, store: str) -> Iterator[str]:
    """``LOAD(p)`` and ``STORE(p, v)`` for hints that are known."""
    yield "#if defined(__HIP_PLATFORM_AMD__)"
    yield f"#define LOAD(p) {LOADS['']}"
    yield f"#define STORE(p, v) {STORES['']}"
    yield "#define CLUSTER(n)"
    yield "#else"
    yield "#define CLUSTER(n) __cluster_dims__(n, 1, 1)"
    if "ef" in (load, store):
        yield _POLICY
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
    address = f"[%{last}]" if hint != "ef" else f"[%{last}], %{last + 1}"
    given = '"l"(p)' if hint != "ef" else '"l"(p), "l"(evict_first())'
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
               :: "l"(p), {values}, "l"(evict_first()) : "memory");
}}"""
