// Reads Arrow IPC files, which locate their batches in a footer, and Arrow IPC streams.
#include <arrow/ipc/dictionary.h>
#include <arrow/ipc/message.h>
#include <arrow/ipc/reader.h>
#include <arrow/type.h>

#include <algorithm>
#include <filesystem>

#include "base/file.hpp"
#include "base/thread_pool.hpp"
#include "column/rebatch.hpp"
#include "io/arrow/arrow_batches.hpp"
#include "io/arrow/batch_input.hpp"
#include "io/arrow/ipc_blocks.hpp"
#include "io/common/read_ahead.hpp"
#include "io/common/sources.hpp"

namespace penstock::io {
namespace {

// Returns batch `index` of a file, or a stream's next one whatever the index, with the metadata of
// its message. Null after the last.
using ReadBatch = std::function<Result<arrow::RecordBatchWithMetadata>(std::uint64_t index)>;

struct Reader {
  std::shared_ptr<arrow::Schema> schema;
  ReadBatch read;
};

// Tells whether a type has a dictionary, of its own or of a type inside it.
bool has_dictionary(const arrow::DataType& type) {
  if (type.id() == arrow::Type::DICTIONARY || type.id() == arrow::Type::EXTENSION) return true;
  return std::ranges::any_of(type.fields(),
                             [](const auto& field) { return has_dictionary(*field->type()); });
}
bool has_dictionary(const arrow::Schema& schema) {
  return std::ranges::any_of(schema.fields(),
                             [](const auto& field) { return has_dictionary(*field->type()); });
}

// Arrow's file reader reads a whole batch, or copies it to its own memory. Asked for one message,
// it reads only the wanted columns, each to its final memory. Dictionaries and another byte order
// need the file reader.
Result<Reader> file_reader(const std::shared_ptr<BatchInput>& input,
                           const arrow::ipc::IpcReadOptions& options) {
  PENSTOCK_ASSIGN(auto footer, read_footer(*input));
  PENSTOCK_ASSIGN(const auto reader,
                  from_arrow(arrow::ipc::RecordBatchFileReader::Open(input, options)));
  PENSTOCK_ASSIGN(const auto whole, from_arrow(arrow::ipc::RecordBatchFileReader::Open(
                                        input, arrow::ipc::IpcReadOptions::Defaults())));
  if (!footer.is_little_endian || has_dictionary(*reader->schema()))
    return Reader{
        reader->schema(), [reader](std::uint64_t index) -> Result<arrow::RecordBatchWithMetadata> {
          if (index >= static_cast<std::uint64_t>(reader->num_record_batches()))
            return arrow::RecordBatchWithMetadata{};
          return from_arrow(reader->ReadRecordBatchWithCustomMetadata(static_cast<int>(index)));
        }};
  return Reader{reader->schema(),
                [input, options, schema = whole->schema(), blocks = std::move(footer.blocks)](
                    std::uint64_t index) -> Result<arrow::RecordBatchWithMetadata> {
                  arrow::RecordBatchWithMetadata read;
                  if (index >= blocks.size()) return read;
                  const IpcBlock& block = blocks[index];
                  PENSTOCK_ASSIGN(const auto description, read_description(*input, block));
                  const auto body =
                      input->part(static_cast<std::int64_t>(block.offset + block.description_bytes),
                                  static_cast<std::int64_t>(block.body_bytes));
                  const arrow::ipc::DictionaryMemo no_dictionaries;
                  PENSTOCK_ASSIGN(read.batch, from_arrow(arrow::ipc::ReadRecordBatch(
                                                  *description, schema, &no_dictionaries, options,
                                                  body.get())));
                  PENSTOCK_ASSIGN(const auto message,
                                  from_arrow(arrow::ipc::Message::Open(description, nullptr)));
                  if (message->custom_metadata())
                    read.custom_metadata = message->custom_metadata()->Copy();
                  return read;
                }};
}

Result<Reader> stream_reader(const std::shared_ptr<BatchInput>& input,
                             const arrow::ipc::IpcReadOptions& options) {
  PENSTOCK_ASSIGN(const auto reader,
                  from_arrow(arrow::ipc::RecordBatchStreamReader::Open(input, options)));
  auto schema = reader->schema();
  return Reader{std::move(schema),
                [reader](std::uint64_t) { return from_arrow(reader->ReadNext()); }};
}

// A footer locates the batches, so that several readers may read at once.
struct Form {
  Result<Reader> (*reader)(const std::shared_ptr<BatchInput>& input,
                           const arrow::ipc::IpcReadOptions& options);
  bool has_footer;
};
constexpr Form file_form{file_reader, true}, stream_form{stream_reader, false};

// The number of threads and of batches that a scan holds.
struct Spread {
  std::uint64_t threads = 1, readers = 1, window = 2, first_window = 1;
};

// Small batches have a thread each; large ones are read in parts, so that few are held at once. A
// device that takes batches at the speed of its bus wants all cores but the one that feeds it, and
// more bytes ahead: 12 of 16 threads were 4 % slower, 128 MiB 3 %, 512 MiB level.
Spread spread_of(const ScanOptions& options, std::uint64_t batch_bytes, bool is_one_reader) {
  constexpr std::uint64_t first_window_bytes = 16 << 20, host_threads = 8;
  const bool is_for_device = static_cast<bool>(options.memory);
  const std::uint64_t cores = host_core_count();
  const std::uint64_t window_bytes = (is_for_device ? 256u : 128u) << 20;
  const std::uint64_t max_threads =
      is_for_device ? std::max<std::uint64_t>(cores, 2) - 1 : host_threads;
  batch_bytes = std::max<std::uint64_t>(batch_bytes, 1);
  Spread spread;
  spread.threads = std::min({options.threads == 0 ? cores : options.threads, cores, max_threads});
  spread.window =
      is_one_reader ? 2
                    : std::clamp<std::uint64_t>(window_bytes / batch_bytes, 2, 2 * spread.threads);
  spread.readers = is_one_reader   ? 1
                   : is_for_device ? spread.window
                                   : std::max<std::uint64_t>(spread.window / 2, 1);
  spread.first_window =
      std::clamp<std::uint64_t>(first_window_bytes / batch_bytes, 1, spread.window);
  return spread;
}

class IpcSource final : public TableSource {
 public:
  IpcSource(std::string path, const Form& form, std::vector<column::ArrowField> fields,
            std::optional<std::uint64_t> row_count, std::string identity)
      : path_(std::move(path)),
        form_(form),
        fields_(std::move(fields)),
        schema_(schema_of(fields_)),
        row_count_(row_count),
        identity_(std::move(identity)) {}

