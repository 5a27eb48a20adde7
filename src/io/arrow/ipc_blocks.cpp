#include "io/arrow/ipc_blocks.hpp"

#include <bit>
#include <cstring>
#include <limits>
#include <span>

#include "io/common/arrow_errors.hpp"

namespace penstock::io {
namespace {

static_assert(std::endian::native == std::endian::little,
              "flatbuffers are little-endian, and so are all our targets");

Status outside() {
  return {Code::corrupt, "a description of a record batch points outside itself"};
}

// A flatbuffer's table: its fields are found through a table of offsets.
class FlatTable {
 public:
  static Result<FlatTable> root(std::span<const std::byte> bytes) {
    PENSTOCK_ASSIGN(const auto at, value<std::uint32_t>(bytes, 0));
    return FlatTable(bytes, at);
  }
  template <class T> Result<T> scalar(unsigned field, T absent) const {
    PENSTOCK_ASSIGN(const std::uint64_t at, position_of(field));
    return at == 0 ? Result<T>(absent) : value<T>(bytes_, at);
  }
  // Returns where the table or vector of a field begins; 0 if the field is absent.
  Result<std::uint64_t> reference(unsigned field) const {
    PENSTOCK_ASSIGN(const std::uint64_t at, position_of(field));
    if (at == 0) return std::uint64_t{0};
    PENSTOCK_ASSIGN(const auto distance, value<std::uint32_t>(bytes_, at));
    return at + distance;
  }
  FlatTable table_at(std::uint64_t at) const { return {bytes_, at}; }
  template <class T> static Result<T> value(std::span<const std::byte> bytes, std::uint64_t at) {
    if (at > bytes.size() || bytes.size() - at < sizeof(T)) return outside();
    T read;
    std::memcpy(&read, bytes.data() + at, sizeof read);
    return read;
  }

 private:
  FlatTable(std::span<const std::byte> bytes, std::uint64_t at) : bytes_(bytes), at_(at) {}
  Result<std::uint64_t> position_of(unsigned field) const {
    PENSTOCK_ASSIGN(const auto back, value<std::int32_t>(bytes_, at_));
    const std::int64_t offsets = static_cast<std::int64_t>(at_) - back;
    if (offsets < 0) return outside();
    const auto first = static_cast<std::uint64_t>(offsets);
    PENSTOCK_ASSIGN(const auto offsets_bytes, value<std::uint16_t>(bytes_, first));
    if (4 + 2 * field >= offsets_bytes) return std::uint64_t{0};
    PENSTOCK_ASSIGN(const auto offset, value<std::uint16_t>(bytes_, first + 4 + 2 * field));
    return offset == 0 ? std::uint64_t{0} : at_ + offset;
  }

