// Batches of compressed chunks, decoded into a device's memory.
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <numeric>

#include "penstock/batch.hpp"
#include "session_handle.hpp"

namespace penstock::python {
namespace {

using Numbers = std::vector<std::uint64_t>;
using Bytes8 = nb::ndarray<nb::ro, nb::c_contig>;

batch::Format chunk_format(const std::string& name) {
  for (const auto& [known, format] :
       {std::pair("lz4", batch::Format::lz4), std::pair("snappy", batch::Format::snappy),
        std::pair("deflate", batch::Format::deflate), std::pair("zlib", batch::Format::zlib),
        std::pair("gzip", batch::Format::gzip), std::pair("zstd", batch::Format::zstd)})
    if (name == known) return format;
  throw StatusError{Status(
      Code::invalid, "no format of chunks '" + name + "': lz4, snappy, deflate, zlib, gzip, zstd")};
}

// Kernels trust offsets and sizes: those that leave the input are refused here.
Status check_ranges(const Numbers& offsets, const Numbers& sizes, const Numbers& capacities,
                    std::uint64_t input_bytes) {
  if (offsets.size() != sizes.size() || capacities.size() != sizes.size())
    return Status(Code::invalid, "chunks have as many offsets, sizes and capacities");
  if (sizes.size() > UINT32_MAX) return Status(Code::capacity, "more than 2^32 - 1 chunks");
  for (std::size_t i = 0; i < sizes.size(); i++) {
    if (sizes[i] > input_bytes || offsets[i] > input_bytes - sizes[i])
      return Status(Code::invalid, "chunk " + std::to_string(i) + " leaves the input of " +
                                       std::to_string(input_bytes) + " bytes");
    if (std::max(sizes[i], capacities[i]) > batch::max_chunk_bytes)
      return Status(Code::capacity, "chunk " + std::to_string(i) + " is larger than " +
                                        std::to_string(batch::max_chunk_bytes) + " bytes");
  }
  return {};
}

// The queue and the memory of a batch.
struct BatchMemory {
  std::shared_ptr<Device> device;
  batch::Batch batch;
  Numbers output_sizes;
  std::vector<batch::ChunkStatus> statuses;
  std::unique_ptr<Queue> queue;  // the last: its end waits for work on the memory above

