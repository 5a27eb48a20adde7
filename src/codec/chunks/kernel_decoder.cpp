#include <algorithm>

#include "codec/chunks/chunk_decoder.hpp"
#include "codec/chunks/chunk_program.hpp"

namespace penstock::chunks {
namespace {

constexpr std::uint64_t scratch_head_bytes = 256;      // the counter; what chunks have of scratch memory begins behind it

// As many teams a group as its local memory holds, at most as many as the variant says; where teams are no sub-groups, a group each.
GroupPolicy policy_of(const Variant& variant, const Traits& traits) {
  if (variant.team_bytes == 0) return traits.is_cpu ? GroupPolicy{1, 8, 1} : GroupPolicy{64, 8, 64};
  if (!traits.has_subgroups || traits.subgroup_size != 32) return {32, 16, 1};
  const std::uint64_t room = std::min<std::uint64_t>(traits.local_bytes / variant.team_bytes, traits.max_group_size / 32);
  const auto teams = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(room, 1, variant.teams_a_group));
  return {teams * 32, variant.groups_a_unit, teams};
}

class KernelDecoder final : public Decoder {
 public:
  KernelDecoder(std::shared_ptr<Device> device, const Variant& variant)
      : device_(std::move(device)), variant_(variant), policy_(policy_of(variant, device_->traits())) {}
  Status open() {
    const auto end = std::find(variant_.files.begin(), variant_.files.end(), std::string_view());
    PENSTOCK_ASSIGN(program_, build_program(*device_, policy_, {variant_.files.begin(), end}));
    return {};
  }

  std::uint64_t scratch_bytes(std::uint32_t chunk_count) const override {
    return scratch_head_bytes + std::uint64_t{groups(chunk_count)} * policy_.chunks_a_group * variant_.bytes_a_chunk;
  }
  std::string_view variant() const override { return variant_.name; }
  Status enqueue(Queue& queue, const Batch& batch, const Buffer& scratch) override {
    PENSTOCK_TRY(check_batch(batch, scratch, scratch_bytes(batch.chunk_count)));
    std::vector<Argument> arguments = batch_arguments(batch);
    arguments.push_back(Argument::of(scratch));
    arguments.push_back(Argument::value(batch.chunk_count));
    if (variant_.bytes_a_chunk != 0) arguments.push_back(Argument::of(scratch));
    PENSTOCK_TRY(queue.fill(scratch, 0, 4));      // the next chunk that is nobody's yet
    return queue.launch(*program_, variant_.name, groups(batch.chunk_count), arguments);
  }

 private:
  std::uint32_t groups(std::uint32_t chunk_count) const { return groups_of(policy_, device_->traits(), chunk_count); }

  std::shared_ptr<Device> device_;
  const Variant& variant_;      // a row of the table
  GroupPolicy policy_;
  std::shared_ptr<Program> program_;
};

}  // namespace

bool fits(const Variant& variant, const Traits& traits) {
  if (variant.team_bytes == 0) return traits.is_cpu || !variant.is_for_cpus;
  return !traits.is_cpu && traits.max_group_size >= 32 && traits.local_bytes >= variant.team_bytes;
}

Result<std::unique_ptr<Decoder>> build_kernel_decoder(std::shared_ptr<Device> device, const Variant& variant) {
  auto decoder = std::make_unique<KernelDecoder>(std::move(device), variant);
  PENSTOCK_TRY(decoder->open());
  return std::unique_ptr<Decoder>(std::move(decoder));
}

}  // namespace penstock::chunks
