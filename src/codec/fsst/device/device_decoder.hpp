// What the variants of decoding on a device have in common: their programs' texts, the words that
// kernels report to, the order of steps.
#pragma once
#include <initializer_list>

#include "penstock/fsst/decoder.hpp"

namespace penstock::fsst {

class DeviceDecoder : public Decoder {
 public:
  explicit DeviceDecoder(std::shared_ptr<Device> device) : device_(std::move(device)) {}
  Status open(const DeviceStrings& strings);
  Status enqueue(Queue& queue, const DeviceStrings& strings, const DeviceOutput& text) override;
  Status enqueue_decode(Queue& queue, const DeviceStrings& strings, const DeviceOutput& text,
                        GivenOffsets how) override;
  Status check(Queue& queue) override;

 protected:
  // The program of files of src/codec/fsst/kernels (device_program.hpp).
  Result<std::shared_ptr<Program>> build_program(std::initializer_list<std::string_view> files,
                                                 std::uint32_t group_size,
                                                 std::string definitions = {});
  virtual Status open_variant(const DeviceStrings& strings) = 0;
  // Finds text.offsets and checks all codes: status_ gets the first row that is not sound.
  virtual Status measure(Queue& queue, const DeviceStrings& strings, const DeviceOutput& text) = 0;
  // What decode() needs of text.offsets that are given; it checks each row's itself, or they are
  // validated here.
  virtual Status take_offsets(Queue& queue, const DeviceStrings& strings, const DeviceOutput& text,
                              GivenOffsets how) = 0;
  virtual Status decode(Queue& queue, const DeviceStrings& strings, const DeviceOutput& text) = 0;

  std::shared_ptr<Device> device_;
  std::uint32_t offset_bytes_ = 4;
  std::shared_ptr<Buffer> status_;

 private:
  Status begin(Queue& queue, const DeviceStrings& strings, const DeviceOutput& text);
  void note(const DeviceStrings& strings,
            std::shared_ptr<Buffer> given_offsets);  // what check() is about

  DeviceStrings enqueued_;  // until check() found it sound
  bool is_status_dirty_ =
      true;  // so that kernels cannot add to it: filling it takes as long as a short column
  std::shared_ptr<Buffer> given_offsets_;
};

std::unique_ptr<DeviceDecoder> make_span_decoder(
    std::shared_ptr<Device> device);  // span_decoder.cpp
std::unique_ptr<DeviceDecoder> make_tile_decoder(
    std::shared_ptr<Device> device);  // row_decoder.cpp
std::unique_ptr<DeviceDecoder> make_row_decoder(std::shared_ptr<Device> device);

}  // namespace penstock::fsst
