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

// Commands that open only the devices of --device, or the first device.
constexpr std::array with_few_gpus = {"query"sv,   "video"sv, "compress"sv, "decompress"sv,
                                      "profile"sv, "tune"sv,  "cache"sv};

// A short option, which may be "-d" and its value together, or have a value that looks like one.
bool is_short_option(std::string_view argument) {
  return argument.size() > 1 && argument[0] == '-' && argument[1] != '-' && argument != "-d";
}

// Returns the value of --device, "" if there is none; nullopt if that is not clear.
std::optional<std::string_view> selector_of(std::span<const char* const> arguments) {
  std::optional<std::string_view> found;
  for (std::size_t i = 0; i < arguments.size(); i++) {
    const std::string_view argument = arguments[i];
    if (is_short_option(argument) && argument.find('d') != argument.npos) return {};
    const bool is_apart = argument == "--device" || argument == "-d";
    if (!is_apart && !argument.starts_with("--device=")) continue;
    const bool may_be_value = i > 0 && arguments[i - 1][0] == '-' && argument == "-d";
    if (found || may_be_value || (is_apart && i + 1 == arguments.size())) return {};
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

bool is_hidden() {
  const char* const hidden = std::getenv("PENSTOCK_HIDE");
  return hidden && std::string_view(hidden).find("cuda") != std::string_view::npos;
}

// Tells whether a GPU is split into parts, which are numbered differently.
bool has_mig_devices(unsigned gpu) {
  const std::filesystem::path folder =
      "/proc/driver/nvidia/capabilities/gpu" + std::to_string(gpu) + "/mig";
  std::error_code error;
  const std::filesystem::directory_iterator entries(folder, error);
  return !error && std::any_of(begin(entries), end(entries), [](const auto& entry) {
    return entry.path().filename().string().starts_with("gi");
  });
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
  if (std::getenv("CUDA_VISIBLE_DEVICES") || is_hidden()) return;
  // Ranks share a host's GPUs: it is known only later which rank takes which GPU.
  if (ranks::launch_of_process().by != ranks::Launcher::none) return;
  const auto numbers = needed_gpus(arguments);
  if (!numbers || numbers->empty()) return;
  const unsigned count = gpu_count();
  if (numbers->size() >= count || numbers->back() >= count) return;
  for (unsigned gpu = 0; gpu < count; gpu++)
    if (has_mig_devices(gpu)) return;
  device::show_only_cuda(*numbers);
}

}  // namespace penstock::cli
