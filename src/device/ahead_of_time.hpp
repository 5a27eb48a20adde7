// Programs that were compiled before they are needed: entries of the JIT cache in a folder that
// comes with Penstock. They are looked for after the user's cache, and before the compiler starts.
//
// Their keys leave out properties of the build machine that do not apply elsewhere: the device's
// name, and the compiler's file. So they serve where there is no compiler.
#pragma once
#include <optional>
#include <string>

#include "device/disk_cache.hpp"

namespace penstock::device {

class ProgramFolder {
 public:
  // An empty path, or one where no folder is: no programs. Folders are never made here.
  explicit ProgramFolder(const std::string& path);
  const DiskCache* entries() const { return entries_ ? &*entries_ : nullptr; }

 private:
  std::optional<DiskCache> entries_;
};

// From now on programs that a device builds are written to this folder too, by the same keys. For
// `penstock cache --fill`, before it builds anything; "" ends it.
void write_programs_to(const std::string& path);
std::string folder_of_written_programs();
std::uint64_t programs_not_written();  // into it, since then

// The folder and the key by which a driver finds programs that came with it.
struct AheadOfTime {
  std::string path;
  CacheKey key;
  std::optional<CacheEntry> find() const;
  void keep(const CacheEntry& entry) const;  // where write_programs_to() says
};

}  // namespace penstock::device
