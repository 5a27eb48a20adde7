// Encoding on a device (kernels/fsst_encode.kc), in four steps: check the offsets and find each
// tile's rows; encode tiles to scratch memory; scan their sizes; move the codes to their offsets.
#include <algorithm>
#include <array>
#include <bit>

#include "base/exception_boundary.hpp"
#include "codec/fsst/device/device_layout.hpp"
#include "codec/fsst/device/device_program.hpp"
#include "codec/fsst/host/encode_tables.hpp"
#include "codec/fsst/kernels/fsst_limits.h"
#include "penstock/fsst/encoder.hpp"
#include "primitive/scan.hpp"

namespace penstock::fsst {
namespace {

constexpr std::uint32_t segment_bytes = FSST_SEGMENT_BYTES;
constexpr std::uint32_t max_tile_steps = 8;
constexpr std::uint64_t cpu_tile_bytes = 1 << 16;
constexpr std::uint64_t max_trained_pairs = 1024;  // usually enough for tables of train()

// Returns the group size of fsst_encode_tiles: the largest that fits local memory, or 0. SYCL's CPU
// devices make loops of a group's threads: AdaptiveCpp makes wrong ones of this kernel's.
std::uint32_t encode_threads(const Traits& traits, std::uint64_t pair_count) {
  if (traits.target == Target::sycl && traits.is_cpu) return 0;
  const std::uint64_t table_bytes = 7168 + 2 * pair_count + 64;
  constexpr std::uint64_t thread_bytes = 192;
  for (std::uint32_t threads = 128; threads >= 32; threads /= 2)
    if (threads <= traits.max_group_size &&
        table_bytes + threads * thread_bytes <= traits.local_bytes)
      return threads;
  return 0;
}
bool fits_encode_tiles(const Traits& traits) {
  return encode_threads(traits, max_trained_pairs) != 0;
}

constexpr std::string_view tiles = "fsst_encode_tiles", rows = "fsst_encode_rows";
constexpr const char* encode_family = "fsst_encode";

// A CPU takes rows first.
std::vector<kernel::VariantCase> view_of_fsst_encoders(const Traits& traits) {
  const std::uint32_t threads = encode_threads(traits, max_trained_pairs);
  const kernel::VariantRow by_tiles{
      std::string(tiles),
      kernel::fits_if(threads != 0,
                      "its groups of 32 threads and their tables do not run on the device"),
      {{"group_size", threads}}},
      by_rows{std::string(rows), {}, {{"group_size", 1}}};
  kernel::VariantCase all{encode_family, "all rows of a column", {by_tiles, by_rows}};
  if (traits.wants_single_thread_groups()) std::swap(all.rows[0], all.rows[1]);
  return {all};
}
const kernel::VariantTable table_of_fsst_encoders(view_of_fsst_encoders);

Status check_row_groups(std::span<const RowGroup> row_groups, std::uint64_t row_count) {
  if (row_groups.empty() || row_groups[0].first_row != 0)
    return {Code::invalid, "row groups that do not begin at row 0"};
  for (std::size_t group = 0; group < row_groups.size(); group++) {
    const std::uint64_t end =
        group + 1 < row_groups.size() ? row_groups[group + 1].first_row : row_count;
    const auto wrong = [&](const char* what) {
      return Status(Code::invalid, "row group " + std::to_string(group) + ": " + what);
    };
    if (row_groups[group].table == nullptr) return wrong("no symbol table");
    if (row_groups[group].first_row >= end) return wrong("no rows");
  }
  return {};
}

class Encoder final : public DeviceEncoder {
 public:
  Encoder(std::shared_ptr<Device> device, std::string_view variant)
      : device_(std::move(device)), variant_(variant) {}

