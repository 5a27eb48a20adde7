#include "expr/tz_file.hpp"

#include <algorithm>

namespace penstock::expr {
namespace {

constexpr std::size_t header_bytes = 44, offset_type_bytes = 6;
constexpr std::int64_t largest_offset = 26 * 3600;

Status damaged_zone(const char* what) {
  return {Code::corrupt, "the file of the time zone is damaged: " + std::string(what)};
}

// Takes big-endian numbers from the front of bytes. The caller has checked that they are there.
class TzBytes {
 public:
  explicit TzBytes(std::string_view bytes) : left_(bytes) {}
  std::uint64_t number(unsigned width) {
    std::uint64_t value = 0;
    for (const char c : take(width)) value = value << 8 | static_cast<unsigned char>(c);
    return value;
  }
  std::int64_t time(unsigned width) {
    const std::uint64_t bits = number(width);
    return width == 8 ? static_cast<std::int64_t>(bits)
                      : static_cast<std::int32_t>(static_cast<std::uint32_t>(bits));
  }
  std::string_view take(std::size_t count) {
    const std::string_view taken = left_.substr(0, count);
    left_.remove_prefix(taken.size());
    return taken;
  }
  std::string_view left() const { return left_; }

 private:
  std::string_view left_;
};

struct TzHeader {
  std::uint64_t is_utc, is_standard, leaps, changes, types, characters;
  char version;
  std::uint64_t data_bytes(std::uint64_t time_width) const {
    return changes * (time_width + 1) + types * offset_type_bytes + characters +
           leaps * (time_width + 4) + is_standard + is_utc;
  }
};

Result<TzHeader> take_header(TzBytes& from) {
  if (from.left().size() < header_bytes || !from.left().starts_with("TZif"))
    return damaged_zone("it does not begin as one");
  from.take(4);
  TzHeader header{};
  header.version = from.take(1)[0];
  from.take(15);
  for (std::uint64_t* const count : {&header.is_utc, &header.is_standard, &header.leaps,
                                     &header.changes, &header.types, &header.characters})
    *count = from.number(4);
  return header;
}

Result<ZoneRules> take_rules(TzBytes& from, const TzHeader& header, unsigned width) {
  if (from.left().size() < header.data_bytes(width)) return damaged_zone("it ends too early");
  if (header.types == 0) return damaged_zone("it has no offset");
  TzBytes times(from.take(header.changes * width)), indices(from.take(header.changes));
  TzBytes types(from.take(header.types * offset_type_bytes));
  from.take(header.characters + header.leaps * (width + 4) + header.is_standard + header.is_utc);
  std::vector<std::int32_t> offsets;
  for (std::uint64_t i = 0; i < header.types; i++) {
    const std::int64_t offset = types.time(4);
    types.take(2);
    if (offset < -largest_offset || offset > largest_offset)
      return damaged_zone("an offset is longer than a day");
    offsets.push_back(static_cast<std::int32_t>(offset));
  }
  ZoneRules rules;
  rules.offsets.push_back(offsets[0]);
  for (std::uint64_t i = 0; i < header.changes; i++) {
    const std::int64_t time = times.time(width);
    const std::uint64_t type = indices.number(1);
    if (type >= offsets.size()) return damaged_zone("a change has no offset");
    if (!rules.changes.empty() && time <= rules.changes.back())
      return damaged_zone("its changes are not in order");
    rules.changes.push_back(time);
    rules.offsets.push_back(offsets[type]);
  }
  return rules;
}

}  // namespace

// A file of version 1 has times of 32 bits. A later version repeats them with 64 bits, and ends by
// a rule.
Result<ZoneRules> read_tz_file(std::string_view bytes) {
  TzBytes from(bytes);
  PENSTOCK_ASSIGN(const TzHeader first, take_header(from));
  if (first.version == '\0') return take_rules(from, first, 4);
  if (from.left().size() < first.data_bytes(4)) return damaged_zone("it ends too early");
  from.take(first.data_bytes(4));
  PENSTOCK_ASSIGN(const TzHeader second, take_header(from));
  PENSTOCK_ASSIGN(ZoneRules rules, take_rules(from, second, 8));
  std::string_view rule = from.left();
  if (rule.size() < 2 || rule.front() != '\n' || rule.back() != '\n')
    return damaged_zone("it has no rule at its end");
  rule = rule.substr(1, rule.size() - 2);
  if (rule.empty()) return rules;
  rules.rule = read_yearly_rule(rule);
  return rules.rule ? Result<ZoneRules>(std::move(rules)) : damaged_zone("its rule cannot be read");
}

std::int32_t ZoneRules::offset_at(std::int64_t seconds) const {
  const auto next = std::ranges::upper_bound(changes, seconds);
  if (next == changes.end() && rule) return offset_by(*rule, seconds);
  return offsets[static_cast<std::size_t>(next - changes.begin())];
}

}  // namespace penstock::expr
