#include "fuzz/device/fsst_bench.hpp"

namespace penstock::fuzz {
namespace {

Traits traits_of(bool is_cpu) {
  Traits traits;
  traits.id = traits.name = "linked";
  traits.target = Target::host;
  traits.compute_units = 2;
  traits.max_group_size = is_cpu ? 1 : 8;
  traits.global_bytes = traits.max_allocation_bytes = std::uint64_t{1} << 30;
  traits.local_bytes = 32 << 10;
  traits.is_cpu = is_cpu;
  traits.has_f64 = traits.has_atomic_u64 = true;
  return traits;
}

}  // namespace

void expect_ok(const Status& status, const std::string& claim) {
  require(status.ok(), claim + ": " + status.text());
}
void expect_bad_row(const Status& status, std::uint64_t row, const std::string& claim) {
  const std::string message = "row " + std::to_string(row);
  const bool names_it = status.text().find(message + ":") != std::string::npos ||
                        status.text().find(message + ", byte") != std::string::npos;
  require(status.code() == Code::corrupt && names_it,
          claim + " names row " + std::to_string(row) + " and not: " + status.text());
}

Bench::Bench(const FuzzedColumn& its, bool is_cpu)
    : column(its), texts(its), device(make_linked_device(traits_of(is_cpu))) {
  queue = expected(device->queue(), "a queue");
  uploaded = expected(fsst::DeviceStrings::upload(*device, *queue, column.strings),
                      "a column with a valid layout is uploaded");
  if (!column.has_replaced_offsets) return;
  for (std::uint64_t i = 0; i < column.offsets.size(); i++)
    std::memcpy(content_of(*uploaded.offsets).data() + i * uploaded.offset_bytes,
                &column.offsets[i], uploaded.offset_bytes);
}

void expect_string(const fsst::DeviceOutput& text, std::uint64_t at, std::uint64_t row,
                   const std::string& expected_text, const std::string& claim) {
  const auto begin = value_at<std::uint64_t>(*text.offsets, at),
             end = value_at<std::uint64_t>(*text.offsets, at + 1);
  require(end - begin == expected_text.size() && end <= text.bytes->bytes() &&
              std::memcmp(content_of(*text.bytes).data() + begin, expected_text.data(),
                          expected_text.size()) == 0,
          claim + ": the string of row " + std::to_string(row));
}

void expect_unwritten(const Buffer& buffer, const std::string& claim) {
  for (const std::byte byte : content_of(buffer))
    require(byte == unwritten(), claim + ": output of a corrupt column");
}

}  // namespace penstock::fuzz
