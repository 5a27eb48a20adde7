#include "io/files/files_source.hpp"

#include <algorithm>

#include "base/hash.hpp"
#include "base/parallel.hpp"
#include "io/common/sources.hpp"
#include "io/files/cast_column.hpp"
#include "io/files/file_condition.hpp"
#include "io/files/files_scan.hpp"
#include "io/files/joined_bounds.hpp"
#include "io/files/paged_files.hpp"
#include "penstock/device_cache.hpp"

namespace penstock::io {
namespace {

// Files that one thread asks for their rows.
constexpr std::uint64_t min_files_asked_by_thread = 4;

struct FileSelection {
  bool is_needed = true;
  Result<std::optional<RowSelection>> rows = std::optional<RowSelection>();
};

class FilesSource final : public TableSource {
 public:
  FilesSource(std::shared_ptr<const JoinedFiles> joined, std::string name, std::string identity)
      : joined_(std::move(joined)),
        name_(std::move(name)),
        identity_(std::move(identity)),
        pages_(paged_files(joined_)) {
    first_rows_.push_back(0);
    for (const FilePart& part : parts()) {
      const auto rows = part.source->row_count();
      if (!rows) is_counted_ = false;
      first_rows_.push_back(first_rows_.back() + rows.value_or(0));
    }
  }

  const Schema& schema() const override { return joined_->schema; }
  std::optional<std::uint64_t> row_count() const override {
    return is_counted_ ? std::optional(first_rows_.back()) : std::nullopt;
  }
  std::string describe() const override { return name_; }
  std::string identity() const override { return identity_; }
  bool can_be_scanned_again() const override {
    return std::ranges::all_of(
        parts(), [](const FilePart& part) { return part.source->can_be_scanned_again(); });
  }
  std::shared_ptr<const pages::PagedTable> pages() const override { return pages_; }
  Result<std::unique_ptr<BatchStream>> scan(std::span<const std::uint32_t> columns,
                                            const ScanOptions& options) const override;
  Result<std::optional<RowSelection>> select_rows(const RowCondition& needed) const override;
  Result<ColumnStatistics> statistics(std::uint32_t column) const override;
  Result<std::optional<std::uint64_t>> null_count(std::uint32_t column) const override;
  std::shared_ptr<TableSource> with_nulls_found() const override;
  Result<std::optional<ValueBounds>> bounds(std::uint32_t column, RowRange rows) const override;
  Status check_statistics(std::span<const std::uint32_t> columns) const override;

 private:
  const std::vector<FilePart>& parts() const { return joined_->parts; }
  RowRange rows_of(std::size_t file) const { return {first_rows_[file], first_rows_[file + 1]}; }
  bool is_read_as_stored(const FilePart& part, std::uint32_t column) const {
    return part.source->schema()[*part.stored[column]].type == schema()[column].type;
  }
  Status check(std::span<const std::uint32_t> columns) const;
  FileRows rows_to_read(std::size_t file, const RowSelection* rows) const;
  std::vector<FileSelection> select_in_files(const RowCondition& needed) const;
  RowSelection without_files(const std::vector<FileSelection>& files) const;
  void add(std::size_t file, const FileSelection& of_file, RowSelection& all) const;

