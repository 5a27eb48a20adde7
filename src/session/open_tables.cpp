#include "session/open_tables.hpp"

#include "io/files/open_files.hpp"
#include "penstock/io.hpp"

namespace penstock::session {

// A table is opened without the lock, so that two may be opened at once.
Result<std::shared_ptr<TableSource>> OpenTables::open(const TableReference& table,
                                                      SessionDevice& device) {
  const std::string text = table.text();
  const std::string identity = io::table_identity(table);
  {
    const std::lock_guard lock(mutex_);
    const auto known = by_text_.find(text);
    if (known != by_text_.end() && !identity.empty() && known->second->identity() == identity)
      return known->second;
  }
  PENSTOCK_ASSIGN(std::shared_ptr<TableSource> opened, open_table(table));
  std::shared_ptr<TableSource> before = opened;
  {
    const std::lock_guard lock(mutex_);
    before.swap(by_text_[text]);
  }
  if (!before || before->identity() == opened->identity()) return opened;
  PENSTOCK_ASSIGN(const std::vector<DeviceCache*> caches, caches_of(device));
  for (DeviceCache* const cache : caches) cache->drop(before->identity());
  return opened;
}

}  // namespace penstock::session
