// Implements include/penstock/batch.h over batch.hpp.
#include "penstock/batch.h"

#include <array>

#include "device/c_device.hpp"
#include "penstock/batch.hpp"

namespace penstock::batch {

// Owns a Decoder or an Encoder, and the device it was built for.
template <class Codec> struct Handle {
  std::shared_ptr<Device> device;
  std::unique_ptr<Codec> codec;
  std::string variant;
};

}  // namespace penstock::batch

struct penstock_chunk_decoder : penstock::batch::Handle<penstock::batch::Decoder> {};
struct penstock_chunk_encoder : penstock::batch::Handle<penstock::batch::Encoder> {};

namespace penstock::batch {
namespace {

static_assert(sizeof(ChunkStatus) == sizeof(penstock_chunk_status));

Result<Format> format_of(penstock_chunk_format format) {
  switch (format) {
    case PENSTOCK_CHUNK_LZ4: return Format::lz4;
    case PENSTOCK_CHUNK_SNAPPY: return Format::snappy;
    case PENSTOCK_CHUNK_DEFLATE: return Format::deflate;
    case PENSTOCK_CHUNK_ZLIB: return Format::zlib;
    case PENSTOCK_CHUNK_GZIP: return Format::gzip;
    case PENSTOCK_CHUNK_ZSTD: return Format::zstd;
  }
  return Status(Code::invalid, "unknown chunk format " + std::to_string(static_cast<int>(format)));
}

// Imports memory of the caller's. Kernels load and store 16 bytes at once, hence the alignment.
Result<std::shared_ptr<Buffer>> import(Device& device, const penstock_memory& memory,
                                       const char* name) {
  constexpr std::uint64_t alignment = 16;
  // OpenCL handles are cl_mem objects, which have no address.
  const bool is_address = device.traits().target != Target::opencl;
  if (is_address && memory.handle % alignment != 0)
    return Status(Code::invalid,
                  std::string("the address of ") + name + " is not a multiple of 16");
  auto buffer = device.import_memory(memory.handle, memory.bytes);
  if (!buffer.ok()) return buffer.with(std::string("while importing the memory of ") + name);
  return buffer;
}

Result<Batch> import_batch(Device& device, const penstock_chunk_batch& from) {
  Batch batch;
  batch.chunk_count = from.chunk_count, batch.max_output_bytes = from.max_output_bytes;
  struct Part {
    std::shared_ptr<Buffer>& to;
    const penstock_memory& from;
    const char* name;
  };
  const std::array parts = {
      Part{batch.input, from.input, "input"},
      Part{batch.input_offsets, from.input_offsets, "input_offsets"},
      Part{batch.input_sizes, from.input_sizes, "input_sizes"},
      Part{batch.output, from.output, "output"},
      Part{batch.output_offsets, from.output_offsets, "output_offsets"},
      Part{batch.output_capacities, from.output_capacities, "output_capacities"},
      Part{batch.output_sizes, from.output_sizes, "output_sizes"},
      Part{batch.statuses, from.statuses, "statuses"},
  };
  for (const Part& part : parts) { PENSTOCK_ASSIGN(part.to, import(device, part.from, part.name)); }
  return batch;
}

template <class Codec>
Status enqueue(const Handle<Codec>* handle, void* queue, const penstock_chunk_batch* from) {
  if (handle == nullptr || from == nullptr)
    return Status(Code::invalid, "no decoder or encoder, or no batch");
  PENSTOCK_ASSIGN(const Batch batch, import_batch(*handle->device, *from));
  PENSTOCK_ASSIGN(const auto scratch, import(*handle->device, from->scratch, "scratch"));
  PENSTOCK_ASSIGN(const auto caller_queue,
                  handle->device->import_queue(reinterpret_cast<std::uint64_t>(queue)));
  return handle->codec->enqueue(*caller_queue, batch, *scratch);
}

template <class Codec, class HandleType>
Status build(penstock_device* device, penstock_chunk_format requested, const char* variant,
             HandleType** result) {
  if (device == nullptr || result == nullptr)
    return Status(Code::invalid, "no device, or no pointer for the handle");
  *result = nullptr;
  PENSTOCK_ASSIGN(const Format format, format_of(requested));
  PENSTOCK_ASSIGN(auto codec,
                  Codec::build(device->device, format, variant == nullptr ? "" : variant));
  std::string name(codec->variant());
  *result = new HandleType{{device->device, std::move(codec), std::move(name)}};
  return {};
}

}  // namespace
}  // namespace penstock::batch

using namespace penstock;

extern "C" {

penstock_code penstock_chunk_decoder_build(penstock_device* device, penstock_chunk_format format,
                                           const char* variant, penstock_chunk_decoder** decoder,
                                           penstock_status* status) {
  return c::enter(status,
                  [&] { return batch::build<batch::Decoder>(device, format, variant, decoder); });
}

void penstock_chunk_decoder_free(penstock_chunk_decoder* decoder) { delete decoder; }

const char* penstock_chunk_decoder_variant(const penstock_chunk_decoder* decoder) {
  return decoder->variant.c_str();
}

uint64_t penstock_chunk_decoder_scratch_bytes(const penstock_chunk_decoder* decoder,
                                              uint32_t chunk_count, uint64_t max_output_bytes) {
  return decoder->codec->scratch_bytes(chunk_count, max_output_bytes);
}

penstock_code penstock_chunk_decoder_enqueue(penstock_chunk_decoder* decoder, void* queue,
                                             const penstock_chunk_batch* batch,
                                             penstock_status* status) {
  return c::enter(status, [&] { return batch::enqueue<batch::Decoder>(decoder, queue, batch); });
}

penstock_code penstock_chunk_check(penstock_chunk_format format, uint64_t chunk,
                                   penstock_chunk_status chunk_status, penstock_status* status) {
  return c::enter(status, [&]() -> Status {
    PENSTOCK_ASSIGN(const batch::Format known, batch::format_of(format));
    return batch::status_of(
        known, chunk, {static_cast<batch::ErrorCode>(chunk_status.error), chunk_status.offset});
  });
}

penstock_code penstock_chunk_encoder_build(penstock_device* device, penstock_chunk_format format,
                                           const char* variant, penstock_chunk_encoder** encoder,
                                           penstock_status* status) {
  return c::enter(status,
                  [&] { return batch::build<batch::Encoder>(device, format, variant, encoder); });
}

void penstock_chunk_encoder_free(penstock_chunk_encoder* encoder) { delete encoder; }

const char* penstock_chunk_encoder_variant(const penstock_chunk_encoder* encoder) {
  return encoder->variant.c_str();
}

uint64_t penstock_chunk_bound_bytes(penstock_chunk_format format, uint64_t output_bytes) {
  const auto known = batch::format_of(format);
  return known.ok() && batch::Encoder::supports(*known)
             ? batch::Encoder::bound_bytes(*known, output_bytes)
             : 0;
}

uint64_t penstock_chunk_encoder_scratch_bytes(const penstock_chunk_encoder* encoder,
                                              uint32_t chunk_count, uint64_t max_output_bytes) {
  return encoder->codec->scratch_bytes(chunk_count, max_output_bytes);
}

penstock_code penstock_chunk_encoder_enqueue(penstock_chunk_encoder* encoder, void* queue,
                                             const penstock_chunk_batch* batch,
                                             penstock_status* status) {
  return c::enter(status, [&] { return batch::enqueue<batch::Encoder>(encoder, queue, batch); });
}

}  // extern "C"
