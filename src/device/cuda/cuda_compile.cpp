#include "device/cuda/cuda_compile.hpp"

#include <algorithm>
#include <future>
#include <span>
#include <string_view>

#include "base/clock.hpp"
#include "device/cuda/begun_sources.hpp"
#include "device/cuda/cuda_ahead_of_time.hpp"
#include "device/program_source.hpp"

namespace penstock::cuda {
namespace {

constexpr const char* relocatable = "--relocatable-device-code=true";

using ObjectPointer = std::shared_ptr<Object>;

// Returns whether programs are linked: not where the compiler is older than the GPU and makes PTX.
bool can_link(const Context& context) {
  return context.api.cuLinkCreate && context.api.cuLinkAddData && context.api.cuLinkComplete &&
         context.api.cuLinkDestroy && knows_architecture(context.nvrtc, context.architecture);
}

bool names_local_bytes(std::span<const std::byte> image) {
  constexpr std::string_view name = "_local_bytes";
  return std::search(image.begin(), image.end(), name.begin(), name.end(),
                     [](std::byte byte, char letter) {
                       return std::to_integer<char>(byte) == letter;
                     }) != image.end();
}

ProgramSource with_define(ProgramSource source, const char* name) {
  source.defines.emplace_back(name, "1");
  return source;
}

Result<CompiledSource> compile_text(const Context& context, const ProgramSource& source,
                                    const std::vector<std::string>& options) {
  const SourceToCompile wanted{context.architecture, options, device::with_head(source, "")};
  if (auto begun = take_begun(wanted)) return *std::move(begun);
  return compile_source(context.nvrtc, wanted.text, wanted.architecture, options, source.label);
}

Result<ObjectPointer> find_object(const Context& context, const LinkedSource& linked,
                                  bool fast_math, ObjectCache& cache) {
  const LinkedPart part = linked_part(linked, context.traits, fast_math);
  const device::CacheKey key = device::cache_key(
      context.traits, device::key_options(part.options, part.source), part.source);
  const auto ahead = programs_ahead_of_time(context.traits, part.source, part.options);
  const auto load = [](const device::CacheEntry& entry) -> Result<ObjectPointer> {
    return std::make_shared<Object>(entry.binary);
  };
  const auto compile = [&]() -> Result<device::Compiled<Object>> {
    const double begun = now_seconds();
    PENSTOCK_ASSIGN(CompiledSource compiled, compile_text(context, part.source, part.options));
    return device::Compiled<Object>{std::make_shared<Object>(compiled.binary),
                                    {std::move(compiled.binary), compiled.log,
                                     device::notes_of_build(linked.label, now_seconds() - begun)}};
  };
  PENSTOCK_ASSIGN(auto found, cache.objects.get(key, load, compile, &ahead));
  return found.module;
}

// The driver's linker, used by one thread after another. The state owns the linked image.
class Linker {
 public:
  explicit Linker(ContextPointer context) : context_(std::move(context)) {}
  ~Linker() {
    const Current current(*context_);
    if (state_) context_->api.cuLinkDestroy(state_);
  }
  Linker(const Linker&) = delete;
  Linker& operator=(const Linker&) = delete;

  // The first linker of a process takes 50 ms to make, as the driver opens a library for it.
  static Result<std::unique_ptr<Linker>> make(const ContextPointer& context) {
    auto linker = std::make_unique<Linker>(context);
    const Current current(*context);
    PENSTOCK_TRY(context->check(context->api.cuLinkCreate(0, nullptr, nullptr, &linker->state_),
                                "cuLinkCreate"));
    return linker;
  }
  Status add(Object& object, const std::string& name) {
    const Current current(*context_);
    return context_->check(
        context_->api.cuLinkAddData(state_, CU_JIT_INPUT_CUBIN, object.data(), object.size(),
                                    name.c_str(), 0, nullptr, nullptr),
        "cuLinkAddData");
  }
  Result<std::vector<std::byte>> finish() {
    const Current current(*context_);
    void* image = nullptr;
    std::size_t bytes = 0;
    PENSTOCK_TRY(
        context_->check(context_->api.cuLinkComplete(state_, &image, &bytes), "cuLinkComplete"));
    const auto* const data = static_cast<const std::byte*>(image);
    return std::vector<std::byte>(data, data + bytes);
  }

