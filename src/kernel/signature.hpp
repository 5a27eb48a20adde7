// The parameters of a source's kernels, read before anything is compiled.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/device.hpp"
#include "penstock/status.hpp"

namespace penstock::kernel {

enum class ParameterKind : unsigned char { in, out, atomic, value };
struct Parameter {
  ParameterKind kind = ParameterKind::in;
  std::string type, name;
};
// A macro that stands for parameters, and its definition without line breaks.
struct ParameterMacro {
  std::size_t offset = 0, length = 0;  // in the source
  std::string definition;
};
struct Signature {
  std::string name, tile;
  std::vector<Parameter> parameters;
  std::size_t offset = 0;              // of the word KERNEL in the source
  std::vector<ParameterMacro> macros;  // in order
};

// Reads every KERNEL(name, Tile, KIND(type, name), ...) of a source. Comments, strings and
// preprocessor lines are skipped, with one exception: a parameter may name a macro without
// arguments that expands to a list of parameters. KERNEL_3 and the like, which assemble() makes
// from KERNEL, are read too. Code::invalid with file and line for a malformed KERNEL.
Result<std::vector<Signature>> read_signatures(std::string_view source);

// Returns the bytes of a scalar type of Kernel C ("u32" 4, "u32x4" 16); nothing for a type that a
// source defines itself.
std::optional<std::uint32_t> bytes_of_type(std::string_view type);

// Checks that arguments fit a signature in number, kind and size; the error names kernel and
// parameter. IN, OUT and ATOMIC take buffers that start at a multiple of their element's size and
// hold at least one element, VALUE takes a value.
Status check_arguments(const Signature& signature, std::span<const Argument> arguments);

// Describes a parameter of a kernel, or for "groups" the number of groups of a launch; returns an
// empty text if nothing is known.
using DescribeParameter =
    std::function<std::string(std::string_view kernel, std::string_view parameter)>;

// Returns a line for the groups and one for each parameter of a kernel, as comments.
std::string parameter_comments(const Signature& kernel, const DescribeParameter& describe);

}  // namespace penstock::kernel
