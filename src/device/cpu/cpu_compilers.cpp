#include "device/cpu/cpu_compilers.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "base/file.hpp"
#include "base/process.hpp"

namespace penstock::cpu {
namespace {

enum class Choice : unsigned char { automatic, quick, optimising };
constexpr std::array<std::string_view, 3> choice_names = {"auto", "quick", "optimising"};

std::optional<Choice> choice_of(std::string_view name) {
  for (std::size_t i = 0; i < choice_names.size(); i++)
    if (choice_names[i] == name) return static_cast<Choice>(i);
  return {};
}

// The user's choice; without one, the choice that a command works best with.
struct Choices {
  std::atomic<std::optional<Choice>> asked, preferred;
};
Choices& choices() {
  static Choices& all = *[] {
    auto* const made = new Choices;
    const char* const value = std::getenv("PENSTOCK_CPU_COMPILER");
    made->asked = choice_of(value ? value : "");
    return made;
  }();
  return all;
}

// The file that a compiler's name leads to: Debian's `cc` is a link to a link to gcc-12.
std::string identity_of(const std::string& path) {
  std::error_code error;
  const std::string file = std::filesystem::canonical(path, error).string();
  return error ? path : file + " " + file_identity(file);
}

std::optional<Compiler> find_compiler(const char* variable, std::vector<std::string_view> names) {
  const char* const value = std::getenv(variable);
  if (value) names = {value};
  for (const std::string_view name : names) {
    if (name.empty()) continue;
    const std::string path = name.starts_with('/') ? std::string(name) : program_on_path(name);
    if (::access(path.c_str(), X_OK) == 0) return Compiler{path, identity_of(path), {}};
  }
  return {};
}

// Both tiers give the same bits: nothing is contracted, no sum is reordered, and signed numbers
// wrap.
const std::vector<std::string> common_options = {"-std=gnu11",
                                                 "-march=native",
                                                 "-shared",
                                                 "-fPIC",
                                                 "-nostdlib",
                                                 "-nostdinc",
                                                 "-ffp-contract=off",
                                                 "-fwrapv",
                                                 "-fno-math-errno",
                                                 "-fno-trapping-math",
                                                 "-fno-builtin",
                                                 "-fno-strict-aliasing",
                                                 "-fvisibility=hidden",
                                                 "-w"};

// At -O2 gcc 12 vectorises only if that surely pays. With the dynamic cost model the kernels of
// TPC-H Q1 and Q6 take half of the time. -O3 is no faster, and compiles the table of a join in 2.2
// s instead of 0.4: it copies the loops for each condition.
void set_options(Compiler& optimising) {
  optimising.options = common_options;
#if defined(__aarch64__)
  // By default atomic operations are calls of libgcc's functions, which kernels do not link.
  optimising.options.push_back("-mno-outline-atomics");
#endif
  optimising.plain_options = {"-O1"};
  optimising.optimal_options = {"-O2"};
  const bool is_gcc = optimising.identity.find("gcc") != std::string::npos;  // the file's name
  if (is_gcc)
    optimising.optimal_options.insert(optimising.optimal_options.end(),
                                      {"-ftree-vectorize", "-fvect-cost-model=dynamic"});
}

}  // namespace

Compilers find_compilers() {
  Compilers found;
  // No header and no library is needed: kernels call the process's functions through a table.
  found.quick = find_compiler("PENSTOCK_TCC", {"tcc"});
  if (found.quick) found.quick->options = {"-shared", "-nostdlib", "-nostdinc", "-w"};
  found.optimising = find_compiler("PENSTOCK_CC", {"cc", "gcc", "clang"});
  if (found.optimising) set_options(*found.optimising);
  return found;
}

Result<Compilers> chosen_compilers(const Compilers& found) {
  const std::optional<Choice> asked = choices().asked;
  const Choice choice = asked.value_or(choices().preferred.load().value_or(Choice::automatic));
  Compilers chosen = found;
  if (choice == Choice::quick) chosen.optimising.reset();
  if (choice == Choice::optimising && (asked || found.optimising)) chosen.quick.reset();
  if (chosen.quick || chosen.optimising) return chosen;
  return Status(Code::unsupported,
                choice == Choice::quick
                    ? "the quick compiler of kernels is not there: apt install tcc"
                    : "no C compiler is there: apt install gcc");
}

}  // namespace penstock::cpu

namespace penstock {

Status choose_cpu_compiler(std::string_view name) {
  const auto choice = cpu::choice_of(name);
  if (!choice)
    return Status(Code::invalid,
                  "no compiler '" + std::string(name) +
                      "' of the CPU's kernels: it is one of quick, optimising, auto");
  cpu::choices().asked = *choice;
  return {};
}

void prefer_optimised_kernels() { cpu::choices().preferred = cpu::Choice::optimising; }

}  // namespace penstock
