"""Columns of text values as people's files have them: a name of the habit, and a maker of one value.

A maker takes a random.Random and the number of the row. None stands for a value that is lacking; a file says how it writes that.
"""

import datetime
import uuid

WORDS = "ash birch cedar elm fir hazel larch maple oak pine rowan spruce willow yew".split()
FOREIGN = [
    "Zoë",
    "Łódź",
    "naïve",
    "北京",
    "東京都",
    "смола",
    "ñandú",
    "Ωμέγα",
    "🙂 ok",
    "e\u0301t",
    "ﬁn",
]
FIRST_MOMENT = datetime.datetime(1931, 1, 1)

DATES = {
    "iso": "%Y-%m-%d",
    "year-first slashes": "%Y/%m/%d",
    "year-first dots": "%Y.%m.%d",
    "day-first slashes": "%d/%m/%Y",
    "month-first slashes": "%m/%d/%Y",
    "day-first dashes": "%d-%m-%Y",
    "month-first dashes": "%m-%d-%Y",
    "day-first dots": "%d.%m.%Y",
    "day-first slashes, two-digit year": "%d/%m/%y",
    "month-first slashes, two-digit year": "%m/%d/%y",
    "day-first dots, two-digit year": "%d.%m.%y",
    "compact": "%Y%m%d",
    "month name": "%d %b %Y",
    "month name with dashes": "%d-%b-%Y",
    "long month name": "%B %d, %Y",
    "year and month": "%Y-%m",
    "weekday": "%a %d %b %Y",
    "day of year": "%Y-%j",
    "year-first spaces": "%Y %m %d",
    "basic with hour": "%Y%m%dT%H",
}
MOMENTS = {
    "seconds": "%Y-%m-%d %H:%M:%S",
    "T": "%Y-%m-%dT%H:%M:%S",
    "T and Z": "%Y-%m-%dT%H:%M:%SZ",
    "Z": "%Y-%m-%d %H:%M:%SZ",
    "offset": "%Y-%m-%d %H:%M:%S+02:00",
    "short offset": "%Y-%m-%dT%H:%M:%S+02",
    "zone name": "%Y-%m-%d %H:%M:%S UTC",
    "microseconds": "%Y-%m-%d %H:%M:%S.%f",
    "minutes": "%Y-%m-%d %H:%M",
    "month-first, half days": "%m/%d/%Y %I:%M:%S %p",
    "day-first slashes": "%d/%m/%Y %H:%M:%S",
    "day-first dots": "%d.%m.%Y %H:%M",
    "year-first slashes": "%Y/%m/%d %H:%M:%S",
    "log": "%d/%b/%Y:%H:%M:%S +0000",
    "compact": "%Y%m%d%H%M%S",
    "date and T": "%Y%m%dT%H%M%S",
    "mail": "%a, %d %b %Y %H:%M:%S +0000",
}
TIMES = {"time": "%H:%M:%S", "time of minutes": "%H:%M", "half days": "%I:%M:%S %p"}
TRUTH = {
    "true": ("true", "false"),
    "True": ("True", "False"),
    "TRUE": ("TRUE", "FALSE"),
    "t": ("t", "f"),
    "T": ("T", "F"),
    "yes": ("yes", "no"),
    "Y": ("Y", "N"),
    "on": ("on", "off"),
    "0 and 1": ("0", "1"),
    "words mixed": ("true", "False", "TRUE", "f"),
    "truth and numbers": ("true", "0", "false", "1"),
}


def _moment(rng):
    return FIRST_MOMENT + datetime.timedelta(microseconds=rng.randrange(4 * 10**15))


def _one_digit_parts(rng, separator, year_first):
    moment = _moment(rng)
    parts = (
        [moment.year, moment.month, moment.day]
        if year_first
        else [moment.month, moment.day, moment.year]
    )
    return separator.join(map(str, parts))


def _grouped(rng, separator, point):
    whole, _, cents = f"{rng.uniform(0, 10 ** rng.randrange(3, 9)):,.2f}".partition(".")
    return whole.replace(",", separator) + point + cents


def _after(first, then, row):
    """Values of one kind up to a row, and of another from it on."""
    return lambda rng, place: (first if place < row else then)(rng, place)


def _sometimes(rare, usual, share=0.2):
    return lambda rng, place: (rare if rng.random() < share else usual)(rng, place)


def _of(*choices):
    return lambda rng, place: rng.choice(choices)


def _integer(rng, place):
    return str(rng.randint(-1000, 1000))


def _decimal(rng, place):
    return f"{rng.uniform(-1000, 1000):.{rng.choice([1, 2, 2, 3])}f}"


