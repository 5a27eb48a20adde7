// Programs that were compiled before they are needed, in a file that comes with Penstock
// (program_archive.hpp). They are looked for after the user's cache, and before the compiler
// starts.
//
// Their keys leave out properties of the build machine that do not apply elsewhere: the device's
// name, and the compiler's file. So they serve where there is no compiler.
#pragma once
#include <optional>
#include <string>

#include "device/disk_cache.hpp"

namespace penstock::device {

// From now on programs that devices build are kept, by the same keys, for the file that
// end_writing_programs() makes. For `penstock cache --fill`, before it builds anything.
void begin_writing_programs();
bool is_writing_programs();
// Writes them, and ends it. Returns how many.
Result<std::size_t> end_writing_programs(const std::string& path);

// The file and the key by which a driver finds programs that came with it.
struct AheadOfTime {
  std::string path;
  std::string beside;  // the file that it came with; "" if there is none
  CacheKey key;
  std::optional<CacheEntry> find() const;
  void keep(const CacheEntry& entry) const;  // where programs are written
};

// Returns the first file of this name that is there: in the folder of the library or program that
// has `code`, or in the share/penstock of its tree. `variable` of the environment names another
// one.
AheadOfTime shipped_programs(const char* variable, const std::string& name, const void* code);

}  // namespace penstock::device
