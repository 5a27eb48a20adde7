#include "primitive/scan.hpp"

#include <algorithm>
#include <vector>

#include "primitive/primitive_source.hpp"
#include "primitive/scan_variants.hpp"

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
  ScanByTiles(std::shared_ptr<Device> device, ScanShape shape, const ScanVariant& variant)
      : Scan(std::move(device), shape, variant.name),
        policy_(policy_of(variant, device_->traits(), shape)) {}

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
  ScanByChunks(std::shared_ptr<Device> device, ScanShape shape, const ScanVariant& variant)
      : Scan(std::move(device), shape, variant.name),
        policy_(policy_of(variant, device_->traits(), shape)) {}
  Status open() {
    return build_program("scan_chunks.kc",
                         definitions(shape_) + define("SCAN_WIDE", std::string(name_of(wide()))),
                         1);
  }

  Status launch(Queue& queue, const Buffer& values, const Buffer& begins, const Buffer& sums,
                std::uint64_t count) override {
    const std::uint64_t wanted = std::clamp<std::uint64_t>(
        count / policy_.chunk_values, 1,
        std::uint64_t{device_->traits().compute_units} * policy_.chunks_per_compute_unit);
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
  ScanPolicy policy_;
  std::shared_ptr<Buffer> starts_, begun_;
};

template <class ScanOfDevice>
Result<std::unique_ptr<Scan>> opened(std::shared_ptr<Device> device, ScanShape shape,
                                     const ScanVariant& variant) {
  auto scan = std::make_unique<ScanOfDevice>(std::move(device), shape, variant);
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

Result<std::unique_ptr<Scan>> Scan::build(std::shared_ptr<Device> device, ScanShape shape,
                                          std::string_view variant) {
  const bool fits =
      is_float(shape.value) == is_float(shape.sum) && bytes_of(shape.value) <= bytes_of(shape.sum);
  if (!fits || shape.sum == Number::i32 || shape.sum == Number::u8)
    return Status(Code::invalid, std::string("no running sums of ") + name_of(shape.value) +
                                     " as " + name_of(shape.sum));
  PENSTOCK_ASSIGN(const ScanVariant* const row, choose_scan(device->traits(), shape, variant));
  return row->is_by_chunks ? opened<ScanByChunks>(std::move(device), shape, *row)
                           : opened<ScanByTiles>(std::move(device), shape, *row);
}

}  // namespace penstock::primitive
