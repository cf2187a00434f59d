"""Blocks of a cluster: each one's own shared memory is followed, the others' is refused by name."""

from __future__ import annotations

import pytest

from bankwise.read.assembly import AssemblyAccess
from isa_texts import ptx
from sass_texts import sass


def pieces(access: AssemblyAccess) -> list[int]:
    (found,) = access.access.patterns
    return [int(n) for n in found.offsets_bytes[found.active]]


CLUSTER = """
    mov.u32 %r1, %tid.x;
    shl.b32 %r2, %r1, 3;
    mov.u32 %r3, tile;
    add.u32 %r4, %r2, %r3;
    mapa.shared::cluster.u32 %r5, %r4, {rank};
    ld.shared::cluster.u32 %r6, [%r5];
    st.shared::cluster.u32 [%r4], %r6;
"""
"""The last of them is the block's own: shared::cta is a part of shared::cluster."""


@pytest.mark.parametrize("rank", ["0", "1", "%r9"])
def test_the_memory_of_another_block_is_refused_by_name_in_ptx(rank: str) -> None:
    kernel = ptx(CLUSTER.format(rank=rank))
    (own,) = kernel.accesses
    assert pieces(own) == list(range(0, 256, 8))
    (refusal,) = kernel.refusals
    assert "another block's shared memory" in refusal.reason


MAPPED = """
    S2R R0, SR_TID.X
    S2UR UR5, SR_CgaCtaId
    S2R R9, SR_CgaCtaId
    S2R R5, SR_SWINHI
    UMOV UR4, 0x400
    ULEA UR4, UR5, UR4, 0x18
    LEA R2, R0, UR4, 0x3
    STS [R2], R0
    {rank}
    PRMT R4, R7, 0x654, R2
    LD.E R6, desc[UR6][R4.64]
"""
"""As ptxas 13.0 writes it for sm_90a."""


@pytest.mark.parametrize(
    "rank", ["MOV R7, RZ", "MOV R7, 0x1", "LOP3.LUT R7, R9, 0x1, RZ, 0x3c, !PT"]
)
def test_the_memory_of_another_block_is_refused_by_name_in_machine_code(rank: str) -> None:
    """It was counted as the block's own, whichever the rank."""
    kernel = sass(MAPPED.format(rank=rank))
    (own,) = kernel.accesses
    assert pieces(own) == list(range(0, 256, 8))
    (refusal,) = kernel.refusals
    assert "LD.E" in refusal.reason
    assert "another block's shared memory" in refusal.reason


def test_a_generic_access_of_a_blocks_own_memory_is_counted_whatever_its_rank() -> None:
    kernel = sass(MAPPED.format(rank="MOV R7, RZ").replace("PRMT R4, R7, 0x654, R2", "MOV R4, R2"))
    assert [pieces(one) for one in kernel.accesses] == [list(range(0, 256, 8))] * 2
    assert not kernel.refusals


def test_what_only_one_block_of_a_cluster_does_is_not_said_of_all() -> None:
    """if (rank == 0) store: rank 0 was taken for certain."""
    code = """
        S2R R0, SR_TID.X
        S2R R5, SR_CgaCtaId
        MOV R2, 0x400
        LEA R2, R5, R2, 0x18
        LEA R2, R0, R2, 0x2
        ISETP.NE.AND P0, PT, R5, RZ, PT
        @P0 EXIT
        STS [R2], R0
    """
    (access,) = sass(code).accesses
    assert pieces(access) == list(range(0, 128, 4))
    assert not access.counted
    assert (
        sass(code.replace("ISETP.NE.AND P0, PT, R5,", "ISETP.NE.AND P0, PT, RZ,"))
        .accesses[0]
        .counted
    )


@pytest.mark.parametrize("move", ["MOV R9, UR5", "IMAD.U32 R9, RZ, RZ, UR5", "R2UR UR9, R9"])
def test_a_moved_rank_makes_an_own_address_all_the_same(move: str) -> None:
    """As ptxas moves it between the register files: the barrier is the block's own."""
    target = "UR9" if move.startswith("R2UR") else "R9"
    kernel = sass(f"""
    S2UR UR5, SR_CgaCtaId
    S2R R9, SR_CgaCtaId
    {move}
    UMOV UR4, 0x400
    MOV R4, 0x400
    {"U" if target == "UR9" else ""}LEA {target}, {target}, {target[:-1]}4, 0x18
    SYNCS.ARRIVE.TRANS64 RZ, [{target}+0x8], RZ
""")
    assert not kernel.refusals
    (own,) = kernel.accesses
    assert set(pieces(own)) == {8}
    assert not own.anywhere


@pytest.mark.parametrize(
    ("between", "own"),
    [
        ("NOP", True),
        ("ISETP.GT.AND P2, PT, R0, 0x4, PT", False),
        ("@P3 S2R R5, SR_CgaCtaId", False),
    ],
)
def test_what_is_written_over_a_rank_is_none_where_it_was_written(between: str, own: bool) -> None:
    """As ptxas uses a register again under another predicate; not if that, or the rank, is new."""
    kernel = sass(f"""
    S2R R0, SR_TID.X
    ISETP.GT.AND P0, PT, R0, 0x8, PT
    ISETP.GT.AND P2, PT, R0, 0x10, PT
    ISETP.GT.AND P3, PT, R0, 0x12, PT
    @P0 S2R R5, SR_CgaCtaId
    @P2 S2R R6, SR_CgaCtaId
    @P2 MOV R5, 0x400
    {between}
    @P2 LEA R6, R6, R5, 0x18
    @P2 LEA R6, R0, R6, 0x2
    @P2 STS [R6], R0
""")
    assert bool(kernel.accesses) is own
    assert bool(kernel.refusals) is not own
    if own:
        assert pieces(kernel.accesses[0]) == list(range(4 * 17, 128, 4))
