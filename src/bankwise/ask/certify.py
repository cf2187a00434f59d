"""``bankwise certify``: let the independent judge read a certificate."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bankwise.errors import InputError, Location
from bankwise.files import read_text
from bankwise.read.recognise import require
from bankwise.solver.certificate import Certificate
from bankwise.solver.certificate_json import read_certificate
from bankwise.solver.certify import Judgement, check


def certify(source: str | Path | Mapping[str, Any]) -> tuple[Certificate, Judgement]:
    """Read a certificate, or the answer of ``bankwise solve --format json`` that holds one.

    ``-`` is standard input. Raises :class:`InputError` for what is no certificate, or damaged.
    """
    data: Any = source
    if not isinstance(source, Mapping):
        require(source, "certify")
        data = _load(Path(source))
    if isinstance(data, dict) and str(data.get("schema", "")).startswith("bankwise.solve/"):
        data = data.get("certificate")
        if data is None:
            raise InputError("this answer holds no certificate: it was found by counting")
    certificate = read_certificate(data)
    return certificate, check(certificate)


def _load(path: Path) -> Any:
    try:
        return json.loads(read_text(path))
    except RecursionError as error:
        raise InputError(f"cannot read this certificate: {error}") from error
    except json.JSONDecodeError as error:
        place = Location(str(path), error.lineno, error.colno)
        raise InputError(f"not JSON: {error.msg}", location=place) from error
