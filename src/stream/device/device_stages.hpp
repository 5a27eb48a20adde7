// Decoders that run on a device: units that the host finds, decoded in batches.
#pragma once
#include <memory>

#include "stream/pipeline/units.hpp"

namespace penstock::stream {

// The output bytes of a batch on this device.
std::uint64_t device_piece_bytes(const Device& device);
// Decodes the units on the context's device.
std::unique_ptr<Decoder> make_on_device(std::unique_ptr<UnitStages> units, Context& context);

}  // namespace penstock::stream
