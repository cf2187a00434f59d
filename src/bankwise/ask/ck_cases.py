"""A tile of a CK header as it is counted for one GPU, and a better layout of it."""

from __future__ import annotations

from bankwise.algebra.address import Fold
from bankwise.ask.ck_reading import CkReading, asked_question
from bankwise.ask.spec import counted
from bankwise.counting.cost import Cost
from bankwise.errors import Refusal
from bankwise.identity import ByIdentity
from bankwise.notation.ck.descriptor import TensorDescriptor
from bankwise.notation.ck.spelled import AxisNames
from bankwise.notation.fold import fold_of
from bankwise.notation.values import Memory
from bankwise.read.ck.tiles import CkTile
from bankwise.read.tile_file.question import TileQuestion
from bankwise.show.spec import SpecReport
from bankwise.solver.known import Known


class CkPlan(ByIdentity, frozen=True, eq=False):
    """A better layout of a tile for one GPU. ``memory``: as the solver says it; ``descriptor``: as
    CK writes it; ``names``: for each of its functions; ``before``, ``after``: what all accesses
    take; ``known``: how good it is; ``longer``: what a cheaper one takes that has no room."""

    case: CkCase
    memory: Memory
    descriptor: TensorDescriptor
    names: tuple[AxisNames, ...]
    before: Cost
    after: Cost
    known: Known
    tried: int
    longer: str = ""

    @property
    def tile(self) -> CkTile:
        """What it lays out."""
        return self.case.tile

    @property
    def words(self) -> str:
        """What it does, in few words."""
        fold = fold_of(self.descriptor)
        if isinstance(fold, Fold):
            places = f"offset / {fold.divisor} into offset / {fold.unit}, modulo {fold.phases}"
            return f"make_xor_transform of {places}"
        more = self.more_elements * self.case.asked.element_bytes
        said = f", {more:,} bytes of LDS more" if more > 0 else ""
        return f"strides {list(self.descriptor.strides)}{said}"

    @property
    def more_elements(self) -> int:
        """Elements of LDS that it takes beside what there was."""
        return longer_by(self.descriptor, self.case)

    @property
    def has_room(self) -> bool:
        """Whether it takes no more than before, or the header sizes LDS by its descriptor."""
        return self.more_elements <= 0 or self.case.sized


class CkCase(ByIdentity, frozen=True, eq=False):
    """A tile for one GPU: as a question, and counted as it is."""

    reading: CkReading
    tile: CkTile
    asked: TileQuestion
    before: SpecReport

    @property
    def cost(self) -> Cost:
        """What all accesses take."""
        return cost_of(self.before)

    @property
    def open(self) -> bool:
        """Whether a plan could say nothing: an access is not counted, or LDS has no room for the
        tile, which is a finding."""
        whole, most = self.asked.whole, self.asked.machine.lds_bytes
        return bool(self.before.check.refusals) or whole.bytes_of(whole.elements) > most

    @property
    def sized(self) -> bool:
        """Whether the header sizes LDS by the descriptor, so that a longer one has room."""
        text = "".join(self.reading.run.source.text.split())
        return f"{self.tile.name}<Problem>().get_element_space_size" in text


def cases(reading: CkReading) -> tuple[CkCase | Refusal, ...]:
    """The tiles of a header, counted; or why one is not."""
    return tuple(_case(reading, tile) for tile in reading.tiles)


def _case(reading: CkReading, tile: CkTile) -> CkCase | Refusal:
    asked = asked_question(reading, tile)
    if isinstance(asked, Refusal):
        return asked
    before = counted(asked)
    if before.check.kernels[0].accesses:
        return CkCase(reading, tile, asked, before)
    return before.check.refusals[0]


def longer_by(made: TensorDescriptor, case: CkCase) -> int:
    """Elements of LDS that a descriptor takes beside what there was."""
    sizes = [f.value.size for f in case.tile.layouts if isinstance(f.value, TensorDescriptor)]
    return made.size - max(sizes)


def cost_of(report: SpecReport) -> Cost:
    """What all accesses of a counted tile take."""
    return report.check.kernels[0].totals.run
