#include "cli/needed_gpus.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "device/driver.hpp"
#include "ranks/mpi/launcher.hpp"

namespace penstock::cli {
namespace {

using namespace std::string_view_literals;

// Those that open the devices of --device alone, or the first one.
constexpr std::array with_few_gpus = {"query"sv,   "video"sv, "compress"sv, "decompress"sv,
                                      "profile"sv, "tune"sv,  "cache"sv};

// Returns the value of --device, "" where there is none; none where it is given twice.
std::optional<std::string_view> selector_of(std::span<const char* const> arguments) {
  std::optional<std::string_view> found;
  for (std::size_t i = 0; i < arguments.size(); i++) {
    const std::string_view argument = arguments[i];
    const bool is_apart = argument == "--device" || argument == "-d";
    if (!is_apart && !argument.starts_with("--device=")) continue;
    if (found || (is_apart && i + 1 == arguments.size())) return {};
    found = is_apart ? arguments[++i] : argument.substr("--device="sv.size());
  }
  return found.value_or("");
}

bool add_number(std::string_view text, std::vector<unsigned>& numbers) {
  unsigned number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  numbers.push_back(number);
  return !text.empty() && error == std::errc() && end == text.data() + text.size();
}

unsigned gpu_count() {
  constexpr unsigned max_gpus = 32;  // of a host
  unsigned count = 0;
  std::error_code ignored;
  for (unsigned i = 0; i < max_gpus; i++)
    count += std::filesystem::exists("/dev/nvidia" + std::to_string(i), ignored);
  return count;
}

}  // namespace

std::optional<std::vector<unsigned>> needed_gpus(std::span<const char* const> arguments) {
  if (arguments.empty() || std::ranges::find(with_few_gpus, arguments[0]) == with_few_gpus.end())
    return {};
  const auto selector = selector_of(arguments);
  if (!selector) return {};
  if (selector->empty() || *selector == "gpu" || *selector == "cuda")
    return std::vector<unsigned>{0};
  constexpr std::string_view driver = "cuda:";
  std::vector<unsigned> numbers;
  std::string_view rest = *selector;
  if (!rest.starts_with(driver)) return {};
  while (!rest.empty()) {
    if (rest.starts_with(driver)) rest.remove_prefix(driver.size());
    const std::size_t comma = std::min(rest.find(','), rest.size());
    if (!add_number(rest.substr(0, comma), numbers) || comma + 1 == rest.size()) return {};
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  std::ranges::sort(numbers);
  numbers.erase(std::ranges::unique(numbers).begin(), numbers.end());
  return numbers;
}

void show_only_needed_gpus(std::span<const char* const> arguments) {
  if (std::getenv("CUDA_VISIBLE_DEVICES")) return;
  // Ranks share a host's GPUs: which is whose is known later.
  if (ranks::launch_of_process().by != ranks::Launcher::none) return;
  const auto numbers = needed_gpus(arguments);
  if (!numbers || numbers->empty()) return;
  const unsigned count = gpu_count();
  if (numbers->size() < count && numbers->back() < count) device::show_only_cuda(*numbers);
}

}  // namespace penstock::cli
