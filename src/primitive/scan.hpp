// Prefix sums on a device: of u8, u32, i32, u64, f32 or f64, inclusive or exclusive, of all values
// or in segments. Values are added in one order: every run on a device gives the same bits.
//
//     PENSTOCK_ASSIGN(auto scan, Scan::build(device, {.value = Number::f32, .sum = Number::f64}));
//     PENSTOCK_TRY(scan->enqueue(*queue, values, sums, count));
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "penstock/device.hpp"

namespace penstock::primitive {

// Signed 64-bit integers are added as u64: sums wrap.
enum class Number : unsigned char { u8, u32, i32, u64, f32, f64 };
constexpr std::uint32_t bytes_of(Number number) {
  return number == Number::u8 ? 1 : number == Number::u64 || number == Number::f64 ? 8 : 4;
}

struct ScanShape {
  Number value = Number::f32, sum = Number::f32;
  bool is_exclusive = false;  // a value's sum is of the values before it
  bool is_segmented = false;  // sums begin anew with each segment
};

class Scan {
 public:
  virtual ~Scan() = default;
  // Code::invalid for sums that are narrower than the values, of another kind (integers, floats),
  // i32 or u8, and for a `variant` that does not fit; and the errors of Device::build. Without a
  // name the first row that fits is taken (scan_variants.hpp).
  static Result<std::unique_ptr<Scan>> build(std::shared_ptr<Device> device, ScanShape shape,
                                             std::string_view variant = {});
  // Writes sums[count] of values[count], which must not overlap. Enqueue from one thread at a time:
  // the scan has memory of its own, which the next call uses again in the queue's order.
  // Code::capacity above 2^40 values.
  Status enqueue(Queue& queue, const Buffer& values, const Buffer& sums, std::uint64_t count);
  // Writes sums of segments: one begins where the byte of begins[count] is not 0. Values before a
  // segment, NaN and infinities too, are not in its sums. Code::invalid if the shape is not
  // segmented; and for the other enqueue() if it is.
  Status enqueue(Queue& queue, const Buffer& values, const Buffer& begins, const Buffer& sums,
                 std::uint64_t count);
  std::string_view variant() const { return variant_; }
  const Program& program() const { return *program_; }
  const std::string& source() const { return source_; }

 protected:
  Scan(std::shared_ptr<Device> device, ScanShape shape, std::string_view variant)
      : device_(std::move(device)), shape_(shape), variant_(variant) {}
  // Enqueues at least one value. Without segments `begins` is not read.
  virtual Status launch(Queue& queue, const Buffer& values, const Buffer& begins,
                        const Buffer& sums, std::uint64_t count) = 0;
  Status enqueue_from(Queue& queue, const Buffer& values, const Buffer& begins, const Buffer& sums,
                      std::uint64_t count);
  Status build_program(const std::string& file, std::string policy, std::uint32_t group_size);

  std::shared_ptr<Device> device_;
  ScanShape shape_;
  std::string_view variant_;  // a row's name
  std::shared_ptr<Program> program_;
  std::shared_ptr<Buffer> no_begins_;
  std::string source_;
};

}  // namespace penstock::primitive
