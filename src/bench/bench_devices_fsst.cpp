// FSST on several devices: columns of strings in device memory, dealt out in turn.
#include <algorithm>
#include <cstring>

#include "bench/bench_devices.hpp"
#include "penstock/fsst/decoder.hpp"
#include "testdata/generate_text.hpp"

namespace penstock::bench {
namespace {

constexpr std::uint64_t rows_of_a_column = 1 << 19;

// One column, encoded once; each batch is a copy of it with an output of its own.
struct FsstColumn {
  Column strings;
  fsst::EncodedStrings encoded;
};

struct FsstBatch {
  fsst::DeviceStrings strings;
  fsst::DeviceOutput output;
};

// The columns of one device.
class FsstPart final : public DevicesPart {
 public:
  Status open(const FsstColumn& column, std::uint64_t count, const std::string& id) {
    PENSTOCK_ASSIGN(const auto device, open_device(id));
    PENSTOCK_ASSIGN(queue_, device->queue());
    for (std::uint64_t i = 0; i < count; i++) {
      FsstBatch& batch = batches_.emplace_back();
      PENSTOCK_ASSIGN(batch.strings, fsst::DeviceStrings::upload(*device, *queue_, column.encoded));
      PENSTOCK_ASSIGN(batch.output, fsst::DeviceOutput::allocate(*device, batch.strings));
    }
    if (batches_.empty()) return {};
    PENSTOCK_ASSIGN(decoder_, fsst::Decoder::build(device, batches_[0].strings));
    return check(column.strings);
  }
  Status enqueue() override {
    for (const FsstBatch& batch : batches_)
      PENSTOCK_TRY(decoder_->enqueue(*queue_, batch.strings, batch.output));
    return {};
  }
  Queue& queue() override { return *queue_; }

 private:
  Status check(const Column& wanted) {
    PENSTOCK_TRY(enqueue());
    PENSTOCK_TRY(decoder_->check(*queue_));
    for (const FsstBatch& batch : batches_) {
      std::vector<char> bytes(batch.strings.string_bytes);
      PENSTOCK_TRY(queue_->download(bytes.data(), *batch.output.bytes, bytes.size()));
      PENSTOCK_TRY(queue_->finish());
      if (std::memcmp(bytes.data(), wanted.values.as<char>(), bytes.size()) != 0)
        return {Code::internal, "a column of FSST strings is decoded wrongly"};
    }
    return {};
  }
  std::vector<FsstBatch> batches_;
  std::unique_ptr<Queue> queue_;
  std::unique_ptr<fsst::Decoder> decoder_;
};

Result<FsstColumn> make_column(std::uint64_t max_bytes) {
  FsstColumn column;
  const std::uint64_t rows = std::clamp<std::uint64_t>(max_bytes / 128, 1, rows_of_a_column);
  column.strings = codec::generate_log_lines(rows, 1);
  PENSTOCK_ASSIGN(column.encoded, fsst::encode(column.strings));
  return column;
}

}  // namespace

Status bench_devices_fsst(const DevicesOptions& options, const std::vector<std::string>& devices) {
  const std::string name = "batches: fsst";
  if (!is_wanted(options, name)) return {};
  const std::uint64_t bytes = options.batch_mib << 20;
  PENSTOCK_ASSIGN(const FsstColumn column, make_column(bytes / devices.size()));
  const std::uint64_t columns = std::max<std::uint64_t>(1, bytes / column.encoded.string_bytes);
  return print_rows_of_devices(
      options, name, devices,
      [&](const std::vector<std::string>& some, std::uint64_t scale) -> Result<DevicesWork> {
        const auto parts = std::make_shared<DevicesParts>();
        const std::uint64_t all = columns * scale;
        for (std::size_t i = 0; i < some.size(); i++) {
          auto part = std::make_unique<FsstPart>();
          const std::uint64_t count = all * (i + 1) / some.size() - all * i / some.size();
          PENSTOCK_TRY(part->open(column, count, some[i]));
          parts->push_back(std::move(part));
        }
        return DevicesWork([parts](bool) { return run_parts(*parts); });
      });
}

}  // namespace penstock::bench
