#include "fuse/program/paged_columns.hpp"

#include <algorithm>

#include "fuse/program/kernel_parameters.hpp"
#include "fuse/program/light_loads.hpp"
#include "fuse/program/string_calls.hpp"

namespace penstock::plan {
namespace {

using pages::Physical;

bool is_wide(const pages::PagedColumn& column) {
  if (column.type.kind == Kind::string) return false;  // codes
  return column.physical != Physical::boolean && column.physical != Physical::int32 &&
         column.physical != Physical::float32;
}

// Returns whether all that kernels want of a string is computed from its bytes.
bool needs_bytes_alone(const TileProgram& program, std::uint32_t column) {
  for (const std::uint32_t read : program.device_columns) {
    if (program.root_of(read) != column) continue;
    if (read < program.first_derived()) return false;
    const DerivedColumn& derived = program.derived[read - program.first_derived()];
    if (derived.source != column || !text_function(derived)) return false;
  }
  return true;
}

// Returns whether a string has values outside of dictionaries.
bool has_plain_strings(const pages::PagedTable& table, std::uint32_t column) {
  if (table.columns()[column].type.kind != Kind::string) return false;
  return table.summary(column).has_plain_strings;
}

// Returns a column of the source that an output is, unchanged; -1 if it is none.
int passed_column(const TileProgram& program, const Output& output) {
  const Node& node = program.graph->at(output.root);
  if (node.op != Op::column) return -1;
  const auto column = static_cast<std::uint32_t>(node.payload);
  return column < program.first_derived() && program.lookup_of(column) < 0
             ? static_cast<int>(column)
             : -1;
}

bool may_be_late(const TileProgram& program) {
  return program.epilogue == Epilogue::compact && !program.rows_stay;
}

// Outputs that are strings outside of dictionaries are gathered by row number, unless kernels read
// their codes for something else. There is no batch to gather other columns from.
void choose_late_texts(TileProgram& program, const pages::PagedTable& table) {
  write_late_columns(program);
  if (!may_be_late(program)) return;
  const auto make_late = [&](const std::vector<std::uint32_t>& but) {
    for (Output& output : program.outputs) {
      const int column = passed_column(program, output);
      if (column < 0 || !has_plain_strings(table, static_cast<std::uint32_t>(column))) continue;
      if (std::find(but.begin(), but.end(), static_cast<std::uint32_t>(column)) == but.end())
        output.late_column = column;
    }
    choose_columns(program);
  };
  make_late({});
  std::vector<std::uint32_t> read;
  for (const std::uint32_t column : program.scanned_columns())
    if (has_plain_strings(table, column) && !needs_bytes_alone(program, column))
      read.push_back(column);
  if (read.empty()) return;
  write_late_columns(program);
  make_late(read);
}

// Leaves all outputs that are columns of the source to be gathered by row number. A top-k orders
// its keys on the device.
void make_all_late(TileProgram& program) {
  for (std::uint32_t i = 0; i < program.outputs.size(); i++) {
    const auto is_key = [i](const SortKey& key) { return key.column == i; };
    if (program.top_k && std::ranges::any_of(program.top_k->keys, is_key)) continue;
    program.outputs[i].late_column = passed_column(program, program.outputs[i]);
  }
  choose_columns(program);
}

bool is_read_by_kernels(const TileProgram& program, std::uint32_t column) {
  return std::any_of(program.device_columns.begin(), program.device_columns.end(),
                     [&](std::uint32_t read) { return program.root_of(read) == column; });
}

// Returns why a column's pages cannot be read; empty if they can.
std::string why_not_column(const pages::PagedTable& table, std::uint32_t column) {
  if (const std::string& why = table.columns()[column].why_not; !why.empty()) return why;
  const std::optional<std::uint32_t> refused = table.summary(column).refused;
  if (!refused) return {};
  return table.chunks(column)[*refused].why_not + " in row group " + std::to_string(*refused);
}

// Says for every column that is read who decodes it, if a source has no pages.
std::string why_no_pages(const TileProgram& program, const TableSource& source) {
  std::string why = "it is not Parquet, so it has no pages";
  for (const std::uint32_t column : program.scanned_columns()) {
    const Field& field = source.schema()[column];
    why += "; column '" + field.name + "' is " +
           (field.is_encoded ? "encoded, but the host decodes it here" : "not encoded");
  }
  return why;
}

}  // namespace

std::string why_not_paged(const TileProgram& program, const pages::PagedTable& table) {
  const auto name = [&](std::uint32_t column) {
    return "column '" + program.source_schema[column].name + "'";
  };
  const std::vector<std::uint32_t> columns = program.scanned_columns();
  for (const std::uint32_t column : columns)
    if (const std::string why = why_not_column(table, column); !why.empty())
      return name(column) + ": " + why;
  return {};
}

void read_pages(TileProgram& program, const pages::PagedTable& table) {
  for (const std::uint32_t column : program.scanned_columns()) {
    const bool is_plain = has_plain_strings(table, column);
    const bool is_text = is_plain && needs_bytes_alone(program, column);
    program.paged.push_back({column, is_text || is_wide(table.columns()[column]), is_text,
                             is_plain && !is_text, !is_read_by_kernels(program, column)});
  }
}

pages::PageNeeds compressions_of(const TileProgram& program, const pages::PagedTable& table) {
  pages::PageNeeds needs;
  for (const PagedLoad& load : program.paged) {
    pages::add_needs(needs, table, load.column);
    if (load.is_named || load.is_late) needs.programs.insert(pages::PageProgram::names);
  }
  return needs;
}

// On a CPU the host's decoders are faster: a load out of pages costs a core some 12 ns. The same
// goes for light encodings, which are chosen here too.
Result<std::string> choose_page_decoding(TileProgram& program, const TableSource& source,
                                         PageDecoding asked, const Traits& traits) {
  if (asked == PageDecoding::host || program.scanned_columns().empty()) return std::string();
  if (asked == PageDecoding::automatic && traits.shares_host_cores()) return std::string();
  read_light_columns(program, source);
  if (!light_columns(program).empty()) return std::string();  // an Arrow file, which has no pages
  const std::shared_ptr<const pages::PagedTable> table = source.pages();
  TileProgram paged = program;
  if (table) choose_late_texts(paged, *table);
  std::string why = table ? why_not_paged(paged, *table) : why_no_pages(program, source);
  if (why.empty()) {
    read_pages(paged, *table);
    if (!fits_parameters(paged) && may_be_late(paged)) {
      paged.paged.clear();
      make_all_late(paged);
      read_pages(paged, *table);
    }
    if (!fits_parameters(paged)) why = "a kernel has too few parameters for them";
  }
  if (why.empty()) {
    program = std::move(paged);
    return std::string();
  }
  if (asked == PageDecoding::device)
    return Status(Code::unsupported, (table ? "the pages of '" : "'") + source.describe() +
                                         "' cannot be decoded on a device: " + why);
  return table ? "the host decodes the pages of '" + source.describe() + "': " + why
               : std::string();
}

}  // namespace penstock::plan
