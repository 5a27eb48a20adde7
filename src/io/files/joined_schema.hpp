// Joins the columns of several files into the columns of one table.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/files/files_options.hpp"
#include "penstock/expression.hpp"

namespace penstock::io {

// A file of a table, and where its columns are.
struct FilePart {
  std::string path;
  std::shared_ptr<TableSource> source;
  bool has_rows = true;  // false: found types rest on no value
  // By the table's column, the file's column; nullopt if all rows of the file have one value.
  std::vector<std::optional<std::uint32_t>> stored = {};
  // The values of such columns, by number of the table's column; columns left out are NULL.
  std::vector<std::pair<std::uint32_t, Scalar>> constants = {};
};

// Returns the one value that a column, which is not stored, has in a file.
Scalar constant_of(const FilePart& part, std::uint32_t column, Type type);

// Types in files of text are found file by file, so that a column's types may differ by chance.
// Records of JSON may lack fields, too.
enum class FileTypes : unsigned char { declared, found, found_in_json };

struct JoinedFiles {
  Schema schema;
  std::vector<FilePart> parts;
};

// Takes the first file's columns, or all files' columns by union_by_name; columns are matched by
// name. Then come the path, if options ask for it, and the keys of folders; a key replaces a file's
// column of its name. Found types are joined. Among declared types the first file's count, unless
// columns are united, as columns of JSON always are. An error names the file that lacks a column.
Result<JoinedFiles> join_files(std::vector<FilePart> parts, const FilesOptions& options,
                               FileTypes types);

}  // namespace penstock::io
