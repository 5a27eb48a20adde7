"""A table of texts as programs write it: Python's csv module, data frames, databases, spreadsheets, statistics."""

import csv
import io


def _text(value, lacking=""):
    return lacking if value is None else value


def _python(**options):
    def write(rng, table):
        target = io.StringIO()
        number = options.get("quoting") == csv.QUOTE_NONNUMERIC
        writer = csv.writer(target, **options)
        cells = lambda row: [_number(v) if number else _text(v) for v in row]
        writer.writerows([table.header] + [cells(row) for row in table.rows])
        return target.getvalue().encode()

    return write


def _number(value):
    """A value that csv.QUOTE_NONNUMERIC leaves without quotes."""
    try:
        return float(value) if "." in value else int(value)
    except (TypeError, ValueError):
        return _text(value)


def python_by_any_habits(rng, table):
    """Escapes that the fields do not need stand beside doubled quotes, and rows may end with a carriage return."""
    quotings = [csv.QUOTE_MINIMAL] * 2 + [csv.QUOTE_ALL]
    if len(table.header) > 1:  # an empty field that is a row needs quotes
        quotings.append(csv.QUOTE_NONE)
    options = {
        "delimiter": rng.choice(",,,,;\t|"),
        "quotechar": rng.choice('"""\''),
        "lineterminator": rng.choice(["\n", "\n", "\r\n", "\r"]),
        "quoting": rng.choice(quotings),
    }
    if options["quoting"] == csv.QUOTE_NONE or rng.random() < 0.25:
        options |= {"escapechar": "\\", "doublequote": rng.random() < 0.5}
    return _python(**options)(rng, table)


PYTHON = {
    "Python, minimal": _python(),
    "Python, all": _python(quoting=csv.QUOTE_ALL),
    "Python, not numbers": _python(quoting=csv.QUOTE_NONNUMERIC),
    "Python, none": _python(quoting=csv.QUOTE_NONE, escapechar="\\"),
    "Python, tab": _python(delimiter="\t", lineterminator="\n"),
    "Python, Excel tab": _python(dialect="excel-tab"),
    "Python, unix": _python(dialect="unix"),
    "Python, escapes": _python(doublequote=False, escapechar="\\"),
    "Python, apostrophes": _python(quotechar="'", quoting=csv.QUOTE_ALL),
    "Python, semicolon": _python(delimiter=";", lineterminator="\n"),
    "Python, bar": _python(delimiter="|", lineterminator="\n"),
    "Python, colon": _python(delimiter=":"),
}


def _needs_quotes(value, delimiter):
    return any(sign in value for sign in (delimiter, '"', "\n", "\r"))


def _doubled(value):
    return '"' + value.replace('"', '""') + '"'


def _rows(table, delimiter, lacking, end, empty='""', always=False):
    """Fields in quotes where they need them; an empty text is `empty`, so that it is told from what is lacking."""
    for row in [table.header, *table.rows]:
        cells = []
        for value in row:
            if value is None:
                cells.append(lacking)
            elif value == "":
                cells.append(empty)
            else:
                cells.append(
                    _doubled(value) if always or _needs_quotes(value, delimiter) else value
                )
        yield delimiter.join(cells) + end


def _joined(lines):
    return "".join(lines).encode()


def _pandas(rng, table):
    """With the index, which has an empty name."""
    lacking = rng.choice(["", "nan", "NaN", "NULL"])
    lines = list(_rows(table, ",", lacking, "\n", empty='""'))
    return _joined(
        [("" if place == 0 else str(place - 1)) + "," + line for place, line in enumerate(lines)]
    )


def _polars(rng, table):
    return _joined(_rows(table, ",", "", "\n", empty='""'))


def _duckdb(rng, table):
    return _joined(_rows(table, rng.choice([",", "|"]), rng.choice(["", "NULL"]), "\n"))


def _excel(rng, table):
    """The export of countries with a decimal comma, with a byte order mark or without."""
    mark = b"\xef\xbb\xbf" if rng.random() < 0.6 else b""
    comma = lambda v: (
        v.replace(".", ",") if v and v.replace(".", "", 1).lstrip("-").isdigit() else v
    )
    rows = type(table)(table.header, [[comma(v) for v in row] for row in table.rows], [])
    return mark + _joined(_rows(rows, ";", "", "\r\n", empty=""))


