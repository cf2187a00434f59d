"""Which registers an instruction writes whose result is not computed, and where control goes.

Too many registers cost an answer, too few would give a wrong one: an instruction of no known
family is taken to write four.
"""

from __future__ import annotations

import re

from bankwise.read.sass.instruction import SassInstruction
from bankwise.read.sass.operands import PREDICATES, following, mentioned, predicate_name, register

_NOTHING = re.compile(
    r"(?:ST|STG|STS|STL|STSM|RED|REDG|REDS|NOP|BAR|MEMBAR|DEPBAR|LDGDEPBAR|LDGSTS|LDGMC|ERRBAR"
    r"|CCTL|CCTLL|CCTLT|YIELD|WARPSYNC|BSSY|BSYNC|BREAK|BMOV|BPT|NANOSLEEP|EXIT|BRA|BRX|JMP|JMX"
    r"|RET|CALL|KILL|FENCE|WARPGROUP|ACQBULK|PREEXIT|UCGABAR_ARV|UCGABAR_WAIT|CGAERRBAR|UTMA\w*"
    r"|UBLK\w*|USETMAXREG|SETCTAID|ARRIVES|DEPBAR|PMTRIG|PLOP|SUST|UTCBAR|UTC\w*|STTM|STAS|REDAS"
    r"|VOTE_VTG|UVIRTCOUNT|SETLMEMBASE|RPCMOV|LEPC|R2B|WARPGROUPSET|ENDCOLLECTIVE|BRXU|JMXU)(?:\.|$)"
)
_ONE = re.compile(
    r"(?:U?(?:MOV|IADD3|IMAD|LEA|LOP3|LOP|SHF|SHL|SHR|BMSK|SGXT|PRMT|SEL|POPC|FLO|BREV|ISETP|PLOP3)"
    r"|IADD|VIADD|VIADDMNMX|VIMNMX|VIMNMX3|UVIMNMX|IMNMX|IABS|IDP|IMMA_SP|ISET|LDC|ULDC|LDCU|S2R"
    r"|S2UR|CS2R|R2UR|P2R|R2P|UP2UR|UR2UP|UP2R|SHFL|VOTE|VOTEU|MATCH|REDUX|CREDUX|ELECT|B2R|MOVM"
    r"|QSPC|FADD2?|FHADD|FMUL2?|FFMA2?|FSEL|FSET|FSETP|FMNMX|FMNMX3|FCHK|FSWZADD|MUFU|FRND|F2F|F2FP|F2I|F2IP"
    r"|I2F|I2FP|I2I|I2IP|HADD2|HMUL2|HFMA2|HSET2|HSETP2|HMNMX2|HADD2_32|USEL|DSETP|LD|LDG|LDL|LDS"
    r"|LDSM|ATOM|ATOMG|ATOMS|DADD|DMUL|DFMA|SYNCS|GETLMEMBASE|HMMA|IMMA|DMMA|BMMA|QMMA|UF2FP|UFADD"
    r"|UFMUL|UFFMA|UI2F\w*|UF2I\w*|UFSEL|UFSETP|UFMNMX|MAPA|UMAPA|UCVTA|GETCTAID|LDTM|MEMSET)(?:\.|$)"
)
_SUMS = re.compile(r"([A-Z])MMA\.(?:\w+\.)*?(16|8)x?8x?\d+(\.F16)?(?:\.|$)")
"""mma of 16 x 8 or 8 x 8 results, spread over 32 lanes: doubles (DMMA), halves, or words. Source:
PTX ISA, fragments of mma; nvdisasm's life ranges of each."""

_WORDS_OF_PAIRS = ("SHF", "USHF", "MATCH", "I2F", "UI2F", "ISETP", "UISETP")
"""U64 behind their name is what they read; they write one word."""

_COMPUTED = re.compile(
    r"(?:FADD|FMUL|FFMA|FSEL|FSET|FSETP|FMNMX|FMNMX3|FCHK|MUFU|FRND|F2F|F2FP|F2I|I2F|I2FP|I2I|HADD2"
    r"|HMUL2|HFMA2|HSET2|HSETP2|HMNMX2)(?:\.|$)"
)
_READ = re.compile(r"(?:LDS|LDG|SYNCS\.PHASECHK)(?:\.|$)")
"""What gives the same to all lanes that ask one word at once (a generic ``LD`` may ask local
memory, of which each lane has its own). ptxas relies on it: behind a loop
that such a word decides it sets no barrier (``BSSY``) where all lanes name one address and one
phase, also where the load is volatile, and one where they may differ (code of ptxas 13.0 for
sm_90a). Behind seven such waits an H200 makes each access once, with all lanes of the warp
(``benchmarks/h200_waits.cu``)."""

