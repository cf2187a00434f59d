"""Kernels of one access each, as CUDA (PTX inside) or HIP (assembly inside) text.

The kernel executes the instruction once, by the active lanes of one wave, at the offsets it is
given. Nothing else in it touches shared memory, so the counters count that instruction alone.
Every bit that is loaded is used: ptxas narrows a 64-bit load of which only the low half is used,
although the PTX is volatile.
"""

from __future__ import annotations

from bankwise.errors import InputError

_CUDA = """
extern "C" __global__ void access(const int* offsets, const unsigned char* active, unsigned* sink) {
  extern __shared__ __align__(1024) unsigned char shared[];
  unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(shared)) + offsets[threadIdx.x];
  unsigned a = threadIdx.x, b = 1, c = 2, d = 3;
  unsigned short h = 4;
  unsigned long long l = 5;
  if (active[threadIdx.x]) {
    ASM
  }
  sink[threadIdx.x] = a + b + c + d + h + (unsigned)l + (unsigned)(l >> 32);
}
"""

_HIP = """
extern "C" __global__ void access(const int* offsets, const unsigned char* active, unsigned* sink) {
  extern __shared__ unsigned char shared[];
  unsigned address = (unsigned)(unsigned long long)(
      (__attribute__((address_space(3))) unsigned char*)shared) + offsets[threadIdx.x];
  typedef unsigned u2 __attribute__((ext_vector_type(2)));
  typedef unsigned u3 __attribute__((ext_vector_type(3)));
  typedef unsigned u4 __attribute__((ext_vector_type(4)));
  unsigned w = threadIdx.x; u2 x = {1, 2}; u3 z = {1, 2, 3}; u4 y = {1, 2, 3, 4};
  if (active[threadIdx.x]) {
    ASM
  }
  sink[threadIdx.x] = w + x.x + x.y + z.x + z.y + z.z + y.x + y.y + y.z + y.w;
}
"""

_LOADS = {
    "ld.shared.b8": ("ld.shared.b8 %0, [%1];", '"=h"(h)'),
    "ld.shared.b16": ("ld.shared.b16 %0, [%1];", '"=h"(h)'),
    "ld.shared.b32": ("ld.shared.b32 %0, [%1];", '"=r"(a)'),
    "ld.shared.b64": ("ld.shared.b64 %0, [%1];", '"=l"(l)'),
}
_STORES = {
    "st.shared.b8": ("st.shared.b8 [%0], %1;", '"h"(h)'),
    "st.shared.b16": ("st.shared.b16 [%0], %1;", '"h"(h)'),
    "st.shared.b32": ("st.shared.b32 [%0], %1;", '"r"(a)'),
    "st.shared.b64": ("st.shared.b64 [%0], %1;", '"l"(l)'),
}
_MATRIX = tuple(
    f"{family}.x{count}{trans}"
    for family in ("ldmatrix", "stmatrix")
    for count in (1, 2, 4)
    for trans in ("", ".trans")
)
_FOUR_IN = '"=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(address)'
_FOUR_OUT = '"r"(address), "r"(a), "r"(b), "r"(c), "r"(d)'
_DS = {
    "ds_read_u8": ("w", 1), "ds_read_u16": ("w", 1), "ds_read_b32": ("w", 1),
    "ds_read_b64": ("x", 1), "ds_read_b96": ("z", 1), "ds_read_b128": ("y", 1),
    "ds_read2_b32": ("x", 1), "ds_read2_b64": ("y", 1),
    "ds_read_b64_tr_b16": ("x", 1), "ds_read_b64_tr_b8": ("x", 1), "ds_read_b64_tr_b4": ("x", 1),
    "ds_read_b96_tr_b6": ("z", 1),
    "ds_write_b8": ("w", 0), "ds_write_b16": ("w", 0), "ds_write_b32": ("w", 0),
    "ds_write_b64": ("x", 0), "ds_write_b96": ("z", 0), "ds_write_b128": ("y", 0),
    "ds_write2_b32": ("w", 0), "ds_write2_b64": ("x", 0),
}  # fmt: skip
"""The variable that is read into or written from, and whether it is a read. Of a two-address form
the second address follows the first."""


