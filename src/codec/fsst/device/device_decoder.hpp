// Common base of the decoders of all rows: their programs, the status words that kernels write, and
// the order of steps.
#pragma once
#include <initializer_list>

#include "kernel/tuned_policies.hpp"
#include "penstock/fsst/decoder.hpp"

namespace penstock::fsst {

class DeviceDecoder : public Decoder {
 public:
  explicit DeviceDecoder(std::shared_ptr<Device> device) : device_(std::move(device)) {}
  Status open(const DeviceStrings& strings);
  Status enqueue(Queue& queue, const DeviceStrings& strings, const DeviceOutput& output) override;
  Status enqueue_decode(Queue& queue, const DeviceStrings& strings, const DeviceOutput& output,
                        GivenOffsets how) override;
  Status check(Queue& queue) override;

 protected:
  // Builds the program of a file of src/codec/fsst/kernels (device_program.hpp).
  Result<std::shared_ptr<Program>> build_program(std::string_view file, std::uint32_t group_size,
                                                 std::string definitions = {});
  virtual Status open_variant(const DeviceStrings& strings) = 0;
  // Fills output.offsets and checks all codes; status_ receives the first corrupt row.
  virtual Status measure(Queue& queue, const DeviceStrings& strings,
                         const DeviceOutput& output) = 0;
  // Prepares decode() for given output.offsets. Either decode() validates each row's offset, or
  // this does.
  virtual Status use_given_offsets(Queue& queue, const DeviceStrings& strings,
                                   const DeviceOutput& output, GivenOffsets how) = 0;
  virtual Status decode(Queue& queue, const DeviceStrings& strings, const DeviceOutput& output) = 0;

  std::shared_ptr<Device> device_;
  std::uint32_t offset_bytes_ = 4;
  std::shared_ptr<Buffer> status_;

 private:
  Status check_arguments(Queue& queue, const DeviceStrings& strings, const DeviceOutput& output);
  void remember(const DeviceStrings& strings,
                std::shared_ptr<Buffer> given_offsets);  // records what check() is about

  DeviceStrings enqueued_;  // until check() found it valid
  bool is_status_dirty_ =
      true;  // cleared on the host only if dirty: clearing takes as long as a short column
  std::shared_ptr<Buffer> given_offsets_;
};

// The name of the decoders of all rows in PENSTOCK_VARIANT.
constexpr const char* decode_family = "fsst_decode";
// The numbers of each row's policy, as launched. Spans are planned from a column's codes.
kernel::PolicyNumbers span_numbers(const Traits& traits);
kernel::PolicyNumbers tile_numbers(const Traits& traits);
kernel::PolicyNumbers row_numbers(const Traits& traits);
kernel::PolicyNumbers policy_in_force(const Traits& traits, std::string_view row,
                                      const kernel::PolicyNumbers& standard);

std::unique_ptr<DeviceDecoder> make_span_decoder(
    std::shared_ptr<Device> device);  // span_decoder.cpp
std::unique_ptr<DeviceDecoder> make_tile_decoder(
    std::shared_ptr<Device> device);  // row_decoder.cpp
std::unique_ptr<DeviceDecoder> make_row_decoder(std::shared_ptr<Device> device);

}  // namespace penstock::fsst
