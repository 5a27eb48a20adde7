// Reads what stands behind a star of a SELECT list: EXCLUDE, REPLACE and RENAME.
//
// EXCLUDE and RENAME are read from the statement's tokens. The parser sees the items of REPLACE as
// items of the SELECT list, behind the star: they are told by their place.
#pragma once
#include "sql/parse/syntax.hpp"

namespace penstock::sql {

class StarReader {
 public:
  StarReader(const Lexed& lexed, Select& select) : lexed_(lexed), select_(select) {}
  // Adds the next item of the parser's list to the SELECT, or to the star before it.
  Status add(SelectItem item);

 private:
  Status read_changes(const Syntax& star, StarChanges& changes);
  Status read_names(std::size_t first, std::size_t end, bool has_aliases,
                    std::vector<StarChanges::Name>& names) const;
  Status error(std::int64_t offset, std::string message) const;
  Status check_replaced(const SelectItem& item, const StarChanges& changes) const;

  const Lexed& lexed_;
  Select& select_;
  std::int64_t replaced_begin_ = 0, replaced_end_ = 0;  // bytes of the last REPLACE
  bool replaces_next_ = false;                          // a REPLACE without brackets has one item
};

}  // namespace penstock::sql
