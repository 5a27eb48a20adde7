#include "device/ahead_of_time.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <mutex>

#include "device/program_archive.hpp"

namespace penstock::device {
namespace {

namespace fs = std::filesystem;

struct WrittenPrograms {
  std::mutex mutex;
  bool is_on = false;
  std::map<Hash128, ProgramBytes> programs;
};
WrittenPrograms& written() {
  static WrittenPrograms& written = *new WrittenPrograms;  // kept: threads outlive statics
  return written;
}

// Returns the file as it was when it was first asked for.
const ProgramArchive& archive_of(const std::string& path, const std::string& beside) {
  static std::mutex& mutex = *new std::mutex;  // kept: threads outlive statics
  static auto& archives = *new std::map<std::string, std::unique_ptr<const ProgramArchive>>;
  const std::lock_guard lock(mutex);
  auto& archive = archives[path];
  if (!archive) archive = std::make_unique<const ProgramArchive>(path, beside);
  return *archive;
}

// Returns the library or program that has this code.
fs::path file_with(const void* code) {
  Dl_info info{};
  std::error_code error;
  const fs::path file =
      dladdr(code, &info) != 0 && info.dli_fname ? fs::path(info.dli_fname) : fs::path();
  // A program's name is what it was started by, which may be a word on PATH.
  return file.is_absolute() ? file : fs::read_symlink("/proc/self/exe", error);
}

}  // namespace

void begin_writing_programs() {
  const std::lock_guard lock(written().mutex);
  written().is_on = true;
  written().programs.clear();
}

bool is_writing_programs() {
  const std::lock_guard lock(written().mutex);
  return written().is_on;
}

Result<std::size_t> end_writing_programs(const std::string& path) {
  const std::lock_guard lock(written().mutex);
  written().is_on = false;
  const std::map<Hash128, ProgramBytes> programs = std::move(written().programs);
  PENSTOCK_TRY(ProgramArchive::write(path, programs));
  return programs.size();
}

std::optional<CacheEntry> AheadOfTime::find() const {
  if (path.empty()) return {};
  auto program = archive_of(path, beside).find(key.digest);
  if (!program) return {};
  return CacheEntry{std::move(*program), "", ""};
}

void AheadOfTime::keep(const CacheEntry& entry) const {
  const std::lock_guard lock(written().mutex);
  if (written().is_on) written().programs[key.digest] = entry.binary;
}

AheadOfTime shipped_programs(const char* variable, const std::string& name, const void* code) {
  if (const char* const asked = std::getenv(variable))
    return {fs::path(asked).is_absolute() ? asked : "", "", {}};
  const fs::path own = file_with(code), folder = own.parent_path();
  std::error_code error;
  for (const fs::path& place :
       {folder, folder / "../share/penstock", folder / "../../share/penstock"})
    if (fs::is_regular_file(place / name, error))
      return {(place / name).string(), own.string(), {}};
  return {};
}

}  // namespace penstock::device
