// Reads pages back by a kernel that asks for every row, as queries do: alone and as one of four.
#pragma once
#include "codec/pages/device/page_decoder.hpp"
#include "kernel/kernel_source.hpp"
#include "kernel_c/host_device.hpp"
#include "on_device/device/device_fixture.hpp"
#include "page_encoders.hpp"

namespace penstock::pages {

inline const char* const read_pages_kernel = R"(
#include "codec/pages/kernels/page_load.kc"
typedef struct { u32 unused; } ReadTile;
// Whether a row has the same value as one of four.
FUNCTION u32 is_in_four(GLOBAL const u32* bytes, GLOBAL const u32* index, u32 row, u32 width,
                        u64 value, u32 present)
{
  u64 values[4];
  u32 found;
  if (width == 64u) {
    const PageFour64 four = page_load_4_64(bytes, index, row & ~3u);
    for (u32 k = 0; k < 4u; k++) values[k] = four.values[k];
    found = four.present;
  } else {
    const PageFour32 four = page_load_4_32(bytes, index, row & ~3u);
    for (u32 k = 0; k < 4u; k++) values[k] = (u64)four.values[k];
    found = four.present;
  }
  return (u32)((found >> (row & 3u) & 1u) == present && values[row & 3u] == value);
}
KERNEL(read_pages, ReadTile, IN(u32, bytes), IN(u32, index), OUT(u64, values), OUT(u32, valid),
       VALUE(u32, row_count), VALUE(u32, width))
{
  (void)tile;
  for (u64 row = GLOBAL_ID(work); row < row_count; row += (u64)GROUP_COUNT(work) * GROUP_SIZE) {
    PageRun run = page_no_run();
    u32 present;
    values[row] = width == 64u ? page_load_64(bytes, index, (u32)row, &run, &present)
                               : (u64)page_load_32(bytes, index, (u32)row, &run, &present);
    valid[row] = present;
    if ((row | 3u) < row_count &&
        is_in_four(bytes, index, (u32)row, width, values[row], present) == 0u)
      valid[row] = 2u;
  }
}
)";

// A column and what its rows should be.
struct TestColumn {
  PagedColumn column;
  std::vector<std::shared_ptr<ChunkPages>> chunks;
  Rows rows;
};

inline std::uint32_t width_of(const PagedColumn& column) {
  const bool is_64 = column.conversion != Conversion::none || column.physical == Physical::int64 ||
                     column.physical == Physical::float64;
  return is_64 ? 64 : 32;
}

inline Result<Rows> read_rows(Device& device, Queue& queue, const PagedColumn& column,
                              const DecodedPages& decoded) {
  const kernel::SourcePart parts[] = {{"read_pages", read_pages_kernel}};
  ProgramSource source;
  source.text = kernel::assemble(device.traits().target, parts, kernel::codec_source);
  source.group_size = device.traits().wants_single_thread_groups() ? 1 : 32;
  PENSTOCK_ASSIGN(const auto program, device.build(source));
  const auto count = static_cast<std::uint32_t>(decoded.row_count);
  std::vector<std::uint64_t> values(count);
  std::vector<std::uint32_t> valid(count);
  PENSTOCK_ASSIGN(const auto value_memory, device.allocate(std::max<std::size_t>(count * 8, 64)));
  PENSTOCK_ASSIGN(const auto valid_memory, device.allocate(std::max<std::size_t>(count * 4, 64)));
  PENSTOCK_TRY(queue.launch(
      *program, "read_pages", count == 0 ? 0 : 4,
      {{Argument::of(*decoded.bytes), Argument::of(*decoded.index), Argument::of(*value_memory),
        Argument::of(*valid_memory), Argument::value(count), Argument::value(width_of(column))}}));
  PENSTOCK_TRY(queue.download(values.data(), *value_memory, count * 8));
  PENSTOCK_TRY(queue.download(valid.data(), *valid_memory, count * 4));
  PENSTOCK_TRY(queue.finish());
  Rows rows(count);
  for (std::uint32_t i = 0; i < count; i++) {
    if (valid[i] == 2)
      return Status(Code::internal, "row " + std::to_string(i) + " is another as one of four");
    if (valid[i] != 0) rows[i] = values[i];
  }
  return rows;
}

struct DecodedTable {
  std::vector<Rows> columns;
  std::vector<std::uint64_t> null_counts;
  std::optional<PageFault> fault;
};

// Decodes columns at once. A fault is part of the result.
inline Result<DecodedTable> decode_pages(std::shared_ptr<Device> device,
                                         const std::vector<TestColumn>& columns) {
  PENSTOCK_ASSIGN(const auto decoder, PageDecoder::create(device));
  PENSTOCK_ASSIGN(const auto queue, device->queue());
  std::vector<ColumnOfPages> wanted;
  for (const TestColumn& column : columns) {
    ColumnOfPages one{&column.column, {}};
    for (const auto& chunk : column.chunks) one.chunks.push_back(chunk.get());
    wanted.push_back(std::move(one));
  }
  PENSTOCK_ASSIGN(const auto pending, decoder->begin(*queue, wanted));
  const auto decoded = pending->finish();
  DecodedTable table;
  table.fault = pending->fault();
  if (!decoded.ok() && !table.fault) return decoded.status();
  if (!decoded.ok()) return table;
  for (std::size_t i = 0; i < columns.size(); i++) {
    PENSTOCK_ASSIGN(Rows rows, read_rows(*device, *queue, columns[i].column, (*decoded)[i]));
    table.columns.push_back(std::move(rows));
    table.null_counts.push_back((*decoded)[i].null_count);
  }
  return table;
}

inline void expect_rows(const std::shared_ptr<Device>& device,
                        const std::vector<TestColumn>& columns) {
  const auto table = decode_pages(device, columns);
  ASSERT_TRUE(table.ok()) << table.status().text();
  ASSERT_FALSE(table->fault) << "column " << table->fault->column << ", page " << table->fault->page
                             << ": " << table->fault->status.text();
  for (std::size_t i = 0; i < columns.size(); i++) {
    const Rows& rows = columns[i].rows;
    ASSERT_EQ(table->columns[i].size(), rows.size());
    for (std::size_t row = 0; row < rows.size(); row++)
      ASSERT_EQ(table->columns[i][row], rows[row]) << "column " << i << ", row " << row;
    ASSERT_EQ(table->null_counts[i], std::count(rows.begin(), rows.end(), std::nullopt));
  }
}

// The kernels under sanitizers: warps that are groups, warps that are sub-groups, single threads.
inline std::vector<std::shared_ptr<Device>> page_devices_on_host() {
  std::vector<std::shared_ptr<Device>> devices;
  for (const kernel::HostDeviceOptions& options :
       {kernel::HostDeviceOptions{},
        kernel::HostDeviceOptions{.order = kernel::ThreadOrder::shuffled, .subgroup_size = 32},
        kernel::HostDeviceOptions{.is_cpu = true, .max_group_size = 1}})
    devices.push_back(kernel::make_host_device(options));
  return devices;
}

}  // namespace penstock::pages