  const std::shared_ptr<const JoinedFiles> joined_;
  const std::string name_, identity_;
  const std::shared_ptr<const pages::PagedTable> pages_;
  std::vector<std::uint64_t> first_rows_;  // by file; then the number of all rows
  bool is_counted_ = true;                 // whether all files know how many rows they have
};

// Says of every file whether it can yield the columns.
Status FilesSource::check(std::span<const std::uint32_t> columns) const {
  PENSTOCK_TRY(check_columns(schema(), columns, name_));
  for (const FilePart& part : parts())
    for (const std::uint32_t column : columns) {
      if (!part.stored[column]) continue;
      const Type own = part.source->schema()[*part.stored[column]].type;
      const Field& field = schema()[column];
      if (!is_castable(own, field.type))
        return {Code::unsupported, "column '" + field.name + "' is " + name_of(field.type) +
                                       " in the first file, and " + name_of(own) + " in '" +
                                       part.path + "'"};
    }
  return {};
}

Result<std::unique_ptr<BatchStream>> FilesSource::scan(std::span<const std::uint32_t> columns,
                                                       const ScanOptions& options) const {
  PENSTOCK_TRY(check(columns));
  std::vector<FileRows> files;
  for (std::size_t file = 0; file < parts().size(); file++) {
    FileRows rows = rows_to_read(file, options.rows.get());
    if (rows.row_count != 0) files.push_back(std::move(rows));
  }
  return scan_files(joined_, std::move(files), {columns.begin(), columns.end()}, options);
}

// Cuts one file's rows out of the table's rows.
FileRows FilesSource::rows_to_read(std::size_t file, const RowSelection* rows) const {
  FileRows read{&parts()[file], parts()[file].source->row_count()};
  if (rows == nullptr) return read;
  const RowRange all = rows_of(file);
  RowSelection own;
  own.counts.rows = all.end - all.begin;
  std::uint64_t kept = 0;
  auto range = std::ranges::upper_bound(rows->ranges, all.begin, {}, &RowRange::end);
  for (; range != rows->ranges.end() && range->begin < all.end; ++range) {
    const std::uint64_t begin = std::max(range->begin, all.begin);
    const std::uint64_t end = std::min(range->end, all.end);
    own.ranges.push_back({begin - all.begin, end - all.begin});
    kept += end - begin;
  }
  own.counts.rows_skipped = own.counts.rows - kept;
  read.row_count = kept;
  if (own.counts.rows_skipped == 0) return read;
  const auto selects = read.part->source->select_rows(RowCondition());
  read.selects_rows = selects.ok() && selects->has_value();
  read.rows = std::make_shared<const RowSelection>(std::move(own));
  return read;
}

std::vector<FileSelection> FilesSource::select_in_files(const RowCondition& needed) const {
  std::vector<FileSelection> files(parts().size());
  in_parallel(files.size(), min_files_asked_by_thread,
              [&](std::uint64_t first, std::uint64_t last) {
                for (std::size_t file = first; file < last; file++) {
                  const auto own = condition_of_file(parts()[file], schema(), needed);
                  files[file].is_needed = own.has_value();
                  if (own && is_counted_ && !holds_always(*own))
                    files[file].rows = parts()[file].source->select_rows(*own);
                }
              });
  return files;
}

// If files do not know how many rows they have, only whole files are left out.
Result<std::optional<RowSelection>> FilesSource::select_rows(const RowCondition& needed) const {
  const std::vector<FileSelection> files = select_in_files(needed);
  RowSelection all;
  all.counts.files = files.size();
  for (const FileSelection& file : files) all.counts.files_skipped += !file.is_needed;
  if (!is_counted_) {
    if (all.counts.files_skipped == 0) return std::optional<RowSelection>();
    return std::optional(without_files(files));
  }
  for (std::size_t file = 0; file < files.size(); file++) {
    PENSTOCK_TRY(files[file].rows.status());
    add(file, files[file], all);
  }
  all.counts.rows = first_rows_.back();
  all.counts.rows_skipped = all.counts.rows;
  for (const RowRange& range : all.ranges) all.counts.rows_skipped -= range.end - range.begin;
  return std::optional(std::move(all));
}

RowSelection FilesSource::without_files(const std::vector<FileSelection>& files) const {
  auto needed = std::make_shared<JoinedFiles>();
  needed->schema = schema();
  std::string identities;
  for (std::size_t file = 0; file < files.size(); file++) {
    if (!files[file].is_needed) continue;
    needed->parts.push_back(parts()[file]);
    identities += std::to_string(file) + ' ';
  }
  RowSelection rows;
  rows.counts.files = files.size();
  rows.counts.files_skipped = files.size() - needed->parts.size();
  const std::string identity = identity_.empty() ? ""
                                                 : identity_ + DeviceCache::end_of_file_identity +
                                                       "files " + content_hash(identities).hex();
  rows.source = files_source(std::move(needed), name_, identity);
  return rows;
}

// Appends the rows of a file, numbered as the table's. Ranges that touch become one.
void FilesSource::add(std::size_t file, const FileSelection& of_file, RowSelection& all) const {
  const RowRange rows = rows_of(file);
  const auto append = [&](std::uint64_t begin, std::uint64_t end) {
    if (begin == end) return;
    if (!all.ranges.empty() && all.ranges.back().end == begin)
      all.ranges.back().end = end;
    else
      all.ranges.push_back({begin, end});
  };
  const auto pages = parts()[file].source->pages();
  const std::uint64_t groups = pages ? pages->first_rows().size() - 1 : 0;
  if (of_file.is_needed && *of_file.rows) {
    for (const RowRange& range : (*of_file.rows)->ranges)
      append(rows.begin + range.begin, rows.begin + range.end);
    all.counts += (*of_file.rows)->counts;
    return;
  }
  all.counts.row_groups += groups;
  if (of_file.is_needed)
    append(rows.begin, rows.end);
  else
    all.counts.groups_by_path += groups;
}

Result<ColumnStatistics> FilesSource::statistics(std::uint32_t column) const {
  PENSTOCK_TRY(check(std::span(&column, 1)));
  JoinedBounds all(schema()[column].type);
  for (std::size_t file = 0; file < parts().size(); file++) {
    const FilePart& part = parts()[file];
    const auto rows = part.source->row_count();
    if (rows == 0) continue;
    if (!part.stored[column]) {
      if (!rows) return ColumnStatistics();
      all.add_constant(constant_of(part, column, schema()[column].type), *rows);
      continue;
    }
    PENSTOCK_ASSIGN(const ColumnStatistics own, part.source->statistics(*part.stored[column]));
    if (own.has_no_values) continue;
    if (is_read_as_stored(part, column))
      all.add_values(own.minimum, own.maximum);
    else
      all.add_values({}, {});
  }
  return all.statistics();
}

Result<std::optional<std::uint64_t>> FilesSource::null_count(std::uint32_t column) const {
  PENSTOCK_TRY(check(std::span(&column, 1)));
  std::uint64_t nulls = 0;
  for (const FilePart& part : parts()) {
    std::optional<std::uint64_t> own;
    if (part.stored[column]) {
      PENSTOCK_ASSIGN(own, part.source->null_count(*part.stored[column]));
    } else {
      own = constant_of(part, column, schema()[column].type).is_null ? part.source->row_count() : 0;
    }
    if (!own) return own;
    nulls += *own;
  }
  return std::optional(nulls);
}

std::shared_ptr<TableSource> FilesSource::with_nulls_found() const {
  auto found = std::make_shared<JoinedFiles>(*joined_);
  bool has_found = false;
  for (FilePart& part : found->parts)
    if (auto source = part.source->with_nulls_found()) {
      part.source = std::move(source);
      has_found = true;
    }
  if (!has_found) return nullptr;
  for (std::size_t column = 0; column < schema().size(); column++)
    for (const FilePart& part : found->parts)
      if (part.stored[column] && part.source->schema()[*part.stored[column]].nullable)
        found->schema[column].nullable = true;
  return files_source(std::move(found), name_, identity_.empty() ? "" : identity_ + " with NULLs");
}

Result<std::optional<ValueBounds>> FilesSource::bounds(std::uint32_t column, RowRange rows) const {
  PENSTOCK_TRY(check(std::span(&column, 1)));
  const std::optional<ValueBounds> unknown;
  if (!is_counted_) return unknown;
  JoinedBounds all(schema()[column].type);
  for (std::size_t file = 0; file < parts().size(); file++) {
    const FilePart& part = parts()[file];
    const RowRange of_file = rows_of(file);
    const RowRange own{std::max(rows.begin, of_file.begin), std::min(rows.end, of_file.end)};
    if (own.begin >= own.end) continue;
    if (!part.stored[column]) {
      all.add_constant(constant_of(part, column, schema()[column].type), own.end - own.begin);
      continue;
    }
    if (!is_read_as_stored(part, column)) return unknown;
    PENSTOCK_ASSIGN(const auto found,
                    part.source->bounds(*part.stored[column],
                                        {own.begin - of_file.begin, own.end - of_file.begin}));
    if (!found) return unknown;
    all.add_values(found->lowest, found->highest);
  }
  return all.bounds();
}

Status FilesSource::check_statistics(std::span<const std::uint32_t> columns) const {
  PENSTOCK_TRY(check(columns));
  for (const FilePart& part : parts()) {
    std::vector<std::uint32_t> stored;
    for (const std::uint32_t column : columns)
      if (part.stored[column]) stored.push_back(*part.stored[column]);
    PENSTOCK_TRY(part.source->check_statistics(stored).with("in '" + part.path + "'"));
  }
  return {};
}

}  // namespace

std::shared_ptr<TableSource> files_source(std::shared_ptr<const JoinedFiles> joined,
                                          std::string name, std::string identity) {
  return std::make_shared<FilesSource>(std::move(joined), std::move(name), std::move(identity));
}

}  // namespace penstock::io
