#include "session/open_tables.hpp"

#include "base/file.hpp"
#include "penstock/io.hpp"

namespace penstock::session {

// A file is opened without the lock, so that two may be opened at once.
Result<std::shared_ptr<TableSource>> OpenTables::open(const TableReference& table,
                                                      SessionDevice& device) {
  const std::string path = table.text();
  const std::string identity = file_identity(path);
  {
    const std::lock_guard lock(mutex_);
    const auto known = by_path_.find(path);
    if (known != by_path_.end() && !identity.empty() && known->second->identity() == identity)
      return known->second;
  }
  PENSTOCK_ASSIGN(std::shared_ptr<TableSource> opened, open_table(table));
  std::shared_ptr<TableSource> before = opened;
  {
    const std::lock_guard lock(mutex_);
    before.swap(by_path_[path]);
  }
  if (!before || before->identity() == opened->identity()) return opened;
  PENSTOCK_ASSIGN(const std::vector<DeviceCache*> caches, caches_of(device));
  for (DeviceCache* const cache : caches) cache->drop(before->identity());
  return opened;
}

}  // namespace penstock::session
