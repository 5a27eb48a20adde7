// Columns of the tables that describe a database, built row by row, and their way out as a stream
// of Arrow. They have types that results of statements do not have: unions, and fields that are
// never NULL.
//
//     MetadataColumn names("+s", "", {{"u", "table_type", {}, false}});
//     names.child(0).add("table");
//     names.end_row();
//     return export_metadata(std::move(names), stream);
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "session/adbc/outcome.hpp"

namespace penstock::adbc {

class MetadataColumn {
 public:
  // `format` is Arrow's: "u" text, "z" bytes, "b" booleans, "s" "i" "l" "I" "L" integers, "g"
  // floats, "+l" lists, "+m" maps, "+s" structs, "+ud:..." dense unions, "n" nothing.
  MetadataColumn(std::string format, std::string name, std::vector<MetadataColumn> children = {},
                 bool is_nullable = true);

  MetadataColumn& child(std::size_t index) { return children_[index]; }
  std::uint64_t row_count() const { return row_count_; }

  void add(std::string_view text);
  void add_boolean(bool value);
  void add_integer(std::int64_t value);  // in the format's width
  void add_null();
  // Ends a row of a list or struct, with what was added to the children since the row before.
  void end_row();
  // Ends a row of a union: the last value of a child.
  void end_row_of(std::size_t child_index);

  // Fill a struct that the caller releases.
  void export_schema(ArrowSchema& schema) const;
  void export_array(ArrowArray& array) const;

 private:
  void end_value(bool is_valid);

  std::string format_, name_;
  std::vector<MetadataColumn> children_;
  bool is_nullable_;
  std::uint64_t row_count_ = 0, null_count_ = 0;
  std::vector<std::uint8_t> validity_, values_, type_ids_;
  std::vector<std::int32_t> offsets_;
};

// Fills a stream of one batch, whose columns are the children of a struct.
Outcome export_metadata(MetadataColumn rows, ArrowArrayStream* stream);

}  // namespace penstock::adbc
