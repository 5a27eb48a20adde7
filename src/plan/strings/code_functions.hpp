// Functions of strings that a device computes from a column's FSST codes (matcher.hpp): no text
// is written, and kernels read the results as they read other columns.
#pragma once
#include <array>
#include <deque>
#include <future>

#include "penstock/fsst/matcher.hpp"
#include "penstock/plan.hpp"
#include "plan/fusion/tile_program.hpp"

namespace penstock::plan {

// A predicate; where there is none, lengths, or nothing but whether there is a text.
struct CodeFunction {
  std::optional<fsst::Predicate> predicate;
  fsst::DeviceLengths::Unit unit = fsst::DeviceLengths::Unit::bytes;
  bool is_presence = false;  // TRUE of every text, whatever its codes
};
// Of a derived column; none: only the host computes it.
std::optional<CodeFunction> code_function(const DerivedColumn& derived);
// Whether a derived column is computed so where its source yields codes, as it says it can.
bool is_on_codes(const TileProgram& program, const DerivedColumn& derived);
// Columns of the source that are better not decoded while they are read: no more than some rows'
// texts, or equal ones once, are needed.
std::vector<std::uint32_t> columns_kept_encoded(const TileProgram& program);

// Whether a device reads a column's codes.
bool is_read_as_codes(const TileProgram& program, std::uint32_t column);
// What columns on a device take there as codes, with their offsets: a guess, as files do not say.
std::uint64_t code_bytes_per_row(const TileProgram& program);

// A derived column in the making.
class CodeColumn {
 public:
  // Code::unsupported where codes do not tell.
  static Result<CodeColumn> build(std::shared_ptr<Device> device,
                                  const fsst::EncodedStrings& strings,
                                  const CodeFunction& function);
  const std::shared_ptr<Buffer>& results() const { return results_; }  // a bit a row, or 64 of them
  Status enqueue(Queue& queue, const fsst::DeviceStrings& strings);
  Status check(Queue& queue);  // waits; Code::corrupt where codes were not sound
  const fsst::CodeKernel& kernel() const;

 private:
  std::unique_ptr<fsst::DeviceMatcher> matcher_;
  std::unique_ptr<fsst::DeviceLengths> lengths_;
  std::shared_ptr<Buffer> results_;
};

// Compiles, in a thread of its own, what a program's chunks will probably compute on codes: which
// kernel that is, codes tell in the end.
std::future<std::vector<CodeColumn>> begin_code_programs(std::shared_ptr<Device> device,
                                                         const TileProgram& program);

// What a chunk computes of codes; to be kept until that is done.
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

// What a run tells of programs on codes.
class CodeReports {
 public:
  // A program that one thread compiled is in memory for the next: what it took longest to get it is
  // told.
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
