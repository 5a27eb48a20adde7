// A file of compiled programs that comes with Penstock: what `penstock cache --fill --into FILE`
// writes.
//
//     head        magic, number of entries, checksum of the index
//     index       an entry each, ordered by key: the key's hash, its place, its size, a checksum
//     programs    one after another
//
// Packages compress it as they compress all files; here it is read in place.
//
// Whatever does not fit is a miss, and the compiler's turn: another version of the file, a program
// whose checksum differs, a file cut short. A file is read only if no one may write to it who may
// not write to `beside` either, since its programs run as ours.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "base/hash.hpp"
#include "penstock/status.hpp"

namespace penstock::device {

using ProgramBytes = std::vector<std::byte>;

class ProgramArchive {
 public:
  // Opens a file; one that cannot be used has no programs. `beside`: the file that it came with,
  // "" if there is none.
  ProgramArchive(const std::string& path, const std::string& beside);
  std::size_t size() const { return index_.size(); }
  std::optional<ProgramBytes> find(const Hash128& key) const;

  static Status write(const std::string& path, const std::map<Hash128, ProgramBytes>& programs);

 private:
  struct Entry {
    Hash128 key;
    std::uint64_t offset = 0, bytes = 0;
    Hash128 checksum;
  };
  struct Head;
  static std::uint64_t bytes_of_index(const Head& head);
  std::vector<Entry> read_index() const;

  File file_;
  std::uint64_t file_bytes_ = 0;
  std::vector<Entry> index_;
};

}  // namespace penstock::device