def _excel_with_separator(rng, table):
    return b"sep=,\r\n" + _joined(_rows(table, ",", "", "\r\n", empty=""))


def _postgres_csv(rng, table):
    return _joined(_rows(table, ",", "", "\n"))


def _backslashed(value, delimiter):
    value = (
        value.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")
    )
    return value.replace(delimiter, "\\" + delimiter)


def _postgres_text(rng, table):
    """COPY's format of text: no header, tabs, backslashes."""
    return _joined(
        "\t".join("\\N" if v is None else _backslashed(v, "\t") for v in row) + "\n"
        for row in table.rows
    )


def _mysql(rng, table):
    """INTO OUTFILE ... ENCLOSED BY '"': quotes are escaped by a backslash, and there is no header."""
    cell = lambda v: "\\N" if v is None else '"' + v.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return _joined(",".join(map(cell, row)) + "\n" for row in table.rows)


def _sql_server(rng, table):
    """A rule below the header, and the count of rows at the end."""
    lines = list(_rows(table, ",", "NULL", "\r\n", empty=""))
    rule = ",".join("-" * max(len(name), 1) for name in table.header) + "\r\n"
    return _joined([lines[0], rule, *lines[1:], "\r\n", f"({len(table.rows)} rows affected)\r\n"])


def _bcp(rng, table):
    """No header and no quotes."""
    return _joined(
        "|".join(_text(v).replace("|", "/").replace("\n", " ").replace("\r", " ") for v in row)
        + "\r\n"
        for row in table.rows
    )


def _sqlite(rng, table):
    return _joined(_rows(table, ",", "", "\r\n", empty='""'))


def _snowflake(rng, table):
    return _joined(_rows(table, ",", "\\N", "\n", empty='""', always=True))


def _bigquery(rng, table):
    return _joined(_rows(table, ",", "", "\n", empty='""'))


def _spark(rng, table):
    """Quotes inside are escaped by a backslash; an empty text is a pair of quotes."""

    def cell(value):
        if value is None:
            return ""
        if value == "" or _needs_quotes(value, ","):
            return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
        return value

    return _joined(",".join(map(cell, row)) + "\n" for row in [table.header, *table.rows])


def _r_csv(rng, table):
    """write.csv: texts and the rows' names in quotes, NA without."""

    def cell(value):
        if value is None:
            return "NA"
        return value if isinstance(_number(value), (int, float)) else _doubled(value)

    head = ",".join(['""'] + [_doubled(name) for name in table.header])
    rows = [",".join([f'"{n + 1}"'] + [cell(v) for v in row]) for n, row in enumerate(table.rows)]
    return _joined(line + "\n" for line in [head, *rows])


def _r_table(rng, table):
    """write.table: blanks between, and a name less than columns."""
    cell = lambda v: "NA" if v is None else _doubled(v)
    head = " ".join(map(_doubled, table.header))
    rows = [" ".join([f'"{n + 1}"'] + [cell(v) for v in row]) for n, row in enumerate(table.rows)]
    return _joined(line + "\n" for line in [head, *rows])


def _all_quoted(rng, table):
    """A lacking value is a pair of quotes, like every other field."""
    return _joined(_rows(table, ",", '""', "\n", empty='""', always=True))


def _spaced(rng, table):
    return _joined(line.replace(",", ", ") for line in _rows(table, ",", "", "\n"))


PROGRAMS = {
    "a data frame with its index": _pandas,
    "a data frame": _polars,
    "DuckDB": _duckdb,
    "a spreadsheet with semicolons": _excel,
    "a spreadsheet with its separator named": _excel_with_separator,
    "PostgreSQL, CSV": _postgres_csv,
    "PostgreSQL, text": _postgres_text,
    "MySQL": _mysql,
    "SQL Server's query tool": _sql_server,
    "SQL Server's bulk copy": _bcp,
    "SQLite": _sqlite,
    "Snowflake": _snowflake,
    "BigQuery": _bigquery,
    "Spark": _spark,
    "R, CSV": _r_csv,
    "R, table": _r_table,
    "everything quoted": _all_quoted,
    "blanks behind commas": _spaced,
    **PYTHON,
}


def write(rng, table):
    """Returns a program's name and the bytes of its file."""
    name = rng.choice(list(PROGRAMS))
    return name, PROGRAMS[name](rng, table)
