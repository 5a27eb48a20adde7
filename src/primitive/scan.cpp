#include "primitive/scan.hpp"

#include <algorithm>
#include <vector>

#include "primitive/primitive_source.hpp"

namespace penstock::primitive {
namespace {

constexpr std::uint64_t max_values = std::uint64_t{1} << 40;  // tiles are numbered with 32 bits

const char* name_of(Number number) {
  switch (number) {
    case Number::u8: return "u8";
    case Number::u32: return "u32";
    case Number::i32: return "i32";
    case Number::u64: return "u64";
    case Number::f32: return "f32";
    case Number::f64: break;
  }
  return "f64";
}
bool is_float(Number number) { return number == Number::f32 || number == Number::f64; }

// The numbers of a scan on one device: threads of a group, vectors of four values of a thread,
// turns that a tile waits, groups of a multiprocessor.
struct ScanPolicy {
  std::uint32_t group_size = 1, vectors = 1, depth = 1, groups_per_multiprocessor = 1;
};

std::uint64_t local_bytes(const ScanPolicy& policy, ScanShape shape) {
  const std::uint64_t tile = std::uint64_t{4} * policy.vectors * policy.group_size,
                      entries = policy.vectors * policy.group_size + 64;
  const std::uint64_t begun =
      shape.is_segmented ? std::uint64_t{4} * policy.group_size * (policy.depth + 1) : 0;
  const std::uint64_t flags = shape.is_segmented ? 2 : 1;  // a sum with its flag takes two
  return (tile * (policy.depth + 1) + (entries + policy.group_size + 64) * flags) *
             bytes_of(shape.sum) +
         begun + 64;
}

// On an H200, GB/s read and written (copy 4275, 4262 for 64 bits), 2^30 values of 32 bits: 384
// threads with 5 vectors 3931 (4 vectors 3868), 512 with 4 3843, 1024 with 4 3888, a tile that
// waits one turn 3640. 64 bits, 2^28 values: 512 with 2 3521, 256 with 4 3106. 32 bits into 64: 256
// with 4 2798, 512 with 2 2736. Smaller ones follow for devices with less local memory.
std::vector<ScanPolicy> policies(ScanShape shape) {
  if (bytes_of(shape.sum) == 4) return {{384, 5, 2, 2}, {256, 4, 1, 4}, {128, 4, 1, 4}};
  if (bytes_of(shape.value) == 8) return {{512, 2, 2, 2}, {256, 2, 1, 4}, {128, 2, 1, 4}};
  return {{256, 4, 2, 2}, {256, 2, 1, 4}, {128, 2, 1, 4}};
}

ScanPolicy policy_for(const Traits& traits, ScanShape shape) {
  for (const ScanPolicy& policy : policies(shape))
    if (policy.group_size <= traits.max_group_size &&
        local_bytes(policy, shape) <= traits.local_bytes)
      return policy;
  return {std::min(32u, traits.max_group_size), 1, 1, 1};
}

std::string definitions(ScanShape shape) {
  const std::string bits = shape.sum == Number::f32   ? "BITS_F32(x)"
                           : shape.sum == Number::f64 ? "BITS_F64(x)"
                                                      : "(x)";
  const std::string of_bits = shape.sum == Number::f32   ? "F32_OF_BITS(x)"
                              : shape.sum == Number::f64 ? "F64_OF_BITS(x)"
                                                         : "(x)";
  return define("SCAN_VALUE", std::string(name_of(shape.value))) +
         define("SCAN_SUM", std::string(name_of(shape.sum))) + define("SCAN_BITS(x)", bits) +
         define("SCAN_OF_BITS(x)", of_bits) +
         define("SCAN_WORDS", bytes_of(shape.sum) == 8 ? 3u : 2u) +
         define("SCAN_IS_EXCLUSIVE", std::string(shape.is_exclusive ? "1" : "0")) +
         define("SCAN_IS_SEGMENTED", std::string(shape.is_segmented ? "1" : "0"));
}

class ScanByTiles : public Scan {
 public:
  ScanByTiles(std::shared_ptr<Device> device, ScanShape shape)
      : Scan(std::move(device), shape), policy_(policy_for(device_->traits(), shape)) {}

  Status open() {
    const std::uint32_t groups =
        device_->traits().compute_units * policy_.groups_per_multiprocessor;
    const std::uint32_t window =
        std::clamp((groups + policy_.group_size - 1) / policy_.group_size, 1u, 4u);
    const std::string policy = definitions(shape_) + define("SCAN_VECTORS", policy_.vectors) +
                               define("SCAN_DEPTH", policy_.depth) + define("SCAN_WINDOW", window) +
                               groups_per_multiprocessor(policy_.groups_per_multiprocessor);
    PENSTOCK_TRY(build_program("scan_tiles.kc", policy, policy_.group_size));
    PENSTOCK_ASSIGN(const std::uint32_t resident,
                    device_->resident_groups(*program_, "scan_tiles"));
    groups_ = std::clamp(groups, 1u, std::max(1u, resident));
    return {};
  }

