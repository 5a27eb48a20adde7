// Sources of Kernel C: where they are kept, and how they are put together for a target.
// docs/kernel-c.md has the dialect.
//
// The source of a program = the target's prelude + the shared library (group.kc) + the parts given,
// each after a #line with its name, so that compilers' messages name our files.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/device.hpp"

namespace penstock::kernel {

// A file of a layer's folder, compiled in by cmake/Embed.cmake.
struct EmbeddedSource {
  const char* name;  // its path from src/: "kernel/group.kc"
  const char* text;
};
std::string_view find_source(std::span<const EmbeddedSource> sources, std::string_view name);

// Finds the text of a source by its name; empty if there is none. cmake/Embed.cmake defines the
// function of each layer that has kernels, in that layer's library.
using FindSource = std::string_view (*)(std::string_view name);
std::string_view kernel_source(std::string_view name);
std::string_view primitive_source(std::string_view name);
std::string_view column_source(std::string_view name);
std::string_view codec_source(std::string_view name);
std::string_view expr_source(std::string_view name);
std::string_view table_source(std::string_view name);
std::string_view fuse_source(std::string_view name);
std::string_view exec_source(std::string_view name);
std::string_view video_source(std::string_view name);

struct SourcePart {
  std::string name, text;
};

// Returns the complete source of a program: prelude, group.kc, then the parts in order. GROUP_SIZE
// is left for whoever compiles it to define. SYCL and host source is one C++ file, its kernels in
// namespace kernelc.
//
// `#include "codec/lz/kernels/warp.kc"` on a line of its own stands for that file, which `find`
// gives: once in a program, the first time that it is named, whatever #if is around it. A file that
// is not found or that includes itself becomes an #error; cmake/EmbedSources.cmake refuses both
// when the library is built.
std::string assemble(Target target, std::span<const SourcePart> parts,
                     FindSource find = kernel_source);

// Returns what assemble() makes of the parts alone, for sources that have a prelude already.
std::string assemble_parts(Target target, std::span<const SourcePart> parts, FindSource find);

// The files of one program.
struct KernelFiles {
  FindSource find;
  std::vector<std::string> names;  // from src/: "table/kernels/window.kc"
  std::string definitions = {};    // the macros that they name, a line each
};
ProgramSource program_source(Target target, const KernelFiles& files, std::uint32_t group_size,
                             std::string_view label);
// Returns the group size of kernels whose threads share rows out (table/kernels/row_share.kc).
std::uint32_t group_size_for_rows(const Traits& traits);

}  // namespace penstock::kernel
