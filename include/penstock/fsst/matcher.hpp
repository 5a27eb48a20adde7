// Predicates and string lengths computed on a device from FSST codes, without decoding.
//
// A predicate becomes a deterministic finite automaton on bytes, by subset construction; for LIKE
// '%word%' it is the automaton of Knuth, Morris and Pratt. Symbols' bytes are then composed to an
// automaton on codes: a transition table per row group. If equal strings have equal codes
// (EncodedStrings::is_canonical), constants are encoded and compared with the codes instead. The
// result is an Arrow bitmap, one bit per row. A null row counts as the string that its codes stand
// for, which is empty for encode()'s; the caller applies validity.
//
//     PENSTOCK_ASSIGN(auto codes, fsst::DeviceStrings::upload(*device, *queue, urls));
//     PENSTOCK_ASSIGN(auto matcher, fsst::DeviceMatcher::build(device, urls,
//         fsst::Predicate::like("%google%")));
//     PENSTOCK_ASSIGN(auto bits, device->allocate(fsst::bitmap_bytes(urls.row_count)));
//     PENSTOCK_TRY(matcher->enqueue(*queue, codes, *bits));
//     PENSTOCK_TRY(matcher->check(*queue));      // waits
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/fsst/decoder.hpp"

namespace penstock::fsst {

struct Predicate {
  enum class Kind : unsigned char { is_any_of, is_like };
  Kind kind = Kind::is_any_of;
  bool is_negated = false;
  std::vector<std::string> constants;  // of is_any_of; for is_like the one pattern
  std::string escape;                  // for is_like: the character after it stands for itself

  static Predicate any_of(std::vector<std::string> strings) {
    return {Kind::is_any_of, false, std::move(strings), {}};
  }
  static Predicate equals(std::string string) { return any_of({std::move(string)}); }
  // SQL's LIKE: % matches any characters, _ matches one. In strings that are not UTF-8, _ matches
  // one byte and the continuation bytes after it.
  static Predicate like(std::string pattern, std::string escape = {}) {
    return {Kind::is_like, false, {std::move(pattern)}, std::move(escape)};
  }
  Predicate operator!() const {
    Predicate negated = *this;
    negated.is_negated = !is_negated;
    return negated;
  }
};

// Returns the size of a bitmap in whole words of 32 rows. Bits after the last row are 0.
constexpr std::uint64_t bitmap_bytes(std::uint64_t row_count) { return (row_count + 31) / 32 * 4; }

// A kernel that computes on a device's codes, as profiles describe it.
class CodeKernel {
 public:
  virtual ~CodeKernel() = default;
  virtual std::string_view variant() const = 0;
  virtual const Program& program() const = 0;
  virtual const std::string& source() const = 0;     // of the program
  virtual std::uint64_t bytes_uploaded() const = 0;  // size of its tables
};

class DeviceMatcher : public CodeKernel {
 public:
  // `variant`: "fsst_match_codes" (constants, canonical codes), "fsst_match_candidates" (LIKE
  // '%word%') or "fsst_match_rows". If empty, the first of variants(). Waits for the upload of
  // tables. Code::unsupported if the predicate's automaton has more than 253 states, or its tables
  // of all row groups take more than half a GiB.
  static Result<std::unique_ptr<DeviceMatcher>> build(std::shared_ptr<Device> device,
                                                      const EncodedStrings& strings,
                                                      const Predicate& predicate,
                                                      std::string_view variant = {});
  // Returns the variants that fit, the default first. A sample of the codes decides the default for
  // LIKE '%word%'.
  static std::vector<std::string> variants(const Traits& traits, const EncodedStrings& strings,
                                           const Predicate& predicate);
  // Matches the rows of `strings`, the column that the matcher was built for, uploaded. `bits` has
  // bitmap_bytes() bytes. Allocates nothing and does not wait.
  virtual Status enqueue(Queue& queue, const DeviceStrings& strings, const Buffer& bits) = 0;
  // Waits. Code::corrupt names the first corrupt row that was noticed in the last enqueued column,
  // and its byte. Codes that do not affect the result are not checked: those after a match, or all
  // codes of a row that is compared by its codes.
  virtual Status check(Queue& queue) = 0;
};

// Computes rows' lengths from the codes, one u64 per row: in bytes, or in UTF-8 characters as SQL
// counts them.
class DeviceLengths : public CodeKernel {
 public:
  enum class Unit : unsigned char { bytes, characters };
  static Result<std::unique_ptr<DeviceLengths>> build(std::shared_ptr<Device> device,
                                                      const EncodedStrings& strings, Unit unit);
  virtual Status enqueue(Queue& queue, const DeviceStrings& strings, const Buffer& lengths) = 0;
  virtual Status check(Queue& queue) = 0;  // as a matcher's; all codes are checked
};

}  // namespace penstock::fsst
