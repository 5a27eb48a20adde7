// Tables and files for the tests of src/io.
#pragma once
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "penstock/expression.hpp"
#include "penstock/io.hpp"

namespace penstock::test {

// A folder of this test alone, removed with its files.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "penstock-io-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  std::size_t file_count() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }

 private:
  std::filesystem::path path_;
};

inline std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
inline void write_file(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

inline std::vector<std::uint32_t> all_columns(const TableSource& source) {
  std::vector<std::uint32_t> columns(source.schema().size());
  std::iota(columns.begin(), columns.end(), 0u);
  return columns;
}

// A value as text: one spelling whatever the column's layout.
inline std::string cell(const Column& column, std::uint64_t row) {
  if (!column.is_valid(row)) return "NULL";
  const bool is_packed =
      column.type.kind == Kind::string && column.type.logical != LogicalType::none;
  const bool is_wide = column.type.kind != Kind::string && width_bytes(column.type) == 16;
  if (is_packed || is_wide) return text_of(scalar_at(column, row));
  switch (column.type.kind) {
    case Kind::boolean: return column.boolean(row) ? "true" : "false";
    case Kind::string: return '"' + std::string(column.string(row)) + '"';
    case Kind::int8: return std::to_string(column.values.as<std::int8_t>()[row]);
    case Kind::uint8: return std::to_string(column.values.as<std::uint8_t>()[row]);
    case Kind::int16: return std::to_string(column.values.as<std::int16_t>()[row]);
    case Kind::uint16: return std::to_string(column.values.as<std::uint16_t>()[row]);
    case Kind::int32:
    case Kind::date32: return std::to_string(column.values.as<std::int32_t>()[row]);
    case Kind::uint32: return std::to_string(column.values.as<std::uint32_t>()[row]);
    case Kind::uint64: return std::to_string(column.values.as<std::uint64_t>()[row]);
    case Kind::float32: return std::to_string(column.values.as<float>()[row]);
    case Kind::float64: return std::to_string(column.values.as<double>()[row]);
    default: return std::to_string(column.values.as<std::int64_t>()[row]);
  }
}

// Every cell of every batch, one vector per column; checks what all batches promise.
inline Result<std::vector<std::vector<std::string>>> read_cells(
    const TableSource& source, std::span<const std::uint32_t> columns,
    const ScanOptions& options = {}) {
  PENSTOCK_ASSIGN(const auto stream, source.scan(columns, options));
  std::vector<std::vector<std::string>> cells(columns.size());
  for (bool last = false;;) {
    PENSTOCK_ASSIGN(const auto batch, stream->next());
    if (!batch) return cells;
    if (last || batch->row_count == 0 || batch->row_count > options.batch_rows ||
        batch->columns.size() != columns.size())
      return Status(Code::internal, "a batch of wrong size");
    last = batch->row_count % 64 != 0;
    for (std::size_t i = 0; i < columns.size(); i++) {
      const Column& column = batch->columns[i];
      if (column.row_count != batch->row_count || column.type != source.schema()[columns[i]].type)
        return Status(Code::internal, "a wrong column");
      if (!column.validity.empty() && !source.schema()[columns[i]].nullable)
        return Status(Code::internal, "an undeclared validity");
      for (std::uint64_t row = 0; row < batch->row_count; row++)
        cells[i].push_back(cell(column, row));
    }
  }
}

// Every kind a file can hold, each as a function of the row; NULLs where `nulls`.
inline Table every_kind(std::uint64_t row_count, bool nulls) {
  const auto column = [&]<class T>(T, std::uint64_t salt, Type type = type_of<T>()) {
    std::vector<std::optional<T>> values;
    for (std::uint64_t row = 0; row < row_count; row++) {
      const std::uint64_t mixed = (row + salt) * 0x9e3779b97f4a7c15u;
      values.push_back(
          nulls && (mixed >> 33) % 4 == 0
              ? std::nullopt
              : std::optional(static_cast<T>(static_cast<std::int64_t>(mixed >> 40) % 100)));
    }
    Column made = Column::from(values);
    if (!nulls) made.validity = {};
    made.type = type;
    return made;
  };
  std::vector<bool> booleans;
  std::vector<std::optional<std::string>> few, many;
  for (std::uint64_t row = 0; row < row_count; row++) {
    booleans.push_back(row % 3 == 0);
    few.push_back(nulls && row % 7 == 0 ? std::nullopt
                                        : std::optional("kind " + std::to_string(row % 5)));
    many.push_back(nulls && row % 9 == 0 ? std::nullopt
                                         : std::optional("row " + std::to_string(row * 7919)));
  }
  Column few_column = Column::from_strings(few), many_column = Column::from_strings(many);
  if (!nulls) few_column.validity = many_column.validity = {};
  Column boolean_column = Column::from_booleans(booleans);
  if (nulls) boolean_column.validity = few_column.validity;
  return Table::of({{"i8", column(std::int8_t{}, 1)},
                    {"u8", column(std::uint8_t{}, 2)},
                    {"i16", column(std::int16_t{}, 3)},
                    {"u16", column(std::uint16_t{}, 4)},
                    {"i32", column(std::int32_t{}, 5)},
                    {"u32", column(std::uint32_t{}, 6)},
                    {"i64", column(std::int64_t{}, 7)},
                    {"u64", column(std::uint64_t{}, 8)},
                    {"f32", column(float{}, 9)},
                    {"f64", column(double{}, 10)},
                    {"date", column(std::int32_t{}, 11, {Kind::date32})},
                    {"time", column(std::int64_t{}, 12, {Kind::timestamp})},
                    {"money", column(std::int64_t{}, 13, Type::decimal(15, 2))},
                    {"small", column(std::int64_t{}, 14, Type::decimal(5, 1))},
                    {"flag", boolean_column},
                    {"few", few_column},
                    {"many", many_column}});
}

inline std::vector<std::vector<std::string>> cells_of(const Table& table) {
  std::vector<std::vector<std::string>> cells;
  for (const Column& column : table.columns) {
    cells.emplace_back();
    for (std::uint64_t row = 0; row < table.row_count; row++)
      cells.back().push_back(cell(column, row));
  }
  return cells;
}

// .venv's Python, which scripts/setup.sh makes: found from the program's folder upward. Empty where
// there is none.
inline std::string python() {
  auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  for (; folder.has_relative_path(); folder = folder.parent_path())
    if (std::filesystem::exists(folder / ".venv/bin/python"))
      return (folder / ".venv/bin/python").string();
  return "";
}

// Runs a script that writes `path` with pyarrow; false where there is no pyarrow.
inline bool by_pyarrow(const std::string& path, const std::string& script) {
  const std::string text = path + ".py";
  write_file(text,
             "import sys, datetime, decimal, pyarrow as pa, pyarrow.parquet as pq, pyarrow.ipc as "
             "ipc\npath = sys.argv[1]\n" +
                 script);
  if (python().empty()) return false;
  EXPECT_EQ(std::system((python() + " " + text + " " + path).c_str()), 0) << script;
  return true;
}

}  // namespace penstock::test
