#include "codec/chunks/kernel_decoder.hpp"

#include <algorithm>

namespace penstock::chunks {
namespace {

class KernelDecoder final : public Decoder {
 public:
  KernelDecoder(std::shared_ptr<Device> device, std::string_view name, GroupPolicy policy, std::uint64_t bytes_a_chunk)
      : device_(std::move(device)), name_(name), policy_(policy), bytes_a_chunk_(bytes_a_chunk) {}
  Status open(std::initializer_list<std::string_view> files) {
    PENSTOCK_ASSIGN(program_, build_program(*device_, {policy_, ""}, files));
    return {};
  }

  std::uint64_t scratch_bytes(std::uint32_t chunk_count) const override {
    return scratch_head_bytes + std::uint64_t{groups(chunk_count)} * policy_.chunks_a_group * bytes_a_chunk_;
  }
  std::string_view variant() const override { return name_; }
  Status enqueue(Queue& queue, const Batch& batch, const Buffer& scratch) override {
    PENSTOCK_TRY(check_batch(batch, scratch, scratch_bytes(batch.chunk_count)));
    std::vector<Argument> arguments = batch_arguments(batch);
    arguments.push_back(Argument::of(scratch));
    arguments.push_back(Argument::value(batch.chunk_count));
    if (bytes_a_chunk_ != 0) arguments.push_back(Argument::of(scratch));
    PENSTOCK_TRY(queue.fill(scratch, 0, 4));      // the next chunk that is nobody's yet
    return queue.launch(*program_, name_, groups(batch.chunk_count), arguments);
  }

 private:
  std::uint32_t groups(std::uint32_t chunk_count) const { return groups_of(policy_, device_->traits(), chunk_count); }

  std::shared_ptr<Device> device_;
  std::string_view name_;
  GroupPolicy policy_;
  std::uint64_t bytes_a_chunk_;
  std::shared_ptr<Program> program_;
};

bool teams_are_subgroups(const Traits& traits) { return traits.has_subgroups && traits.subgroup_size == 32; }

}  // namespace

Result<std::unique_ptr<Decoder>> build_kernel_decoder(std::shared_ptr<Device> device, std::string_view name, GroupPolicy policy,
                                                      std::initializer_list<std::string_view> files, std::uint64_t bytes_a_chunk) {
  auto decoder = std::make_unique<KernelDecoder>(std::move(device), name, policy, bytes_a_chunk);
  PENSTOCK_TRY(decoder->open(files));
  return std::unique_ptr<Decoder>(std::move(decoder));
}

GroupPolicy team_policy(const Traits& traits, std::uint64_t team_bytes, std::uint32_t most_teams, std::uint32_t groups_a_unit) {
  if (!teams_are_subgroups(traits)) return {32, 16, 1};
  const std::uint64_t room = std::min<std::uint64_t>(traits.local_bytes / team_bytes, traits.max_group_size / 32);
  const std::uint32_t teams = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(room, 1, most_teams));
  return {teams * 32, groups_a_unit, teams};
}

bool has_room_for_teams(const Traits& traits, std::uint64_t team_bytes) {
  return !traits.is_cpu && traits.max_group_size >= 32 && traits.local_bytes >= team_bytes;
}

GroupPolicy items_policy(const Traits& traits) { return traits.is_cpu ? GroupPolicy{1, 8, 1} : GroupPolicy{64, 8, 64}; }

}  // namespace penstock::chunks
