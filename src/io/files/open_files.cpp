#include "io/files/open_files.hpp"

#include <algorithm>
#include <filesystem>

#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/parallel.hpp"
#include "io/files/file_paths.hpp"
#include "io/files/files_source.hpp"
#include "io/files/hive_paths.hpp"
#include "io/files/open_file.hpp"

namespace penstock::io {
namespace {

// Opening a file reads its footer, some 100 us.
constexpr std::uint64_t min_files_opened_by_thread = 4;
// Descriptors of more files are not kept open: a process has 1024 by default.
constexpr std::size_t max_open_files = 256;

using Paths = std::vector<std::string>;

// Returns whether a table is one file, and has only the file's columns.
bool is_one_file(const TableReference& table, const Paths& paths) {
  return paths.size() == 1 && paths == table.paths && table.options.empty() &&
         hive_keys_of(paths[0]).empty();
}

std::string identity_of(const TableReference& table, const Paths& paths) {
  if (is_one_file(table, paths)) return file_identity(paths[0]);
  std::string all = table.text();
  for (const std::string& path : paths) {
    const std::string identity = file_identity(path);
    if (identity.empty()) return "";
    all += '\n' + path + '\n' + identity;
  }
  return "files " + content_hash(all).hex();
}

// "lineitem.parquet", "sales/*.csv (12 files)", "a.csv and 2 more files"
std::string name_of(const TableReference& table, const Paths& paths) {
  const std::string first = std::filesystem::path(paths[0]).filename().string();
  if (paths.size() == 1) return first;
  if (table.paths.size() == 1)
    return table.paths[0] + " (" + std::to_string(paths.size()) + " files)";
  return first + " and " + std::to_string(paths.size() - 1) + " more files";
}

bool has_text_types(const Schema& schema) {
  return std::ranges::all_of(schema,
                             [](const Field& field) { return field.type.kind == Kind::string; });
}

Result<bool> has_rows(const TableSource& source) {
  PENSTOCK_ASSIGN(const auto stream, source.scan({}, {.batch_rows = 64, .threads = 1}));
  PENSTOCK_ASSIGN(const auto batch, stream->next());
  return batch.has_value();
}

// Returns the columns of a file that have another type in the table, and that type.
OptionMap types_to_read_as(const Schema& schema, const FilePart& part) {
  OptionMap types;
  for (std::size_t column = 0; column < schema.size(); column++) {
    if (!part.stored[column] || !schema[column].unsupported.empty()) continue;
    const Field& own = part.source->schema()[*part.stored[column]];
    if (own.type != schema[column].type)
      types.emplace_back(own.name, penstock::name_of(schema[column].type));
  }
  return types;
}

// Types that were given stay: they are the same for all files.
std::vector<TableOption> with_types(std::vector<TableOption> options, const OptionMap& types) {
  for (TableOption& option : options)
    if (option.name == "types" || option.name == "dtypes" || option.name == "column_types") {
      if (auto* const given = std::get_if<OptionMap>(&option.value))
        given->insert(given->end(), types.begin(), types.end());
      return options;
    }
  options.push_back({"types", types});
  return options;
}

// Returns options that name all columns of a JSON file, some with given types. Returns none if a
// column has a type without a name here.
std::vector<TableOption> with_columns(std::vector<TableOption> options, const Schema& own,
                                      const OptionMap& types) {
  OptionMap columns;
  for (const Field& field : own) {
    if (!field.unsupported.empty()) return {};
    const auto given = std::ranges::find(types, field.name, &OptionMap::value_type::first);
    columns.emplace_back(field.name,
                         given != types.end() ? given->second : penstock::name_of(field.type));
  }
  std::erase_if(options, [](const TableOption& option) { return option.name == "columns"; });
  options.push_back({"columns", std::move(columns)});
  return options;
}

class Opening {
 public:
  Opening(const TableReference& table, FilesOptions options, Paths paths)
      : table_(table), options_(std::move(options)), paths_(std::move(paths)) {}

  Result<std::shared_ptr<TableSource>> open() {
    const std::string identity = identity_of(table_, paths_);
    open_all();
    leave_out_empty_texts();
    for (const auto& file : files_) PENSTOCK_TRY(file.status());
    if (is_one_file(table_, paths_)) return files_[0]->source;
    PENSTOCK_TRY(check_formats());
    PENSTOCK_ASSIGN(std::vector<FilePart> parts, parts_of_files());
    PENSTOCK_ASSIGN(JoinedFiles joined, join_files(std::move(parts), options_, files_[0]->types));
    if (files_[0]->types != FileTypes::declared) PENSTOCK_TRY(read_as_joined(joined));
    return files_source(std::make_shared<const JoinedFiles>(std::move(joined)),
                        name_of(table_, paths_), identity);
  }

