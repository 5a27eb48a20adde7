#include "table/strings/column_strings.hpp"

#include <algorithm>
#include <atomic>
#include <span>
#include <string>

#include "base/parallel.hpp"
#include "column/column_builders.hpp"

namespace penstock::plan {
namespace {

// Memory of a string in a pool, beside its bytes: view, hash and two to four positions; and its
// place in the copy of all strings, and in their order.
constexpr std::uint64_t bytes_beside_text = 48 + 16;
constexpr std::uint64_t copies = 2;

std::uint64_t next_id() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

}  // namespace

ColumnStrings::ColumnStrings() : id_(next_id()) {}

void ColumnStrings::count_bytes() {
  for (; counted_ < pool_.size(); counted_++)
    bytes_ += copies * pool_.text(static_cast<std::uint32_t>(counted_)).size() + bytes_beside_text;
}

Status ColumnStrings::number(const Column& strings, std::vector<std::uint32_t>& numbers) {
  const std::lock_guard lock(mutex_);
  PENSTOCK_TRY(pool_.encode(strings, numbers));
  count_bytes();
  return {};
}

std::uint32_t ColumnStrings::number(std::string_view text) {
  const std::lock_guard lock(mutex_);
  const std::uint32_t number = pool_.code(text);
  count_bytes();
  return number;
}

std::uint32_t ColumnStrings::find(std::string_view text) const {
  const std::lock_guard lock(mutex_);
  return pool_.find(text);
}

bool ColumnStrings::is_complete(const std::string& identity) const {
  const std::lock_guard lock(mutex_);
  const std::string file = identity.substr(0, identity.find(DeviceCache::end_of_file_identity));
  return complete_.contains(identity) || complete_.contains(file);
}

void ColumnStrings::set_complete(const std::string& identity) {
  const std::lock_guard lock(mutex_);
  complete_.insert(identity);
}

Column ColumnStrings::copied(std::size_t first) const {
  const auto text = [&](std::size_t i) {
    return pool_.text(static_cast<std::uint32_t>(first + i));
  };
  Column column;
  column.type = {Kind::string};
  column.row_count = pool_.size() - first;
  std::vector<std::int64_t> offsets(column.row_count + 1);
  for (std::size_t i = 0; i < column.row_count; i++)
    offsets[i + 1] = offsets[i] + static_cast<std::int64_t>(text(i).size());
  std::vector<std::byte> bytes(static_cast<std::size_t>(offsets.back()));
  in_parallel(column.row_count, min_rows_per_thread, [&](std::uint64_t i, std::uint64_t last) {
    for (; i < last; i++)
      std::ranges::copy(std::as_bytes(std::span(text(i))), bytes.begin() + offsets[i]);
  });
  column::set_strings(column, std::move(bytes), std::move(offsets));
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

DeviceCache::Key key_of_strings(const std::string& identity, std::uint32_t column,
                                const std::string& function) {
  return {"strings" + function, identity, column, 0, 0};
}

std::shared_ptr<ColumnStrings> keep_strings(DeviceCache& cache, const DeviceCache::Key& key,
                                            std::shared_ptr<ColumnStrings> strings) {
  if (auto known = cache.find<std::shared_ptr<ColumnStrings>>(key)) return *known;
  cache.put(key, std::make_shared<const std::shared_ptr<ColumnStrings>>(strings),
            sizeof(ColumnStrings));
  const auto kept = cache.find<std::shared_ptr<ColumnStrings>>(key);
  return kept ? *kept : strings;
}

}  // namespace penstock::plan
