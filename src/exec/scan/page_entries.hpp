// The tables of strings (exec/scan/string_tables.hpp) that kernels read for paged columns, in
// device memory: a row reads its entry by the number of its string. Pages have numbers, which are
// the same in every run.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "codec/pages/paged_table.hpp"
#include "exec/scan/string_tables.hpp"

namespace penstock::plan {

class PageEntries {
 public:
  // The program and the table outlive it.
  PageEntries(const TileProgram& program, const pages::PagedTable& table, ProgramStrings strings);

  // Gives the chunks of a column of strings the numbers of their dictionaries' entries.
  Status name_entries(std::uint32_t column, std::span<pages::ChunkPages> chunks);
  // Returns the numbers of strings of such a column.
  Result<std::vector<std::uint32_t>> name_strings(std::uint32_t column, const Column& strings);
  // Returns the tables and constants of the program's columns in their order; `queue` uploads the
  // entries that are new, for a chunk. They have all strings that were numbered before. `kept` gets
  // the buffers that must live until the queue is done.
  Result<std::vector<std::shared_ptr<Buffer>>> upload(
      Device& device, Queue& queue, std::size_t chunk,
      std::vector<std::shared_ptr<const void>>& kept);
  // Lets a session keep the tables. Call when a chunk's kernels are done.
  void keep(std::size_t chunk);
  std::uint64_t bytes_uploaded() const { return bytes_uploaded_; }

 private:
  // A table, or the constants of a device column's computation.
  struct Entries {
    std::uint32_t column = 0;
    std::vector<std::byte> added;    // follow the uploaded ones
    std::shared_ptr<Buffer> buffer;  // null: nothing is uploaded
    std::uint64_t uploaded_bytes = 0, strings = 0;
    std::optional<std::size_t> begun_by = {};  // the chunk that uploads it from its beginning on
  };

  void add_constants(std::uint32_t column);
  void take_new(Entries& entries) const;
  void take_kept(Entries& entries, const StringTables::Table& table) const;
  Status grow(Entries& entries, Device& device, Queue& queue,
              std::vector<std::shared_ptr<const void>>& kept);
  Status upload_added(Entries& entries, Device& device, Queue& queue,
                      std::vector<std::shared_ptr<const void>>& kept);

  const TileProgram& program_;
  const pages::PagedTable& table_;
  const ProgramStrings strings_;
  StringTables tables_;
  std::vector<Entries> entries_;
  std::shared_ptr<Event> last_upload_;  // of any queue; null before the first
  std::uint64_t bytes_uploaded_ = 0;
};

}  // namespace penstock::plan
