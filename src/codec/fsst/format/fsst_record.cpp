#include "codec/fsst/format/fsst_record.hpp"

#include <cstring>
#include <string>

namespace penstock::fsst {
namespace {

constexpr std::uint32_t mark = 0x31534650;  // "PFS1"
constexpr std::uint32_t flag_canonical = 1, known_flags = flag_canonical;

void put(std::vector<std::byte>& to, const void* from, std::uint64_t bytes) {
  const auto* const begin = static_cast<const std::byte*>(from);
  if (bytes != 0) to.insert(to.end(), begin, begin + bytes);
}
void put_u32(std::vector<std::byte>& to, std::uint32_t value) { put(to, &value, sizeof value); }
void put_u64(std::vector<std::byte>& to, std::uint64_t value) { put(to, &value, sizeof value); }

// Reads values from a record in order. Code::truncated if the record ends early.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}
  std::uint64_t at() const { return at_; }
  std::uint64_t left() const { return bytes_.size() - at_; }
  Result<std::span<const std::byte>> take(std::uint64_t count) {
    if (count > left())
      return Status(Code::truncated, "FSST record: it ends at byte " +
                                         std::to_string(bytes_.size()) +
                                         ", within the field at byte " + std::to_string(at_));
    at_ += count;
    return bytes_.subspan(at_ - count, count);
  }
  template <class T> Result<T> number() {
    PENSTOCK_ASSIGN(const auto bytes, take(sizeof(T)));
    T value;
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }

 private:
  std::span<const std::byte> bytes_;
  std::uint64_t at_ = 0;
};

Status bad_record(std::uint64_t byte, const std::string& what) {
  return {Code::corrupt, "FSST record, byte " + std::to_string(byte) + ": " + what};
}

Result<RowGroup> read_group(Reader& reader) {
  RowGroup group;
  PENSTOCK_ASSIGN(group.first_row, reader.number<std::uint64_t>());
  PENSTOCK_ASSIGN(group.first_string_byte, reader.number<std::uint64_t>());
  PENSTOCK_ASSIGN(const auto table_bytes, reader.number<std::uint32_t>());
  const std::uint64_t table_at = reader.at();
  PENSTOCK_ASSIGN(const auto bytes, reader.take(table_bytes));
  const auto read = read_symbol_table(bytes);
  if (!read.ok())
    return read.with("in the FSST record's table at byte " + std::to_string(table_at));
  if (read->byte_count != table_bytes)
    return bad_record(table_at, "extra bytes after a symbol table");
  group.table = std::make_shared<SymbolTable>(read->table);
  return group;
}

// Skips an array of numbers and its count.
Status skip_array(Reader& reader, std::uint64_t number_bytes) {
  PENSTOCK_ASSIGN(const auto count, reader.number<std::uint64_t>());
  if (count > reader.left() / number_bytes)
    return bad_record(reader.at() - 8,
                      std::to_string(count) + " elements, more than the record has bytes for");
  return reader.take(count * number_bytes).status();
}

// Skips splits, which Penstock wrote up to November 2026: blocks and splits.
Status skip_splits(Reader& reader) {
  PENSTOCK_TRY(skip_array(reader, sizeof(std::uint64_t)));
  return skip_array(reader, sizeof(std::uint16_t));
}

}  // namespace

Result<std::vector<std::byte>> write_record(const EncodedStrings& strings) {
  std::vector<std::byte> record;
  put_u32(record, mark);
  put_u32(record, strings.is_canonical ? flag_canonical : 0);
  put_u32(record, static_cast<std::uint32_t>(strings.row_groups.size()));
  put_u32(record, 0);  // no splits
  put_u64(record, strings.string_bytes);
  for (const RowGroup& group : strings.row_groups) {
    PENSTOCK_ASSIGN(const auto table, write_symbol_table(*group.table));
    put_u64(record, group.first_row);
    put_u64(record, group.first_string_byte);
    put_u32(record, static_cast<std::uint32_t>(table.size()));
    put(record, table.data(), table.size());
  }
  return record;
}

Status read_record(std::span<const std::byte> record, EncodedStrings& strings) {
  Reader reader(record);
  PENSTOCK_ASSIGN(const auto read_mark, reader.number<std::uint32_t>());
  if (read_mark != mark) return bad_record(0, "it does not begin with PFS1");
  PENSTOCK_ASSIGN(const auto flags, reader.number<std::uint32_t>());
  if ((flags & ~known_flags) != 0) return bad_record(4, "unknown flags: " + std::to_string(flags));
  PENSTOCK_ASSIGN(const auto group_count, reader.number<std::uint32_t>());
  PENSTOCK_ASSIGN(const auto split_code_bytes, reader.number<std::uint32_t>());
  PENSTOCK_ASSIGN(strings.string_bytes, reader.number<std::uint64_t>());
  strings.is_canonical = (flags & flag_canonical) != 0;
  strings.row_groups.clear();
  for (std::uint32_t group = 0; group < group_count;
       group++) {  // a wrong count runs into the end of the record
    PENSTOCK_ASSIGN(strings.row_groups.emplace_back(), read_group(reader));
  }
  if (split_code_bytes != 0) PENSTOCK_TRY(skip_splits(reader));
  if (reader.left() != 0) return bad_record(reader.at(), "extra bytes after the record");
  return {};
}

}  // namespace penstock::fsst