 private:
  ContextPointer context_;
  CUlinkState state_ = nullptr;
};

// The linker and the linked objects are made while the program compiles.
Result<CompiledSource> compile_and_link(const ContextPointer& context, const ProgramSource& source,
                                        std::vector<std::string> options, ObjectCache& cache) {
  auto linking = std::async(std::launch::async, [&context] { return Linker::make(context); });
  std::vector<std::future<Result<ObjectPointer>>> finding;
  for (const LinkedSource& linked : source.linked)
    finding.push_back(std::async(std::launch::async, [&context, &linked, &source, &cache] {
      return find_object(*context, linked, source.fast_math, cache);
    }));
  options.emplace_back(relocatable);
  PENSTOCK_ASSIGN(CompiledSource own,
                  compile_text(*context, with_define(source, "LINKED_CALLS"), options));
  PENSTOCK_ASSIGN(const std::unique_ptr<Linker> linker, linking.get());
  PENSTOCK_TRY(linker->add(own.binary, source.label));
  for (std::size_t i = 0; i < finding.size(); i++) {
    PENSTOCK_ASSIGN(const ObjectPointer object, finding[i].get());
    PENSTOCK_TRY(linker->add(*object, source.linked[i].label));
  }
  PENSTOCK_ASSIGN(std::vector<std::byte> image, linker->finish());
  // Nothing in a program refers to these variables, which the host reads (cuda_module.cpp).
  if (names_local_bytes(own.binary) && !names_local_bytes(image))
    return Status(Code::internal, "the driver's linker left out variables");
  own.binary = std::move(image);
  return own;
}

// If linking fails, the program is compiled whole: the driver's linker may be older than the
// compiler.
Result<CompiledSource> compile_any_way(const ContextPointer& context, const ProgramSource& source,
                                       ObjectCache& cache) {
  const std::vector<std::string> options = compiler_options(source);
  if (!source.linked.empty() && can_link(*context))
    if (auto linked = compile_and_link(context, source, options, cache); linked.ok()) return linked;
  return compile_text(*context, source, options);
}

}  // namespace

// Results must equal the host's unless fast_math: no contraction of a*b+c. Division, sqrt and
// denormals are exact by default. Line information costs nothing at run time and gives
// compute-sanitizer and profilers our source lines.
std::vector<std::string> compiler_options(const ProgramSource& source) {
  std::vector<std::string> options = {
      "--std=c++17", "--device-as-default-execution-space", line_information,
      "--diag-suppress=177"};  // 177: a function of the prelude is not used
  options.push_back(source.fast_math ? "--use_fast_math" : "-fmad=false");
  if (source.text.find("__int128") != std::string::npos) options.push_back("--device-int128");
  return options;
}

// Functions work in groups of any size.
LinkedPart linked_part(const LinkedSource& linked, const Traits& traits, bool fast_math) {
  LinkedPart part;
  part.source.text = linked.text, part.source.label = linked.label;
  part.source.fast_math = fast_math;
  part.source.group_size = traits.subgroup_size;
  part.source = with_define(std::move(part.source), "LINKED_PART");
  part.options = compiler_options(part.source);
  part.options.insert(part.options.end(),
                      {relocatable, "--maxrregcount=" + std::to_string(linked.max_registers)});
  return part;
}

Result<std::shared_ptr<Module>> load_module(const ContextPointer& context,
                                            const std::vector<std::byte>& binary) {
  const Current current(*context);
  CUmodule module = nullptr;
  PENSTOCK_TRY(
      context->check(context->api.cuModuleLoadData(&module, binary.data()), "cuModuleLoadData"));
  const std::string_view image(reinterpret_cast<const char*>(binary.data()), binary.size());
  return std::make_shared<Module>(context, module, binary,
                                  image.find("_local_bytes") != image.npos);
}

Result<device::Compiled<Module>> compile_module(const ContextPointer& context,
                                                const ProgramSource& source, ObjectCache& objects) {
  const double begun = now_seconds();
  PENSTOCK_ASSIGN(CompiledSource compiled, compile_any_way(context, source, objects));
  std::string notes = device::notes_of_build(source.label, now_seconds() - begun);
  auto module = load_module(context, compiled.binary);
  if (!module.ok())
    return module.with("while loading '" + source.label + "', compiled by " +
                       context->traits.compiler);
  return device::Compiled<Module>{
      std::move(module).value(),
      {std::move(compiled.binary), std::move(compiled.log), std::move(notes)}};
}

}  // namespace penstock::cuda
