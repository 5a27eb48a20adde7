// Writes paged columns as Arrow arrays, with the values that a kernel reading pages would see.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "codec/pages/device/page_decoder.hpp"
#include "penstock/device_arrays.hpp"
#include "primitive/scan.hpp"

namespace penstock::pages {

// For one queue at a time.
class PageArrays {
 public:
  static Result<std::unique_ptr<PageArrays>> create(std::shared_ptr<Device> device);
  // Returns when the arrays are complete. `columns`: the column of each of the decoded pages.
  // Strings have no codes (ChunkPages::dictionary_codes).
  Result<std::vector<DeviceArray>> write(Queue& queue, std::span<const PagedColumn* const> columns,
                                         std::span<const DecodedPages> decoded,
                                         bool has_large_offsets = false);

 private:
  using Memory = std::shared_ptr<Buffer>;
  // A column of strings between the two passes.
  struct Strings {
    Memory places, lengths, total, first_rows;
    std::uint64_t byte_count = 0;
  };
  // For each column.
  struct Written {
    std::vector<DeviceArray> arrays;
    std::vector<Strings> strings;
  };

  explicit PageArrays(std::shared_ptr<Device> device) : device_(std::move(device)) {}
  std::uint32_t groups(std::uint64_t items) const;
  Result<Memory> allocate(std::uint64_t bytes) const;
  Status launch(Queue& queue, std::string_view kernel, std::uint64_t items,
                std::span<const Argument> arguments) const;
  Status write_validity(Queue& queue, const DecodedPages& decoded, DeviceArray& array) const;
  Status write_values(Queue& queue, const PagedColumn& column, const DecodedPages& decoded,
                      DeviceArray& array) const;
  Status find_strings(Queue& queue, const DecodedPages& decoded, Strings& strings) const;
  Status write_offsets(Queue& queue, const Strings& strings, DeviceArray& array);
  Status copy_strings(Queue& queue, const DecodedPages& decoded, Strings& strings,
                      DeviceArray& array) const;
  Status begin(Queue& queue, std::span<const PagedColumn* const> columns,
               std::span<const DecodedPages> decoded, Written& written) const;
  Status end(Queue& queue, std::span<const DecodedPages> decoded, bool has_large_offsets,
             Written& written);

  std::shared_ptr<Device> device_;
  std::shared_ptr<Program> program_;
  std::unique_ptr<primitive::Scan> narrow_scan_, wide_scan_;  // built when first used
};

}  // namespace penstock::pages
