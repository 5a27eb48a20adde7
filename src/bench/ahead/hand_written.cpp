#include "bench/ahead/hand_written.hpp"

#include <mutex>

#include "base/exception_boundary.hpp"
#include "base/thread_pool.hpp"
#include "codec/batch/run_checksums.hpp"
#include "codec/lz/source_resolver.hpp"
#include "codec/pages/device/page_arrays.hpp"
#include "codec/pages/device/page_programs.hpp"
#include "exec/kernel/exec_kernels.hpp"
#include "fuse/codegen/emit_pipeline.hpp"
#include "kernel/bandwidth.hpp"
#include "penstock/arrow_string_layouts.hpp"
#include "penstock/batch.hpp"
#include "primitive/radix_sort.hpp"
#include "primitive/scan.hpp"
#include "table/rows/row_kernels.hpp"
#include "table/sort/window_kernels.hpp"
#include "terminal/signals.hpp"
#include "video/device/device_feature.hpp"

namespace penstock::bench {
namespace {

using Programs = std::vector<ProgramToBuild>;

Programs copy_programs(const std::shared_ptr<Device>& device) {
  return {{"copy", [device] { return kernel::build_copy(*device); }}};
}

Programs sort_programs(const std::shared_ptr<Device>& device) {
  Programs programs;
  // The shapes of sorts, and of columns that are moved by the range of each row.
  static constexpr primitive::SortShape shapes[] = {{4, 0}, {4, 4}, {8, 0}, {8, 4},
                                                    {1, 1}, {1, 2}, {1, 4}, {1, 8}};
  for (const primitive::SortShape shape : shapes)
    programs.push_back(
        {"radix_sort", [=] { return primitive::RadixSort::build(device, shape).status(); }});
  return programs;
}

// The shapes that codecs, joins, windows, pages and `penstock bench` ask for.
Programs scan_programs(const std::shared_ptr<Device>& device) {
  using primitive::Number;
  static constexpr primitive::ScanShape shapes[] = {
      {Number::u32, Number::u32, true, false},  {Number::u32, Number::u64, true, false},
      {Number::u64, Number::u64, true, false},  {Number::u64, Number::u64, false, true},
      {Number::f64, Number::f64, false, true},  {Number::u8, Number::u32, false, true},
      {Number::f32, Number::f32, false, false}, {Number::u64, Number::u64, false, false},
      {Number::f32, Number::f64, false, false}};
  Programs programs;
  for (const primitive::ScanShape& shape : shapes)
    programs.push_back(
        {"scan", [device, shape] { return primitive::Scan::build(device, shape).status(); }});
  return programs;
}

// For each format, the rows for chunks of any size, for large chunks, and for blocks of one stream.
Programs chunk_programs(const std::shared_ptr<Device>& device) {
  constexpr std::uint64_t large = std::uint64_t{16} << 20;
  Programs programs;
  for (const batch::Format format :
       {batch::Format::lz4, batch::Format::snappy, batch::Format::deflate, batch::Format::zlib,
        batch::Format::gzip, batch::Format::zstd}) {
    for (const batch::Requirements& needs :
         {batch::Requirements{}, batch::Requirements{large, false},
          batch::Requirements{large, true}})
      if (const auto rows = batch::Decoder::variants(format, device->traits(), needs);
          !rows.empty())
        programs.push_back(
            {rows.front(),
             [=] { return batch::Decoder::build(device, format, rows.front(), needs).status(); }});
    if (batch::Encoder::supports(format))
      for (const std::string& row : batch::Encoder::variants(format, device->traits()))
        programs.push_back(
            {row, [=] { return batch::Encoder::build(device, format, row).status(); }});
  }
  for (const batch::Checksum checksum : {batch::Checksum::crc32, batch::Checksum::adler32,
                                         batch::Checksum::xxh32, batch::Checksum::xxh64})
    programs.push_back(
        {"run_checksums", [=] { return batch::RunChecksums::build(device, checksum).status(); }});
  programs.push_back(
      {"source_resolver", [device] { return batch::SourceResolver::build(device).status(); }});
  return programs;
}

Programs page_programs(const std::shared_ptr<Device>& device) {
  return {{"pages",
           [device]() -> Status {
             PENSTOCK_ASSIGN(const auto programs, pages::PagePrograms::create(device));
             return programs->build_all();
           }},
          {"page_arrays", [device] { return pages::PageArrays::create(device).status(); }},
          {"arrow_strings", [device] { return ArrowStringLayouts::build(device).status(); }}};
}

// The programs that orders, joins and merged groups run on rows in device memory.
Programs row_programs(const std::shared_ptr<Device>& device) {
  Programs programs;
  const auto add = [&](const char* name, plan::KernelFiles files) {
    programs.push_back({name, [device, files = std::move(files)] {
                          return plan::RowKernels(device, files).wait();
                        }});
  };
  for (const char* const name :
       {"group_merge", "group_columns", "group_results", "group_parts", "group_sums"})
    add(name, plan::exec_kernels(name));
  add("first_rows", plan::table_kernels({"first_rows"}));
  add("order_merge", plan::table_kernels({"order_merge"}));
  add("order_columns", plan::table_kernels({"order_columns", "order_ranges"}));
  add("joins", plan::table_kernels({"join_table", "join_pairs", "join_buckets"}));
  return programs;
}

// The kernels of windows over each type of a column that they add up.
Programs window_programs(const std::shared_ptr<Device>& device) {
  Programs programs;
  for (const std::uint32_t bits : {32u, 64u})
    programs.push_back({"words", [=] { return plan::kernels_of_words(device, bits).wait(); }});
  for (const Kind kind :
       {Kind::boolean, Kind::int8, Kind::uint8, Kind::int16, Kind::uint16, Kind::int32,
        Kind::uint32, Kind::int64, Kind::uint64, Kind::float32, Kind::float64, Kind::int128})
    programs.push_back(
        {"values", [=] { return plan::kernels_of_values(device, Type{kind}).wait(); }});
  return programs;
}

// Loads out of pages, which kernels that read row by row are linked to, by the registers that
// policies leave a thread. The program that is linked to them here does not matter.
Programs load_programs(const std::shared_ptr<Device>& device) {
  Programs programs;
  if (device->traits().target != Target::cuda) return programs;
  for (const std::uint32_t registers : {32u, 64u, 128u})
    programs.push_back({"loads of pages", [=] {
                          ProgramSource source = kernel::program_source(
                              Target::cuda, {kernel::kernel_source, {"kernel/copy.kc"}},
                              device->traits().subgroup_size, "loads");
                          source.linked = {plan::linked_page_loads(Target::cuda, registers)};
                          return device->build(source).status();
                        }});
  return programs;
}

// The source depends on the samples' width and on options, not on the size of the picture.
Status build_feature(const std::shared_ptr<Device>& device, const video::FeatureRow& row,
                     std::uint32_t bits) {
  video::PictureFormat format;
  format.width = 1920, format.height = 1080, format.bits = bits;
  PENSTOCK_ASSIGN(const video::DeviceLayout layout, video::device_layout(format));
  PENSTOCK_ASSIGN(const video::OptionValues options,
                  video::OptionValues::parse(row.name, row.options, {}));
  return row.device(device, layout, options).status();
}

Programs video_programs(const std::shared_ptr<Device>& device) {
  Programs programs;
  for (const video::FeatureRow* const row : video::feature_rows())
    for (const std::uint32_t bits : {8u, 10u})
      if (row->device)
        programs.push_back({std::string(row->name) + " of " + std::to_string(bits) + " bits",
                            [=] { return build_feature(device, *row, bits); }});
  return programs;
}

bool runs_elsewhere(const Status& status) {
  return status.code() == Code::unsupported || status.code() == Code::invalid;
}

}  // namespace

std::span<const HandWrittenFamily> hand_written_families() {
  static constexpr HandWrittenFamily rows[] = {
      {"loads", load_programs},      {"windows", window_programs}, {"copy", copy_programs},
      {"radix_sort", sort_programs}, {"scan", scan_programs},      {"rows", row_programs},
      {"chunks", chunk_programs},    {"fsst", fsst_programs},      {"pages", page_programs},
      {"video", video_programs}};
  return rows;
}

FilledPrograms build_hand_written(const std::shared_ptr<Device>& device) {
  std::vector<std::pair<std::string, Task<Status>>> tasks;
  for (const HandWrittenFamily& family : hand_written_families())
    for (ProgramToBuild& program : family.programs(device))
      tasks.emplace_back(std::string(family.name) + ", " + program.name,
                         ThreadPool::shared().start([build = std::move(program.build)] {
                           if (!terminal::interrupted()) return catch_exceptions(build);
                           return Status(Code::cancelled, "interrupted before it was compiled");
                         }));
  FilledPrograms filled;
  for (auto& [name, task] : tasks) {
    const Status status = task.get();
    if (status.ok())
      filled.built++;
    else if (!runs_elsewhere(status))
      filled.failed.push_back(name + ": " + status.text());
  }
  return filled;
}

}  // namespace penstock::bench
