// Functions of strings that a device computes from a column's FSST codes (matcher.hpp), without
// decoding. Kernels read the results as they read other columns.
#pragma once
#include <array>
#include <deque>

#include "base/thread_pool.hpp"
#include "fuse/program/string_calls.hpp"
#include "penstock/plan.hpp"
#include "penstock/report.hpp"

namespace penstock::plan {

// Returns whether a derived column is computed on codes if its source yields codes as announced.
bool is_on_codes(const TileProgram& program, const DerivedColumn& derived);
// Returns columns of the source that are better kept encoded while they are read: only the strings
// of some rows, or each distinct string once, are needed.
std::vector<std::uint32_t> columns_kept_encoded(const TileProgram& program);

// Returns whether a device reads a column's codes.
bool is_read_as_codes(const TileProgram& program, std::uint32_t column);
// Estimates the device memory per row for columns read as codes, with offsets. Files do not say.
std::uint64_t code_bytes_per_row(const TileProgram& program);

// A derived column while it is computed.
class CodeColumn {
 public:
  // Code::unsupported if the function cannot be computed on these codes.
  static Result<CodeColumn> build(std::shared_ptr<Device> device,
                                  const fsst::EncodedStrings& strings,
                                  const CodeFunction& function);
  const std::shared_ptr<Buffer>& results() const { return results_; }  // 1 or 64 bits per row
  Status enqueue(Queue& queue, const fsst::DeviceStrings& strings);
  Status check(Queue& queue);  // waits; Code::corrupt for corrupt codes
  const fsst::CodeKernel& kernel() const;

 private:
  std::unique_ptr<fsst::DeviceMatcher> matcher_;
  std::unique_ptr<fsst::DeviceLengths> lengths_;
  std::shared_ptr<Buffer> results_;
};

// Starts a task that compiles the kernels which a program's chunks will probably run on codes. The
// codes decide in the end which variant runs.
Task<std::vector<CodeColumn>> begin_code_programs(std::shared_ptr<Device> device,
                                                  const TileProgram& program);

// The work of a chunk on codes. Keep it until that work is done.
struct ChunkCodes {
  struct Strings {
    std::uint32_t column = 0;
    std::shared_ptr<const EncodedStringColumn> encoded;
    fsst::DeviceStrings on_device;
  };
  struct Function {
    std::size_t strings = 0;
    CodeColumn column;
    std::shared_ptr<Event> begun, done;
  };

  std::vector<Strings> strings;
  std::vector<Function> functions;
  std::deque<std::array<std::byte, 16>>
      ends;  // the last codes of columns, padded, during their upload

  void clear() {
    functions.clear();
    strings.clear();
    ends.clear();
  }
  std::uint64_t bytes_moved(const Function& function) const;
};

// Collects a run's reports of kernels on codes.
class CodeReports {
 public:
  // A program that one thread has compiled is in memory for the next one: the longest build is
  // reported.
  void note_built(const CodeColumn& column);
  // `function` is done.
  Status note_run(const ChunkCodes& codes, const ChunkCodes::Function& function);
  std::vector<KernelReport> take() { return std::move(kernels_); }
  std::uint64_t bytes_uploaded() const { return bytes_uploaded_; }  // for their tables

 private:
  KernelReport& report_of(const CodeColumn& column);
  std::vector<KernelReport> kernels_;
  std::uint64_t bytes_uploaded_ = 0;
};

}  // namespace penstock::plan