  Result<std::shared_ptr<Buffer>> uploaded(const void* data, std::uint64_t bytes) {
    // Kernels read up to the next multiple of 16 after a chunk.
    PENSTOCK_ASSIGN(auto buffer, device->allocate((bytes + 79) / 64 * 64));
    if (bytes > 0) PENSTOCK_TRY(queue->upload(*buffer, data, bytes));
    return buffer;
  }
  Status take_input(const void* data, std::uint64_t bytes, bool is_there) {
    if (!is_there) {
      PENSTOCK_ASSIGN(batch.input, uploaded(data, bytes));
      return {};
    }
    PENSTOCK_ASSIGN(batch.input, device->allocate((bytes + 79) / 64 * 64));
    if (bytes == 0) return {};
    PENSTOCK_ASSIGN(const auto given,
                    device->import_memory(reinterpret_cast<std::uint64_t>(data), bytes));
    return queue->copy(*batch.input, *given, bytes);
  }
  Status take(const Numbers& offsets, const Numbers& sizes, const Numbers& capacities,
              const Numbers& output_offsets) {
    const std::uint64_t bytes = 8 * sizes.size();
    batch.chunk_count = static_cast<std::uint32_t>(sizes.size());
    PENSTOCK_ASSIGN(batch.input_offsets, uploaded(offsets.data(), bytes));
    PENSTOCK_ASSIGN(batch.input_sizes, uploaded(sizes.data(), bytes));
    PENSTOCK_ASSIGN(batch.output_offsets, uploaded(output_offsets.data(), bytes));
    PENSTOCK_ASSIGN(batch.output_capacities, uploaded(capacities.data(), bytes));
    PENSTOCK_ASSIGN(batch.output, device->allocate(output_offsets.back() + 64));
    PENSTOCK_ASSIGN(batch.output_sizes, device->allocate(bytes + 64));
    PENSTOCK_ASSIGN(batch.statuses,
                    device->allocate(sizes.size() * sizeof(batch::ChunkStatus) + 64));
    batch.max_output_bytes = *std::ranges::max_element(capacities);
    return {};
  }
};

Status decode(BatchMemory& memory, batch::Format format) {
  const std::uint32_t count = memory.batch.chunk_count;
  batch::Requirements needs;
  needs.max_output_bytes = memory.batch.max_output_bytes;
  PENSTOCK_ASSIGN(const auto decoder, batch::Decoder::build(memory.device, format, {}, needs));
  PENSTOCK_ASSIGN(const auto scratch,
                  memory.device->allocate(std::max<std::uint64_t>(
                      decoder->scratch_bytes(count, needs.max_output_bytes), 64)));
  PENSTOCK_TRY(decoder->enqueue(*memory.queue, memory.batch, *scratch));
  memory.output_sizes.resize(count);
  memory.statuses.resize(count);
  PENSTOCK_TRY(
      memory.queue->download(memory.output_sizes.data(), *memory.batch.output_sizes, 8 * count));
  PENSTOCK_TRY(memory.queue->download(memory.statuses.data(), *memory.batch.statuses,
                                      count * sizeof(batch::ChunkStatus)));
  PENSTOCK_TRY(memory.queue->finish());
  for (std::uint32_t i = 0; i < count; i++)
    PENSTOCK_TRY(batch::status_of(format, i, memory.statuses[i]));
  return {};
}

// Returns the places of outputs, at multiples of 16, and after them the bytes of all.
Numbers places_of(const Numbers& capacities) {
  Numbers places = {0};
  for (const std::uint64_t bytes : capacities)
    places.push_back(places.back() + (bytes + 15) / 16 * 16);
  return places;
}

nb::tuple decode_chunks(const std::string& device, const std::string& format, Bytes8 input,
                        const Numbers& offsets, const Numbers& sizes, const Numbers& capacities) {
  const batch::Format known = chunk_format(format);
  check(check_ranges(offsets, sizes, capacities, input.nbytes()));
  const Numbers places = places_of(capacities);
  BatchMemory memory;
  {
    const nb::gil_scoped_release released;
    memory.device = value_of(open_device(device));
    memory.queue = value_of(memory.device->queue());
    if (!has_addresses(*memory.device))
      throw StatusError{Status(Code::unsupported, memory.device->traits().id +
                                                      " has no memory that other libraries read")};
    const bool is_host = input.device_type() == nb::device::cpu::value;
    if (!is_host && !is_there(input.device_type(), input.device_id(), *memory.device))
      throw StatusError{Status(
          Code::unsupported, "the chunks are not in the memory of " + memory.device->traits().id)};
    if (!is_host) check(wait_for_default_stream(*memory.device));
    check(memory.take_input(input.data(), input.nbytes(), !is_host));
    if (!sizes.empty()) {
      check(memory.take(offsets, sizes, capacities, places));
      check(decode(memory, known));
    }
  }
  Column output;
  output.type = {Kind::uint8};
  output.row_count = sizes.empty() ? 0 : places.back();
  output.device_values = sizes.empty() ? memory.batch.input : memory.batch.output;
  return nb::make_tuple(array_on_device(output, memory.device),
                        Numbers(places.begin(), places.end() - 1), memory.output_sizes);
}

}  // namespace

void add_chunks(nb::module_& module) {
  module.def("decode_chunks", decode_chunks, nb::arg("device"), nb::arg("format"), nb::arg("input"),
             nb::arg("offsets"), nb::arg("sizes"), nb::arg("capacities"));
}

}  // namespace penstock::python