 private:
  void open_all() {
    files_.resize(paths_.size(), Status(Code::internal, "a file was not opened"));
    in_parallel(
        paths_.size(), min_files_opened_by_thread, [&](std::uint64_t first, std::uint64_t last) {
          for (std::size_t i = first; i < last; i++)
            files_[i] = open_file(
                {paths_[i], table_.format, options_.of_format, paths_.size() <= max_open_files});
        });
  }

  // An empty text names no columns: beside other files it counts as a file without rows. Without
  // others the first one is the table.
  void leave_out_empty_texts() {
    const auto is_empty = [](const Result<OpenedFile>& file) {
      return !file.ok() && file.status().code() == Code::truncated &&
             file.status().message() == "the file is empty";
    };
    if (table_.format == "parquet") return;
    if (std::ranges::all_of(files_, is_empty)) {
      paths_.resize(1);
      files_ = {open_file({.path = paths_[0],
                           .format = table_.format,
                           .options = options_.of_format,
                           .may_be_empty = true})};
      return;
    }
    for (std::size_t i = files_.size(); i-- > 0;) {
      if (!is_empty(files_[i])) continue;
      files_.erase(files_.begin() + static_cast<std::ptrdiff_t>(i));
      paths_.erase(paths_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }

  Status check_formats() const {
    for (std::size_t i = 1; i < files_.size(); i++)
      if (files_[i]->format != files_[0]->format)
        return {Code::invalid, "the files of a table have one format, but '" + paths_[0] + "' is " +
                                   std::string(files_[0]->format) + " and '" + paths_[i] + "' is " +
                                   std::string(files_[i]->format) +
                                   "; a pattern such as 'folder/**/*.parquet' names files of one"};
    return {};
  }

  // The types that a text without rows seems to have do not count.
  Result<std::vector<FilePart>> parts_of_files() const {
    const Schema& first = files_[0]->source->schema();
    const bool may_differ = files_[0]->types == FileTypes::found &&
                            std::ranges::any_of(files_, [&](const Result<OpenedFile>& file) {
                              return file->source->schema() != first;
                            });
    std::vector<FilePart> parts;
    for (std::size_t i = 0; i < files_.size(); i++) {
      FilePart part{.path = paths_[i], .source = files_[i]->source};
      if (may_differ && has_text_types(part.source->schema())) {
        PENSTOCK_ASSIGN(part.has_rows, has_rows(*part.source));
      }
      parts.push_back(std::move(part));
    }
    return parts;
  }

  // A text that became a number has lost its spelling: it is read again as the type that the column
  // has in all files.
  Status read_as_joined(JoinedFiles& joined) const {
    for (FilePart& part : joined.parts) {
      const OptionMap types = types_to_read_as(joined.schema, part);
      if (types.empty()) continue;
      const bool is_json = files_[0]->types == FileTypes::found_in_json;
      const std::vector<TableOption> options =
          is_json ? with_columns(options_.of_format, part.source->schema(), types)
                  : with_types(options_.of_format, types);
      if (options.empty()) {  // the text of a time would lose its spelling
        for (const auto& [name, type] : types)
          joined.schema[*find_field(joined.schema, name)].unsupported = "of several types";
        continue;
      }
      PENSTOCK_ASSIGN(OpenedFile again, open_file({part.path, table_.format, options}));
      if (again.source->schema().size() == part.source->schema().size())
        part.source = std::move(again.source);
    }
    return {};
  }

  const TableReference& table_;
  const FilesOptions options_;
  Paths paths_;
  std::vector<Result<OpenedFile>> files_;  // beside paths_
};

}  // namespace

Result<std::shared_ptr<TableSource>> open_files(const TableReference& table) {
  PENSTOCK_ASSIGN(FilesOptions options, files_options(table.options));
  PENSTOCK_ASSIGN(Paths paths, files_of(table.paths));
  return Opening(table, std::move(options), std::move(paths)).open();
}

std::string table_identity(const TableReference& table) {
  const Result<Paths> paths = files_of(table.paths);
  return paths.ok() ? identity_of(table, *paths) : "";
}

}  // namespace penstock::io
