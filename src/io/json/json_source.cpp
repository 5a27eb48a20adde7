// JSON: an object per line, an array of objects, or values one after another. A column is a member
// of the objects. The columns and their types are found in the first 20,480 records, as in DuckDB.
#include <algorithm>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <set>

#include "base/exception_boundary.hpp"
#include "base/file.hpp"
#include "base/thread_pool.hpp"
#include "column/rebatch.hpp"
#include "io/common/read_ahead.hpp"
#include "io/common/sources.hpp"
#include "io/json/json_columns.hpp"

namespace penstock::io {
namespace {

// Bytes in which the format is looked for, and records that DuckDB looks at together.
constexpr std::size_t format_bytes = 1 << 20, chunk_records = 2048;

// Hands out blocks in order, each to the thread that reads the table of its index.
class SharedRecords {
 public:
  explicit SharedRecords(JsonRecords records) : records_(std::move(records)) {}

  Result<std::optional<JsonBlock>> take(std::uint64_t index) {
    std::unique_lock lock(mutex_);
    turn_.wait(lock, [&] { return index == next_; });
    auto block =
        catch_exceptions([&] { return has_ended_ ? std::optional<JsonBlock>() : records_.next(); });
    has_ended_ = has_ended_ || !block.ok() || !block.value();
    next_++;
    turn_.notify_all();
    return block;
  }

 private:
  std::mutex mutex_;
  std::condition_variable turn_;
  JsonRecords records_;
  std::uint64_t next_ = 0;
  bool has_ended_ = false;
};

class JsonSource final : public TableSource {
 public:
  JsonSource(std::string path, std::string identity, JsonFormat format,
             std::uint64_t max_record_bytes, std::shared_ptr<const JsonTable> table)
      : path_(std::move(path)),
        identity_(std::move(identity)),
        format_(format),
        max_record_bytes_(max_record_bytes),
        table_(std::move(table)) {
    for (const auto& [name, type] : table_->columns)
      schema_.push_back({name, type.type, true, type.unsupported});
  }

  const Schema& schema() const override { return schema_; }
  std::optional<std::uint64_t> row_count() const override { return std::nullopt; }
  std::string describe() const override { return std::filesystem::path(path_).filename().string(); }
  std::string identity() const override { return identity_; }

  Result<std::unique_ptr<BatchStream>> scan(std::span<const std::uint32_t> columns,
                                            const ScanOptions& options) const override {
    PENSTOCK_TRY(check_columns(schema_, columns, path_, "columns"));
    return catch_exceptions([&] { return start(columns, options); });
  }

 private:
  Result<std::unique_ptr<BatchStream>> start(std::span<const std::uint32_t> columns,
                                             const ScanOptions& options) const {
    PENSTOCK_ASSIGN(auto text, open_text(path_));
    auto records =
        std::make_shared<SharedRecords>(JsonRecords(std::move(text), format_, max_record_bytes_));
    const ReadTable read = [records, table = table_, path = path_,
                            asked = std::vector(columns.begin(), columns.end())](
                               std::uint64_t index) -> Result<std::optional<Table>> {
      auto result = catch_exceptions([&] { return read_table(*records, index, *table, asked); });
      return result.ok() ? std::move(result) : result.with("while reading '" + path + "'");
    };
    const std::size_t threads = options.threads > 0 ? options.threads : host_core_count();
    std::shared_ptr<ReadAhead> ahead =
        ReadAhead::start(std::vector(threads, read), 2 * threads, threads);
    return column::rebatch([ahead] { return ahead->next(); }, options.batch_rows);
  }

  static Result<std::optional<Table>> read_table(SharedRecords& records, std::uint64_t index,
                                                 const JsonTable& table,
                                                 std::span<const std::uint32_t> asked) {
    PENSTOCK_ASSIGN(auto block, records.take(index));
    if (!block) return std::optional<Table>();
    PENSTOCK_ASSIGN(Table rows, read_json_block(*block, table, asked));
    return std::optional<Table>(std::move(rows));
  }

