#include "io/parquet/page_headers.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <string>

namespace penstock::io {
namespace {

constexpr int max_depth = 32;
constexpr const char* no_end = "it does not end";

// Types of the compact protocol.
enum class Wire : unsigned char {
  stop = 0,
  yes = 1,
  no = 2,
  i8 = 3,
  i16 = 4,
  i32 = 5,
  i64 = 6,
  float64 = 7,
  binary = 8,
  list = 9,
  set = 10,
  map = 11,
  structure = 12,
  uuid = 13,
};

// Reads from the front of bytes. After an error it yields zeros and the ends of structs.
class CompactReader {
 public:
  explicit CompactReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  bool failed() const { return error_ != nullptr; }
  const char* error() const { return error_; }
  std::size_t position() const { return at_; }

  std::int32_t number() {
    const std::uint64_t bits = varint();
    const auto value = static_cast<std::int64_t>(bits >> 1 ^ (0 - (bits & 1)));
    if (value < INT32_MIN || value > INT32_MAX) return fail("a number of more than 32 bits"), 0;
    return static_cast<std::int32_t>(value);
  }

  // Reads the header of a struct's next field; `id` is that of the field before.
  Wire next_field(std::int32_t& id) {
    const unsigned head = byte();
    const auto type = static_cast<Wire>(head & 15);
    if (failed() || type == Wire::stop) return Wire::stop;
    id = head >> 4 != 0 ? id + static_cast<std::int32_t>(head >> 4) : number();
    if (id < INT16_MIN || id > INT16_MAX) fail("a field's number of more than 16 bits");
    return failed() ? Wire::stop : type;
  }

  void skip(Wire type, int depth) {
    if (depth > max_depth) return fail("values nested too deeply");
    switch (type) {
      case Wire::yes:
      case Wire::no: return;  // a field's type has the value
      case Wire::i8: return advance(1);
      case Wire::i16:
      case Wire::i32:
      case Wire::i64: varint(); return;
      case Wire::float64: return advance(8);
      case Wire::binary: return advance(varint());
      case Wire::list:
      case Wire::set: return skip_list(depth);
      case Wire::map: return skip_map(depth);
      case Wire::structure: return skip_struct(depth);
      case Wire::uuid: return advance(16);
      case Wire::stop: break;
    }
    fail("a value of unknown type");
  }

 private:
  void fail(const char* why) {
    if (error_ == nullptr) error_ = why;
  }

  unsigned byte() {
    if (failed()) return 0;
    if (at_ == bytes_.size()) return fail(no_end), 0;
    return std::to_integer<unsigned>(bytes_[at_++]);
  }

  void advance(std::uint64_t count) {
    if (failed()) return;
    if (count > bytes_.size() - at_) return fail(no_end);
    at_ += static_cast<std::size_t>(count);
  }

  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::uint64_t next = byte();
      value |= (next & 127) << shift;
      if (next < 128) return value;
    }
    return fail("a number of more than 64 bits"), 0;
  }

  // Every element takes at least one byte, so the count needs no limit.
  void skip_elements(std::uint64_t count, Wire type, int depth) {
    const bool is_boolean = type == Wire::yes || type == Wire::no;
    for (std::uint64_t i = 0; i < count && !failed(); i++)
      is_boolean ? advance(1) : skip(type, depth + 1);
  }

  void skip_list(int depth) {
    const unsigned head = byte();
    const std::uint64_t count = head >> 4 == 15 ? varint() : head >> 4;
    skip_elements(count, static_cast<Wire>(head & 15), depth);
  }

  void skip_map(int depth) {
    const std::uint64_t count = varint();
    if (count == 0) return;
    const unsigned types = byte();
    for (std::uint64_t i = 0; i < count && !failed(); i++) {
      skip_elements(1, static_cast<Wire>(types >> 4), depth);
      skip_elements(1, static_cast<Wire>(types & 15), depth);
    }
  }

  void skip_struct(int depth) {
    std::int32_t id = 0;
    for (Wire type = next_field(id); type != Wire::stop; type = next_field(id))
      skip(type, depth + 1);
  }

  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
  const char* error_ = nullptr;
};

// The numbers and booleans of a struct by their fields' numbers.
constexpr std::int32_t max_field = 8;
using Fields = std::array<std::optional<std::int32_t>, max_field + 1>;