def _word(rng, place):
    return rng.choice(WORDS)


def _date(rng, place):
    return _moment(rng).strftime("%Y-%m-%d")


NUMBERS = {
    "integers": _integer,
    "row numbers": lambda rng, place: str(place + 1),
    "bigints": lambda rng, place: str(rng.randrange(-(2**63), 2**63)),
    "ends of 64 bits": _of("9223372036854775807", "-9223372036854775808", "0", "4294967296"),
    "beyond 64 bits": _of("9223372036854775808", "18446744073709551615", "12345678901234567890"),
    "beyond 128 bits": lambda rng, place: str(rng.getrandbits(140)),
    "integers, one beyond 64 bits": _sometimes(_of("98765432109876543210"), _integer, 0.1),
    "decimals": _decimal,
    "many digits": lambda rng, place: f"{rng.uniform(0, 1):.20f}",
    "doubles": lambda rng, place: repr(rng.uniform(-1, 1) * 10.0 ** rng.randrange(-300, 300)),
    "exponents": _of("1e5", "2E-3", "1.5e+10", "-7e0", "6.02e23", "1e-400", "3e400"),
    "leading zeros": lambda rng, place: f"{rng.randrange(100000):05d}",
    "zero and leading zeros": _sometimes(_of("007", "00"), _of("0", "7", "12")),
    "decimals with leading zeros": lambda rng, place: f"{rng.uniform(0, 100):09.2f}",
    "plus signs": lambda rng, place: f"+{rng.randrange(1000)}",
    "phone numbers": lambda rng, place: f"+31885{rng.randrange(10**7):07d}",
    "some plus signs": _sometimes(lambda rng, place: f"+{rng.randrange(99)}", _integer),
    "thousands by comma": lambda rng, place: f"{rng.randrange(10**7):,}",
    "thousands by point": lambda rng, place: _grouped(rng, ".", ","),
    "thousands by space": lambda rng, place: _grouped(rng, " ", "."),
    "thousands by apostrophe": lambda rng, place: _grouped(rng, "'", "."),
    "thousands by underscore": lambda rng, place: f"{rng.randrange(10**7):_}",
    "decimal comma": lambda rng, place: _decimal(rng, place).replace(".", ","),
    "inf and nan": _sometimes(
        _of("inf", "-inf", "nan", "NaN", "Infinity", "-Infinity", "INF", "+inf"), _decimal
    ),
    "money": lambda rng, place: f"${_grouped(rng, ',', '.')}",
    "euros": lambda rng, place: f"{_decimal(rng, place).replace('.', ',')} €",
    "percent": lambda rng, place: f"{rng.uniform(0, 100):.1f}%",
    "hexadecimal": lambda rng, place: f"0x{rng.randrange(65536):X}",
    "open ends": _of("1.", ".5", "-.25", "3.", "0.", "-0.0"),
    "negatives in parentheses": _of("(5)", "12", "(3.5)", "7"),
    "trailing minus": _of("5-", "12", "3.5-", "7"),
    "negative zero": _of("-0", "0", "1"),
    "integers then decimals": _after(_integer, _decimal, 5),
    "spaces around numbers": lambda rng, place: (
        rng.choice([" ", "  ", ""]) + _integer(rng, place) + rng.choice([" ", ""])
    ),
    "numbers, one word": _sometimes(_of("n/a", "unknown", "-", "?"), _integer, 0.1),
    "bytes with units": _of("12K", "3M", "512", "1G"),
    "version numbers": _of("1.2.3", "1.10", "2.0", "10.4.1"),
}
TEXTS = {
    "words": _word,
    "sentences": lambda rng, place: " ".join(rng.choices(WORDS, k=rng.randrange(1, 9))),
    "sentences with commas": lambda rng, place: ", ".join(
        rng.choices(WORDS, k=rng.randrange(1, 5))
    ),
    "semicolons": lambda rng, place: ";".join(rng.choices(WORDS, k=rng.randrange(1, 4))),
    "bars": lambda rng, place: "|".join(rng.choices(WORDS, k=rng.randrange(1, 4))),
    "tabs inside": lambda rng, place: "\t".join(rng.choices(WORDS, k=rng.randrange(1, 3))),
    "quotes inside": lambda rng, place: rng.choice(
        ['the "best" ash', '6" nail', '"whole"', "plain"]
    ),
    "apostrophes": _of("it's", "O'Hara", "rock 'n' roll", "plain", "'quoted'"),
    "newlines inside": _of("two\nlines", "one", "three\r\nor\nmore", "\nfirst is empty"),
    "backslashes": _of("C:\\temp\\new", "a\\b", "plain", "ends\\", "\\N and more"),
    "unicode": _of(*FOREIGN),
    "spaces around": _of(" x", "y ", "  z  ", "w", " "),
    "no-break spaces": _of("a\u00a0b", "\u00a0x", "y"),
    "hash signs": _of("#1", "# two", "three#", "plain"),
    "null words": _sometimes(
        _of("NULL", "null", "NA", "N/A", "nan", "None", "\\N", "-"), _word, 0.4
    ),
    "empty and null words": _sometimes(_of("", "NULL", "null"), _integer, 0.3),
    "uuids": lambda rng, place: str(uuid.UUID(int=rng.getrandbits(128))),
    "hashes": lambda rng, place: f"{rng.getrandbits(64):016x}",
    "digits and letter e": _of("12e4", "3e7", "10e2", "7a1"),
    "addresses": lambda rng, place: ".".join(str(rng.randrange(256)) for _ in range(4)),
    "urls": lambda rng, place: (
        f"https://example.org/{rng.choice(WORDS)}?q={rng.randrange(9)}&r=a;b"
    ),
    "json": lambda rng, place: f'{{"k": {rng.randrange(9)}, "w": "{rng.choice(WORDS)}"}}',
    "lists": lambda rng, place: f"[{rng.randrange(9)}, {rng.randrange(9)}]",
    "formulas": _of("=A1+1", "-x", "+sum", "@you", "plain"),
    "long texts": lambda rng, place: rng.choice(WORDS) * rng.choice([1, 10, 2000]),
    "control characters": _of("a\x01b", "\x7f", "c\x1b[0m", "plain"),
    "one letter": _of("a", "b", "c"),
    "all lacking": lambda rng, place: None,
    "one constant": lambda rng, place: "same",
    "words then numbers": _after(_word, _integer, 6),
    "numbers then words": _after(_integer, _word, 12),
    "dates then words": _after(_date, _word, 9),
    "numbers and dates": _sometimes(_date, _integer, 0.5),
    "dates, one empty text": _sometimes(_of(" "), _date, 0.2),
}


