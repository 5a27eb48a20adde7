// Functions of strings that a device computes from a column's FSST codes (matcher.hpp). No string
// is decoded, and kernels read the results as they read other columns.
#pragma once
#include <array>
#include <deque>
#include <future>

#include "penstock/fsst/matcher.hpp"
#include "penstock/plan.hpp"
#include "plan/fusion/tile_program.hpp"

namespace penstock::plan {

// A predicate on codes. Without a predicate: the lengths, or only whether there is a string.
struct CodeFunction {
  std::optional<fsst::Predicate> predicate;
  fsst::DeviceLengths::Unit unit = fsst::DeviceLengths::Unit::bytes;
  bool is_presence = false;  // TRUE for every string, whatever its codes
};
// Returns the function on codes of a derived column; nullopt: only the host computes it.
std::optional<CodeFunction> code_function(const DerivedColumn& derived);
// Returns whether a derived column is computed on codes where its source yields codes, as it says
// it can.
bool is_on_codes(const TileProgram& program, const DerivedColumn& derived);
// Returns the columns of the source that are better not decoded while they are read: strings of
// only some rows, or equal ones once, are needed.
std::vector<std::uint32_t> columns_kept_encoded(const TileProgram& program);

// Returns whether a device reads a column's codes.
bool is_read_as_codes(const TileProgram& program, std::uint32_t column);
// Returns how many bytes a row the codes of columns take on a device, with their offsets: a guess,
// as files do not say.
std::uint64_t code_bytes_per_row(const TileProgram& program);

// A derived column while it is computed.
class CodeColumn {
 public:
  // Code::unsupported where the function cannot be computed on codes.
  static Result<CodeColumn> build(std::shared_ptr<Device> device,
                                  const fsst::EncodedStrings& strings,
                                  const CodeFunction& function);
  const std::shared_ptr<Buffer>& results() const { return results_; }  // a bit a row, or 64 of them
  Status enqueue(Queue& queue, const fsst::DeviceStrings& strings);
  Status check(Queue& queue);  // waits; Code::corrupt where codes were not valid
  const fsst::CodeKernel& kernel() const;

 private:
  std::unique_ptr<fsst::DeviceMatcher> matcher_;
  std::unique_ptr<fsst::DeviceLengths> lengths_;
  std::shared_ptr<Buffer> results_;
};

// Compiles, in a thread of its own, what a program's chunks will probably compute on codes. Which
// kernel that is depends on the codes.
std::future<std::vector<CodeColumn>> begin_code_programs(std::shared_ptr<Device> device,
                                                         const TileProgram& program);

// The functions that a chunk computes on codes; keep it until that is done.
struct ChunkCodes {
  struct Texts {
    std::uint32_t column = 0;
    std::shared_ptr<const EncodedTexts> encoded;
    fsst::DeviceStrings on_device;
  };
  struct Function {
    std::size_t texts = 0;
    CodeColumn column;
    std::shared_ptr<Event> begun, done;
  };

  std::vector<Texts> texts;
  std::vector<Function> functions;
  std::deque<std::array<std::byte, 16>>
      ends;  // the last codes of columns, padded, while they are uploaded

  void clear() {
    functions.clear();
    texts.clear();
    ends.clear();
  }
  std::uint64_t bytes_moved(const Function& function) const;
};

// The reports of a run's programs on codes.
class CodeReports {
 public:
  // A program that one thread compiled is in memory for the next one. The longest time it took to
  // get it is reported.
  void note_built(const CodeColumn& column);
  Status note_run(const ChunkCodes& codes, const ChunkCodes::Function& function);  // which is done
  std::vector<KernelReport> take() { return std::move(kernels_); }
  std::uint64_t bytes_uploaded() const { return bytes_uploaded_; }  // of their tables

 private:
  KernelReport& report_of(const CodeColumn& column);
  std::vector<KernelReport> kernels_;
  std::uint64_t bytes_uploaded_ = 0;
};

}  // namespace penstock::plan