  const std::string path_, identity_;
  const JsonFormat format_;
  const std::uint64_t max_record_bytes_;
  const std::shared_ptr<const JsonTable> table_;
  Schema schema_;
};

Result<JsonFormat> format_of(const std::string& path, const JsonOptions& options) {
  if (options.format != JsonFormat::automatic) return options.format;
  PENSTOCK_ASSIGN(const std::string start, text_start(path, format_bytes));
  return find_json_format(start, start.size() < format_bytes);
}

// Only a line's end is sure to be the end of damage.
bool ignores_damage_of(JsonFormat format, const JsonOptions& options) {
  return options.ignores_errors && format == JsonFormat::newline_delimited;
}

// Reads the sample. A record that is no JSON is an error, unless damage is ignored.
Result<JsonStructure> sample_structure(const std::string& path, JsonFormat format,
                                       const JsonOptions& options) {
  PENSTOCK_ASSIGN(auto text, open_text(path));
  JsonRecords records(std::move(text), format, options.max_record_bytes);
  JsonStructure structure(std::make_shared<const JsonTimeFormats>(
      JsonTimeFormats::with(options.date_format, options.timestamp_format)));
  std::uint64_t count = 0;
  const std::uint64_t limit = options.sample_records.value_or(UINT64_MAX);
  const bool ignores_damage = ignores_damage_of(format, options);
  while (count < limit) {
    PENSTOCK_ASSIGN(auto block, records.next());
    if (!block) break;
    for (auto record = block->next(); record && count < limit; record = block->next()) {
      JsonTokens tokens(record->text);
      JsonValue value;
      const bool is_sound = tokens.read_value(value) && tokens.is_at_end();
      if (!is_sound && !ignores_damage)
        return malformed_json(block->place_of(*record), tokens.fault());
      if (is_sound) structure.add(value);
      if (++count % chunk_records == 0) structure.end_chunk();
    }
  }
  structure.end_chunk();
  return structure;
}

// Names that differ in case alone would be one name in SQL.
void make_names_unique(std::vector<JsonStructure::Column>& columns) {
  const auto lower_case = [](std::string name) {
    for (char& c : name)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return name;
  };
  std::set<std::string> taken;
  for (auto& column : columns) {
    const std::string name = column.name;
    for (int number = 1; !taken.insert(lower_case(column.name)).second; number++)
      column.name = name + "_" + std::to_string(number);
  }
}

JsonType json_type_of(const CsvType& given, const JsonOptions& options) {
  if (given.unsupported == "JSON") return JsonType::text();
  if (!given.unsupported.empty()) return JsonType::not_read(given.unsupported);
  JsonType type = JsonType::plain(given.type);
  if (given.type.kind == Kind::date32) type.format = options.date_format;
  if (given.type.kind == Kind::timestamp) type.format = options.timestamp_format;
  return type;
}

// Takes the columns that were given, or finds columns in a sample.
Status find_columns(JsonTable& table, const std::string& path, JsonFormat format,
                    const JsonOptions& options) {
  table.are_given = !options.columns.empty();
  table.are_records = options.are_records.value_or(true);
  for (const auto& [name, type] : options.columns)
    table.columns.push_back({name, json_type_of(type, options)});
  if (table.are_given) return {};
  PENSTOCK_ASSIGN(const auto structure, sample_structure(path, format, options));
  const std::uint64_t depth = options.max_depth.value_or(JsonStructure::any_depth);
  table.are_records = table.are_records && depth > 0 && structure.is_record();
  if (options.are_records == true && !table.are_records)
    return {Code::invalid, "its values are no records, which records = true wants"};
  table.columns = table.are_records
                      ? structure.columns(depth)
                      : std::vector{JsonStructure::Column{"json", structure.type(depth)}};
  return {};
}

Result<std::shared_ptr<TableSource>> open(const std::string& path,
                                          std::span<const TableOption> given) {
  std::string identity = file_identity(path);
  if (!identity.empty())
    identity += TableReference({path}, "json", {given.begin(), given.end()}).text();
  PENSTOCK_ASSIGN(const JsonOptions options, json_options(given));
  PENSTOCK_ASSIGN(const JsonFormat format, format_of(path, options));
  auto table = std::make_shared<JsonTable>();
  table->ignores_errors = options.ignores_errors;
  table->ignores_damage = ignores_damage_of(format, options);
  PENSTOCK_TRY(find_columns(*table, path, format, options));
  for (const auto& column : table->columns) table->keys.push_back(column.name);
  for (std::uint32_t i = 0; i < table->keys.size(); i++)
    table->column_of.emplace(table->keys[i], i);
  make_names_unique(table->columns);
  return std::shared_ptr<TableSource>(std::make_shared<JsonSource>(
      path, std::move(identity), format, options.max_record_bytes, std::move(table)));
}

}  // namespace

Result<std::shared_ptr<TableSource>> open_json(const std::string& path,
                                               std::span<const TableOption> options) {
  return catch_exceptions([&] { return open(path, options); });
}

}  // namespace penstock::io
