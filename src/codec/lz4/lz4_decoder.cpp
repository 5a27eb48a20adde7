// LZ4 blocks on a device: by teams of 32 items on GPUs, an item a block elsewhere.
#include <algorithm>

#include "codec/chunks/chunk_decoder.hpp"
#include "codec/chunks/chunk_program.hpp"

namespace penstock::chunks {
namespace {

constexpr std::uint64_t team_local_bytes = 4096;      // lz4_decode_team.kc: window, tile, places of tokens, words of the team

class Lz4Decoder final : public Decoder {
 public:
  Lz4Decoder(std::shared_ptr<Device> device, std::string_view name, GroupPolicy policy)
      : device_(std::move(device)), name_(name), policy_(policy) {}
  Status open(std::initializer_list<std::string_view> files) {
    PENSTOCK_ASSIGN(program_, build_program(*device_, {policy_, ""}, files));
    return {};
  }

  std::uint64_t scratch_bytes(std::uint32_t) const override { return 256; }
  std::string_view variant() const override { return name_; }
  Status enqueue(Queue& queue, const Batch& batch, const Buffer& scratch) override {
    PENSTOCK_TRY(check_batch(batch, scratch, scratch_bytes(batch.chunk_count)));
    std::vector<Argument> arguments = batch_arguments(batch);
    arguments.push_back(Argument::of(scratch));
    arguments.push_back(Argument::value(batch.chunk_count));
    PENSTOCK_TRY(queue.fill(scratch, 0, 4));      // the next chunk that is nobody's yet
    return queue.launch(*program_, name_, groups_of(policy_, device_->traits(), batch.chunk_count), arguments);
  }

 private:
  std::shared_ptr<Device> device_;
  std::string_view name_;
  GroupPolicy policy_;
  std::shared_ptr<Program> program_;
};

// Eight teams a group, six groups a multiprocessor: measured (docs/performance.md).
GroupPolicy team_policy(const Traits& traits) {
  if (!traits.has_subgroups || traits.subgroup_size != 32) return {32, 16, 1};
  const std::uint32_t group_size = std::min(256u, traits.max_group_size / 32 * 32);
  return {group_size, 6, group_size / 32};
}

Result<std::unique_ptr<Decoder>> opened(std::unique_ptr<Lz4Decoder> decoder, std::initializer_list<std::string_view> files) {
  PENSTOCK_TRY(decoder->open(files));
  return std::unique_ptr<Decoder>(std::move(decoder));
}

}  // namespace

bool has_room_for_lz4_teams(const Traits& traits) {
  return !traits.is_cpu && traits.max_group_size >= 32 && traits.local_bytes >= team_policy(traits).group_size / 32 * team_local_bytes;
}

Result<std::unique_ptr<Decoder>> build_lz4_team(std::shared_ptr<Device> device, std::string_view name) {
  const GroupPolicy policy = team_policy(device->traits());
  return opened(std::make_unique<Lz4Decoder>(std::move(device), name, policy),
                {"lz4/kernels/lz4_block", "chunks/kernels/copies", "chunks/kernels/literals_of_window", "chunks/kernels/sequences",
                 "lz4/kernels/lz4_decode_team"});
}

Result<std::unique_ptr<Decoder>> build_lz4_items(std::shared_ptr<Device> device, std::string_view name) {
  const GroupPolicy policy = device->traits().is_cpu ? GroupPolicy{1, 8, 1} : GroupPolicy{64, 8, 64};
  return opened(std::make_unique<Lz4Decoder>(std::move(device), name, policy), {"lz4/kernels/lz4_block", "lz4/kernels/lz4_decode_items"});
}

}  // namespace penstock::chunks
