#include "fuse/program/kernel_parameters.hpp"

#include <algorithm>

#include "expr/emit.hpp"
#include "fuse/program/light_loads.hpp"
#include "fuse/program/own_codes.hpp"
#include "fuse/program/string_calls.hpp"
#include "fuse/program/string_ranks.hpp"

namespace penstock::plan {
namespace {

// Kernel C's parameter walker stops at 64, and a kernel template has some of its own.
constexpr std::size_t max_parameters = 64 - 8;

// Only compactions write outputs; what other epilogues compute stays in registers.
std::vector<ColumnBuffer> written_buffers(const TileProgram& program) {
  return program.epilogue == Epilogue::compact ? output_buffers(program)
                                               : std::vector<ColumnBuffer>();
}

std::size_t buffer_count(const TileProgram& program) {
  return input_buffers(program).size() + lookup_buffers(program).size() +
         written_buffers(program).size();
}

void add_columns(const TileProgram& program, const std::vector<std::uint32_t>& columns,
                 std::vector<ColumnBuffer>& buffers) {
  for (std::uint32_t column : columns) {
    const Field& field = program.source_schema[column];
    if (reads_light(program, column))
      buffers.push_back({BufferRole::page_bytes, column, field.type, false});
    else
      buffers.push_back({BufferRole::values, column, field.type, field.type.kind == Kind::boolean});
    if (field.nullable) buffers.push_back({BufferRole::validity, column, field.type, true});
  }
}

void add_pages(const TileProgram& program, std::vector<ColumnBuffer>& buffers) {
  for (const PagedLoad& load : program.paged) {
    if (load.is_late) continue;
    const Type type = program.source_schema[load.column].type;
    buffers.push_back({BufferRole::page_bytes, load.column, type, false});
    buffers.push_back({BufferRole::page_index, load.column, type, false});
  }
  for (const std::uint32_t column : program.device_columns) {
    const std::uint32_t root = program.root_of(column);
    if (program.source_schema[root].type.kind != Kind::string) continue;
    const Type type = program.source_schema[column].type;
    const bool is_text = program.paged_load(root)->is_text;
    if (!is_text && !(column == root && has_own_codes(program, root)))
      buffers.push_back({BufferRole::entries, column, type, false});
    else if (is_text && column != root &&
             !text_function(program.derived[column - program.first_derived()])->words.empty())
      buffers.push_back({BufferRole::constants, column, type, false});
  }
}

std::uint64_t row_bytes_without_validity(const std::vector<ColumnBuffer>& buffers) {
  std::uint64_t bytes = 0;
  for (const ColumnBuffer& buffer : buffers)
    if (buffer.role != BufferRole::validity) bytes += buffer.element_bytes();
  return bytes;
}

std::uint64_t total_bytes(const std::vector<ColumnBuffer>& buffers, std::uint64_t row_count) {
  std::uint64_t bytes = 0;
  for (const ColumnBuffer& buffer : buffers) bytes += buffer.bytes(row_count);
  return bytes;
}

}  // namespace

std::string ColumnBuffer::name(char set) const {
  if (role == BufferRole::row_numbers) return std::string(1, set) + "_rows";
  if (role == BufferRole::positions) return "positions" + std::to_string(index);
  if (role == BufferRole::table) return "table" + std::to_string(index);
  if (role == BufferRole::found_rows) return std::string(1, set) + "_found" + std::to_string(index);
  if (role == BufferRole::page_bytes) return set + std::to_string(index) + "_bytes";
  if (role == BufferRole::page_index) return set + std::to_string(index) + "_index";
  if (role == BufferRole::entries) return set + std::to_string(index) + "_entries";
  if (role == BufferRole::constants) return set + std::to_string(index) + "_constants";
  return set + std::to_string(index) + (role == BufferRole::validity ? "_valid" : "");
}

std::string ColumnBuffer::element_type() const {
  switch (role) {
    case BufferRole::values:
    case BufferRole::entries: return memory_type(type);
    case BufferRole::validity: return "u8";
    case BufferRole::table: return "u64";
    case BufferRole::row_numbers:
    case BufferRole::positions:
    case BufferRole::found_rows:
    case BufferRole::page_bytes:
    case BufferRole::page_index:
    case BufferRole::constants: return "u32";
  }
  return {};
}

bool ColumnBuffer::is_wide() const { return role == BufferRole::values && expr::is_wide(type); }

std::string ColumnBuffer::register_type() const {
  return role == BufferRole::values ? kernel_type(type) : "u32";
}

std::uint32_t ColumnBuffer::element_bytes() const {
  switch (role) {
    case BufferRole::values:
    case BufferRole::entries: return width_bytes(type);
    case BufferRole::validity: return 1;
    case BufferRole::table: return 8;
    case BufferRole::row_numbers:
    case BufferRole::positions:
    case BufferRole::found_rows:
    case BufferRole::page_bytes:
    case BufferRole::page_index:
    case BufferRole::constants: return 4;
  }
  return 0;
}

std::uint64_t ColumnBuffer::bytes(std::uint64_t row_count) const {
  // The size of pages, of encoded values and of entries does not follow from the number of rows.
  if (role == BufferRole::page_bytes || role == BufferRole::page_index ||
      role == BufferRole::entries || role == BufferRole::constants)
    return 0;
  return is_bits ? (row_count + 7) / 8 : row_count * element_bytes();
}

std::vector<ColumnBuffer> input_buffers(const TileProgram& program) {
  std::vector<ColumnBuffer> buffers;
  if (program.paged.empty())
    add_columns(program, program.device_columns, buffers);
  else
    add_pages(program, buffers);
  return buffers;
}

std::vector<ColumnBuffer> lookup_buffers(const TileProgram& program) {
  std::vector<ColumnBuffer> buffers;
  for (std::uint32_t i = 0; i < program.lookups.size(); i++) {
    buffers.push_back({BufferRole::positions, i, {}, false});
    buffers.push_back({BufferRole::table, i, {}, false});
    add_columns(program, program.lookups[i].device_columns, buffers);
  }
  return buffers;
}

std::vector<ColumnBuffer> output_buffers(const TileProgram& program) {
  std::vector<ColumnBuffer> buffers;
  for (std::uint32_t i = 0; i < program.outputs.size(); i++) {
    if (program.outputs[i].late_column >= 0) continue;
    const Node& node = program.graph->at(program.outputs[i].root);
    buffers.push_back({BufferRole::values, i, node.type, false});
    if (node.nullable) buffers.push_back({BufferRole::validity, i, node.type, false});
  }
  if (program.yields_row_numbers()) buffers.push_back({BufferRole::row_numbers, 0, {}, false});
  for (std::uint32_t i = 0; i < program.lookups.size(); i++)
    if (program.yields_row_numbers(static_cast<int>(i)))
      buffers.push_back({BufferRole::found_rows, i, {}, false});
  return buffers;
}

std::uint64_t input_bytes_per_row(const TileProgram& program) {
  std::vector<ColumnBuffer> buffers;
  add_columns(program, program.device_columns, buffers);
  return std::max<std::uint64_t>(row_bytes_without_validity(buffers), 1);
}
std::uint64_t output_bytes_per_row(const TileProgram& program) {
  return row_bytes_without_validity(written_buffers(program));
}

std::uint64_t bytes_read(const TileProgram& program, std::uint64_t row_count) {
  return total_bytes(input_buffers(program), row_count);
}
std::uint64_t bytes_written(const TileProgram& program, std::uint64_t row_count) {
  return total_bytes(written_buffers(program), row_count);
}

bool is_used_parameter(const TileProgram& program, std::uint32_t parameter) {
  return !program.graph->parameters[parameter].is_null;
}

bool packs_scalars(const TileProgram& program) {
  return buffer_count(program) + scalar_words(program) > max_parameters;
}

std::uint32_t scalar_words(const TileProgram& program) {
  std::uint32_t words = 0;
  for (const Scalar& value : program.graph->parameters) words += scalar_words(value.type);
  return words;
}

// A compaction that closes gaps has its outputs twice.
bool fits_parameters(const TileProgram& program) {
  return buffer_count(program) + packs_scalars(program) <= max_parameters &&
         2 * written_buffers(program).size() <= max_parameters;
}

namespace {

// Returns one slice of what has no DISTINCT, if only of keys, and one for each argument that has.
// Aggregates of `are_ranked` need none.
std::vector<Slice> by_distinct_argument(const Step& step, const std::vector<bool>& are_ranked) {
  if (step.aggregates.empty()) return {whole_slice(step)};
  std::vector<Slice> slices(1);
  const auto is_distinct = [&](std::uint32_t column) {
    return step.aggregates[column].distinct && !(column < are_ranked.size() && are_ranked[column]);
  };
  for (std::uint32_t column : whole_slice(step)) {
    const auto is_beside = [&](const Slice& slice) {
      if (slice.empty()) return !is_distinct(column);
      return is_distinct(slice[0]) == is_distinct(column) &&
             (!is_distinct(column) ||
              step.aggregates[slice[0]].argument == step.aggregates[column].argument);
    };
    const auto found = std::find_if(slices.begin(), slices.end(), is_beside);
    if (found != slices.end())
      found->push_back(column);
    else
      slices.push_back({column});
  }
  if (slices[0].empty() && slices.size() > 1) slices.erase(slices.begin());
  return slices;
}

}  // namespace

Result<std::vector<TileProgram>> fuse_slices(const Plan& plan, StepId base, StepId last,
                                             const Slice& columns, bool ranks_strings) {
  std::vector<Slice> open =
      columns.empty()
          ? by_distinct_argument(plan.step(last), ranks_strings ? ranked_extremes(plan, base, last)
                                                                : std::vector<bool>())
          : std::vector<Slice>{columns};
  std::reverse(open.begin(), open.end());
  std::vector<TileProgram> programs;
  while (!open.empty()) {
    const Slice slice = open.back();
    open.pop_back();
    PENSTOCK_ASSIGN(TileProgram program, fuse(plan, base, last, slice, ranks_strings));
    if (fits_parameters(program) ||
        slice.size() < 2) {  // one column that does not fit is refused when it is compiled
      programs.push_back(std::move(program));
      continue;
    }
    const auto half = slice.begin() + static_cast<std::ptrdiff_t>(slice.size() / 2);
    open.emplace_back(half, slice.end());
    open.emplace_back(slice.begin(), half);
  }
  return programs;
}

Result<std::vector<TileProgram>> fuse_slices(const Plan& plan, StepId base, StepId last,
                                             const std::optional<TopK>& top_k, bool ranks_strings) {
  if (!top_k) return fuse_slices(plan, base, last, Slice(), ranks_strings);
  PENSTOCK_ASSIGN(TileProgram program, fuse_top_k(plan, base, last, *top_k, ranks_strings));
  if (fits_parameters(program)) return std::vector<TileProgram>{std::move(program)};
  return fuse_slices(plan, base, last);
}

std::uint32_t compared_key_words(const TileProgram& program) {
  for (std::uint32_t i = 0; i < program.key_count; i++)
    if (program.graph->at(program.outputs[i].root).nullable) return program.key_words();
  return std::max(1u, program.key_count);
}

}  // namespace penstock::plan
