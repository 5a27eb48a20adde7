#include <algorithm>

#include "base/thread_pool.hpp"
#include "codec/batch/chunk_decoder.hpp"
#include "codec/batch/kernels/batch_limits.h"
#include "codec/zstd/kernels/zstd_limits.h"

namespace penstock::batch {
namespace {

// The counter's part of scratch memory. The memory of chunks begins after it.
constexpr std::uint64_t scratch_head_bytes = BATCH_SCRATCH_HEAD_WORDS * 4;
// Decoders that list matches accept no chunk with more output, whatever its capacity.
constexpr std::uint64_t max_listed_output_bytes = ZSTD_MAX_FRAME_OUTPUT;

// Runs a Decoder or an Encoder; to the host both are kernels over a batch.
template <class Codec> class KernelCodec final : public Codec {
 public:
  KernelCodec(std::shared_ptr<Device> device, const Variant& variant)
      : device_(std::move(device)), variant_(variant) {}
  Status open(const std::string& family) {
    const std::vector<GroupPolicy> policies = policies_of(family, variant_, device_->traits());
    std::vector<Task<Result<BuiltPhase>>> tasks;  // Zstandard has five, of up to 0.8 s each
    for (std::size_t i = 0; i < policies.size(); i++)
      tasks.push_back(
          ThreadPool::shared().start([this, policy = policies[i], &phase = variant_.phases[i]] {
            return build_phase(*device_, phase, policy);
          }));
    for (auto& task : tasks) {
      PENSTOCK_ASSIGN(auto built, task.get());
      phases_.push_back(std::move(built));
    }
    return {};
  }

  std::uint64_t scratch_bytes(std::uint32_t chunk_count,
                              std::uint64_t max_output_bytes) const override {
    std::uint64_t max_in_flight = 0;
    for (const BuiltPhase& phase : phases_)
      max_in_flight =
          std::max(max_in_flight, std::uint64_t{phase.groups(device_->traits(), chunk_count)} *
                                      phase.policy.chunks_per_group);
    const std::uint64_t max_matches = std::min(max_output_bytes, max_listed_output_bytes) / 3;
    const std::uint64_t chunk_bytes =
        variant_.bytes_per_chunk + variant_.bytes_per_match * max_matches;
    return scratch_head_bytes + max_in_flight * variant_.bytes_per_active_chunk +
           chunk_count * chunk_bytes;
  }
  std::string_view variant() const override { return variant_.name; }
  Status enqueue(Queue& queue, const Batch& batch, const Buffer& scratch) override {
    PENSTOCK_TRY(
        check_batch(batch, scratch, scratch_bytes(batch.chunk_count, batch.max_output_bytes)));
    if (variant_.bytes_per_match != 0 && batch.chunk_count != 0 && batch.max_output_bytes == 0)
      return Status(Code::invalid, "a batch of " + std::string(name_of(variant_.format)) +
                                       " chunks needs max_output_bytes");
    if (batch.dependencies.streams != nullptr)
      return Status(Code::invalid,
                    std::string(variant_.name) + " does not support dependent blocks");
    std::vector<Argument> arguments = batch_arguments(batch);
    arguments.push_back(Argument::of(scratch));
    arguments.push_back(Argument::value(batch.chunk_count));
    if (variant_.has_scratch()) arguments.push_back(Argument::of(scratch));
    if (variant_.bytes_per_match != 0)
      arguments.push_back(Argument::value(
          static_cast<std::uint32_t>(std::min(batch.max_output_bytes, max_listed_output_bytes))));
    for (const BuiltPhase& phase : phases_) {
      if (phase.phase->granularity != Granularity::threads_per_chunk)
        PENSTOCK_TRY(queue.fill(scratch, 0, 4));  // the next chunk
      PENSTOCK_TRY(queue.launch(*phase.program, phase.phase->kernel,
                                phase.groups(device_->traits(), batch.chunk_count), arguments));
    }
    return {};
  }

 private:
  std::shared_ptr<Device> device_;
  const Variant& variant_;  // a row of the table
  std::vector<BuiltPhase> phases_;
};

template <class Codec>
Result<std::unique_ptr<Codec>> build(std::shared_ptr<Device> device, const Variant& variant,
                                     const std::string& family) {
  auto codec = std::make_unique<KernelCodec<Codec>>(std::move(device), variant);
  PENSTOCK_TRY(codec->open(family));
  return std::unique_ptr<Codec>(std::move(codec));
}

}  // namespace

// As many workers per group as its local memory holds, but at most as many as the phase allows. If
// warps are not sub-groups, a group is one warp.
GroupPolicy policy_of(const Phase& phase, const Traits& traits) {
  if (phase.granularity == Granularity::thread_per_chunk)
    return traits.wants_single_thread_groups() ? GroupPolicy{1, 8, 1} : GroupPolicy{64, 8, 64};
  const std::uint64_t capacity =
      phase.local_bytes == 0 ? phase.max_workers_per_group : traits.local_bytes / phase.local_bytes;
  if (phase.granularity == Granularity::single_group)
    return {traits.wants_single_thread_groups() ? 1 : std::min(traits.max_group_size, 1024u), 1, 1};
  if (phase.granularity == Granularity::threads_per_chunk) {
    if (traits.wants_single_thread_groups()) return {1, 1, 1};
    const auto threads = static_cast<std::uint32_t>(
        std::clamp<std::uint64_t>(std::min<std::uint64_t>(capacity, traits.max_group_size),
                                  phase.threads_per_chunk, phase.max_workers_per_group));
    return {threads / phase.threads_per_chunk * phase.threads_per_chunk, 1,
            threads / phase.threads_per_chunk};
  }
  if (!traits.has_subgroups || traits.subgroup_size != 32) return {32, 16, 1};
  const auto warps = static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(std::min<std::uint64_t>(capacity, traits.max_group_size / 32), 1,
                                phase.max_workers_per_group));
  return {warps * 32, phase.groups_per_multiprocessor,
          phase.granularity == Granularity::group_per_chunk ? 1 : warps};
}

std::uint32_t BuiltPhase::groups(const Traits& traits, std::uint32_t chunk_count) const {
  if (phase->granularity == Granularity::single_group) return chunk_count != 0;
  if (phase->granularity != Granularity::threads_per_chunk)
    return groups_of(policy, traits, chunk_count);
  return (chunk_count + policy.chunks_per_group - 1) / policy.chunks_per_group;
}

Result<BuiltPhase> build_phase(Device& device, const Phase& phase, const GroupPolicy& policy) {
  PENSTOCK_ASSIGN(auto program, build_program(device, policy, phase.file));
  return BuiltPhase{&phase, policy, std::move(program)};
}

Result<BuiltPhase> build_phase(Device& device, const Phase& phase) {
  return build_phase(device, phase, policy_of(phase, device.traits()));
}

Result<std::unique_ptr<Decoder>> build_kernel_decoder(std::shared_ptr<Device> device,
                                                      const Variant& variant) {
  return build<Decoder>(std::move(device), variant, decoding_family(variant.format));
}

Result<std::unique_ptr<Encoder>> build_kernel_encoder(std::shared_ptr<Device> device,
                                                      const Variant& variant) {
  return build<Encoder>(std::move(device), variant, encoding_family(variant.format));
}

}  // namespace penstock::batch
