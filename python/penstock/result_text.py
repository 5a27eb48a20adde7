"""The first rows of a result, as text and as HTML."""

import html

import pyarrow.types as kinds

from penstock.column_values import values_of

_SHOWN_ROWS = 20
_CELL_CHARACTERS = 40


def rows_of(table):
    """Returns the rows as a list of tuples."""
    return list(zip(*map(values_of, table.columns)))


def text_of(table):
    lines = [table.column_names, *(map(_cell, row) for row in rows_of(table.slice(0, _SHOWN_ROWS)))]
    lines = [[_cut(text) for text in line] for line in lines]
    widths = [max(map(len, texts)) for texts in zip(*lines)]
    is_right = [_is_number(field.type) for field in table.schema]
    rules = ["─" * (width + 2) for width in widths]
    drawn = ["│" + "│".join(map(_padded, line, widths, is_right)) + "│" for line in lines]
    top, middle, end = (
        left + cross.join(rules) + right for left, cross, right in ("┌┬┐", "├┼┤", "└┴┘")
    )
    return "\n".join([top, drawn[0], middle, *drawn[1:], end, _size(table)])


def html_of(table):
    """Returns a table without markup of the data."""
    rows = ["".join(f"<th>{html.escape(name)}</th>" for name in table.column_names)]
    for row in rows_of(table.slice(0, _SHOWN_ROWS)):
        rows.append("".join(f"<td>{html.escape(_cell(value))}</td>" for value in row))
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    more = f"<p>{_size(table)}</p>" if table.num_rows > _SHOWN_ROWS else ""
    return f"<table>{body}</table>{more}"


def _size(table):
    if table.num_rows > _SHOWN_ROWS:
        return f"{_SHOWN_ROWS} of {table.num_rows} rows"
    return f"{table.num_rows} row" + "s" * (table.num_rows != 1)


def _cell(value):
    return "NULL" if value is None else str(value)


def _cut(text):
    text = text.replace("\r", "\\r").replace("\n", "\\n").replace("\t", "\\t")
    return text if len(text) <= _CELL_CHARACTERS else text[: _CELL_CHARACTERS - 1] + "…"


def _padded(text, width, is_right):
    return f" {text:>{width}} " if is_right else f" {text:<{width}} "


def _is_number(type_):
    return kinds.is_integer(type_) or kinds.is_floating(type_) or kinds.is_decimal(type_)
