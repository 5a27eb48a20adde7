// The file of tuned policies: lines of text, with a checksum at the end.
#include "kernel/tuned_policies.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <sstream>

#include "base/file.hpp"
#include "base/hash.hpp"
#include "device/disk_cache.hpp"

namespace penstock::kernel {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view first_line = "penstock tuned policies, format 1";
constexpr std::string_view file_prefix = "tuned-policies-", file_suffix = ".txt";
constexpr std::string_view checksum_word = "checksum ";
constexpr std::string_view gain_word = "; gain ", spread_word = " spread ";
constexpr std::uintmax_t max_tuned_bytes = 1 << 20;

std::string on_one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

// The lines that must be as they are now for a file to be used.
std::string tuned_identity(const Traits& traits) {
  return std::string(first_line) + "\nproject " PENSTOCK_VERSION "\ndevice " +
         on_one_line(traits.name) + "\ndriver " + on_one_line(traits.driver) + "\ncompiler " +
         on_one_line(traits.compiler) + "\n";
}

std::string path_of_tuned(const Traits& traits) {
  const std::string directory = device::DiskCache::from_environment().directory();
  if (directory.empty()) return "";
  std::string name(file_prefix);
  for (const char c : (traits.id + "-" + traits.name).substr(0, 80))
    name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return directory + "/" + name + std::string(file_suffix);
}

// Figures of six digits, the same in every locale.
std::string figure_text(double figure) {
  char text[64];
  const auto end =
      std::to_chars(text, text + sizeof text, figure, std::chars_format::general, 6).ptr;
  return {text, end};
}
std::optional<double> figure_of(std::string_view text) {
  double figure = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), figure);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return std::nullopt;
  return figure;
}

std::string line_of(const TunedPolicy& tuned) {
  return tuned.family + " " + tuned.row + ": " + text_of(tuned.standard) + " -> " +
         text_of(tuned.best) + std::string(gain_word) + figure_text(tuned.gain) +
         std::string(spread_word) + figure_text(tuned.spread) + "\n";
}

std::optional<PolicyNumbers> numbers_of_text(std::string_view text) {
  PolicyNumbers numbers;
  std::istringstream words{std::string(text)};
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    if (equals == 0 || equals == std::string::npos) return std::nullopt;
    PolicyNumber number{word.substr(0, equals)};
    const char* const end = word.data() + word.size();
    const auto parsed = std::from_chars(word.data() + equals + 1, end, number.value);
    if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
    numbers.push_back(std::move(number));
  }
  return numbers.empty() ? std::nullopt : std::optional(std::move(numbers));
}

std::optional<TunedPolicy> policy_of_line(const std::string& line) {
  const std::size_t space = line.find(' '), colon = line.find(": "), arrow = line.find(" -> "),
                    end = line.find(gain_word), spread = line.find(spread_word);
  if (spread == std::string::npos || space > colon || colon > arrow || arrow > end || end > spread)
    return std::nullopt;
  TunedPolicy tuned;
  tuned.family = line.substr(0, space);
  tuned.row = line.substr(space + 1, colon - space - 1);
  const auto standard = numbers_of_text(line.substr(colon + 2, arrow - colon - 2)),
             best = numbers_of_text(line.substr(arrow + 4, end - arrow - 4));
  const std::size_t gain_at = end + gain_word.size();
  const auto gain = figure_of(line.substr(gain_at, spread - gain_at)),
             times_spread = figure_of(line.substr(spread + spread_word.size()));
  if (!standard || !best || !gain || !times_spread) return std::nullopt;
  tuned.gain = *gain;
  tuned.spread = *times_spread;
  tuned.standard = *standard;
  tuned.best = *best;
  return tuned;
}

std::string why_stale(const std::string& text, const std::string& identity) {
  std::istringstream found(text), wanted(identity);
  std::string is, should;
  while (std::getline(wanted, should))
    if (!std::getline(found, is) || is != should)
      return "it was measured for '" + is + "', and this is '" + should + "'";
  return "";
}

void leave_unused(TunedFile& file, const std::string& why) {
  file.policies.clear();
  file.note = "tuned policies are not used, as " + why + ": " + file.path +
              "; `penstock tune` measures again";
}

