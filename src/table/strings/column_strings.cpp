#include "table/strings/column_strings.hpp"

#include <atomic>
#include <string>

#include "column/column_builders.hpp"

namespace penstock::plan {
namespace {

// Memory of a string in a pool, beside its bytes: view, hash and two to four positions.
constexpr std::uint64_t bytes_beside_text = 48;

std::uint64_t next_id() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

}  // namespace

ColumnStrings::ColumnStrings() : id_(next_id()) {}

void ColumnStrings::count_bytes(std::size_t first) {
  for (std::size_t number = first; number < pool_.size(); number++)
    bytes_ += pool_.text(static_cast<std::uint32_t>(number)).size() + bytes_beside_text;
}

Status ColumnStrings::number(const Column& strings, std::vector<std::uint32_t>& numbers) {
  const std::lock_guard lock(mutex_);
  const std::size_t before = pool_.size();
  PENSTOCK_TRY(pool_.encode(strings, numbers));
  count_bytes(before);
  return {};
}

std::uint32_t ColumnStrings::number(std::string_view text) {
  const std::lock_guard lock(mutex_);
  const std::size_t before = pool_.size();
  const std::uint32_t number = pool_.code(text);
  count_bytes(before);
  return number;
}

Column ColumnStrings::copied(std::size_t first) const {
  Column column;
  column.type = {Kind::string};
  column.row_count = pool_.size() - first;
  column::StringBuilder builder(column.row_count);
  for (std::size_t number = first; number < pool_.size(); number++)
    builder.push(pool_.text(static_cast<std::uint32_t>(number)));
  builder.take(column);
  return column;
}

Column ColumnStrings::from(std::size_t first) const {
  const std::lock_guard lock(mutex_);
  return copied(first);
}

std::shared_ptr<const Column> ColumnStrings::all() const {
  const std::lock_guard lock(mutex_);
  if (all_->row_count < pool_.size()) all_ = std::make_shared<const Column>(copied(0));
  return all_;
}

std::shared_ptr<const StringOrder> ColumnStrings::order() const {
  const std::lock_guard lock(mutex_);
  if (order_->ranks.size() < pool_.size())
    order_ = std::make_shared<const StringOrder>(
        order_of_strings(static_cast<std::uint32_t>(pool_.size()), pool_.texts()));
  return order_;
}

std::uint64_t ColumnStrings::count() const {
  const std::lock_guard lock(mutex_);
  return pool_.size();
}

std::uint64_t ColumnStrings::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

std::shared_ptr<ColumnStrings> keep_strings(DeviceCache& cache, const std::string& identity,
                                            std::uint32_t column,
                                            std::shared_ptr<ColumnStrings> strings) {
  const DeviceCache::Key key{"strings", identity, column, 0, 0};
  if (auto known = cache.find<std::shared_ptr<ColumnStrings>>(key)) return *known;
  cache.put(key, std::make_shared<const std::shared_ptr<ColumnStrings>>(strings),
            sizeof(ColumnStrings));
  const auto kept = cache.find<std::shared_ptr<ColumnStrings>>(key);
  return kept ? *kept : strings;
}

}  // namespace penstock::plan