  std::span<const std::byte> bytes_;
  std::uint64_t at_;
};

// Numbers of fields, and of a record batch among the kinds of messages.
constexpr unsigned footer_schema = 1, footer_batches = 3, schema_endianness = 0, message_kind = 1,
                   message_header = 2, batch_length = 0;
constexpr std::uint8_t kind_record_batch = 3;
// A block in the footer: int64 offset, int32 bytes of the description, 4 bytes of padding, int64
// bytes of the body.
constexpr std::uint64_t block_record_bytes = 24;

Result<std::vector<std::byte>> read_bytes(arrow::io::RandomAccessFile& file, std::uint64_t at,
                                          std::uint64_t bytes) {
  std::vector<std::byte> read(bytes);
  PENSTOCK_ASSIGN(const std::int64_t count,
                  from_arrow(file.ReadAt(static_cast<std::int64_t>(at),
                                         static_cast<std::int64_t>(bytes), read.data())));
  if (static_cast<std::uint64_t>(count) != bytes)
    return Status(Code::corrupt, "the file ends within a description");
  return read;
}

Result<IpcBlock> block_at(std::span<const std::byte> footer, std::uint64_t at,
                          std::uint64_t file_bytes) {
  PENSTOCK_ASSIGN(const auto offset, FlatTable::value<std::int64_t>(footer, at));
  PENSTOCK_ASSIGN(const auto description, FlatTable::value<std::int32_t>(footer, at + 8));
  PENSTOCK_ASSIGN(const auto body, FlatTable::value<std::int64_t>(footer, at + 16));
  const IpcBlock block{static_cast<std::uint64_t>(offset), static_cast<std::uint64_t>(description),
                       static_cast<std::uint64_t>(body)};
  if (offset < 0 || description < 8 || body < 0 || block.offset > file_bytes ||
      block.description_bytes > file_bytes - block.offset ||
      block.body_bytes > file_bytes - block.offset - block.description_bytes)
    return Status(Code::corrupt, "a record batch lies outside the file");
  return block;
}

Result<std::uint64_t> rows_of(const arrow::Buffer& description) {
  PENSTOCK_ASSIGN(const FlatTable message,
                  FlatTable::root({reinterpret_cast<const std::byte*>(description.data()),
                                   static_cast<std::size_t>(description.size())}));
  PENSTOCK_ASSIGN(const auto kind, message.scalar<std::uint8_t>(message_kind, 0));
  PENSTOCK_ASSIGN(const std::uint64_t header, message.reference(message_header));
  if (kind != kind_record_batch || header == 0)
    return Status(Code::corrupt, "a message where the footer has a record batch");
  PENSTOCK_ASSIGN(const auto rows, message.table_at(header).scalar<std::int64_t>(batch_length, 0));
  if (rows < 0)
    return Status(Code::corrupt, "a record batch claims " + std::to_string(rows) + " rows");
  return static_cast<std::uint64_t>(rows);
}

}  // namespace

Result<IpcFooter> read_footer(arrow::io::RandomAccessFile& file) {
  // At the end: the footer, its length in four bytes, and "ARROW1".
  constexpr std::uint64_t trailer_bytes = 10;
  PENSTOCK_ASSIGN(const std::int64_t size, from_arrow(file.GetSize()));
  const auto file_bytes = static_cast<std::uint64_t>(size);
  if (file_bytes < trailer_bytes) return Status(Code::truncated, "the file ends before its footer");
  PENSTOCK_ASSIGN(const auto trailer, read_bytes(file, file_bytes - trailer_bytes, trailer_bytes));
  PENSTOCK_ASSIGN(const auto footer_bytes, FlatTable::value<std::uint32_t>(trailer, 0));
  if (footer_bytes > file_bytes - trailer_bytes)
    return Status(Code::corrupt, "the footer is longer than the file");
  PENSTOCK_ASSIGN(const auto footer,
                  read_bytes(file, file_bytes - trailer_bytes - footer_bytes, footer_bytes));
  PENSTOCK_ASSIGN(const FlatTable root, FlatTable::root(footer));
  IpcFooter read;
  PENSTOCK_ASSIGN(const std::uint64_t schema, root.reference(footer_schema));
  PENSTOCK_ASSIGN(const auto endianness,
                  root.table_at(schema).scalar<std::int16_t>(schema_endianness, 0));
  read.is_little_endian = endianness == 0;
  PENSTOCK_ASSIGN(const std::uint64_t list, root.reference(footer_batches));
  if (list == 0) return read;
  PENSTOCK_ASSIGN(const auto count, FlatTable::value<std::uint32_t>(footer, list));
  for (std::uint64_t i = 0; i < count; i++) {  // a wrong count stops at the footer's end
    PENSTOCK_ASSIGN(read.blocks.emplace_back(),
                    block_at(footer, list + 4 + i * block_record_bytes, file_bytes));
  }
  return read;
}

Result<std::shared_ptr<arrow::Buffer>> read_description(arrow::io::RandomAccessFile& file,
                                                        const IpcBlock& block) {
  PENSTOCK_ASSIGN(auto bytes,
                  from_arrow(file.ReadAt(static_cast<std::int64_t>(block.offset),
                                         static_cast<std::int64_t>(block.description_bytes))));
  const std::span<const std::byte> description(reinterpret_cast<const std::byte*>(bytes->data()),
                                               static_cast<std::size_t>(bytes->size()));
  PENSTOCK_ASSIGN(const auto mark, FlatTable::value<std::uint32_t>(description, 0));
  const std::uint64_t length_at =
      mark == 0xffffffffu ? 4 : 0;  // before version 0.15 the mark was missing
  PENSTOCK_ASSIGN(const auto length, FlatTable::value<std::uint32_t>(description, length_at));
  if (length > description.size() - length_at - 4) return outside();
  return arrow::SliceBuffer(std::move(bytes), static_cast<std::int64_t>(length_at) + 4, length);
}

Result<std::uint64_t> count_rows(arrow::io::RandomAccessFile& file,
                                 const std::vector<IpcBlock>& blocks) {
  std::uint64_t rows = 0;
  for (const IpcBlock& block : blocks) {
    PENSTOCK_ASSIGN(const auto description, read_description(file, block));
    PENSTOCK_ASSIGN(const std::uint64_t batch_rows, rows_of(*description));
    if (batch_rows > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) - rows)
      return Status(Code::corrupt, "the file claims more than 2^63 rows");
    rows += batch_rows;
  }
  return rows;
}

}  // namespace penstock::io
