// The Arrow C Device Data Interface, in: arrays in the memory of a device
// (https://arrow.apache.org/docs/format/CDeviceDataInterface.html).
#pragma once
#include <span>

#include "column/arrow_format.hpp"
#include "penstock/device.hpp"

extern "C" {
#ifndef ARROW_C_DEVICE_DATA_INTERFACE
#define ARROW_C_DEVICE_DATA_INTERFACE
struct ArrowDeviceArray {
  struct ArrowArray array;
  int64_t device_id;
  int32_t device_type;
  void* sync_event;
  int64_t reserved[3];
};
#endif
#ifndef ARROW_C_DEVICE_STREAM_INTERFACE
#define ARROW_C_DEVICE_STREAM_INTERFACE
struct ArrowDeviceArrayStream {
  int32_t device_type;
  int (*get_schema)(struct ArrowDeviceArrayStream*, struct ArrowSchema* out);
  int (*get_next)(struct ArrowDeviceArrayStream*, struct ArrowDeviceArray* out);
  const char* (*get_last_error)(struct ArrowDeviceArrayStream*);
  void (*release)(struct ArrowDeviceArrayStream*);
  void* private_data;
};
#endif
}

namespace penstock::column {

// The interface's numbers of the kinds of memory that are read.
enum class ArrowDevice : std::int32_t { cpu = 1, cuda = 2, cuda_host = 3, cuda_managed = 13 };

std::string name_of_arrow_device(std::int32_t type);  // "CUDA", "ROCm", "of number 99"
// Whether the host reads it as its own memory.
bool is_read_by_host(std::int32_t type);

// Imports struct arrays whose buffers are addresses in the memory of a device, one after another.
// Numbers, dates and timestamps stay there: of one array without a copy, of several copied into
// one. Columns of other types come to the host, as do bits that do not begin at a whole word. The
// values are complete. Columns own the arrays that they share memory with.
Result<Table> import_from_device(Device& device, std::span<const ArrowField> fields,
                                 std::span<const std::shared_ptr<const ArrowArray>> batches);

}  // namespace penstock::column
