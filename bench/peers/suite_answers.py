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


def is_equal_field(ours, theirs, is_float):
    if ours == theirs or ours.lower() == theirs.lower() in ("true", "false"):
        return True
    try:
        return is_float and math.isclose(float(ours), float(theirs), rel_tol=TOLERANCE)
    except ValueError:
        return False


def are_equal_rows(ours, theirs, floats):
    return len(ours) == len(theirs) and all(
        len(a) == len(b) and all(map(is_equal_field, a, b, floats)) for a, b in zip(ours, theirs)
    )


def as_key(row, floats):
    """A row that equals another one if its floats do to eight digits."""
    return tuple(
        f"{float(field):.8g}" if is_float and field else field.lower()
        for field, is_float in zip(row, floats)
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


def sort_keys_by_name(connection, body, keys):
    """The sort keys with names in place of the numbers of columns, which a window takes for constants."""
    names = connection.sql(body).columns
    return re.sub(r"(^|,)(\s*)(\d+)\b", lambda m: f'{m[1]}{m[2]}"{names[int(m[3]) - 1]}"', keys)


def ranked(connection, statement):
    """Returns all rows that the statement has without its LIMIT, each behind its rank, and the limits."""
    body, keys, begin, end = parts_of(statement)
    keys = sort_keys_by_name(connection, body, keys)
    rank = f"rank() OVER ({'ORDER BY ' + keys if keys else ''}) - 1 AS tie_rank"
    with contextlib.suppress(duckdb.BinderException):
        return rows_of(connection, f"SELECT {rank}, * FROM ({body})"), begin, end
    head = next(words_outside(body, "FROM")).start()
    select = re.match(r"\s*SELECT", body, re.IGNORECASE).end()
    inner = f"SELECT {rank}, {body[select:head]} {body[head:]}"
    return rows_of(connection, inner), begin, end


def are_in_order(ours, ranks_of_row):
    """Whether rows can be given ranks that do not fall."""
    last = 0
    for row in ours:
        last = min((rank for rank in ranks_of_row[row] if rank >= last), default=None)
        if last is None:
            return False
    return True


def is_choice_among_ties(connection, statement, ours, floats):
    """Whether ORDER BY and LIMIT leave open which of equal rows an answer has, and it has such ones."""
    rows, begin, end = ranked(connection, statement)
    ranks = [int(row[0]) for row in rows]
    keys = [as_key(row[1:], floats) for row in rows]
    sizes = collections.Counter(ranks)
    ours = [as_key(row, floats) for row in ours]
    may, must = collections.Counter(), collections.Counter()
    ranks_of_row = collections.defaultdict(set)
    for rank, key in zip(ranks, keys):
        ranks_of_row[key].add(rank)
        if rank < end and rank + sizes[rank] > begin:
            may[key] += 1
        if rank >= begin and rank + sizes[rank] <= end:
            must[key] += 1
    count = collections.Counter(ours)
    expected = max(0, min(len(rows), end) - begin)
    is_choice = len(ours) == expected and count <= may and must <= count
    return is_choice and are_in_order(ours, ranks_of_row)


def types_of(described):
    return [row["column_type"] for row in csv.DictReader(io.StringIO("".join(described)))]


def compared(lines, described, connection, statement):
    """Returns "equal", "ties" (as ORDER BY and LIMIT leave open), "types" or "DIFFERENT"."""
    # A row that is one NULL is an empty line.
    ours = [row or [""] for row in csv.reader(io.StringIO("".join(lines)))][1:]
    types = [str(kind) for kind in connection.sql(statement).types]
    if types_of(described) != types:
        return "types"
    floats = [kind in ("FLOAT", "DOUBLE") for kind in types]
    if are_equal_rows(ours, rows_of(connection, statement), floats):
        return "equal"
    try:
        is_choice = is_choice_among_ties(connection, statement, ours, floats)
    except duckdb.Error:  # sort keys that name columns and results of one name
        theirs = rows_of(connection, statement)
        is_choice = are_equal_rows(sorted(ours), sorted(theirs), floats)
    return "ties" if is_choice else "DIFFERENT"
