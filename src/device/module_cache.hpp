// The JIT cache of a driver: loaded modules in memory, then the disk, then programs that came with
// the driver, then the compiler.
//
// Every key has its own lock: threads that want one key wait for the first, which compiles. Threads
// with other keys go on, as far as compile_semaphore.hpp permits. The disk's lock does the same
// between processes. Failures are not cached, so a repaired driver needs no restart.
#pragma once
#include <map>
#include <memory>
#include <mutex>

#include "base/clock.hpp"
#include "device/ahead_of_time.hpp"
#include "device/compile_semaphore.hpp"
#include "device/disk_cache.hpp"

namespace penstock::device {

template <class Module> struct Compiled {
  std::shared_ptr<Module> module;
  CacheEntry entry;
};

template <class Module> struct Found {
  std::shared_ptr<Module> module;
  BuildReport report;
};

// For programs that are compiled while another compilation, which has a permit, waits for them.
struct NoPermit {};

template <class Module, class Permit = CompilePermit> class ModuleCache {
 public:
  // load: Result<std::shared_ptr<Module>>(const CacheEntry&); compile: Result<Compiled<Module>>().
  // A load that fails (a driver that refuses its old binary) is a miss. `ahead`: where programs
  // that came with the driver are; null if it has none.
  template <class Load, class Compile>
  Result<Found<Module>> get(const CacheKey& key, Load load, Compile compile,
                            const AheadOfTime* ahead = nullptr) {
    const double start = now_seconds();
    const std::shared_ptr<Slot> slot = slot_of(key);
    const std::lock_guard guard(slot->mutex);
    Found<Module> found;
    found.report.key = key.digest.hex();
    if (slot->module && slot->key_text == key.text) {
      found.report.cache = CacheResult::memory, found.report.log = slot->log;
    } else {
      PENSTOCK_TRY(fill(*slot, key, load, compile, ahead, found.report));
    }
    found.module = slot->module;
    found.report.seconds = now_seconds() - start;
    return found;
  }

 private:
  struct Slot {
    std::mutex mutex;
    std::string key_text, log;
    std::shared_ptr<Module> module;
    std::uint64_t used = 0;  // guarded by mutex_
  };
  // A module takes tens of KB of a GPU's memory; 1,024 modules are as many different queries.
  static constexpr std::size_t slot_limit = 1024;

  std::shared_ptr<Slot> slot_of(const CacheKey& key) {
    const std::lock_guard guard(mutex_);
    if (slots_.size() >= slot_limit && !slots_.contains(key.digest)) {
      auto oldest = slots_.begin();
      for (auto at = slots_.begin(); at != slots_.end(); ++at)
        if (at->second->used < oldest->second->used) oldest = at;
      slots_.erase(oldest);
    }
    std::shared_ptr<Slot>& slot = slots_[key.digest];
    if (!slot) slot = std::make_shared<Slot>();
    slot->used = ++clock_;
    return slot;
  }

  template <class Load>
  bool take_from_disk(Slot& slot, const DiskCache& disk, const CacheKey& key, Load& load,
                      const AheadOfTime* ahead, BuildReport& report) {
    const auto entry = disk.load(key);
    if (!entry) return false;
    auto module = load(*entry);
    if (!module.ok()) {
      disk.remove(key);
      return false;
    }
    if (ahead) ahead->keep(*entry);
    keep(slot, key, std::move(module).value(), entry->log);
    report.cache = CacheResult::disk, report.log = entry->log;
    return true;
  }

  template <class Load>
  bool take_from_ahead(Slot& slot, const CacheKey& key, Load& load, const AheadOfTime* ahead,
                       BuildReport& report) {
    // While programs are written for a package, compile them: the file that is there may be older.
    if (!ahead || is_writing_programs()) return false;
    const auto entry = ahead->find();
    if (!entry) return false;
    auto module = load(*entry);
    if (!module.ok()) return false;  // made for another driver: the compiler's turn
    keep(slot, key, std::move(module).value(), entry->log);
    report.cache = CacheResult::disk, report.log = entry->log;
    return true;
  }

  template <class Load, class Compile>
  Status fill(Slot& slot, const CacheKey& key, Load& load, Compile& compile,
              const AheadOfTime* ahead, BuildReport& report) {
    const DiskCache disk = DiskCache::from_environment();
    if (take_from_disk(slot, disk, key, load, ahead, report)) return {};
    if (take_from_ahead(slot, key, load, ahead, report)) return {};
    const DiskCache::Lock lock = disk.lock(key);
    if (take_from_disk(slot, disk, key, load, ahead, report)) return {};  // another process's
    PENSTOCK_ASSIGN(auto compiled, with_permit(compile));
    if (!compiled.entry.binary.empty()) {  // empty: the driver has no binaries
      disk.store(key, compiled.entry);
      if (ahead) ahead->keep(compiled.entry);
    }
    report.cache = CacheResult::compiled, report.log = compiled.entry.log;
    keep(slot, key, std::move(compiled.module), compiled.entry.log);
    return {};
  }

  template <class Compile> static Result<Compiled<Module>> with_permit(Compile& compile) {
    [[maybe_unused]] const Permit permit;
    return compile();
  }

  static void keep(Slot& slot, const CacheKey& key, std::shared_ptr<Module> module,
                   const std::string& log) {
    slot.module = std::move(module), slot.key_text = key.text, slot.log = log;
  }

  std::mutex mutex_;
  std::map<Hash128, std::shared_ptr<Slot>> slots_;
  std::uint64_t clock_ = 0;
};

}  // namespace penstock::device
