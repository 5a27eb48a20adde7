// A program's text becomes a shared object, and that a module.
#include "device/architecture.hpp"
#include "device/compile_error.hpp"
#include "device/program_source.hpp"
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

Result<device::CompilerRun> run_on_text(const std::vector<std::string>& options,
                                        const std::string& header,
                                        const device::CompileFolder& folder) {
  std::vector<std::string> command = options;
  if (!header.empty()) command.insert(command.end(), {"-include-pch", header});
  command.insert(command.end(),
                 {folder.path_of("program.cpp"), "-o", folder.path_of("program.so")});
  return run_compiler(command, folder);
}

// A precompiled header goes stale where the compiler's own headers change. The run without it
// determines the errors and their messages.
Result<device::CompilerRun> compile_text(const Context& context,
                                         const std::vector<std::string>& options,
                                         const device::CompileFolder& folder) {
  const std::string header = precompiled_header(context.api, options);
  if (header.empty()) return run_on_text(options, "", folder);
  PENSTOCK_ASSIGN(device::CompilerRun run, run_on_text(options, header, folder));
  if (run.succeeded) return run;
  PENSTOCK_ASSIGN(device::CompilerRun without, run_on_text(options, "", folder));
  if (without.succeeded) forget_precompiled_header(header);
  return without;
}

}  // namespace

std::string subgroup_size_of(const Context& context) {
  return context.traits.has_subgroups ? std::to_string(context.traits.subgroup_size) : "";
}

// Results must equal the host's unless fast_math: no contraction of a*b+c. -w: all warnings come
// from the runtime's headers.
std::vector<std::string> compiler_options(const Context& context, bool fast_math) {
  std::vector<std::string> options = compiler_command(context.api);
  options.insert(options.end(), {"-w", fast_math ? "-ffast-math" : "-ffp-contract=off"});
  // A configuration of AdaptiveCpp may name other targets that do not support this text.
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
  PENSTOCK_ASSIGN(const device::CompileFolder folder, device::CompileFolder::make());
  const std::string text = program_text(*context, source);
  PENSTOCK_TRY(folder.write("program.cpp", std::as_bytes(std::span(text))));
  PENSTOCK_ASSIGN(device::CompilerRun run,
                  compile_text(*context, compiler_options(*context, source.fast_math), folder));
  if (!run.succeeded) return device::compile_error(source.label, context->traits.id, text, run.log);
  PENSTOCK_ASSIGN(std::vector<std::byte> binary, folder.read("program.so"));
  auto module = load_module(context, binary);
  if (!module.ok())
    return module.with("while loading '" + source.label + "', compiled by " +
                       context->traits.compiler);
  return device::Compiled<Module>{std::move(module).value(),
                                  {std::move(binary), std::move(run.log), ""}};
}

}  // namespace penstock::sycl_plugin
