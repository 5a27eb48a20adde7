"""Parquet files with a few bytes changed, where it hurts: page headers, levels, runs, dictionaries, statistics.

The compact protocol of Thrift, in which headers and footers are written, is read far enough to know where each number lies.
"""

import dataclasses

import pyarrow.parquet

CATEGORIES = ["header", "levels", "values", "dictionary", "statistics"]
_DATA, _DICTIONARY, _DATA_V2 = 0, 2, 3  # a page header's type


@dataclasses.dataclass
class Leaf:
    """A value without parts: where it lies, and the numbers of the fields and elements that lead there."""

    path: tuple
    start: int
    end: int
    number: int | None = None  # of a varint


@dataclasses.dataclass
class Place:
    """Bytes that may be changed. `page` is None outside of pages, -1 for a dictionary."""

    category: str
    column: str
    row_group: int
    page: int | None
    start: int
    end: int
    number: int | None = None


def _varint(data, at):
    value, shift = 0, 0
    while True:
        value |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if data[at - 1] < 128:
            return value, at


def _zigzag(value):
    return value >> 1 ^ -(value & 1)


def _read_value(data, at, kind, path, leaves):
    if kind == 12:
        return _read_struct(data, at, path, leaves)
    if kind in (9, 10):
        return _read_list(data, at, path, leaves)
    start, number = at, None
    if kind in (4, 5, 6):
        bits, at = _varint(data, at)
        number = _zigzag(bits)
    elif kind == 8:
        length, start = _varint(data, at)
        at = start + length
    elif kind == 7:
        at += 8
    elif kind == 3:
        at += 1
    leaves.append(Leaf(path, start, at, number))
    return at


def _read_list(data, at, path, leaves):
    count, kind = data[at] >> 4, data[at] & 15
    at += 1
    if count == 15:
        count, at = _varint(data, at)
    for place in range(count):
        at = _read_value(data, at, 3 if kind in (1, 2) else kind, (*path, place), leaves)
    return at


def _read_struct(data, at, path, leaves):
    field = 0
    while data[at] != 0:
        kind, step = data[at] & 15, data[at] >> 4
        at += 1
        if step:
            field += step
        else:
            bits, at = _varint(data, at)
            field = _zigzag(bits)
        if kind in (1, 2):  # a boolean is in its field's type
            leaves.append(Leaf((*path, field), at - 1, at, None))
        else:
            at = _read_value(data, at, kind, (*path, field), leaves)
    return at + 1


def leaves_of(data, at):
    """The leaves of the struct at a position, and where it ends."""
    leaves = []
    end = _read_struct(data, at, (), leaves)
    return leaves, end


class ParquetPlaces:
    """The places of a file that is whole, by category."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        metadata = pyarrow.parquet.read_metadata(path)
        self.schema = metadata.schema
        self.by_category = {category: [] for category in CATEGORIES}
        for group in range(metadata.num_row_groups):
            for column in range(metadata.num_columns):
                self._add_chunk(metadata.row_group(group).column(column), group, column)
        self._add_statistics(metadata)

    def _add(self, category, column, group, page, start, end, number=None):
        if end > start:
            self.by_category[category].append(
                Place(category, column, group, page, start, end, number)
            )

    def _add_chunk(self, chunk, group, column):
        at = chunk.dictionary_page_offset or chunk.data_page_offset
        end = at + chunk.total_compressed_size
        page = 0
        while at < end:
            leaves, body = leaves_of(self.data, at)
            numbers = {leaf.path: leaf.number for leaf in leaves}
            number = -1 if numbers[(1,)] == _DICTIONARY else page
            name = chunk.path_in_schema
            for leaf in leaves:
                self._add("header", name, group, number, leaf.start, leaf.end, leaf.number)
            self._add("header", name, group, number, at, body)
            at = body + numbers[(3,)]
            self._add_body(chunk, numbers, column, (name, group, number), body, at)
            page += number >= 0

    def _add_body(self, chunk, numbers, column, where, start, end):
        """Levels are told apart where they are not compressed."""
        values = start
        if numbers[(1,)] == _DICTIONARY:
            return self._add("dictionary", *where, start, end)
        if numbers[(1,)] == _DATA_V2:
            values = start + numbers[(8, 5)]
        elif (
            chunk.compression == "UNCOMPRESSED"
            and self.schema.column(column).max_definition_level > 0
        ):
            values = start + 4 + int.from_bytes(self.data[start : start + 4], "little")
        self._add("levels", *where, start, values)
        self._add("values", *where, values, end)

    def _add_statistics(self, metadata):
        """Statistics of the footer, and page indices."""
        footer = len(self.data) - 8 - int.from_bytes(self.data[-8:-4], "little")
        indices = {}  # (row group, column) -> numbers of a ColumnChunk
        for leaf in leaves_of(self.data, footer)[0]:
            if leaf.path[0] != 4 or len(leaf.path) < 5 or leaf.path[2] != 1:
                continue
            group, column, rest = leaf.path[1], leaf.path[3], leaf.path[4:]
            name = metadata.row_group(group).column(column).path_in_schema
            if rest[:2] == (3, 12):
                self._add("statistics", name, group, None, leaf.start, leaf.end, leaf.number)
            elif len(rest) == 1:
                indices.setdefault((group, name), {})[rest[0]] = leaf.number
        for (group, name), numbers in indices.items():
            for offset, length in ((4, 5), (6, 7)):
                if numbers.get(offset):
                    start = numbers[offset]
                    self._add("statistics", name, group, None, start, start + numbers[length])

    def mutant(self, rng, category, columns):
        """(bytes, place) with a few bytes of a place of this category changed, or None where the file has no such place."""
        places = [place for place in self.by_category[category] if place.column in columns]
        if not places:
            return None
        place = rng.choice(places)
        changed = bytearray(self.data)
        while changed == self.data:
            _change(rng, changed, place)
        return bytes(changed), place


def _change(rng, data, place):
    if place.number is not None and rng.random() < 0.6:
        return _change_number(rng, data, place)
    length = place.end - place.start
    # Lengths, widths and the first runs are at the front.
    at = place.start + rng.randrange(min(length, 8) if rng.random() < 0.5 else length)
    for position in range(at, min(at + rng.choice([1, 1, 1, 2, 4]), place.end)):
        old = data[position]
        data[position] = rng.choice(
            [old ^ 1 << rng.randrange(8), 0, 255, rng.randrange(256), old + 1 & 255, old - 1 & 255]
        )


def _change_number(rng, data, place):
    """Another number in as many bytes, so that what follows stays where it is."""
    length = place.end - place.start
    largest = (1 << 7 * length - 1) - 1
    number = rng.choice(
        [0, 1, -1, largest, -largest - 1, place.number + 1, place.number - 1, 2 * place.number]
    )
    number = max(min(number, largest), -largest - 1)
    bits = (number << 1 ^ number >> 63) & (1 << 7 * length) - 1
    for i in range(length):
        data[place.start + i] = bits >> 7 * i & 127 | (128 if i + 1 < length else 0)
