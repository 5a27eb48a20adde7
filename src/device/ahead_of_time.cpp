#include "device/ahead_of_time.hpp"

#include <filesystem>
#include <limits>
#include <mutex>

namespace penstock::device {
namespace {

// Nothing is evicted from a folder that is shipped whole.
constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();

struct WrittenFolder {
  std::mutex mutex;
  std::string path;
  std::uint64_t failed_count = 0;
};
WrittenFolder& written_folder() {
  static WrittenFolder& folder = *new WrittenFolder;  // kept: threads outlive statics
  return folder;
}

}  // namespace

ProgramFolder::ProgramFolder(const std::string& path) {
  std::error_code error;
  if (!path.empty() && std::filesystem::is_directory(path, error)) entries_.emplace(path, no_limit);
}

void write_programs_to(const std::string& path) {
  const std::lock_guard lock(written_folder().mutex);
  written_folder().path = path;
  written_folder().failed_count = 0;
}

std::uint64_t programs_not_written() {
  const std::lock_guard lock(written_folder().mutex);
  return written_folder().failed_count;
}

std::string folder_of_written_programs() {
  const std::lock_guard lock(written_folder().mutex);
  return written_folder().path;
}

std::optional<CacheEntry> AheadOfTime::find() const {
  const ProgramFolder folder(path);
  return folder.entries() ? folder.entries()->load_shipped(key) : std::nullopt;
}

void AheadOfTime::keep(const CacheEntry& entry) const {
  const std::string written = folder_of_written_programs();
  if (written.empty()) return;
  constexpr unsigned for_all_to_read = 0644;
  const ProgramFolder folder(written);
  if (folder.entries() && folder.entries()->store(key, entry, for_all_to_read)) return;
  const std::lock_guard lock(written_folder().mutex);
  written_folder().failed_count++;
}

}  // namespace penstock::device
