"""Damage to CSV files on their way: lines before and after, uneven rows, stray quotes, encodings.

A fault takes a random.Random, the lines without their ends, and the delimiter. It returns lines.
"""

FAULTS = {}  # by names


def _fault(function):
    FAULTS[function.__name__.replace("_", " ")] = function
    return function


def _place(rng, lines, first=1):
    return rng.randrange(first, len(lines)) if len(lines) > first else None


def _changed(lines, place, line):
    return lines if place is None else lines[:place] + [line] + lines[place + 1 :]


def _inserted(lines, place, *more):
    return lines if place is None else lines[:place] + list(more) + lines[place:]


@_fault
def comment_first(rng, lines, delimiter):
    return [f"# made on 2024-03-0{rng.randint(1, 9)}"] + ["# by hand"] * rng.randrange(2) + lines


@_fault
def comments_between(rng, lines, delimiter):
    return _inserted(lines, _place(rng, lines), "# checked up to here")


@_fault
def comment_behind(rng, lines, delimiter):
    place = _place(rng, lines)
    return lines if place is None else _changed(lines, place, lines[place] + " # odd")


@_fault
def percent_comment(rng, lines, delimiter):
    return ["% a remark"] + lines


@_fault
def title(rng, lines, delimiter):
    return ["Harvest of the year"] + lines


@_fault
def titles_and_blank(rng, lines, delimiter):
    return ["Harvest of the year", f"Printed{delimiter}2024-03-04", ""] + lines


@_fault
def title_padded(rng, lines, delimiter):
    return ["Harvest" + delimiter * lines[0].count(delimiter)] + lines


@_fault
def separator_line(rng, lines, delimiter):
    return ["sep=" + delimiter] + lines


@_fault
def total_line(rng, lines, delimiter):
    return lines + ["Total" + delimiter * lines[-1].count(delimiter)]


@_fault
def footer(rng, lines, delimiter):
    return lines + ["", f"({len(lines) - 1} rows affected)"]


@_fault
def rule_below_header(rng, lines, delimiter):
    return _inserted(lines, 1, delimiter.join(["----"] * (lines[0].count(delimiter) + 1)))


@_fault
def units_below_header(rng, lines, delimiter):
    return _inserted(lines, 1, delimiter.join(["[mm]"] * (lines[0].count(delimiter) + 1)))


@_fault
def header_repeated(rng, lines, delimiter):
    return _inserted(lines, _place(rng, lines, 2), lines[0])


@_fault
def blank_first(rng, lines, delimiter):
    return [""] * rng.randint(1, 3) + lines


@_fault
def blank_between(rng, lines, delimiter):
    return _inserted(lines, _place(rng, lines), *[""] * rng.randint(1, 2))


@_fault
def blank_last(rng, lines, delimiter):
    return lines + [""] * rng.randint(1, 3)


@_fault
def spaces_alone(rng, lines, delimiter):
    return _inserted(lines, _place(rng, lines), "   ")


@_fault
def delimiters_alone(rng, lines, delimiter):
    return _inserted(lines, _place(rng, lines), delimiter * lines[0].count(delimiter))


@_fault
def short_row(rng, lines, delimiter):
    place = _place(rng, lines)
    return lines if place is None else _changed(lines, place, lines[place].rpartition(delimiter)[0])


@_fault
def long_row(rng, lines, delimiter):
    place = _place(rng, lines)
    return lines if place is None else _changed(lines, place, lines[place] + delimiter + "more")


@_fault
def trailing_delimiters(rng, lines, delimiter):
    return [line + delimiter for line in lines]


@_fault
def trailing_but_in_header(rng, lines, delimiter):
    return lines[:1] + [line + delimiter for line in lines[1:]]


@_fault
def trailing_in_some(rng, lines, delimiter):
    return [line + delimiter * (rng.random() < 0.3) for line in lines]


@_fault
def short_header(rng, lines, delimiter):
    return [lines[0].partition(delimiter)[2]] + lines[1:]


