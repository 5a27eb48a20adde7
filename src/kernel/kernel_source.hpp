// Kernel C text: where it is kept, how it is put together for a target, and what its kernels take.
// docs/kernel-c.md has the dialect.
//
// Text for a device = the target's prelude + the shared library (group.kc) + the parts given, each
// behind a #line with its name, so that compilers' messages name our files.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/device.hpp"
#include "penstock/status.hpp"

namespace penstock::kernel {

// The texts of a layer's folder, compiled in by cmake/Embed.cmake, which defines for each layer
// that has any (declare what you use): `extern const EmbeddedText <layer>_texts[]; extern const
// unsigned <layer>_text_count;` and `std::string_view <layer>_text(std::string_view name)`, empty
// when there is none of this name.
struct EmbeddedText {
  const char* name;
  const char* text;
};  // name: "kernel/group.kc"
std::string_view find_text(std::span<const EmbeddedText> texts, std::string_view name);
std::string_view kernel_text(std::string_view name);

struct TextPart {
  std::string name, text;
};
// The complete text of a program: prelude, group.kc, then the parts in order. GROUP_SIZE is left
// for whoever compiles it to define. SYCL and host text is one C++ file, its kernels in namespace
// kernelc.
std::string assemble(Target target, std::span<const TextPart> parts);

enum class ParameterKind : unsigned char { in, out, atomic, value };
struct Parameter {
  ParameterKind kind = ParameterKind::in;
  std::string type, name;
};
struct Signature {
  std::string name, tile;
  std::vector<Parameter> parameters;
  std::size_t place = 0;  // of the word KERNEL in the text
};
// Reads every KERNEL(name, Tile, KIND(type, name), ...) of a text, before anything is compiled.
// Comments, strings and preprocessor lines are passed over. Code::invalid with file and line for a
// KERNEL that is none.
Result<std::vector<Signature>> read_signatures(std::string_view text);
// The bytes of a scalar type of Kernel C ("u32" 4, "u32x4" 16); nothing for a type that a text
// defines itself.
std::optional<std::uint32_t> bytes_of_type(std::string_view type);
// Whether arguments fit a signature in number, kind and size; the error names kernel and parameter.
// IN, OUT and ATOMIC take buffers that start at a multiple of their element's size and hold at
// least one element, VALUE takes a value.
Status check_arguments(const Signature& signature, std::span<const Argument> arguments);

// The share of a device's memory system that a copy kernel or the driver's copy reaches, whichever
// is better, bytes read plus written a second: the figure that every bench divides by. Measured
// once a process and device, on buffers far larger than any cache (256 MiB each on a CPU, 1 GiB on
// a GPU, less where memory is short).
Result<double> copy_bandwidth(Device& device);

}  // namespace penstock::kernel