// Fills `file` from the text of one; its note where the text is not used.
void parse_tuned(const std::string& text, const Traits& traits, TunedFile& file) {
  const auto ignored = [&](const std::string& why) { leave_unused(file, why); };
  const std::size_t checksum = text.rfind(checksum_word);
  const std::string identity = tuned_identity(traits);
  if (checksum == std::string::npos ||
      text.substr(checksum) != std::string(checksum_word) +
                                   content_hash(std::string_view(text).substr(0, checksum)).hex() +
                                   "\n")
    return ignored("the file is damaged");
  if (const std::string why = why_stale(text, identity); !why.empty()) return ignored(why);
  std::istringstream lines(text.substr(identity.size(), checksum - identity.size()));
  for (std::string line; std::getline(lines, line);) {
    const auto tuned = policy_of_line(line);
    if (!tuned) return ignored("the line '" + line + "' cannot be read");
    file.policies.push_back(*tuned);
  }
}

std::string text_of_file(const std::string& path) {
  std::error_code error;
  if (const auto bytes = fs::file_size(path, error); error || bytes > max_tuned_bytes) return "";
  std::ifstream stream(path, std::ios::binary);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

// Files that were read, by path, with their state at that time: every kernel of a query needs them.
struct KnownFile {
  std::string identity;
  TunedFile file;
};
struct KnownFiles {
  std::mutex mutex;
  std::map<std::string, KnownFile> files;  // by path and tuned_identity()
};
KnownFiles& known_files() {
  static KnownFiles known;
  return known;
}

thread_local TunedFilesOfRun* files_of_run = nullptr;

TunedFile tuned_file_now(const Traits& traits) {
  TunedFile file;
  const char* const is_used = std::getenv("PENSTOCK_TUNED");
  if (is_used != nullptr && std::string_view(is_used) == "0") return file;
  file.path = path_of_tuned(traits);
  if (file.path.empty()) return file;
  const std::string identity = file_identity(file.path);
  if (identity.empty()) return file;
  KnownFiles& known = known_files();
  const std::lock_guard lock(known.mutex);
  KnownFile& entry = known.files[file.path + "\n" + tuned_identity(traits)];
  if (entry.identity != identity) {
    parse_tuned(text_of_file(file.path), traits, file);
    entry = {identity, file};
  }
  return entry.file;
}

}  // namespace

TunedFilesOfRun::TunedFilesOfRun() : before_(std::exchange(files_of_run, this)) {}
TunedFilesOfRun::~TunedFilesOfRun() { files_of_run = before_; }

TunedFile tuned_file(const Traits& traits) {
  if (!files_of_run) return tuned_file_now(traits);
  for (const auto& [id, file] : files_of_run->files_)
    if (id == traits.id) return file;
  return files_of_run->files_.emplace_back(traits.id, tuned_file_now(traits)).second;
}

void ignore_tuned(const Traits& traits, const std::string& why) {
  for (TunedFilesOfRun* run = files_of_run; run; run = run->before_) run->files_.clear();
  KnownFiles& known = known_files();
  const std::lock_guard lock(known.mutex);
  const auto found = known.files.find(path_of_tuned(traits) + "\n" + tuned_identity(traits));
  if (found != known.files.end()) leave_unused(found->second.file, why);
}

Status store_tuned(const Traits& traits, const std::vector<TunedPolicy>& policies) {
  const std::string path = path_of_tuned(traits);
  if (path.empty()) return {Code::io, "the cache is off: there is no folder for tuned policies"};
  std::string text = tuned_identity(traits);
  for (const TunedPolicy& tuned : policies) text += line_of(tuned);
  text += std::string(checksum_word) + content_hash(text).hex() + "\n";
  std::error_code ignored;  // creating the file reports the error
  fs::create_directories(fs::path(path).parent_path(), ignored);
  PENSTOCK_ASSIGN(const auto file, WholeFile::create(path));
  PENSTOCK_TRY(file->write(text));
  return file->commit();
}

std::vector<std::string> tuned_paths() {
  std::vector<std::string> paths;
  const std::string directory = device::DiskCache::from_environment().directory();
  std::error_code error;
  for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.starts_with(file_prefix) && name.ends_with(file_suffix))
      paths.push_back(at->path().string());
  }
  std::ranges::sort(paths);
  return paths;
}

Status remove_tuned() {
  for (const std::string& path : tuned_paths()) {
    std::error_code error;
    fs::remove(path, error);
    if (error) return {Code::io, "cannot remove " + path + ": " + error.message()};
  }
  return {};
}

}  // namespace penstock::kernel