// Reads a struct. The numbers of the struct that is its field i belong in structs[i].
void read_struct(CompactReader& in, Fields& fields, std::span<Fields> structs) {
  std::int32_t id = 0;
  for (Wire type = in.next_field(id); type != Wire::stop; type = in.next_field(id)) {
    const bool is_known = id > 0 && id <= max_field;
    const auto index = static_cast<std::size_t>(is_known ? id : 0);
    if (is_known && type == Wire::i32)
      fields[index] = in.number();
    else if (is_known && (type == Wire::yes || type == Wire::no))
      fields[index] = type == Wire::yes;
    else if (is_known && type == Wire::structure && !structs.empty())
      read_struct(in, structs[index], {});
    else
      in.skip(type, 1);
  }
}

Status bad_header(std::string what) { return {Code::corrupt, "the page header: " + what}; }

// Takes fields that must be there and count something.
class CountReader {
 public:
  explicit CountReader(const Fields& fields) : fields_(fields) {}
  std::uint32_t operator()(std::int32_t id, const char* name) {
    const auto value = fields_[static_cast<std::size_t>(id)];
    if (status_.ok() && !value) status_ = bad_header(std::string("it has no ") + name);
    if (status_.ok() && *value < 0)
      status_ = bad_header(std::string(name) + " is " + std::to_string(*value));
    return status_.ok() ? static_cast<std::uint32_t>(*value) : 0;
  }
  const Status& status() const { return status_; }

 private:
  const Fields& fields_;
  Status status_;
};

Status read_v1(const Fields& fields, PageHeader& header) {
  CountReader count(fields);
  header.value_count = count(1, "num_values");
  header.encoding = static_cast<std::int32_t>(count(2, "encoding"));
  header.definition_encoding = static_cast<std::int32_t>(count(3, "definition_level_encoding"));
  count(4, "repetition_level_encoding");
  return count.status();
}

Status read_v2(const Fields& fields, PageHeader& header) {
  CountReader count(fields);
  header.value_count = count(1, "num_values");
  header.null_count = count(2, "num_nulls");
  count(3, "num_rows");
  header.encoding = static_cast<std::int32_t>(count(4, "encoding"));
  header.definition_bytes = count(5, "definition_levels_byte_length");
  header.repetition_bytes = count(6, "repetition_levels_byte_length");
  PENSTOCK_TRY(count.status());
  header.is_compressed = fields[7].value_or(1) != 0;
  if (header.null_count > header.value_count)
    return bad_header("num_nulls is " + std::to_string(header.null_count) + " of " +
                      std::to_string(header.value_count) + " values");
  const std::uint64_t levels = std::uint64_t{header.definition_bytes} + header.repetition_bytes;
  if (levels > std::min(header.stored_bytes, header.bytes))
    return bad_header("levels of " + std::to_string(levels) + " bytes in a page of " +
                      std::to_string(std::min(header.stored_bytes, header.bytes)));
  return {};
}

Status read_dictionary(const Fields& fields, PageHeader& header) {
  CountReader count(fields);
  header.value_count = count(1, "num_values");
  header.encoding = static_cast<std::int32_t>(count(2, "encoding"));
  return count.status();
}

Status read_sizes(const Fields& fields, PageHeader& header) {
  CountReader count(fields);
  header.kind = static_cast<PageHeader::Kind>(count(1, "type"));
  header.bytes = count(2, "uncompressed_page_size");
  header.stored_bytes = count(3, "compressed_page_size");
  if (fields[4]) header.checksum = static_cast<std::uint32_t>(*fields[4]);
  return count.status();
}

Status read_body(std::span<const Fields> structs, PageHeader& header) {
  switch (header.kind) {
    case PageHeader::Kind::data: return read_v1(structs[5], header);
    case PageHeader::Kind::dictionary: return read_dictionary(structs[7], header);
    case PageHeader::Kind::data_v2: return read_v2(structs[8], header);
    case PageHeader::Kind::index: break;
  }
  return {};  // a kind that is skipped
}

}  // namespace

Result<PageHeader> parse_page_header(std::span<const std::byte> bytes) {
  const bool is_cut = bytes.size() > max_page_header_bytes;
  if (is_cut) bytes = bytes.first(max_page_header_bytes);
  CompactReader in(bytes);
  Fields page;
  std::array<Fields, max_field + 1> structs;
  read_struct(in, page, structs);
  if (in.failed())
    return bad_header(is_cut && in.error() == no_end
                          ? "it has more than 16 MiB"
                          : in.error() + (" at its byte " + std::to_string(in.position())));
  PageHeader header;
  header.header_bytes = static_cast<std::uint32_t>(in.position());
  PENSTOCK_TRY(read_sizes(page, header));
  PENSTOCK_TRY(read_body(structs, header));
  return header;
}

}  // namespace penstock::io
