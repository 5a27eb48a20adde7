// Rows of a right side that device memory does not hold: on the host, in the order of the buckets
// of their keys.
//
// They come in parts. Each part was in device memory and was sorted there by the buckets of its
// rows' keys (kernels/join_buckets.kc). So the rows of a range of buckets are a slice of each part,
// and go back unchanged. Rows with one key are in one bucket, and keep their order.
#pragma once
#include <array>

#include "primitive/radix_sort.hpp"
#include "table/join/join_layout.hpp"
#include "table/rows/gather_on_device.hpp"

namespace penstock::plan {

class BucketedRows {
 public:
  // `keys`: of the columns, by number.
  BucketedRows(std::shared_ptr<RowKernels> kernels, Schema columns, Columns keys)
      : kernels_(std::move(kernels)), schema_(std::move(columns)), keys_(std::move(keys)) {}
  // Enqueues downloads of rows, after the work that is in the queue. They must be done before the
  // rows are read, or this object ends.
  Status append(Queue& queue, const DeviceRows& rows);
  std::uint64_t row_count() const { return row_count_; }
  std::uint64_t bytes() const { return row_count_ * device_bytes_per_row(schema_); }
  const Schema& schema() const { return schema_; }
  const Columns& keys() const { return keys_; }
  const std::shared_ptr<RowKernels>& kernels() const { return kernels_; }

  bool has_nulls() const;  // a row has a NULL in a key; it is in no bucket
  std::array<std::uint64_t, JOIN_BUCKET_COUNT> rows_of_buckets() const;
  // Uploads columns, by number, of the rows of some buckets. Code::no_memory if they do not fit.
  Result<DeviceRows> upload(Queue& queue, BucketRange buckets, const Columns& columns) const;
  Table on_host(const StringPool& strings) const;  // all of them

 private:
  using HostPointer = std::shared_ptr<HostBuffer>;
  struct Part {
    std::uint64_t row_count = 0;
    // The first row of each bucket, the first row with a NULL key, and the number of rows.
    HostPointer starts;
    std::vector<HostPointer> values, validity;  // of each column, as DeviceColumn has them
    std::uint32_t start(std::uint32_t bucket) const {
      return reinterpret_cast<const std::uint32_t*>(starts->data())[bucket];
    }
  };
  Status append_part(Queue& queue, const DeviceRows& rows, std::uint64_t first,
                     std::uint64_t count);
  Result<BufferPointer> sorted_numbers(Queue& queue, const DeviceRows& rows, std::uint64_t first,
                                       Part& part);
  Result<HostPointer> download_sorted(Queue& queue, const GatherNumbers& by,
                                      const BufferPointer& from, std::uint32_t width);
  Result<BufferPointer> upload_slices(Queue& queue, BucketRange buckets, std::uint64_t row_count,
                                      const std::vector<HostPointer> Part::* of,
                                      std::uint32_t column, std::uint64_t width) const;

  std::shared_ptr<RowKernels> kernels_;
  Schema schema_;
  Columns keys_;
  std::unique_ptr<primitive::RadixSort> sort_;
  std::vector<Part> parts_;
  std::uint64_t row_count_ = 0;
};

}  // namespace penstock::plan