@_fault
def spaces_behind_delimiters(rng, lines, delimiter):
    return [line.replace(delimiter, delimiter + " ") for line in lines]


@_fault
def spaces_before_delimiters(rng, lines, delimiter):
    return [line.replace(delimiter, " " + delimiter) for line in lines]


@_fault
def padded_columns(rng, lines, delimiter):
    return [delimiter.join(f"{field:<8}" for field in line.split(delimiter)) for line in lines]


def _first_of(lines, place, change):
    return lines if place is None else _changed(lines, place, change(lines[place]))


@_fault
def stray_quote(rng, lines, delimiter):
    return _first_of(lines, _place(rng, lines), lambda line: line + '"')


@_fault
def open_quote(rng, lines, delimiter):
    return _first_of(lines, _place(rng, lines), lambda line: '"' + line)


@_fault
def two_open_quotes(rng, lines, delimiter):
    return open_quote(rng, open_quote(rng, lines, delimiter), delimiter)


@_fault
def inch(rng, lines, delimiter):
    return _first_of(
        lines, _place(rng, lines), lambda line: line.partition(delimiter)[0] + delimiter + '5" nail'
    )


@_fault
def bytes_behind_quote(rng, lines, delimiter):
    return _first_of(
        lines, _place(rng, lines), lambda line: '"x"y' + delimiter + line.partition(delimiter)[2]
    )


@_fault
def space_behind_quote(rng, lines, delimiter):
    return _first_of(
        lines, _place(rng, lines), lambda line: '"x" ' + delimiter + line.partition(delimiter)[2]
    )


@_fault
def space_before_quote(rng, lines, delimiter):
    return _first_of(
        lines, _place(rng, lines), lambda line: line.rpartition(delimiter)[0] + delimiter + ' "x"'
    )


@_fault
def header_alone(rng, lines, delimiter):
    return lines[:1]


@_fault
def one_row(rng, lines, delimiter):
    return lines[1:2] or lines


@_fault
def no_header(rng, lines, delimiter):
    return lines[1:] or lines


@_fault
def tabs_for_blanks(rng, lines, delimiter):
    return [line.replace(" ", "\t") for line in lines]


@_fault
def other_delimiter_late(rng, lines, delimiter):
    place = _place(rng, lines, 3)
    return (
        lines
        if place is None
        else lines[:place] + [l.replace(delimiter, ";") for l in lines[place:]]
    )


@_fault
def nul(rng, lines, delimiter):
    return _first_of(lines, _place(rng, lines), lambda line: line + "\0x")


@_fault
def word_at_the_end(rng, lines, delimiter):
    last = lines[-1].partition(delimiter)
    return lines * rng.choice([1, 20, 200]) + ["oddity" + last[1] + last[2]]


def ends(rng):
    """Returns a name and a function that joins lines to a text."""
    newline = rng.choice(["\n"] * 8 + ["\r\n"] * 5 + ["\r", "mixed"])
    last = rng.choice([True] * 4 + [False])

    def join(lines):
        kinds = [rng.choice(["\n", "\r\n"]) if newline == "mixed" else newline for _ in lines]
        text = "".join(line + kind for line, kind in zip(lines, kinds))
        return text if last or not lines else text[: -len(kinds[-1])]

    names = {"\n": "LF", "\r\n": "CRLF", "\r": "CR", "mixed": "LF and CRLF mixed"}
    return names[newline] + ("" if last else ", none at the end"), join


def encode(rng, text):
    """Returns a name and the bytes of a text; of ten files nine are UTF-8 without a mark."""
    drawn = rng.random()
    if drawn < 0.06:
        return "byte order mark", b"\xef\xbb\xbf" + text.encode()
    if drawn < 0.08:
        return "UTF-16", text.encode("utf-16")
    if drawn < 0.10:
        return "Latin-1", (text + "caf\u00e9\n").encode("latin-1", errors="replace")
    return "UTF-8", text.encode()