COPIES: dict[str, str] = {
    "global_load_lds_dword": "global_load_lds_dword %1, off",
    "global_load_lds_dwordx4": "global_load_lds_dwordx4 %1, off",
}
"""Copies from global memory to LDS: the first byte is in M0, lanes follow each other."""


def instructions(vendor: str) -> tuple[str, ...]:
    """The instructions for which there is a kernel; not every machine has all of them."""
    if vendor == "amd":
        return tuple(_DS)
    return (*_LOADS, "ld.shared.b128", *_STORES, "st.shared.b128", *_MATRIX)


def kernel(instruction: str) -> str:
    """The text of the kernel that executes ``instruction`` once; InputError if there is none."""
    if instruction in _DS:
        return _HIP.replace("ASM", ds_statement(instruction))
    text = _asm(instruction)
    if text is None:
        raise InputError(f"there is no kernel for {instruction!r}")
    return _CUDA.replace("ASM", text)


def _asm(name: str) -> str | None:
    if name in _LOADS:
        text, result = _LOADS[name]
        return f'asm volatile("{text}" : {result} : "r"(address) : "memory");'
    if name in _STORES:
        text, value = _STORES[name]
        return f'asm volatile("{text}" :: "r"(address), {value} : "memory");'
    if name == "ld.shared.b128":
        return f'asm volatile("ld.shared.v4.b32 {{%0,%1,%2,%3}}, [%4];" : {_FOUR_IN} : "memory");'
    if name == "st.shared.b128":
        return f'asm volatile("st.shared.v4.b32 [%0], {{%1,%2,%3,%4}};" :: {_FOUR_OUT} : "memory");'
    return _matrix(name)


def _matrix(name: str) -> str | None:
    family, _, shape = name.partition(".")
    count, _, trans = shape.removeprefix("x").partition(".")
    if family not in ("ldmatrix", "stmatrix") or not count.isdigit():
        return None
    n, suffix = int(count), ".trans" if trans else ""
    full = f"{family}.sync.aligned.m8n8.x{n}{suffix}.shared.b16"
    names = "abcd"[:n]
    if family == "ldmatrix":
        slots = ",".join(f"%{i}" for i in range(n))
        results = ", ".join(f'"=r"({x})' for x in names)
        return f'asm volatile("{full} {{{slots}}}, [%{n}];" : {results} : "r"(address) : "memory");'
    slots = ",".join(f"%{i + 1}" for i in range(n))
    values = ", ".join(f'"r"({x})' for x in names)
    return f'asm volatile("{full} [%0], {{{slots}}};" :: "r"(address), {values} : "memory");'


def ds_statement(name: str) -> str:
    """The statement that executes an LDS instruction of AMD at ``address``, in HIP.

    Assembly is volatile and waits, so that the access is executed where it stands.
    """
    register, reads = _DS[name]
    two = name.startswith(("ds_read2_", "ds_write2_"))
    data = "%0, %1" if reads else "%0, %1, %2" if two else "%0, %1"
    text = f"{name} {data}{' offset1:1' if two else ''}\\n s_waitcnt lgkmcnt(0)"
    if reads:
        return f'asm volatile("{text}" : "=v"({register}) : "v"(address) : "memory");'
    values = f'"v"({register})' + (f', "v"({register})' if two else "")
    return f'asm volatile("{text}" :: "v"(address), {values} : "memory");'


def copy_statement(name: str) -> str:
    """The statement that copies what every lane's ``from`` points at to ``address``."""
    text = f"s_mov_b32 m0, %0\\n s_nop 0\\n {COPIES[name]}\\n s_waitcnt vmcnt(0)"
    return f'asm volatile("{text}" :: "s"(base), "v"(from) : "memory");'
