"""A Parquet file taken apart, so that any field of its footer or of a page's header can be another one.

Structs in Thrift's compact protocol become dictionaries: a field's number -> [kind, value]. A list's value is
(kind of its elements, elements). Whatever a header's new length is, what lies behind it is found again:
put_together() sets the offsets and lengths of column chunks. Page indices and bloom filters are left out.
"""

import copy
import dataclasses

import pyarrow

BOOLEAN, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, STRUCT = 1, 3, 4, 5, 6, 7, 8, 9, 12
FALSE = 2

# Fields of parquet.thrift.
FILE_SCHEMA, FILE_ROWS, FILE_GROUPS, FILE_WRITER = 2, 3, 4, 6
GROUP_CHUNKS, GROUP_ROWS = 1, 3
CHUNK_FILE_OFFSET, CHUNK_META = 2, 3
META_TYPE, META_CODEC, META_VALUES, META_BYTES, META_STORED = 1, 4, 5, 6, 7
META_DATA, META_DICTIONARY, META_STATISTICS = 9, 11, 12
STATISTICS_NULLS = 3
SCHEMA_NAME = 4
PAGE_KIND, PAGE_BYTES, PAGE_STORED, PAGE_V1, PAGE_DICTIONARY, PAGE_V2 = 1, 2, 3, 5, 7, 8
KIND_DATA, KIND_DICTIONARY, KIND_V2 = 0, 2, 3


class _Reader:
    def __init__(self, data, at):
        self.data, self.at = data, at

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def take(self, count):
        self.at += count
        return self.data[self.at - count : self.at]

    def varint(self):
        value, shift = 0, 0
        while True:
            byte = self.byte()
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def number(self):
        bits = self.varint()
        return bits >> 1 ^ -(bits & 1)

    def value(self, kind):
        if kind in (BOOLEAN, FALSE, BYTE):  # of a list
            return self.byte()
        if kind in (I16, I32, I64):
            return self.number()
        if kind == DOUBLE:
            return bytes(self.take(8))
        if kind == BINARY:
            return bytes(self.take(self.varint()))
        if kind == LIST:
            head = self.byte()
            count = head >> 4 if head >> 4 != 15 else self.varint()
            return (head & 15, [self.value(head & 15) for _ in range(count)])
        assert kind == STRUCT, kind
        return self.struct()

    def struct(self):
        fields, number = {}, 0
        while head := self.byte():
            number = number + (head >> 4) if head >> 4 else self.number()
            kind = head & 15
            if kind in (BOOLEAN, FALSE):
                fields[number] = [BOOLEAN, kind == BOOLEAN]
            else:
                fields[number] = [kind, self.value(kind)]
        return fields


def _varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes([value])


def _number(value):
    return _varint((value << 1 ^ value >> 63) & (1 << 64) - 1)


def _encoded_value(kind, value):
    if kind in (BOOLEAN, FALSE, BYTE):
        return bytes([value & 255])
    if kind in (I16, I32, I64):
        return _number(value)
    if kind == DOUBLE:
        return value
    if kind == BINARY:
        return _varint(len(value)) + value
    if kind == LIST:
        element, values = value
        count = len(values)
        head = (
            bytes([count << 4 | element])
            if count < 15
            else bytes([0xF0 | element]) + _varint(count)
        )
        return head + b"".join(_encoded_value(element, one) for one in values)
    return encoded(value)


def encoded(struct):
    """The bytes of a struct."""
    out, last = bytearray(), 0
    for number in sorted(struct):
        kind, value = struct[number]
        wire = (BOOLEAN if value else FALSE) if kind == BOOLEAN else kind
        step = number - last
        out += bytes([step << 4 | wire]) if 0 < step < 16 else bytes([wire]) + _number(number)
        last = number
        if kind != BOOLEAN:
            out += _encoded_value(kind, value)
    return bytes(out) + b"\0"


@dataclasses.dataclass
class Page:
    kind: int  # as its header said at first
    header: dict
    body: bytes