  Status open(const PlainStrings& strings, std::span<const RowGroup> row_groups,
              std::uint32_t code_offset_bytes) {
    PENSTOCK_TRY(check_plain_strings(strings));
    PENSTOCK_TRY(check_row_groups(row_groups, strings.row_count));
    if (code_offset_bytes != 4 && code_offset_bytes != 8)
      return {Code::invalid, "offsets of neither 4 nor 8 bytes"};
    row_count_ = strings.row_count;
    max_string_bytes_ = strings.string_bytes;
    string_offset_bytes_ = strings.offset_bytes;
    code_offset_bytes_ = code_offset_bytes;
    row_groups_.assign(row_groups.begin(), row_groups.end());
    PENSTOCK_ASSIGN(const EncodeTables tables, encode_tables(row_groups));
    PENSTOCK_TRY(build_programs(tables.pair_count));
    PENSTOCK_TRY(allocate());
    return upload(tables);
  }

  Status enqueue(Queue& queue, const PlainStrings& strings, const DeviceCodes& codes) override {
    PENSTOCK_TRY(fits(strings, codes));
    strings_ = strings;
    codes_ = codes;
    is_checked_ = false;
    const std::uint64_t limit = codes.offset_bytes == 4 ? INT32_MAX : ~std::uint64_t{0};
    capacity_ =
        std::min((codes.codes->bytes() / 16 * 16) - 1, limit);  // leaves at least a byte of padding
    tile_count_ = (strings.string_bytes >> tile_shift_) + 1;
    PENSTOCK_TRY(queue.fill(*status_, 0, 8));
    PENSTOCK_TRY(queue.fill(*group_string_bytes_buffer_, 0, group_count() * 8));
    PENSTOCK_TRY(check_offsets(queue));
    PENSTOCK_TRY(encode(queue, *scratch_, 0));
    PENSTOCK_TRY(scan_->enqueue(queue, *totals_, *bases_, tile_count_ + 1));
    PENSTOCK_TRY(encode(queue, *codes.codes, 1));  // only tiles with more codes than string bytes
    return move(queue);
  }

  Result<DeviceStrings> check(Queue& queue) override {
    if (strings_.offsets == nullptr)
      return Status(Code::invalid, "check() without an enqueued column");
    is_checked_ = false;
    std::array<std::uint32_t, 2> status{};
    std::vector<std::uint64_t> group_begins(group_count() + 1);
    group_string_bytes_.resize(group_count());
    std::uint64_t code_bytes = 0;
    PENSTOCK_TRY(queue.download(status.data(), *status_, 8));
    PENSTOCK_TRY(queue.download(group_begins.data(), *group_codes_, group_begins.size() * 8));
    PENSTOCK_TRY(queue.download(group_string_bytes_.data(), *group_string_bytes_buffer_,
                                group_string_bytes_.size() * 8));
    PENSTOCK_TRY(queue.download(&code_bytes, *bases_, 8, tile_count_ * 8));
    PENSTOCK_TRY(queue.finish());
    if (status[0] != 0)
      return Status(Code::corrupt,
                    "row " + std::to_string(~status[0]) +
                        ": string offsets descend, exceed the string bytes or are 1 GiB apart");
    if ((status[1] & FSST_ERROR_CAPACITY) != 0)
      return Status(Code::capacity, std::to_string(code_bytes) +
                                        " bytes of codes, and memory for " +
                                        std::to_string(capacity_));
    return catch_exceptions([&] { return partition_codes(queue, code_bytes, group_begins); });
  }

  Result<EncodedStrings> download(Queue& queue) override {
    if (!is_checked_) return Status(Code::invalid, "download() without a successful check()");
    return catch_exceptions([&] { return download_column(queue); });
  }
  std::string_view variant() const override { return variant_; }

 private:
  std::uint64_t group_count() const { return row_groups_.size(); }

