// Predicates on FSST columns on a device, found from the codes: no text is written.
//
// A predicate becomes an automaton on codes, a table a row group; where codes tell texts apart
// (EncodedStrings::is_canonical), texts are compared by their codes. The result is a bitmap as
// Arrow has them, a bit a row. Rows that are missing count as the empty text that their codes say:
// taking validity into account is the caller's.
//
//     PENSTOCK_ASSIGN(auto there, fsst::DeviceStrings::upload(*device, *queue, urls));
//     PENSTOCK_ASSIGN(auto matcher, fsst::DeviceMatcher::build(device, urls,
//         fsst::Predicate::like("%google%")));
//     PENSTOCK_ASSIGN(auto bits, device->allocate(fsst::bitmap_bytes(urls.row_count)));
//     PENSTOCK_TRY(matcher->enqueue(*queue, there, *bits));
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
  std::vector<std::string> constants;  // texts, or the one pattern
  std::string escape;                  // of LIKE: the character behind it stands for itself

  static Predicate any_of(std::vector<std::string> texts) {
    return {Kind::is_any_of, false, std::move(texts), {}};
  }
  static Predicate equals(std::string text) { return any_of({std::move(text)}); }
  // SQL's: % stands for any characters, _ for one. In texts that are not UTF-8, _ takes a byte and
  // the continuation bytes behind it.
  static Predicate like(std::string pattern, std::string escape = {}) {
    return {Kind::is_like, false, {std::move(pattern)}, std::move(escape)};
  }
  Predicate operator!() const {
    Predicate negated = *this;
    negated.is_negated = !is_negated;
    return negated;
  }
};

// Of a bitmap in words of 32 rows; bits behind the last row are 0.
constexpr std::uint64_t bitmap_bytes(std::uint64_t row_count) { return (row_count + 31) / 32 * 4; }

// What computes on a device's codes, for whoever tells of it.
class CodeKernel {
 public:
  virtual ~CodeKernel() = default;
  virtual std::string_view variant() const = 0;
  virtual const Program& program() const = 0;
  virtual const std::string& source() const = 0;     // the program's text
  virtual std::uint64_t bytes_uploaded() const = 0;  // of its tables
};

class DeviceMatcher : public CodeKernel {
 public:
  // `variant`: "fsst_match_codes" (texts against canonical codes), "fsst_match_pieces" (LIKE
  // '%word%'), "fsst_match_rows"; the first that fits where it is empty. Waits for the upload of
  // tables. Code::unsupported for a predicate whose automaton has more states than its tables hold,
  // or whose tables of all row groups take more than half a GiB.
  static Result<std::unique_ptr<DeviceMatcher>> build(std::shared_ptr<Device> device,
                                                      const EncodedStrings& strings,
                                                      const Predicate& predicate,
                                                      std::string_view variant = {});
  // That fit, the one that is taken first: by a sample of the codes for LIKE '%word%'.
  static std::vector<std::string> variants(const Traits& traits, const EncodedStrings& strings,
                                           const Predicate& predicate);
  // `strings`: what the matcher was built for, upload_vector to the device. `bits`: bitmap_bytes()
  // of its rows. Allocates nothing, waits for nothing.
  virtual Status enqueue(Queue& queue, const DeviceStrings& strings, const Buffer& bits) = 0;
  // Waits. Code::corrupt, naming the first bad row and its byte, when codes of the last enqueued
  // column were not sound. Codes that the answer did not need (those behind a match, or all of a
  // row that is compared by its codes) are not looked at.
  virtual Status check(Queue& queue) = 0;
};

// Rows' lengths, found from the codes, each a u64: of bytes, or of UTF-8 characters as SQL counts
// them.
class DeviceLengths : public CodeKernel {
 public:
  enum class Unit : unsigned char { bytes, characters };
  static Result<std::unique_ptr<DeviceLengths>> build(std::shared_ptr<Device> device,
                                                      const EncodedStrings& strings, Unit unit);
  virtual Status enqueue(Queue& queue, const DeviceStrings& strings, const Buffer& lengths) = 0;
  virtual Status check(Queue& queue) = 0;  // as a matcher's, of all codes
};

}  // namespace penstock::fsst
