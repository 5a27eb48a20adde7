// Tables for paged strings that kernels read, by the string's number in its column: codes of the
// run's pool, and functions of strings.
//
// Pages have numbers, which are the same in every run (exec/scan/column_strings.hpp). A function of
// a string is computed on the host, once a run for each string of the column's dictionaries. A row
// reads its entry of the table by the number.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "codec/pages/paged_table.hpp"
#include "exec/scan/column_strings.hpp"
#include "fuse/program/tile_program.hpp"

namespace penstock::plan {

class PageEntries {
 public:
  // All of these outlive it.
  PageEntries(const TileProgram& program, const pages::PagedTable& table, StringPool& strings);

  // Sets the numbers of a column's strings. Call it for each column of strings that is read by
  // number, before the other calls.
  void set_strings(std::uint32_t column, std::shared_ptr<ColumnStrings> strings);
  // Gives the chunks of such a column the numbers of their dictionaries' entries.
  Status name_entries(std::uint32_t column, std::span<pages::ChunkPages> chunks);
  // Returns the numbers of strings of such a column.
  Result<std::vector<std::uint32_t>> name_strings(std::uint32_t column, const Column& strings);
  // Returns the tables and constants of the program's columns in their order; `queue` uploads the
  // entries that are new. They have all strings that were numbered before. `kept` gets the buffers
  // that must live until the queue is done.
  Result<std::vector<std::shared_ptr<Buffer>>> upload(
      Device& device, Queue& queue, std::vector<std::shared_ptr<const void>>& kept);
  std::uint64_t bytes_uploaded() const { return bytes_uploaded_; }

 private:
  // A device column that is a string or derived from one: its values by that string's number, or
  // the constants of its computation.
  struct Entries {
    std::uint32_t column = 0, root = 0;
    std::vector<std::byte> added;    // follow the uploaded ones
    std::shared_ptr<Buffer> buffer;  // null: nothing is uploaded
    std::uint64_t uploaded_bytes = 0;
  };
  struct Root {
    std::uint32_t column = 0;
    std::shared_ptr<ColumnStrings> strings;
    std::size_t known = 0;  // strings in the tables
  };

  void add_constants(std::uint32_t column);
  Status add_new(Root& root);
  Status append(Entries& to, std::size_t first, const Column& results);
  Status grow(Entries& entries, Device& device, Queue& queue,
              std::vector<std::shared_ptr<const void>>& kept);
  Status upload_added(Entries& entries, Device& device, Queue& queue,
                      std::vector<std::shared_ptr<const void>>& kept);

  const TileProgram& program_;
  const pages::PagedTable& table_;
  StringPool& strings_;
  std::vector<Entries> entries_;
  std::vector<Root> roots_;
  std::shared_ptr<Event> last_upload_;  // of any queue; null before the first
  std::uint64_t bytes_uploaded_ = 0;
};

}  // namespace penstock::plan
