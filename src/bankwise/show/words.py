"""How sure a number is, in the same words everywhere: terminal, JSON, SARIF, annotations, pages."""

from __future__ import annotations

from bankwise.counting.bound import Bound
from bankwise.counting.cost import Cost
from bankwise.counting.counted import AccessReport, Sureness
from bankwise.hardware.machine import machine
from bankwise.show.values import CheckReport, KernelReport

COLOURS: dict[Sureness, str] = {"none": "green", "possible": "yellow", "sure": "red"}


def kernel_verdict(kernel: KernelReport, report: CheckReport) -> str:
    """What the counter adds for one workgroup of a kernel of ``report``."""
    alone = len(report.kernels) == 1
    refused = bool(report.refusals if alone else report.refused(kernel))
    counter = machine(kernel.target).counter
    numbers = added(kernel.known, kernel.assumed)
    return f"{conclusion(kernel.conflict, refused)}: {counter} += {numbers} per workgroup"


def verdict(report: CheckReport) -> str:
    """The last line. Kernels are never added up: no workgroup runs several of them."""
    if not report.kernels:
        return "nothing was counted"
    if len(report.kernels) == 1:
        return kernel_verdict(report.kernels[0], report)
    many = len(report.kernels)
    alike = sum(k.conflict == report.conflict for k in report.kernels)
    some = f"{many}" if report.conflict == "none" else f"{alike} of {many}"
    return f"{conclusion(report.conflict, bool(report.refusals))} in {some} kernels"


def conclusion(conflict: Sureness, refused: bool, none: str = "no conflicts") -> str:
    """``refused``: something was not analysed. ``none``: what no conflict is called."""
    if conflict == "none":
        return f"{none} in what was analysed" if refused else none
    return "conflicts" if conflict == "sure" else "possible conflicts"


def added(known: Cost, assumed: Cost) -> str:
    """What a conflict counter adds: ``0 known + up to 12,288 assumed (rule unknown)``."""
    ends, most = known.ends.extra, assumed.ends.extra.high
    text = str(ends) if ends.exact else f"{ends} ({known.extra:,} as followed)"
    if assumed == Cost():
        return text
    if most is None:
        return f"{text} known + {assumed.extra:,} assumed (rule and executions unknown)"
    return f"{text} known + {f'up to {most:,}' if most else 0} assumed (rule unknown)"


def cell(bound: Bound) -> str:
    """A number in a column."""
    return str(bound).replace("between ", "").replace(" and ", " to ")


def doubt(access: AccessReport) -> str:
    """Why a conflict is not sure; empty if it is, or if there is none."""
    if access.conflict != "possible":
        return ""
    if access.assumed:
        return f"assumed: the rule of {access.instruction} is unknown"
    extra = access.run.ends.extra
    many = "an unknown number of" if extra.high is None else f"at most {extra.high:,}"
    return f"possible: {many} extra passes per workgroup"
