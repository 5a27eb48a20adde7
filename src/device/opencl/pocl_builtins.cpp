#include "device/opencl/pocl_builtins.hpp"

#include <link.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "base/exception_boundary.hpp"
#include "base/file.hpp"
#include "device/disk_cache.hpp"
#include "device/library.hpp"
#include "device/opencl/builtin_bitcode.hpp"

namespace penstock::opencl {
namespace {

namespace fs = std::filesystem;

std::atomic<bool> uses_fewer = false;

// PoCL's folder and LLVM's library, as this process has them open.
struct OpenLibraries {
  std::string pocl, llvm;
};

int note_library(dl_phdr_info* info, std::size_t, void* found) {
  auto& libraries = *static_cast<OpenLibraries*>(found);
  const std::string_view path = info->dlpi_name ? info->dlpi_name : "";
  const std::string_view name = path.substr(path.rfind('/') + 1);
  if (name.starts_with("libpocl.so")) libraries.pocl = path;
  if (name.starts_with("libLLVM")) libraries.llvm = path;
  return 0;
}

bool is_asked_for() {
  const char* wanted = std::getenv("PENSTOCK_POCL_BUILTINS");
  return wanted && std::string_view(wanted) == "few";
}

// "" where nothing is cached.
fs::path folder_of_links() {
  const device::DiskCache cache = device::DiskCache::from_environment();
  if (!cache.writable()) return {};
  const auto summary = cache.summary();
  return summary.ok() ? fs::path(summary->directory) / "pocl" : fs::path();
}

// How the name of PoCL's file of built-ins for this processor ends.
std::string_view file_end_of_processor() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return "-avx512.bc";
  if (__builtin_cpu_supports("avx2")) return "-avx2.bc";
#endif
  return "-none.bc";
}

// PoCL's data beside its library, for a system's folders and for those of a prefix.
struct Places {
  fs::path data, links;  // `links`: where the link to the library is, in the folder of links
};
Result<Places> places_of(const fs::path& library) {
  const fs::path folder = library.parent_path();
  for (const auto& [up, links] :
       {std::pair{"../../share/pocl", "lib/host"}, std::pair{"../share/pocl", "lib"}}) {
    std::error_code error;
    const fs::path data = fs::canonical(folder / up, error);
    if (!error && fs::exists(data / "include")) return Places{data, links};
  }
  return Status(Code::unsupported, "PoCL's files are not beside its library");
}

Status link_data(const Places& places, const fs::path& folder, const std::string& llvm,
                 std::ofstream& origin) {
  const fs::path to = folder / "share/pocl";
  fs::create_directories(to);
  bool is_made = false;
  for (const fs::directory_entry& entry : fs::directory_iterator(places.data)) {
    const std::string name = entry.path().filename();
    if (entry.is_directory()) fs::create_directory_symlink(entry.path(), to / name);
    if (!name.ends_with(file_end_of_processor())) continue;
    PENSTOCK_TRY(copy_without_vectors(llvm, entry.path(), to / name));
    origin << entry.path().string() << "\t" << file_identity(entry.path()) << "\n";
    is_made = true;
  }
  return is_made ? Status() : Status(Code::unsupported, "PoCL has no such file for this processor");
}

Status fill(const fs::path& folder, const OpenLibraries& open) {
  const fs::path library = fs::canonical(open.pocl);
  PENSTOCK_ASSIGN(const Places places, places_of(library));
  std::ofstream origin;
  fs::create_directories(folder / places.links);
  origin.open(folder / "origin");
  const fs::path link = places.links / fs::path(open.pocl).filename();
  origin << link.string() << "\n" << library.string() << "\t" << file_identity(library) << "\n";
  fs::create_symlink(library, folder / link);
  // PoCL's drivers, where they are libraries of their own.
  if (fs::exists(library.parent_path() / "pocl"))
    fs::create_symlink(library.parent_path() / "pocl", folder / places.links / "pocl");
  PENSTOCK_TRY(link_data(places, folder, open.llvm, origin));
  return origin.flush() ? Status() : Status(Code::io, "cannot write '" + folder.string() + "'");
}

// Returns the link to PoCL, "" where its files are not those that the folder was made from.
std::string link_that_is_valid(const fs::path& folder) {
  std::ifstream origin(folder / "origin");
  std::string link, line;
  if (!std::getline(origin, link)) return "";
  int files = 0;
  bool is_of_processor = false;
  while (std::getline(origin, line)) {
    const std::size_t tab = line.find('\t');
    if (tab == line.npos || file_identity(line.substr(0, tab)) != line.substr(tab + 1)) return "";
    is_of_processor |= line.substr(0, tab).ends_with(file_end_of_processor());
    files++;
  }
  return files == 2 && is_of_processor ? (folder / link).string() : "";
}

}  // namespace

void use_fewer_builtins() {
  if (!is_asked_for()) return;
  (void)catch_exceptions([]() -> Status {
    const fs::path folder = folder_of_links();
    const std::string link = folder.empty() ? "" : link_that_is_valid(folder);
    uses_fewer = !link.empty() && device::Library::open({link}).ok();
    return {};
  }).ok();
}

bool wants_fewer_builtins() { return is_asked_for() && !uses_fewer; }

// Another process that makes it at once wins, or loses.
Status make_fewer_builtins() {
  return catch_exceptions([]() -> Status {
    const fs::path folder = folder_of_links();
    OpenLibraries open;
    dl_iterate_phdr(note_library, &open);
    if (folder.empty() || open.pocl.empty() || open.llvm.empty())
      return {Code::unsupported, "PoCL, LLVM or the cache is not there"};
    const fs::path made = folder.string() + "." + std::to_string(getpid());
    const Status status = catch_exceptions([&] { return fill(made, open); });
    std::error_code error;
    if (status.ok()) {
      fs::remove_all(folder, error);
      fs::rename(made, folder, error);
    }
    fs::remove_all(made, error);
    return status;
  });
}

}  // namespace penstock::opencl
