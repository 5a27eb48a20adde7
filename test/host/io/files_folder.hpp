// A folder of files that are one table.
#pragma once
#include "host/io/io_files.hpp"

namespace penstock::test {

using Cells = std::vector<std::vector<std::string>>;

class FilesFolder {
 public:
  std::string operator/(const std::string& name) const { return folder_ / name; }
  void write(const std::string& name, const Table& table,
             FileFormat format = FileFormat::parquet) const {
    make_folder(name);
    ASSERT_TRUE(write_table(table, folder_ / name, format).ok());
  }
  void write_text(const std::string& name, std::string_view text) const {
    make_folder(name);
    write_file(folder_ / name, text);
  }
  Result<std::shared_ptr<TableSource>> open(std::vector<std::string> names,
                                            std::vector<TableOption> options = {}) const {
    for (std::string& name : names) name = folder_ / name;
    return open_table({std::move(names), "", std::move(options)});
  }

 private:
  void make_folder(const std::string& name) const {
    std::filesystem::create_directories(std::filesystem::path(folder_ / name).parent_path());
  }
  Folder folder_;
};

template <class T> Table one_column(const std::string& name, std::vector<T> values) {
  return Table::of({{name, Column::from(std::move(values))}});
}
// Column i: `count` numbers from `first` on.
inline Table numbers(std::int32_t first, std::int32_t count) {
  std::vector<std::int32_t> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), first);
  return one_column("i", std::move(values));
}

inline Cells cells_of(const TableSource& source, const ScanOptions& options = {}) {
  auto cells = read_cells(source, all_columns(source), options);
  EXPECT_TRUE(cells.ok()) << cells.status().text();
  return cells.ok() ? *cells : Cells();
}

}  // namespace penstock::test
