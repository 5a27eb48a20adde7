// The Arrow C Data Interface (https://arrow.apache.org/docs/format/CDataInterface.html), in and
// out.
//
// The three structs are the interface's ABI. Import takes ownership (moves out of the struct and
// releases later); columns share the producer's memory wherever the layout allows. Export gives a
// struct that owns references to our buffers.
#pragma once
#include <cstdint>

#include "penstock/column.hpp"

extern "C" {
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema** children;
  struct ArrowSchema* dictionary;
  void (*release)(struct ArrowSchema*);
  void* private_data;
};
struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  struct ArrowArray** children;
  struct ArrowArray* dictionary;
  void (*release)(struct ArrowArray*);
  void* private_data;
};
#endif
#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE
struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema* out);
  int (*get_next)(struct ArrowArrayStream*, struct ArrowArray* out);
  const char* (*get_last_error)(struct ArrowArrayStream*);
  void (*release)(struct ArrowArrayStream*);
  void* private_data;
};
#endif
}

namespace penstock {

// Imports a struct array (a record batch) as a table. Both structs are consumed, also on error.
Result<Table> import_table(ArrowArray* array, ArrowSchema* schema);
Result<Schema> import_schema(const ArrowSchema& schema);
// Imports a stream as a source that can be scanned once.
Result<std::shared_ptr<TableSource>> import_stream(ArrowArrayStream* stream,
                                                   std::string name = "arrow stream");
// Fills both structs; the caller releases them.
Status export_table(const Table& table, ArrowArray* array, ArrowSchema* schema);

}  // namespace penstock