_MATRIX = re.compile(r"[HQI]GMMA\.(?:\w+\.)*?64x(\d+)x\d+\.(\w+)")


def results(i: SassInstruction) -> tuple[str, ...]:
    """Registers and predicates that ``i`` writes."""
    if _NOTHING.match(i.name) or not i.operands:
        return ()
    if i.parts[0] in ("R2P", "UR2UP") or (i.parts[0] == "B2R" and "RESULT" in i.parts):
        return (*(f"P{n}" for n in range(PREDICATES)), *_registers(i))
    return _registers(i)


def named(i: SassInstruction) -> frozenset[str]:
    """The registers that ``i`` names, and all that it stores."""
    stored = i.parts[0] in ("ST", "STG", "STS", "STL") and i.operands
    more = following(register(i.operands[-1]), width(i)) if stored else ()
    return mentioned(i.operands).union(more)


def brought(i: SassInstruction) -> tuple[str, ...]:
    """The registers that ``i`` fills from global memory."""
    return results(i) if i.parts[0] == "LDG" else ()


def _registers(i: SassInstruction) -> tuple[str, ...]:
    """Leading predicates, the first register with those behind it, predicates behind that."""
    found: list[str] = []
    rest = list(i.operands)
    while rest and predicate_name(rest[0]):
        found.append(predicate_name(rest.pop(0)))
    if i.parts[0].endswith(("SETP", "SETP2", "PLOP3", "CHK")) or not rest:
        return tuple(dict.fromkeys(found))
    found += following(register(rest.pop(0)), width(i))
    behind = [predicate_name(text) for text in rest[:2] if "!" not in text]
    found += [name for name in (behind[:1] if i.parts[0].startswith("VOTE") else behind) if name]
    return tuple(dict.fromkeys(found))


def width(i: SassInstruction) -> int:
    """How many registers the result takes; too many rather than too few."""
    parts = set(i.parts[1:])
    if i.parts[0] == "LDSM":
        count = int(i.parts[-1]) if i.parts[-1] in ("2", "4") else 1
        return 2 * count if "MT1616" in parts else count
    matrix = _MATRIX.match(i.name)
    if matrix:
        return max(1, int(matrix[1]) // (4 if matrix[2] == "F16" else 2))
    if i.parts[0].endswith("GMMA"):
        return 128
    if i.parts[0] == "LDTM":
        return max((int(p[1:]) for p in parts if re.fullmatch(r"x\d+", p)), default=128)
    if i.parts[0] in _WORDS_OF_PAIRS:
        return 2 if "F64" in parts else 1
    if i.parts[0] == "F2F":
        return 2 if i.parts[1] == "F64" else 1
    if i.parts[0] == "F2I":
        return 2 if parts & {"S64", "U64"} else 1
    for word, count in (("256", 8), ("128", 4), ("64", 2), ("WIDE", 2)):
        if word in parts:
            return count
    sums = _SUMS.match(i.name)
    if sums:
        bytes_each = 8 if sums[1] == "D" else 2 if sums[3] else 4
        return int(sums[2]) * 8 // 32 * bytes_each // 4
    if i.parts[0] in ("DADD", "DMUL", "DFMA", "FADD2", "FMUL2", "FFMA2", "CS2R") or parts & {
        "F64",
        "S64",
        "U64",
    }:
        return 2
    return 1 if _ONE.match(i.name) else 4


def computes(i: SassInstruction) -> bool:
    """Whether lanes that have the same in the words that ``i`` names, and ask one word of memory,
    get the same; of what it computes only where these are single words."""
    if _READ.match(i.name):
        return True
    return bool(_COMPUTED.match(i.name)) and {"F64", "S64", "U64", "64"}.isdisjoint(i.parts)


def known(i: SassInstruction) -> bool:
    """Whether the instruction is of a known family."""
    return bool(_NOTHING.match(i.name) or _ONE.match(i.name) or _MATRIX.match(i.name))
