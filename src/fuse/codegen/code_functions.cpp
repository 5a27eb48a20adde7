#include "fuse/codegen/code_functions.hpp"

#include <algorithm>

#include "fuse/program/light_loads.hpp"

namespace penstock::plan {
namespace {

bool is_own_column(const TileProgram& program, std::uint32_t column) {
  return column < program.first_derived() && program.lookup_of(column) < 0;
}

bool is_encoded(const TileProgram& program, std::uint32_t column) {
  const Field& field = program.source_schema[column];
  return is_own_column(program, column) && field.is_encoded && field.type.kind == Kind::string;
}

template <class Range> bool contains(const Range& range, std::uint32_t column) {
  return std::find(range.begin(), range.end(), column) != range.end();
}

}  // namespace

bool is_on_codes(const TileProgram& program, const DerivedColumn& derived) {
  return is_encoded(program, derived.source) && code_function(derived).has_value();
}

// A column of which all strings are needed, or that kernels do not read so, is decoded while rows
// are read, ahead and in parallel.
std::vector<std::uint32_t> columns_kept_encoded(const TileProgram& program) {
  const bool drops_rows = !program.keeps_all_rows() || program.bound;
  std::vector<std::uint32_t> columns;
  for (const std::uint32_t column : program.scanned_columns()) {
    if (reads_light(program, column)) columns.push_back(column);
    if (!is_encoded(program, column)) continue;
    bool is_matched = false, is_decoded = contains(program.late_columns, column) && !drops_rows;
    for (const DerivedColumn& derived : program.derived)
      if (derived.source == column)
        (is_on_codes(program, derived) ? is_matched : is_decoded) = true;
    if (is_matched || !is_decoded) columns.push_back(column);
  }
  return columns;
}

bool is_read_as_codes(const TileProgram& program, std::uint32_t column) {
  return std::any_of(program.derived.begin(), program.derived.end(),
                     [&](const DerivedColumn& derived) {
                       return derived.source == column && is_on_codes(program, derived) &&
                              !code_function(derived)->is_presence;
                     });
}

std::uint64_t code_bytes_per_row(const TileProgram& program) {
  constexpr std::uint64_t of_a_column = 64;  // addresses take 47, and offsets 4 or 8
  std::uint64_t bytes = 0;
  for (std::uint32_t column = 0; column < program.first_derived(); column++)
    bytes += is_read_as_codes(program, column) ? of_a_column : 0;
  return bytes;
}

Result<CodeColumn> CodeColumn::build(std::shared_ptr<Device> device,
                                     const fsst::EncodedStrings& strings,
                                     const CodeFunction& function) {
  CodeColumn column;
  if (function.predicate) {
    PENSTOCK_ASSIGN(column.matcher_,
                    fsst::DeviceMatcher::build(device, strings, *function.predicate));
    PENSTOCK_ASSIGN(column.results_, device->allocate(fsst::bitmap_bytes(strings.row_count)));
  } else {
    PENSTOCK_ASSIGN(column.lengths_, fsst::DeviceLengths::build(device, strings, function.unit));
    PENSTOCK_ASSIGN(column.results_, device->allocate(strings.row_count * 8));
  }
  return column;
}

Status CodeColumn::enqueue(Queue& queue, const fsst::DeviceStrings& strings) {
  return matcher_ ? matcher_->enqueue(queue, strings, *results_)
                  : lengths_->enqueue(queue, strings, *results_);
}

const fsst::CodeKernel& CodeColumn::kernel() const {
  return matcher_ ? static_cast<const fsst::CodeKernel&>(*matcher_) : *lengths_;
}

Status CodeColumn::check(Queue& queue) {
  return matcher_ ? matcher_->check(queue) : lengths_->check(queue);
}

Task<std::vector<CodeColumn>> begin_code_programs(std::shared_ptr<Device> device,
                                                  const TileProgram& program) {
  std::vector<CodeFunction> functions;
  for (const DerivedColumn& derived : program.derived)
    if (is_on_codes(program, derived) && !code_function(derived)->is_presence)
      functions.push_back(*code_function(derived));
  if (functions.empty()) return {};
  return ThreadPool::shared().start([device = std::move(device), functions = std::move(functions)] {
    const auto strings = fsst::encode(Column::from_strings(std::vector<std::string>{""}));
    std::vector<CodeColumn> columns;
    for (const CodeFunction& function : functions)  // an error here is met and reported again later
      if (auto column =
              strings.ok() ? CodeColumn::build(device, *strings, function) : strings.status();
          column.ok())
        columns.push_back(std::move(column).value());
    return columns;
  });
}

std::uint64_t ChunkCodes::bytes_moved(const Function& function) const {
  const fsst::DeviceStrings& read = strings[function.strings].on_device;
  return read.code_bytes + (read.row_count + 1) * read.offset_bytes +
         function.column.results()->bytes();
}

KernelReport& CodeReports::report_of(const CodeColumn& column) {
  const fsst::CodeKernel& kernel = column.kernel();
  for (KernelReport& known : kernels_)
    if (known.build.key == kernel.program().report().key) return known;
  KernelReport& report = kernels_.emplace_back();
  report.name = report.variant = std::string(kernel.variant());
  report.source = std::make_shared<const std::string>(kernel.source());
  report.build = kernel.program().report();
  return report;
}

void CodeReports::note_built(const CodeColumn& column) {
  bytes_uploaded_ += column.kernel().bytes_uploaded();
  KernelReport& report = report_of(column);
  const BuildReport& build = column.kernel().program().report();
  if (build.cache > report.build.cache) report.build = build;
}

Status CodeReports::note_run(const ChunkCodes& codes, const ChunkCodes::Function& function) {
  PENSTOCK_ASSIGN(const double seconds, function.done->seconds_since(*function.begun));
  KernelReport& report = report_of(function.column);
  report.device_seconds += seconds;
  report.launches++;
  report.bytes_moved += codes.bytes_moved(function);
  return {};
}

}  // namespace penstock::plan