  const Schema& schema() const override { return schema_; }
  std::optional<std::uint64_t> row_count() const override { return row_count_; }
  std::string describe() const override { return std::filesystem::path(path_).filename().string(); }
  std::string identity() const override { return identity_; }

  Result<std::unique_ptr<BatchStream>> scan(std::span<const std::uint32_t> columns,
                                            const ScanOptions& options) const override {
    PENSTOCK_TRY(check_columns(schema_, columns, path_));
    auto stream = catch_arrow_exceptions([&] { return start(columns, options); });
    if (!stream.ok()) return stream.with("while reading '" + path_ + "'");
    return stream;
  }

 private:
  // Indices among the fields that are read; those in `encoded` are not decoded.
  struct Wanted {
    std::vector<std::uint32_t> columns, encoded;
  };

  // Only the fields asked for are read. No field means all to Arrow, so that one is read when only
  // rows are counted.
  Result<std::unique_ptr<BatchStream>> start(std::span<const std::uint32_t> columns,
                                             const ScanOptions& options) const {
    arrow::ipc::IpcReadOptions read_options;
    auto& included = read_options.included_fields;
    included.assign(columns.begin(), columns.end());
    std::ranges::sort(included);
    included.erase(std::unique(included.begin(), included.end()), included.end());
    if (included.empty() && !fields_.empty()) included.push_back(0);
    std::vector<column::ArrowField> read_fields;
    for (const int index : included)
      read_fields.push_back(fields_[static_cast<std::size_t>(index)]);
    const auto positions_of =
        [&](std::span<const std::uint32_t> of_columns) {  // among the fields that are read
          std::vector<std::uint32_t> places;
          for (const std::uint32_t column : of_columns)
            places.push_back(static_cast<std::uint32_t>(
                std::ranges::find(included, static_cast<int>(column)) - included.begin()));
          return places;
        };
    const Wanted wanted{positions_of(columns), positions_of(options.encoded)};
    PENSTOCK_ASSIGN(std::shared_ptr<ReadAhead> ahead,
                    read_ahead(read_options, read_fields, wanted, options));
    return column::rebatch(
        [path = path_, ahead = std::move(ahead)] {
          auto table = ahead->next();
          return table.ok()
                     ? std::move(table)
                     : Result<std::optional<Table>>(table.with("while reading '" + path + "'"));
        },
        options.batch_rows);
  }