def _formatted(pattern):
    return lambda rng, place: _moment(rng).strftime(pattern)


DAYS = {f"dates: {name}": _formatted(pattern) for name, pattern in DATES.items()} | {
    "dates: days to 12 only": lambda rng, place: (
        f"{rng.randint(1, 12):02d}/{rng.randint(1, 12):02d}/20{rng.randint(10, 24)}"
    ),
    "dates: one-digit parts": lambda rng, place: _one_digit_parts(rng, "/", False),
    "dates: one-digit parts, year first": lambda rng, place: _one_digit_parts(rng, "-", True),
    "dates: one that is none": _sometimes(_of("2023-02-30", "0000-00-00"), _date, 0.15),
    "dates: far away": _of("0001-01-01", "9999-12-31", "10000-01-01", "1582-10-10", "infinity"),
    "dates: two formats": lambda rng, place: _moment(rng).strftime(
        rng.choice(["%Y-%m-%d", "%d/%m/%Y"])
    ),
    "dates and timestamps": lambda rng, place: _moment(rng).strftime(
        rng.choice(["%Y-%m-%d", "%Y-%m-%d %H:%M:%S"])
    ),
    "epochs": lambda rng, place: str(rng.randrange(10**9, 2 * 10**9)),
}
CLOCKS = {f"timestamps: {name}": _formatted(pattern) for name, pattern in MOMENTS.items()} | {
    "timestamps: milliseconds": lambda rng, place: _moment(rng).strftime("%Y-%m-%d %H:%M:%S.%f")[
        :-3
    ],
    "timestamps: nanoseconds": lambda rng, place: (
        _moment(rng).strftime("%Y-%m-%d %H:%M:%S.%f") + rng.choice(["000", "123"])
    ),
    **{f"times: {name}": _formatted(pattern) for name, pattern in TIMES.items()},
}
TRUTHS = {f"booleans: {name}": _of(*words) for name, words in TRUTH.items()}

PLAIN = {"integers": _integer, "decimals": _decimal, "words": _word, "dates": _date}
GROUPS = [NUMBERS, TEXTS, DAYS, CLOCKS, TRUTHS]


def draw(rng, odd_share=0.7):
    """Returns a kind's name and its maker; a share of them from the plain ones."""
    group = rng.choice(GROUPS) if rng.random() < odd_share else PLAIN
    name = rng.choice(list(group))
    return name, group[name]
