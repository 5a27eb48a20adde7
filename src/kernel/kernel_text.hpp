// Kernel C text: where it is kept, how it is put together for a target, and what its kernels take.
//
// Text for a device = the target's prelude + the shared library (group.kc) + the parts given, each behind a #line with its
// name, so that compilers' messages name our files.
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

// Written by cmake/Embed.cmake: `extern const EmbeddedText <layer>_texts[]; extern const unsigned <layer>_text_count;`.
struct EmbeddedText { const char* name; const char* text; };   // name: "kernel/group.kc"

struct TextPart { std::string name, text; };
// The complete text of a program: prelude, group.kc, then the parts in order.
std::string assemble(Target target, std::span<const TextPart> parts);

enum class ParameterKind : unsigned char { in, out, atomic, value };
struct Parameter { ParameterKind kind = ParameterKind::in; std::string type, name; };
struct Signature { std::string name, tile; std::vector<Parameter> parameters; };
// Reads every KERNEL(name, Tile, KIND(type, name), ...) of a text, before anything is compiled.
Result<std::vector<Signature>> read_signatures(std::string_view text);
// Whether arguments fit a signature in number, kind and size; the error names kernel and parameter.
Status check_arguments(const Signature& signature, std::span<const Argument> arguments);

// The share of a device's memory system that a copy kernel or the driver's copy reaches, bytes read plus written a second:
// the figure that every bench divides by. Measured once a process and device.
Result<double> copy_bandwidth(Device& device);

}  // namespace penstock::kernel
