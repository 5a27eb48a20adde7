// A device with programs that are part of the fuzz program: the library's launches run on the host
// executor at once, in the same process, under sanitizers. Buffers are heap blocks of exactly their
// size; races in kernels' writes and divergent barriers end the program.
#pragma once
#include <memory>

#include "penstock/device.hpp"

namespace kernelc {
struct KernelEntry;
}

namespace penstock::fuzz {

std::shared_ptr<Device> make_linked_device(const Traits& traits);
// A kernel of the program that is built from `source`; null where it is not linked. Each fuzz
// program has its own.
const kernelc::KernelEntry* find_linked(const ProgramSource& source, std::string_view kernel);
// Chooses how kernels are launched from now on: the order in which threads take their turns, the
// least number of groups of FSST's kernels, which share out their work whatever the number is, and
// the content of memory that nobody has written.
void set_launches(std::uint32_t number);
std::byte unwritten();
// Whether races in buffers are looked for from now on (in local memory they always are): several
// threads write texts if their given places overlap.
void watch_buffers(bool is_on);

// The bytes of a buffer.
std::span<std::byte> content_of(const Buffer& buffer);

}  // namespace penstock::fuzz
