// Large LZ4 blocks, several teams a block: the phases of src/codec/lz4/kernels/lz4_stretches.kc, which has the numbers, too.
#include <algorithm>
#include <limits>

#include "codec/chunks/chunk_decoder.hpp"
#include "codec/chunks/chunk_program.hpp"

namespace penstock::chunks {
namespace {

constexpr std::uint64_t stretch_bytes = 16384, sequences_a_stretch = 5464;
constexpr std::uint64_t head_words = 64, stretch_words = 4, sequence_words = 2;
// That make the text of a block together: a sequence each in every step. More would wait longer for one another.
constexpr std::uint32_t items_a_block = 256;

// What a block that becomes so much may have: LZ4's bound. A longer one is decoded as lz4_decode_team does.
std::uint64_t stretches_of(std::uint64_t most_text_bytes) {
  const std::uint64_t text = std::min(most_text_bytes, most_chunk_bytes);
  return (text + text / 255 + 16 + stretch_bytes - 1) / stretch_bytes;
}

class StretchDecoder final : public Decoder {
 public:
  StretchDecoder(std::shared_ptr<Device> device, const Variant& variant) : device_(std::move(device)), variant_(variant) {}
  Status open() {
    walk_policy_ = policy_of(variant_.phases[0], device_->traits());
    copy_policy_ = {std::min(items_a_block, device_->traits().max_group_size / 32 * 32), 4, 1};
    PENSTOCK_ASSIGN(walks_, build_phase(variant_.phases[0], walk_policy_));
    PENSTOCK_ASSIGN(copies_, build_phase(variant_.phases[1], copy_policy_));
    return {};
  }

  std::uint64_t scratch_bytes(std::uint32_t chunk_count, std::uint64_t most_text_bytes) const override {
    const std::uint64_t stretches = chunk_count * stretches_of(most_text_bytes);
    return 4 * (head_words + chunk_count + 1 + stretches * (stretch_words + sequences_a_stretch * sequence_words));
  }
  std::string_view variant() const override { return variant_.name; }
  Status enqueue(Queue& queue, const Batch& batch, const Buffer& scratch) override {
    if (batch.chunk_count != 0 && batch.most_text_bytes == 0)
      return Status(Code::invalid, "a batch of LZ4 by stretches does not tell its chunks' most_text_bytes");
    PENSTOCK_TRY(check_batch(batch, scratch, scratch_bytes(batch.chunk_count, batch.most_text_bytes)));
    const auto stretches = static_cast<std::uint32_t>(stretches_of(batch.most_text_bytes));
    const std::uint64_t tasks = std::uint64_t{batch.chunk_count} * stretches;
    constexpr std::uint64_t most_tasks = 0xfff00000;      // handed out by a counter of 32 bits
    if (tasks > most_tasks) return Status(Code::invalid, "more stretches of 16 KiB than a batch may have");
    std::vector<Argument> arguments = batch_arguments(batch);
    arguments.push_back(Argument::of(scratch));
    arguments.push_back(Argument::value(batch.chunk_count));
    arguments.push_back(Argument::of(scratch));
    arguments.push_back(Argument::value(stretches));
    const auto walk = [&](std::string_view kernel, std::uint64_t task_count) -> Status {
      PENSTOCK_TRY(queue.fill(scratch, 0, 4));      // the next task
      const std::uint32_t groups = groups_of(walk_policy_, device_->traits(), static_cast<std::uint32_t>(task_count));
      return queue.launch(*walks_, kernel, groups, arguments);
    };
    PENSTOCK_TRY(walk("lz4_guess_stretches", tasks));
    PENSTOCK_TRY(walk("lz4_list_stretches", tasks));
    PENSTOCK_TRY(walk("lz4_mend_stretches", batch.chunk_count));
    const std::uint32_t groups = groups_of(copy_policy_, device_->traits(), batch.chunk_count);
    PENSTOCK_TRY(queue.launch(*copies_, "lz4_copy_stretches", groups, arguments));
    return walk("lz4_decode_rest", batch.chunk_count);
  }

 private:
  Result<std::shared_ptr<Program>> build_phase(const Phase& phase, const GroupPolicy& policy) const {
    const auto end = std::find(phase.files.begin(), phase.files.end(), std::string_view());
    return build_program(*device_, policy, {phase.files.begin(), end});
  }

  std::shared_ptr<Device> device_;
  const Variant& variant_;      // a row of the table
  GroupPolicy walk_policy_, copy_policy_;
  std::shared_ptr<Program> walks_, copies_;
};

}  // namespace

Result<std::unique_ptr<Decoder>> build_stretch_decoder(std::shared_ptr<Device> device, const Variant& variant) {
  auto decoder = std::make_unique<StretchDecoder>(std::move(device), variant);
  PENSTOCK_TRY(decoder->open());
  return std::unique_ptr<Decoder>(std::move(decoder));
}

}  // namespace penstock::chunks
