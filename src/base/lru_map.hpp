// A map that drops the entries that were least recently used, those beyond a limit of weight.
//
// Not thread-safe. It returns the values that it drops: their owner destroys them after it has
// released its lock, as that may close a file or free device memory.
#pragma once
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <utility>
#include <vector>

namespace penstock {

template <class Key, class Value> class LruMap {
 public:
  using Values = std::vector<Value>;

  explicit LruMap(std::uint64_t max_weight) : max_weight_(max_weight) {}

  std::size_t size() const { return entries_.size(); }
  std::uint64_t weight() const { return weight_; }  // of all entries
  std::uint64_t max_weight() const { return max_weight_; }
  template <class AnyKey> bool contains(const AnyKey& key) const { return entries_.contains(key); }

  // Returns null where there is none. Valid until the map changes.
  template <class AnyKey> const Value* find(const AnyKey& key) {
    const auto found = entries_.find(key);
    if (found == entries_.end()) return nullptr;
    order_.splice(order_.begin(), order_, found->second.place);
    return &found->second.value;
  }

  // Replaces the value of an equal key. A value that weighs more than the limit is dropped itself.
  [[nodiscard]] Values put(Key key, Value value, std::uint64_t weight = 1) {
    Values dropped;
    if (const auto same = entries_.find(key); same != entries_.end()) remove(same, dropped);
    if (weight > max_weight_) {
      dropped.push_back(std::move(value));
      return dropped;
    }
    weight_ += weight;
    const auto added =
        entries_.try_emplace(std::move(key), Entry{std::move(value), weight, order_.end()}).first;
    added->second.place = order_.insert(order_.begin(), &added->first);
    shrink(dropped);
    return dropped;
  }
  // `test` takes a key and a value.
  template <class Test> [[nodiscard]] Values remove_if(const Test& test) {
    Values dropped;
    for (auto at = entries_.begin(); at != entries_.end();) {
      const auto entry = at++;
      if (test(entry->first, entry->second.value)) remove(entry, dropped);
    }
    return dropped;
  }
  [[nodiscard]] Values set_max_weight(std::uint64_t max_weight) {
    max_weight_ = max_weight;
    Values dropped;
    shrink(dropped);
    return dropped;
  }

 private:
  using Order = std::list<const Key*>;
  struct Entry {
    Value value;
    std::uint64_t weight;
    typename Order::iterator place;
  };
  using Entries = std::map<Key, Entry, std::less<>>;

  void shrink(Values& dropped) {
    while (weight_ > max_weight_) remove(entries_.find(*order_.back()), dropped);
  }
  void remove(typename Entries::iterator entry, Values& dropped) {
    dropped.push_back(std::move(entry->second.value));
    weight_ -= entry->second.weight;
    order_.erase(entry->second.place);
    entries_.erase(entry);
  }

  std::uint64_t max_weight_, weight_ = 0;
  Entries entries_;
  Order order_;  // keys of entries_, the most recently used first
};

}  // namespace penstock