  Status launch(Queue& queue, const Buffer& values, const Buffer& begins, const Buffer& sums,
                std::uint64_t count) override {
    const std::uint64_t tile = std::uint64_t{4} * policy_.vectors * policy_.group_size,
                        tiles = (count + tile - 1) / tile;
    const std::uint64_t bytes = tiles * (bytes_of(shape_.sum) == 8 ? 3 : 2) * 4;
    PENSTOCK_TRY(replace(*device_, totals_, bytes));
    PENSTOCK_TRY(queue.fill(*totals_, 0, bytes));
    return queue.launch(*program_, "scan_tiles",
                        static_cast<std::uint32_t>(std::min<std::uint64_t>(groups_, tiles)),
                        {{Argument::of(values), Argument::of(begins), Argument::of(sums),
                          Argument::of(*totals_), Argument::value(count)}});
  }

 private:
  ScanPolicy policy_;
  std::uint32_t groups_ = 1;
  std::shared_ptr<Buffer> totals_;
};

class ScanByChunks : public Scan {
 public:
  ScanByChunks(std::shared_ptr<Device> device, ScanShape shape) : Scan(std::move(device), shape) {}
  Status open() {
    return build_program("scan_chunks.kc",
                         definitions(shape_) + define("SCAN_WIDE", std::string(name_of(wide()))),
                         1);
  }

  Status launch(Queue& queue, const Buffer& values, const Buffer& begins, const Buffer& sums,
                std::uint64_t count) override {
    const std::uint64_t wanted = std::clamp<std::uint64_t>(
        count / (1 << 12), 1, device_->traits().compute_units * std::uint64_t{4});
    const std::uint64_t chunk_values = (count + wanted - 1) / wanted;
    const auto chunks = static_cast<std::uint32_t>((count + chunk_values - 1) / chunk_values);
    PENSTOCK_TRY(replace(*device_, starts_, std::uint64_t{chunks} * bytes_of(wide())));
    PENSTOCK_TRY(replace(*device_, begun_, std::uint64_t{chunks} * 4));
    const Argument starts = Argument::of(*starts_), begun = Argument::of(*begun_),
                   values_in = Argument::of(values), begins_in = Argument::of(begins),
                   all = Argument::value(count), of_chunk = Argument::value(chunk_values);
    PENSTOCK_TRY(queue.launch(*program_, "scan_add_chunks", chunks,
                              {{values_in, begins_in, starts, begun, all, of_chunk}}));
    PENSTOCK_TRY(queue.launch(*program_, "scan_start_chunks", 1,
                              {{starts, begun, Argument::value(std::uint64_t{chunks})}}));
    return queue.launch(*program_, "scan_chunks", chunks,
                        {{values_in, begins_in, Argument::of(sums), starts, all, of_chunk}});
  }

 private:
  Number wide() const {
    return shape_.sum == Number::f32 && device_->traits().has_f64 ? Number::f64 : shape_.sum;
  }
  std::shared_ptr<Buffer> starts_, begun_;
};

template <class ScanOfDevice>
Result<std::unique_ptr<Scan>> opened(std::shared_ptr<Device> device, ScanShape shape) {
  auto scan = std::make_unique<ScanOfDevice>(std::move(device), shape);
  PENSTOCK_TRY(scan->open());
  return std::unique_ptr<Scan>(std::move(scan));
}

}  // namespace

Status Scan::enqueue(Queue& queue, const Buffer& values, const Buffer& sums, std::uint64_t count) {
  if (shape_.is_segmented)
    return Status(Code::invalid, "running sums in segments need to know where those begin");
  PENSTOCK_TRY(replace(*device_, no_begins_, 8));
  return enqueue_from(queue, values, *no_begins_, sums, count);
}

Status Scan::enqueue(Queue& queue, const Buffer& values, const Buffer& begins, const Buffer& sums,
                     std::uint64_t count) {
  if (!shape_.is_segmented) return Status(Code::invalid, "these running sums know no segments");
  return enqueue_from(queue, values, begins, sums, count);
}

Status Scan::enqueue_from(Queue& queue, const Buffer& values, const Buffer& begins,
                          const Buffer& sums, std::uint64_t count) {
  if (count > max_values)
    return Status(Code::capacity, "a scan of " + std::to_string(count) + " values");
  return count == 0 ? Status() : launch(queue, values, begins, sums, count);
}

Status Scan::build_program(const std::string& file, std::string policy, std::uint32_t group_size) {
  const ProgramSource source = primitive_program(*device_, file, std::move(policy), group_size);
  source_ = source.text;
  PENSTOCK_ASSIGN(program_, device_->build(source));
  return {};
}

Result<std::unique_ptr<Scan>> Scan::build(std::shared_ptr<Device> device, ScanShape shape) {
  const bool fits =
      is_float(shape.value) == is_float(shape.sum) && bytes_of(shape.value) <= bytes_of(shape.sum);
  if (!fits || shape.sum == Number::i32 || shape.sum == Number::u8)
    return Status(Code::invalid, std::string("no running sums of ") + name_of(shape.value) +
                                     " as " + name_of(shape.sum));
  const bool by_chunks = device->traits().wants_single_thread_groups();
  return by_chunks ? opened<ScanByChunks>(std::move(device), shape)
                   : opened<ScanByTiles>(std::move(device), shape);
}

}  // namespace penstock::primitive
