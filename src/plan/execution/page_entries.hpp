// What kernels know of paged strings: the codes of a dictionary's entries, and the functions of
// them as tables by code.
//
// A function of a string is computed once for each string that a dictionary has, on the host. It is
// a table on the device, and a row reads its entry by the string's code.
#pragma once
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "codec/pages/paged_table.hpp"
#include "plan/fusion/tile_program.hpp"
#include "plan/strings/string_pool.hpp"

namespace penstock::plan {

class PageEntries {
 public:
  // All of these outlive it.
  PageEntries(const TileProgram& program, const pages::PagedTable& table, StringPool& strings);

  // Gives the chunks of a string column the codes of their dictionaries' entries, and computes the
  // functions of strings that are new.
  Status name_entries(std::uint32_t column, std::span<pages::ChunkPages> chunks);
  // Returns the codes of strings that differ, after computing the functions of new ones.
  Result<std::vector<std::uint32_t>> name_strings(std::uint32_t column, const Column& strings);
  // Returns the tables and constants of the program's derived columns in their order, uploaded by
  // `queue` where they have changed. `kept` gets what must live until the queue has done it.
  Result<std::vector<std::shared_ptr<Buffer>>> upload(
      Device& device, Queue& queue, std::vector<std::shared_ptr<const void>>& kept);
  std::uint64_t bytes_uploaded() const { return bytes_uploaded_; }

 private:
  // A device column that is derived from a string: its values by code of that string, or the
  // constants that it is computed with.
  struct Derived {
    std::uint32_t column = 0, root = 0;
    std::vector<std::byte> values;
    std::shared_ptr<Buffer> uploaded;  // null: they have changed
  };

  void add_constants(std::uint32_t column);
  Status derive_new(std::uint32_t root, const Column& entries,
                    const std::vector<std::uint32_t>& codes);
  Status keep(Derived& derived, const Column& results, const std::vector<std::uint32_t>& codes);

  const TileProgram& program_;
  const pages::PagedTable& table_;
  StringPool& strings_;
  std::vector<Derived> derived_;
  std::map<std::uint32_t, std::vector<bool>> known_;  // codes, by column that functions are of
  std::uint64_t bytes_uploaded_ = 0;
};

}  // namespace penstock::plan
