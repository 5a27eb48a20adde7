// How the columns of several files become those of one table.
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
  bool has_rows = true;  // false: found types are those of no value
  // By column of the table: that of the file; nullopt where all rows of the file have one value.
  std::vector<std::optional<std::uint32_t>> stored = {};
  // Of such columns, by number of the table's column; those that are left out are NULL.
  std::vector<std::pair<std::uint32_t, Scalar>> constants = {};
};

// Returns the one value that a column, which is not stored, has in a file.
Scalar constant_of(const FilePart& part, std::uint32_t column, Type type);

// Files of text have their types found out one by one, so that those of one column may differ by
// chance. Records of JSON lack fields, too.
enum class FileTypes : unsigned char { declared, found, found_in_json };

struct JoinedFiles {
  Schema schema;
  std::vector<FilePart> parts;
};

// Takes the first file's columns, or those of all files by union_by_name; columns are matched by
// name. Then come the path, where options ask for it, and the keys of folders; one that a file has
// a column of takes its place. Found types meet. Of declared ones those of the first file count,
// unless columns are united, as those of JSON always are. An error names the file that lacks a
// column.
Result<JoinedFiles> join_files(std::vector<FilePart> parts, const FilesOptions& options,
                               FileTypes types);

}  // namespace penstock::io
