// The disk half of the JIT cache: one file per compiled program, in a directory that many processes
// share.
//
// A file is written under another name and renamed, so a reader sees all of it or none. A reader
// checks sizes, checksum and key text; a file that does not match is removed and counts as a miss.
// A directory that cannot be created or written is no error: every process then compiles. Reading
// takes no lock. Compiling takes the lock of its key, one byte of the file `lock`, so that
// different keys never wait for one another and no lock files pile up.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "device/cache_key.hpp"
#include "penstock/device.hpp"

namespace penstock::device {

struct CacheEntry {
  std::vector<std::byte> binary;
  std::string log;    // the compiler's warnings
  std::string notes;  // the driver's: which specialisations the binary has, or notes_of_build()
};

// Returns a line for `penstock cache --list`: "0.435 lz4_decode", the seconds and the label.
std::string notes_of_build(std::string_view label, double seconds);

struct ListedProgram {
  std::string key, notes;
  std::uint64_t source_lines = 0, binary_bytes = 0;
};

class DiskCache {
 public:
  // $PENSTOCK_CACHE_DIR, else $XDG_CACHE_HOME/penstock, else $HOME/.cache/penstock, else off. The
  // limit is $PENSTOCK_CACHE_BYTES, else 256 MiB: some ten thousand generated programs of 20 KB.
  static DiskCache from_environment();
  DiskCache(std::string directory, std::uint64_t limit_bytes);  // an empty directory: off
  const std::string& directory() const { return directory_; }

  std::optional<CacheEntry> load(const CacheKey& key) const;
  // Returns false when nothing was stored: the cache is off or read-only, the disk is full, or the
  // entry exceeds the limit.
  bool store(const CacheKey& key, const CacheEntry& entry) const;
  void remove(const CacheKey& key) const;
  bool writable() const;
  // A header that a compiler made fast to read, and its text, which the compiler looks for. The
  // limit counts both, and clear() removes both.
  struct HeaderPaths {
    std::string compiled, source, partial;  // partial: until it is complete
  };
  HeaderPaths paths_of_header(const CacheKey& key) const;
  Result<CacheSummary> summary() const;
  // The programs whose files are sound, by key.
  Result<std::vector<ListedProgram>> list() const;
  Result<CacheSummary> clear() const;  // removes only files that are ours by name

  // Held while a key is compiled; other processes and threads that want the key wait. Released on
  // destruction and, by the operating system, when the process ends. On file systems without locks
  // this does nothing.
  class Lock {
   public:
    Lock() = default;
    Lock(Lock&& other) noexcept : descriptor_(other.descriptor_) { other.descriptor_ = -1; }
    Lock& operator=(Lock&&) = delete;
    ~Lock();

   private:
    friend class DiskCache;
    int descriptor_ = -1;
  };
  Lock lock(const CacheKey& key) const;

 private:
  std::string path(const CacheKey& key) const;
  void evict() const;
  std::string directory_;
  std::uint64_t limit_bytes_;
};

}  // namespace penstock::device
