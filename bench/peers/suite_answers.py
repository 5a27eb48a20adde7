"""Compares an answer in CSV with DuckDB's: types, then rows."""

import collections
import contextlib
import csv
import io
import math
import re

import duckdb

TOLERANCE = 1e-9  # of floats, whose sums have another order


def text_of(value):
    return "" if value is None else str(value)


def rows_of(connection, statement):
    return [[text_of(value) for value in row] for row in connection.sql(statement).fetchall()]


def is_equal_field(ours, theirs):
    if ours == theirs or ours.lower() == theirs.lower() in ("true", "false"):
        return True
    try:
        return math.isclose(float(ours), float(theirs), rel_tol=TOLERANCE)
    except ValueError:
        return False


def are_equal_rows(ours, theirs):
    return len(ours) == len(theirs) and all(
        len(a) == len(b) and all(map(is_equal_field, a, b)) for a, b in zip(ours, theirs)
    )


def words_outside(statement, words):
    """Yields the places of words that stand in no parentheses."""
    depth = 0
    for match in re.finditer(rf"[()]|'[^']*'|\b(?:{words})\b", statement, re.IGNORECASE):
        if match[0] in "()":
            depth += 1 if match[0] == "(" else -1
        elif depth == 0 and match[0][0] != "'":
            yield match


def parts_of(statement):
    """Returns the SELECT without ORDER BY and LIMIT, the sort keys, and the offset and end of rows."""
    statement = statement.strip().rstrip(";")
    places = list(words_outside(statement, r"ORDER\s+BY|LIMIT|OFFSET"))
    numbers = {"limit": math.inf, "offset": 0}
    keys, ends = "", [match.start() for match in places[1:]] + [len(statement)]
    for match, end in zip(places, ends):
        text = statement[match.end() : end].strip()
        if match[0].lower() in numbers:
            numbers[match[0].lower()] = int(text)
        else:
            keys = text
    body = statement[: places[0].start()] if places else statement
    return body, keys, numbers["offset"], numbers["offset"] + numbers["limit"]


def ranked(connection, statement):
    """Returns all rows that the statement has without its LIMIT, each behind its rank, and the limits."""
    body, keys, begin, end = parts_of(statement)
    rank = f"rank() OVER ({'ORDER BY ' + keys if keys else ''}) - 1 AS tie_rank"
    with contextlib.suppress(duckdb.BinderException):
        return rows_of(connection, f"SELECT {rank}, * FROM ({body})"), begin, end
    head = next(words_outside(body, "FROM")).start()
    select = re.match(r"\s*SELECT", body, re.IGNORECASE).end()
    inner = f"SELECT {rank}, {body[select:head]} {body[head:]}"
    return rows_of(connection, inner), begin, end


def is_choice_among_ties(connection, statement, ours):
    """Whether ORDER BY and LIMIT leave open which of equal rows an answer has, and it has such ones."""
    rows, begin, end = ranked(connection, statement)
    ranks = [int(row[0]) for row in rows]
    sizes = collections.Counter(ranks)
    count = collections.Counter(map(tuple, ours))
    may = collections.Counter()
    must = collections.Counter()
    for rank, row in zip(ranks, rows):
        if rank < end and rank + sizes[rank] > begin:
            may[tuple(row[1:])] += 1
        if rank >= begin and rank + sizes[rank] <= end:
            must[tuple(row[1:])] += 1
    expected = max(0, min(len(rows), end) - begin)
    return len(ours) == expected and count <= may and must <= count


def types_of(described):
    return [row["column_type"] for row in csv.DictReader(io.StringIO("".join(described)))]


def compared(lines, described, connection, statement):
    """Returns "equal", "ties" (as ORDER BY and LIMIT leave open), "types" or "DIFFERENT"."""
    ours = list(csv.reader(io.StringIO("".join(lines))))[1:]
    theirs = rows_of(connection, statement)
    if types_of(described) != [str(kind) for kind in connection.sql(statement).types]:
        return "types"
    if are_equal_rows(ours, theirs):
        return "equal"
    if are_equal_rows(sorted(ours), sorted(theirs)):
        return "ties"
    return "ties" if is_choice_among_ties(connection, statement, ours) else "DIFFERENT"
