// A program's text becomes a shared object, and that a module.
#include <fcntl.h>

#include <fstream>
#include <iterator>

#include "base/file.hpp"
#include "device/architecture.hpp"
#include "device/compile_error.hpp"
#include "device/program_source.hpp"
#include "device/sycl/compile_folder.hpp"
#include "device/sycl/compiler_identity.hpp"
#include "device/sycl/sycl_compiler.hpp"
#include "device/sycl/sycl_device.hpp"

namespace penstock::sycl_plugin {
namespace {

std::string program_text(const Context& context, const ProgramSource& source) {
  std::string extra = "#define KC_EXPORTS_KERNELS 1\n#define KC_INTERFACE_VERSION " +
                      std::to_string(PENSTOCK_SYCL_INTERFACE_VERSION) + "\n";
  if (const std::string size = subgroup_size_of(context); !size.empty())
    extra += "#define SUBGROUP_SIZE " + size + "\n";
  if (device::has_nvvm(context.traits)) extra += "#define KC_HAS_NVVM 1\n";
  return device::with_head(source, extra);
}

Result<std::vector<std::byte>> bytes_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file),
                                std::istreambuf_iterator<char>()};
  if (bytes.empty()) return Status(Code::io, "the SYCL compiler wrote no " + path);
  const auto* const data = reinterpret_cast<const std::byte*>(bytes.data());
  return std::vector<std::byte>(data, data + bytes.size());
}

Result<CompilerRun> run_on_text(const std::vector<std::string>& options, const std::string& header,
                                const CompileFolder& folder) {
  std::vector<std::string> command = options;
  if (!header.empty()) command.insert(command.end(), {"-include-pch", header});
  command.insert(command.end(),
                 {folder.path() + "/program.cpp", "-o", folder.path() + "/program.so"});
  return run_compiler(command, folder.path() + "/log");
}

// A precompiled header goes stale where the compiler's own headers change. The run without it
// decides what is wrong, and with which words.
Result<CompilerRun> compile_text(const Context& context, const std::vector<std::string>& options,
                                 const CompileFolder& folder) {
  const std::string header = precompiled_header(context.api, options);
  if (header.empty()) return run_on_text(options, "", folder);
  PENSTOCK_ASSIGN(CompilerRun run, run_on_text(options, header, folder));
  if (run.succeeded) return run;
  PENSTOCK_ASSIGN(CompilerRun without, run_on_text(options, "", folder));
  if (without.succeeded) forget_precompiled_header(header);
  return without;
}

}  // namespace

std::string subgroup_size_of(const Context& context) {
  return context.traits.has_subgroups ? std::to_string(context.traits.subgroup_size) : "";
}

// Results must equal the host's unless fast_math: no contraction of a*b+c. Warnings are those of
// the runtime's headers.
std::vector<std::string> compiler_options(const Context& context, bool fast_math) {
  std::vector<std::string> options = compiler_command(context.api);
  options.insert(options.end(), {"-w", fast_math ? "-ffast-math" : "-ffp-contract=off"});
  // A configuration of AdaptiveCpp may name other targets, which lack what the text then has.
  if (device::has_nvvm(context.traits)) options.push_back("--acpp-targets=generic");
  return options;
}

std::vector<std::string> options_of_key(const Context& context, bool fast_math) {
  std::vector<std::string> options = compiler_options(context, fast_math);
  const std::vector<std::string> identity =
      compiler_identity(context.api, compiler_command(context.api));
  options.insert(options.end(), identity.begin(), identity.end());
  options.push_back("SUBGROUP_SIZE=" + subgroup_size_of(context));
  if (device::has_nvvm(context.traits)) options.push_back("KC_HAS_NVVM=1");
  return options;
}

Result<device::Compiled<Module>> compile_module(const ContextPointer& context,
                                                const ProgramSource& source) {
  PENSTOCK_ASSIGN(const CompileFolder folder, CompileFolder::make());
  const std::string text = program_text(*context, source);
  if (const File file(folder.path() + "/program.cpp", O_WRONLY | O_CREAT | O_EXCL);
      !file || !file.write_all(text.data(), text.size()))
    return Status(Code::io, "cannot write a program in " + folder.path());
  PENSTOCK_ASSIGN(CompilerRun run,
                  compile_text(*context, compiler_options(*context, source.fast_math), folder));
  if (!run.succeeded) return device::compile_error(source.label, context->traits.id, text, run.log);
  PENSTOCK_ASSIGN(std::vector<std::byte> binary, bytes_of_file(folder.path() + "/program.so"));
  auto module = load_module(context, binary);
  if (!module.ok())
    return module.with("while loading '" + source.label + "', compiled by " +
                       context->traits.compiler);
  return device::Compiled<Module>{std::move(module).value(),
                                  {std::move(binary), std::move(run.log), ""}};
}

}  // namespace penstock::sycl_plugin
