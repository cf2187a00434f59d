"""Documents: what every verb prints with ``--format json``, one msgspec struct for each.

A struct is the contract: its fields are the keys, in their order, its docstring and the metas of
its fields the meaning, and :mod:`bankwise.show.schema` makes the JSON Schema of it. A document is a
*view* of a report: fields take the attributes of the same names (:func:`parts.view`), and only what
is said otherwise in JSON is spelled out. They stand apart from the printing for a terminal, which
does not pay for importing msgspec.
"""
