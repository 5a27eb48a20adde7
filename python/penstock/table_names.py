"""The tables that a statement names in FROM."""

import re

from penstock.errors import PenstockError

# Strings and comments hold no names; a quoted name is one.
_TOKENS = re.compile(
    r"""'(?:[^']|'')*' | --[^\n]* | /\*.*?\*/ | (?P<quoted>"(?:[^"]|"")*") | (?P<word>[^\W\d]\w*)
    | \S""",
    re.VERBOSE | re.DOTALL,
)
_BEFORE_TABLES = {"FROM", "JOIN", "DESCRIBE", "SUMMARIZE"}
_AFTER_TABLES = set(
    "WHERE GROUP HAVING WINDOW QUALIFY ORDER LIMIT OFFSET UNION EXCEPT INTERSECT SELECT".split()
)
# EXTRACT(year FROM x), x IS DISTINCT FROM y: FROM of an expression.
_FUNCTIONS_WITH_FROM = {"EXTRACT", "TRIM", "SUBSTRING", "OVERLAY"}

_CHANGES = set(
    "ABORT ALTER BEGIN COMMIT COPY CREATE DELETE DROP END INSERT PRAGMA RESET ROLLBACK SET START "
    "TRUNCATE UPDATE USE".split()
)

_OF_REMOVALS = set("CREATE DROP EXISTS IF OR REPLACE TABLE TEMP TEMPORARY VIEW".split())


def _tokens(sql):
    """Yields (text in capitals, name or None) of words, names and signs, and an empty end."""
    for match in _TOKENS.finditer(sql):
        word, quoted = match["word"], match["quoted"]
        if word or quoted:
            yield word.upper() if word else "", word or quoted[1:-1].replace('""', '"')
        elif match.group()[:2] not in ("--", "/*"):
            yield match.group(), None
    yield "", None


def is_change(sql):
    """Tells by its first word whether a statement is asked for what it does."""
    return next(_tokens(sql))[0] in _CHANGES


def is_untimed_change(sql):
    """Tells by its first word whether a statement changes something, and has no profile."""
    return next(_tokens(sql))[0] in _CHANGES - {"COPY", "CREATE"}


def removed_name(sql):
    """Returns the table or view that DROP or CREATE OR REPLACE takes away; None if none."""
    words, name, before = [], None, ""
    for text, given in _tokens(sql):
        if name is None and text in _OF_REMOVALS:
            words.append(text)
        elif name is None or before == ".":  # main.t has the table behind its schema
            name = given
        elif text != ".":
            break
        before = text
    is_of_table = "TABLE" in words or "VIEW" in words
    return name if is_of_table and (words[0] == "DROP" or "REPLACE" in words) else None


def names_after_from(sql):
    """Returns the names that stand where FROM and JOIN have tables, in their order."""
    names, follows, before, candidate = [], False, "", None
    lists_tables = [False]  # for each open parenthesis: whether a comma is followed by a table
    for text, name in _tokens(sql):
        # A name before a dot is a schema's, and one before a parenthesis a function's.
        if candidate is not None and text not in (".", "("):
            names.append(candidate)
        elif candidate is not None and candidate.upper() == "VALUES":
            lists_tables[-1] = False
        candidate = None
        if text in _BEFORE_TABLES and lists_tables[-1] is not None and before != "DISTINCT":
            follows = lists_tables[-1] = True
        elif text in _AFTER_TABLES:
            follows = lists_tables[-1] = False
        elif name is not None:
            candidate, follows = (name if follows and before != "." else None), False
        elif text == ",":
            follows = bool(lists_tables[-1])
        elif text == "(":
            # FROM (a JOIN b) has a table behind its parenthesis.
            lists_tables.append(None if before in _FUNCTIONS_WITH_FROM else follows)
        elif text == ")":
            lists_tables[:] = lists_tables[:-1] or [False]
            follows = False
        else:
            follows = False
        before = text
    return names


def as_written(tables, sql):
    """Returns tables by the names that the statement has for them, which SQL finds in any case."""
    made = dict(tables)
    if not tables:
        return made
    for name in set(names_after_from(sql)) - set(tables):
        same = [one for one in tables if one.lower() == name.lower()]
        if len(same) > 1:
            raise PenstockError(
                f"tables= has {' and '.join(same)}, and FROM names {name}; which one is meant is not "
                "said"
            )
        if same:
            made[name] = tables[same[0]]
    return made