class ParquetParts:
    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
        self.footer = _Reader(data, footer).struct()
        self.pages = {}  # (row group, column) -> pages
        for place, chunk in self.chunks():
            self.pages[place] = self._pages_of(data, chunk[CHUNK_META][1])

    def groups(self):
        return self.footer[FILE_GROUPS][1][1]

    def chunks(self):
        for g, group in enumerate(self.groups()):
            for c, chunk in enumerate(group[GROUP_CHUNKS][1][1]):
                yield (g, c), chunk

    def meta(self, group, column):
        return self.groups()[group][GROUP_CHUNKS][1][1][column][CHUNK_META][1]

    def schema(self, column):
        """The schema of a column in a flat file: the root is the first element."""
        return self.footer[FILE_SCHEMA][1][1][column + 1]

    @staticmethod
    def _pages_of(data, meta):
        at = meta[META_DATA][1]
        if META_DICTIONARY in meta:
            at = min(at, meta[META_DICTIONARY][1])
        end, pages = at + meta[META_STORED][1], []
        while at < end:
            reader = _Reader(data, at)
            header = reader.struct()
            kind = header[PAGE_KIND][1]
            pages.append(Page(kind, header, bytes(reader.take(header[PAGE_STORED][1]))))
            at = reader.at
        return pages

    def place_pages(self):
        """The bytes before the footer, and a footer that fits them."""
        out, footer = bytearray(b"PAR1"), copy.deepcopy(self.footer)
        for g, group in enumerate(footer[FILE_GROUPS][1][1]):
            for c, chunk in enumerate(group[GROUP_CHUNKS][1][1]):
                for gone in (4, 5, 6, 7):  # page indices
                    chunk.pop(gone, None)
                chunk[CHUNK_FILE_OFFSET] = [I64, 0]
                self._place_chunk(out, chunk[CHUNK_META][1], self.pages[g, c])
        return bytes(out), footer

    @staticmethod
    def _place_chunk(out, meta, pages):
        for gone in (14, 15):  # bloom filters
            meta.pop(gone, None)
        start, bytes_whole, first_data = len(out), 0, None
        meta.pop(META_DICTIONARY, None)
        for page in pages:
            header = encoded(page.header)
            if page.kind == KIND_DICTIONARY:
                meta[META_DICTIONARY] = [I64, len(out)]
            elif first_data is None:
                first_data = len(out)
            out += header + page.body
            bytes_whole += len(header) + page.header.get(PAGE_BYTES, [I32, 0])[1]
        meta[META_DATA] = [I64, first_data if first_data is not None else start]
        meta[META_STORED] = [I64, len(out) - start]
        meta[META_BYTES] = [I64, bytes_whole]


def put_together(pages, footer):
    """The result of place_pages() as a file."""
    text = encoded(footer)
    return pages + text + len(text).to_bytes(4, "little") + b"PAR1"


def empty_page(like, meta, is_optional):
    """A page without values beside another one of its chunk, such as some writers leave."""
    page, is_v2 = copy.deepcopy(like), like.kind == KIND_V2
    fields = page.header[PAGE_V2 if is_v2 else PAGE_V1][1]
    is_coded = fields[4 if is_v2 else 2][1] in (2, 8)
    levels = b"\0\0\0\0" if is_optional and not is_v2 else b""  # of no bytes
    body = levels + (b"\1" if is_coded else b"")  # the width of codes
    names = {0: None, 1: "snappy", 2: "gzip", 6: "zstd"}
    codec = names[meta[META_CODEC][1]]
    page.body = pyarrow.compress(body, codec, asbytes=True) if codec else body
    page.header[PAGE_BYTES] = [I32, len(body)]
    page.header[PAGE_STORED] = [I32, len(page.body)]
    page.header.pop(4, None)  # its checksum
    for number in (1, 2, 3, 5, 6) if is_v2 else (1,):  # values, NULLs, rows, bytes of levels
        fields[number] = [I32, 0]
    fields.pop(8 if is_v2 else 5, None)  # statistics
    return page