  Status build_programs(std::uint32_t pair_count) {
    const std::uint32_t small = row_threads(device_->traits()),
                        threads =
                            variant_ == tiles ? encode_threads(device_->traits(), pair_count) : 1;
    if (threads == 0) return {Code::unsupported, "symbol tables that do not fit local memory"};
    const std::string offsets =
        code_offset_bytes_ == 8 ? "#define CODE_OFFSET u64\n" : "#define CODE_OFFSET u32\n";
    const std::string pairs = "#define PAIR_COUNT " + std::to_string(pair_count) + "u\n";
    const ProgramOptions moving{string_offset_bytes_, small, offsets},
        encoding{string_offset_bytes_, threads, offsets + pairs};
    PENSTOCK_ASSIGN(check_, build_program(*device_, moving, "fsst_encode_check"));
    PENSTOCK_ASSIGN(encode_, build_program(*device_, encoding, variant_));
    PENSTOCK_ASSIGN(move_, build_program(*device_, moving, "fsst_encode_move"));
    PENSTOCK_ASSIGN(scan_, primitive::Scan::build(
                               device_, {primitive::Number::u32, primitive::Number::u64, true}));
    // A tile of few steps leaves most threads of the last step idle. Tiles of many steps are too
    // few to occupy all groups.
    const std::uint64_t min_tile_bytes =
        variant_ == tiles ? std::uint64_t{threads} * segment_bytes : cpu_tile_bytes;
    const std::uint64_t max_tile_bytes =
        variant_ == tiles ? min_tile_bytes * max_tile_steps : min_tile_bytes;
    const std::uint64_t balanced_tile_bytes =
        max_string_bytes_ / (std::uint64_t{device_->traits().compute_units} * 16) + 1;
    tile_shift_ =
        static_cast<std::uint32_t>(std::bit_width(std::clamp(std::bit_floor(balanced_tile_bytes),
                                                             min_tile_bytes, max_tile_bytes)) -
                                   1);
    return {};
  }

  Status allocate() {
    const std::uint64_t tile_count = (max_string_bytes_ >> tile_shift_) + 1;
    PENSTOCK_ASSIGN(status_, device_->allocate(16));
    PENSTOCK_ASSIGN(groups_, device_->allocate((group_count() + 1) * 8));
    PENSTOCK_ASSIGN(group_codes_, device_->allocate((group_count() + 1) * 8));
    PENSTOCK_ASSIGN(group_string_bytes_buffer_, device_->allocate(group_count() * 8));
    PENSTOCK_ASSIGN(tile_rows_, device_->allocate((tile_count + 1) * 8));
    PENSTOCK_ASSIGN(totals_, device_->allocate((tile_count + 1) * 4));
    PENSTOCK_ASSIGN(bases_, device_->allocate((tile_count + 1) * 8));
    PENSTOCK_ASSIGN(scratch_,
                    device_->allocate(max_string_bytes_ / 16 * 16 + (tile_count + 2) * 16));
    return {};
  }

  Status upload(const EncodeTables& tables) {
    std::vector<std::uint64_t> groups;
    for (const RowGroup& group : row_groups_) groups.push_back(group.first_row);
    groups.push_back(row_count_);
    PENSTOCK_ASSIGN(tables_, device_->allocate(tables.words.size() * 4));
    PENSTOCK_ASSIGN(auto queue, device_->queue());
    Status uploaded = queue->fill(*status_, 0, 16);
    if (uploaded.ok()) uploaded = queue->upload(*groups_, groups.data(), groups.size() * 8);
    if (uploaded.ok())
      uploaded = queue->upload(*tables_, tables.words.data(), tables.words.size() * 4);
    PENSTOCK_TRY(queue->finish());  // also after an error: the host vectors end here
    return uploaded;
  }

  Status fits(const PlainStrings& strings, const DeviceCodes& codes) const {
    PENSTOCK_TRY(check_plain_strings(strings));
    if (strings.row_count != row_count_ || strings.offset_bytes != string_offset_bytes_ ||
        strings.string_bytes > max_string_bytes_)
      return Status(Code::invalid, "the encoder was built for another column");
    if (codes.offset_bytes != code_offset_bytes_)
      return Status(Code::invalid, "the encoder was built for offsets of another width");
    if (codes.offsets->bytes() < (row_count_ + 1) * code_offset_bytes_)
      return Status(Code::invalid, "the buffer of offsets is smaller than the column's");
    if (codes.codes->bytes() < 16)
      return Status(Code::invalid, "memory for codes is smaller than 16 bytes");
    return {};
  }