  Result<std::shared_ptr<ReadAhead>> read_ahead(const arrow::ipc::IpcReadOptions& read_options,
                                                const std::vector<column::ArrowField>& fields,
                                                const Wanted& wanted,
                                                const ScanOptions& options) const {
    const auto memory = std::make_shared<BatchMemory>(16 * (fields.size() + 1), options.memory);
    PENSTOCK_ASSIGN(const auto input, from_arrow(BatchInput::open(path_, memory)));
    std::uint64_t batch_bytes = 0;
    if (form_.has_footer) {
      PENSTOCK_ASSIGN(const auto footer, read_footer(*input));
      for (const IpcBlock& block : footer.blocks)
        batch_bytes = std::max(batch_bytes, block.body_bytes);
      // A compressed batch is held decompressed.
      std::uint64_t row_bytes = 0;
      for (const column::ArrowField& field : fields) row_bytes += width_bytes(field.field.type);
      if (row_count_ && !footer.blocks.empty())
        batch_bytes = std::max(batch_bytes, *row_count_ / footer.blocks.size() * row_bytes);
    }
    std::vector<ReadTable> readers;
    Spread spread;
    do {
      PENSTOCK_ASSIGN(auto reader, form_.reader(input, read_options));
      PENSTOCK_ASSIGN(const auto now, fields_of(*reader.schema));
      if (!std::ranges::equal(now, fields, {}, &column::ArrowField::field,
                              &column::ArrowField::field))
        return Status(Code::io, "the file was replaced by one of another schema");
      // Every reader holds all dictionaries.
      if (readers.empty())
        spread =
            spread_of(options, batch_bytes, !form_.has_footer || has_dictionary(*reader.schema));
      readers.push_back([read = std::move(reader.read), fields, wanted](std::uint64_t index) {
        return catch_arrow_exceptions([&] { return read_table(read, index, fields, wanted); });
      });
    } while (readers.size() < spread.readers);
    input->read_by(std::make_shared<PieceWorkers>(static_cast<unsigned>(spread.threads)));
    return std::shared_ptr<ReadAhead>(
        ReadAhead::start(std::move(readers), spread.window, spread.first_window));
  }

  static Result<std::optional<Table>> read_table(const ReadBatch& read, std::uint64_t index,
                                                 std::span<const column::ArrowField> fields,
                                                 const Wanted& wanted) {
    PENSTOCK_ASSIGN(const auto read_batch, read(index));
    if (!read_batch.batch) return std::optional<Table>();
    PENSTOCK_ASSIGN(Table table,
                    import_untrusted(*read_batch.batch, fields, wanted.columns,
                                     read_batch.custom_metadata.get(), wanted.encoded));
    return std::optional<Table>(std::move(table));
  }

  std::string path_;
  const Form& form_;
  std::vector<column::ArrowField> fields_;
  Schema schema_;
  std::optional<std::uint64_t> row_count_;
  std::string identity_;  // when it was opened
};

// A stream's number of rows is known only when it has been read.
Result<std::shared_ptr<TableSource>> open_ipc(const std::string& path, const Form& form) {
  return catch_arrow_exceptions([&]() -> Result<std::shared_ptr<TableSource>> {
    std::string identity = file_identity(path);
    PENSTOCK_ASSIGN(
        const auto input,
        from_arrow(BatchInput::open(path, std::make_shared<BatchMemory>(0, BatchAllocator()))));
    PENSTOCK_ASSIGN(const auto reader, form.reader(input, arrow::ipc::IpcReadOptions::Defaults()));
    PENSTOCK_ASSIGN(auto fields, fields_of(*reader.schema));
    std::optional<std::uint64_t> rows;
    if (form.has_footer) {
      PENSTOCK_ASSIGN(const auto footer, read_footer(*input));
      PENSTOCK_ASSIGN(rows, count_rows(*input, footer.blocks));
    }
    return std::shared_ptr<TableSource>(
        std::make_shared<IpcSource>(path, form, std::move(fields), rows, std::move(identity)));
  });
}

}  // namespace

Result<std::shared_ptr<TableSource>> open_ipc_file(const std::string& path) {
  return open_ipc(path, file_form);
}
Result<std::shared_ptr<TableSource>> open_ipc_stream(const std::string& path) {
  return open_ipc(path, stream_form);
}

}  // namespace penstock::io
