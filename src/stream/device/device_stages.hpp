// Decodes chunks that the host finds on a device, in batches.
#pragma once
#include <memory>

#include "stream/pipeline/chunk_stages.hpp"

namespace penstock::stream {

// Returns the output bytes of a batch on this device.
std::uint64_t device_job_bytes(const Device& device);
// Returns a decoder that runs the chunks on the context's device.
std::unique_ptr<Decoder> make_chunk_decoder(std::unique_ptr<ChunkStages> chunks, Context& context);

}  // namespace penstock::stream