  const Buffer& validity() const {
    return strings_.validity != nullptr ? *strings_.validity : *strings_.offsets;
  }  // a placeholder that is not read without validity
  std::uint32_t has_validity() const { return strings_.validity != nullptr ? 1 : 0; }
  std::uint32_t groups_for(const Program& program, std::uint64_t threads,
                           std::uint32_t groups_per_multiprocessor) const {
    const std::uint64_t size = program.group_size(),
                        max_groups = std::uint64_t{device_->traits().compute_units} *
                                     groups_per_multiprocessor;
    return static_cast<std::uint32_t>(std::min((threads + size - 1) / size, max_groups));
  }

  Status check_offsets(Queue& queue) {
    return queue.launch(
        *check_, "fsst_encode_check", groups_for(*check_, row_count_ + 1, 32),
        {{Argument::of(*strings_.offsets), Argument::of(validity()), Argument::of(*groups_),
          Argument::of(*tile_rows_), Argument::of(*group_string_bytes_buffer_),
          Argument::of(*status_), Argument::value(row_count_),
          Argument::value(strings_.string_bytes), Argument::value(tile_count_),
          Argument::value(tile_shift_), Argument::value(static_cast<std::uint32_t>(group_count())),
          Argument::value(has_validity())}});
  }

  Status encode(Queue& queue, const Buffer& out, std::uint32_t is_again) {
    const auto groups = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(tile_count_, device_->traits().compute_units * 32u));
    return queue.launch(
        *encode_, variant_, groups,
        {{Argument::of(*strings_.bytes), Argument::of(*strings_.offsets), Argument::of(validity()),
          Argument::of(*groups_), Argument::of(*tables_), Argument::of(*tile_rows_),
          Argument::of(*bases_), Argument::of(*totals_), Argument::of(*codes_.offsets),
          Argument::of(out), Argument::of(*status_), Argument::value(tile_count_),
          Argument::value(static_cast<std::uint32_t>(group_count())),
          Argument::value(has_validity()), Argument::value(is_again), Argument::value(capacity_)}});
  }

  Status move(Queue& queue) {
    const auto groups = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(tile_count_, device_->traits().compute_units * 64u));
    PENSTOCK_TRY(queue.launch(
        *move_, "fsst_encode_move", groups,
        {{Argument::of(*scratch_), Argument::of(*strings_.offsets), Argument::of(*tile_rows_),
          Argument::of(*totals_), Argument::of(*bases_), Argument::of(*codes_.offsets),
          Argument::of(*codes_.codes), Argument::of(*status_), Argument::value(tile_count_),
          Argument::value(row_count_), Argument::value(capacity_)}}));
    return queue.launch(
        *move_, "fsst_encode_groups", groups_for(*move_, group_count() + 1, 4),
        {{Argument::of(*strings_.offsets), Argument::of(*codes_.offsets), Argument::of(*groups_),
          Argument::of(*group_codes_), Argument::of(*group_string_bytes_buffer_),
          Argument::of(*status_), Argument::value(static_cast<std::uint32_t>(group_count())),
          Argument::value(has_validity())}});
  }

  Result<DeviceStrings> partition_codes(Queue& queue, std::uint64_t code_bytes,
                                        const std::vector<std::uint64_t>& group_begins) {
    DeviceStrings encoded;
    encoded.row_count = row_count_;
    encoded.code_bytes = code_bytes_ = code_bytes;
    encoded.row_groups =
        std::make_shared<std::vector<RowGroup>>(groups_with_offsets(encoded.string_bytes));
    encoded.offset_bytes = code_offset_bytes_;
    encoded.group_count = static_cast<std::uint32_t>(group_count());
    encoded.codes = codes_.codes;
    encoded.offsets = codes_.offsets;
    std::vector<CodeRange> ranges;
    for (std::size_t group = 0; group < group_count(); group++)
      ranges.push_back({group_begins[group], group_begins[group + 1]});
    PENSTOCK_TRY(upload_partition(*device_, queue, row_groups_, ranges, encoded));
    is_checked_ = true;
    return encoded;
  }

