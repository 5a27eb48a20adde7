// Upload of encoded strings, and the division of their codes among thread groups.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "base/exception_boundary.hpp"
#include "codec/fsst/device/device_layout.hpp"
#include "codec/fsst/device/device_upload.hpp"
#include "codec/fsst/format/strings_layout.hpp"
#include "codec/fsst/kernels/fsst_limits.h"
#include "penstock/fsst/decoder.hpp"

namespace penstock::fsst {
namespace {

constexpr std::uint32_t escape_word = FSST_ESCAPE, no_symbol_word = FSST_NO_SYMBOL;

// Returns the tables as fsst_tables.kc documents them.
std::vector<std::uint32_t> table_words(std::span<const RowGroup> row_groups) {
  std::vector<std::uint32_t> words(row_groups.size() * table_word_count);
  for (std::size_t group = 0; group < row_groups.size(); group++) {
    const SymbolTable& table = *row_groups[group].table;
    std::uint32_t* const to = words.data() + group * table_word_count;
    for (std::uint32_t code = 0; code < 256; code++)
      to[code] = code == escape_code         ? escape_word
                 : code < table.symbol_count ? 0u - 8u * table.lengths[code]
                                             : no_symbol_word;
    std::memcpy(to + 256, table.symbols.data(), table.symbols.size() * 8);
  }
  return words;
}

std::vector<CodeRange> code_ranges(const EncodedStrings& strings) {
  std::vector<CodeRange> ranges;
  for (std::size_t group = 0; group < strings.row_groups.size(); group++)
    ranges.push_back({strings.offset(strings.row_groups[group].first_row),
                      strings.offset(strings.end_row(group))});
  return ranges;
}

std::vector<std::uint64_t> tiles_of(const std::vector<CodeRange>& ranges,
                                    std::uint64_t codes_per_tile) {
  std::vector<std::uint64_t> tiles{0};
  for (const CodeRange& range : ranges) {
    const std::uint64_t from = range.begin & ~std::uint64_t{15};
    tiles.push_back(tiles.back() + (range.end > range.begin
                                        ? (range.end - from + codes_per_tile - 1) / codes_per_tile
                                        : 0));
  }
  return tiles;
}

// Spans of about `span_codes` codes, in whole steps of a warp. A thread block has up to `max_spans`
// of them, all of one row group.
struct SpanPlan {
  std::vector<std::uint64_t>
      spans;  // begin, end, 2 * (row expected to hold the first code) + (is the row group's last)
  std::vector<std::uint32_t> groups;  // row group of each span
  std::vector<std::uint32_t> blocks;  // of each thread block: first span, span count, row group
  std::uint64_t max_steps = 0;        // of any span
  std::uint64_t group_count() const { return blocks.size() / 3; }
};
// `rows`: each row group's first row, then the row count.
SpanPlan plan_spans(const std::vector<CodeRange>& ranges, std::span<const std::uint64_t> rows,
                    double span_codes, std::uint32_t max_spans) {
  constexpr std::uint64_t step_codes = FSST_STEP_CODES;
  SpanPlan plan;
  for (std::uint32_t group = 0; group < ranges.size(); group++) {
    const CodeRange range = ranges[group];
    const std::uint64_t from = range.begin & ~std::uint64_t{15}, codes = range.end - from;
    const auto span_count =
        static_cast<std::uint64_t>(std::max(1.0, static_cast<double>(codes) / span_codes + 0.999));
    const std::uint64_t codes_per_span =
        std::max((codes + span_count - 1) / span_count + step_codes - 1, step_codes) / step_codes *
        step_codes;
    plan.max_steps = std::max(plan.max_steps, std::min(codes_per_span, codes) / step_codes);
    std::uint32_t span_of_group = 0;
    for (std::uint64_t at = from; at < range.end || span_of_group == 0;
         at += codes_per_span) {  // a row group without codes has one, for its rows' offsets
      if (span_of_group++ % max_spans == 0)
        plan.blocks.insert(plan.blocks.end(),
                           {static_cast<std::uint32_t>(plan.spans.size() / 3), 0, group});
      plan.blocks[plan.blocks.size() - 2]++;
      const double part =
          codes == 0 ? 0 : static_cast<double>(at - from) / static_cast<double>(codes);
      const std::uint64_t row =
          rows[group] +
          static_cast<std::uint64_t>(part * static_cast<double>(rows[group + 1] - rows[group]));
      const std::uint64_t end = std::min(at + codes_per_span, range.end);
      plan.spans.insert(plan.spans.end(),
                        {std::max(at, range.begin), end, 2 * row + (end == range.end ? 1 : 0)});
      plan.groups.push_back(group);
    }
  }
  return plan;
}

// Estimates decoding time in tenths of a step. Each round takes as long as its longest span, plus
// two steps to begin and end it. At the end thread blocks wait for one another for about a tenth of
// a span. Fitted to an H200 (addresses, microseconds): one million in 1, 2, 3 rounds 68, 77, 84;
// four millions in 1, 2, 3, 4, 6 rounds 247, 240, 242, 249, 259; ten millions in 3, 4, 5 rounds
// 580, 588, 564.
std::uint64_t cost_of(const SpanPlan& plan, std::uint64_t groups_at_once) {
  return (plan.group_count() + groups_at_once - 1) / groups_at_once * 10 * (plan.max_steps + 2) +
         plan.max_steps;
}
// Plans the number of rounds that is estimated to be fastest.
SpanPlan plan_spans(const std::vector<CodeRange>& ranges, std::span<const std::uint64_t> rows,
                    std::uint64_t code_bytes, const Traits& traits) {
  const SpanPolicy policy = span_policy(traits);
  const std::uint64_t groups_at_once =
      std::uint64_t{traits.compute_units} * policy.groups_per_multiprocessor;
  SpanPlan best;
  for (std::uint32_t rounds = 1; rounds <= max_span_rounds; rounds++) {
    double span = std::max(512.0, static_cast<double>(code_bytes) /
                                      static_cast<double>(rounds * groups_at_once * policy.warps));
    SpanPlan plan = plan_spans(ranges, rows, span, policy.warps);
    // Whole steps and ends of row groups leave thread blocks partly filled. A few blocks beyond the
    // planned rounds would take a round of their own.
    const std::uint64_t max_groups = rounds * groups_at_once;
    for (int attempt = 0;
         attempt < 100 && plan.group_count() > max_groups && ranges.size() <= max_groups; attempt++)
      plan = plan_spans(ranges, rows, span *= 1.02, policy.warps);
    if (rounds == 1 || cost_of(plan, groups_at_once) < cost_of(best, groups_at_once))
      best = std::move(plan);
  }
  return best;
}

// Host data that must outlive its uploads.
struct Uploads {
  std::vector<std::uint64_t> groups, tiles;
  std::vector<std::uint32_t> tables;
  SpanPlan plan;
};

using LastCodes = std::array<std::byte, 16>;
Status enqueue_codes(Device& device, Queue& queue, const EncodedStrings& strings, LastCodes& last,
                     DeviceStrings& uploaded) {
  PENSTOCK_ASSIGN(uploaded.codes, device.allocate(uploaded.code_bytes / 16 * 16 + 16));
  PENSTOCK_ASSIGN(uploaded.offsets,
                  device.allocate((uploaded.row_count + 1) * uploaded.offset_bytes));
  PENSTOCK_TRY(upload_padded(queue, *uploaded.codes, strings.codes, last));
  return queue.upload(*uploaded.offsets, strings.offsets.data,
                      (uploaded.row_count + 1) * uploaded.offset_bytes);
}

std::vector<std::uint64_t> first_rows(std::span<const RowGroup> row_groups,
                                      std::uint64_t row_count) {
  std::vector<std::uint64_t> rows;
  for (const RowGroup& group : row_groups) rows.push_back(group.first_row);
  rows.push_back(row_count);
  return rows;
}

Status enqueue_partition(Device& device, Queue& queue, const std::vector<CodeRange>& ranges,
                         Uploads& uploads, DeviceStrings& uploaded) {
  uploads.tiles = tiles_of(ranges, std::uint64_t{codes_per_thread} * tile_threads(device.traits()));
  uploaded.tile_count = uploads.tiles.back();
  PENSTOCK_ASSIGN(uploaded.group_rows, upload_vector(device, queue, uploads.groups));
  PENSTOCK_ASSIGN(uploaded.tables, upload_vector(device, queue, uploads.tables));
  PENSTOCK_ASSIGN(uploaded.first_tiles, upload_vector(device, queue, uploads.tiles));
  if (!has_warps(device.traits())) return {};
  SpanPlan& plan = uploads.plan;
  plan = plan_spans(ranges, uploads.groups, uploaded.code_bytes, device.traits());
  PENSTOCK_ASSIGN(uploaded.spans, upload_vector(device, queue, plan.spans));
  PENSTOCK_ASSIGN(uploaded.thread_blocks, upload_vector(device, queue, plan.blocks));
  PENSTOCK_ASSIGN(uploaded.span_row_groups, upload_vector(device, queue, plan.groups));
  uploaded.thread_block_count = static_cast<std::uint32_t>(plan.group_count());
  uploaded.span_count = static_cast<std::uint32_t>(plan.groups.size());
  return {};
}

}  // namespace

Status upload_partition(Device& device, Queue& queue, std::span<const RowGroup> row_groups,
                        const std::vector<CodeRange>& ranges, DeviceStrings& uploaded) {
  Uploads uploads;
  uploads.groups = first_rows(row_groups, uploaded.row_count);
  uploads.tables = table_words(row_groups);
  const Status enqueued = enqueue_partition(device, queue, ranges, uploads, uploaded);
  PENSTOCK_TRY(queue.finish());  // also after an error: enqueued uploads read `uploads`
  return enqueued;
}

std::uint32_t tile_threads(const Traits& traits) { return std::min(128u, traits.max_group_size); }
std::uint32_t row_threads(const Traits& traits) {
  return traits.wants_single_thread_groups() ? 1 : std::bit_floor(tile_threads(traits));
}

static Result<DeviceStrings> sizes_of(const EncodedStrings& strings) {
  if (strings.row_count == 0) return Status(Code::unsupported, "a column without rows");
  DeviceStrings uploaded;
  uploaded.row_count = strings.row_count;
  uploaded.code_bytes = strings.codes.size;
  uploaded.string_bytes = strings.string_bytes;
  uploaded.offset_bytes = strings.offset_bytes;
  uploaded.group_count = static_cast<std::uint32_t>(strings.row_groups.size());
  uploaded.row_groups = std::make_shared<std::vector<RowGroup>>(strings.row_groups);
  return uploaded;
}

Result<DeviceStrings> DeviceStrings::wrap_for_matching(Device& device,
                                                       const EncodedStrings& strings,
                                                       std::shared_ptr<Buffer> codes,
                                                       std::shared_ptr<Buffer> offsets) {
  PENSTOCK_ASSIGN(DeviceStrings uploaded, sizes_of(strings));
  if (codes->bytes() < (uploaded.code_bytes + 15) / 16 * 16 ||
      offsets->bytes() < (uploaded.row_count + 1) * uploaded.offset_bytes)
    return Status(Code::invalid, "the buffers of codes or offsets are smaller than the column's");
  uploaded.codes = std::move(codes);
  uploaded.offsets = std::move(offsets);
  const std::vector<std::uint64_t> groups = first_rows(strings.row_groups, strings.row_count);
  PENSTOCK_ASSIGN(const auto queue, device.queue());
  PENSTOCK_ASSIGN(uploaded.group_rows, upload_vector_now(device, *queue, groups));
  return uploaded;
}

Result<DeviceStrings> DeviceStrings::upload(Device& device, Queue& queue,
                                            const EncodedStrings& strings) {
  PENSTOCK_TRY(validate_layout(strings));
  PENSTOCK_ASSIGN(DeviceStrings uploaded, sizes_of(strings));
  LastCodes last{};
  return catch_exceptions([&]() -> Result<DeviceStrings> {
    const Status enqueued = enqueue_codes(device, queue, strings, last, uploaded);
    const Status shared = enqueued.ok() ? upload_partition(device, queue, strings.row_groups,
                                                           code_ranges(strings), uploaded)
                                        : queue.finish();
    PENSTOCK_TRY(enqueued);
    PENSTOCK_TRY(shared);
    return uploaded;
  });
}

Result<DeviceOutput> DeviceOutput::allocate(Device& device, const DeviceStrings& strings) {
  DeviceOutput output;
  PENSTOCK_ASSIGN(output.offsets, device.allocate((strings.row_count + 1) * 8));
  PENSTOCK_ASSIGN(output.bytes, device.allocate((strings.string_bytes + 15) / 16 * 16 + 16));
  return output;
}

}  // namespace penstock::fsst