  // Returns the row groups with the offsets of their strings.
  std::vector<RowGroup> groups_with_offsets(std::uint64_t& string_bytes) const {
    std::vector<RowGroup> groups = row_groups_;
    for (std::size_t group = 0; group < group_count(); group++) {
      groups[group].first_string_byte = string_bytes;
      string_bytes += group_string_bytes_[group];
    }
    return groups;
  }

  Result<EncodedStrings> download_column(Queue& queue) {
    EncodedStrings encoded;
    encoded.row_count = row_count_;
    encoded.offset_bytes = code_offset_bytes_;
    encoded.row_groups = groups_with_offsets(encoded.string_bytes);
    encoded.is_canonical = true;
    std::vector<std::byte> codes(code_bytes_), offsets((row_count_ + 1) * code_offset_bytes_);
    std::vector<std::byte> bits(strings_.validity != nullptr ? (row_count_ + 7) / 8 : 0);
    Status enqueued = queue.download(offsets.data(), *codes_.offsets, offsets.size());
    if (enqueued.ok() && !codes.empty())
      enqueued = queue.download(codes.data(), *codes_.codes, codes.size());
    if (enqueued.ok() && !bits.empty())
      enqueued = queue.download(bits.data(), *strings_.validity, bits.size());
    PENSTOCK_TRY(queue.finish());  // also after an error: enqueued downloads write local vectors
    PENSTOCK_TRY(enqueued);
    encoded.codes = Bytes::own(std::move(codes));
    encoded.offsets = Bytes::own(std::move(offsets));
    if (!bits.empty()) encoded.validity = Bytes::own(std::move(bits));
    return encoded;
  }

  std::shared_ptr<Device> device_;
  std::string_view variant_;
  std::uint64_t row_count_ = 0, max_string_bytes_ = 0, tile_count_ = 0, capacity_ = 0,
                code_bytes_ = 0;
  std::uint32_t string_offset_bytes_ = 8, code_offset_bytes_ = 4, tile_shift_ = 0;
  std::vector<RowGroup> row_groups_;
  std::vector<std::uint64_t> group_string_bytes_;
  std::shared_ptr<Program> check_, encode_, move_;
  std::unique_ptr<primitive::Scan> scan_;
  std::shared_ptr<Buffer> status_, groups_, tables_, group_codes_, group_string_bytes_buffer_,
      tile_rows_, totals_, bases_, scratch_;
  bool is_checked_ = false;  // the last enqueued column passed check()
  PlainStrings strings_;     // of the last enqueue(), as are codes_
  DeviceCodes codes_;
};

}  // namespace

std::vector<std::string> DeviceEncoder::variants(const Traits& traits) {
  std::vector<std::string> names;
  if (fits_encode_tiles(traits)) names.emplace_back(tiles);
  names.insert(traits.wants_single_thread_groups() ? names.begin() : names.end(),
               std::string(rows));
  return names;
}

Result<std::unique_ptr<DeviceEncoder>> DeviceEncoder::build(std::shared_ptr<Device> device,
                                                            const PlainStrings& strings,
                                                            std::span<const RowGroup> row_groups,
                                                            std::uint32_t code_offset_bytes,
                                                            std::string_view variant) {
  return catch_exceptions([&]() -> Result<std::unique_ptr<DeviceEncoder>> {
    const std::vector<std::string> fitting = variants(device->traits());
    PENSTOCK_ASSIGN(const kernel::ChosenRow chosen,
                    kernel::choose_row(encode_family, fitting, variant, device->traits()));
    const std::string_view selected = fitting[chosen.index];
    auto encoder = std::make_unique<Encoder>(std::move(device), selected == tiles ? tiles : rows);
    PENSTOCK_TRY(encoder->open(strings, row_groups, code_offset_bytes));
    return std::unique_ptr<DeviceEncoder>(std::move(encoder));
  });
}

}  // namespace penstock::fsst
