// A file that is read into a device's memory through a small ring of pinned memory.
//
// Each piece is uploaded as soon as it was read, while it is in the caches, and its memory is used
// again. Pinned memory as large as the read-ahead leaves the caches before its upload: then a loop
// got 42 GB/s from the page cache into one H200, and with the ring 53, the speed of its link. Into
// four it got 69 and 73 (docs/lab/reading.md).
#pragma once
#include "base/file.hpp"
#include "base/piece_workers.hpp"
#include "device/direct_file.hpp"

namespace penstock::device {

class StagedFile final : public DirectFile, public std::enable_shared_from_this<StagedFile> {
 public:
  // Reads with this many threads, which start with the first read. `name`: of the file, for
  // messages. Code::io: the file cannot be opened.
  static Result<std::shared_ptr<const DirectFile>> open(std::shared_ptr<Device> device,
                                                        const std::string& path, std::string name,
                                                        unsigned threads);
  bool bypasses_host() const override { return false; }
  bool is_staged() const override { return true; }
  Status read(Queue& queue, const Buffer& to, std::span<const FileRange> ranges) const override;
  // Several may be under way. They are read in the order in which they began.
  Result<std::unique_ptr<FileReads>> begin(Queue& queue, std::shared_ptr<Buffer> to,
                                           std::vector<FileRange> ranges) const override;

 private:
  class Ring;
  class Reads;
  StagedFile(const std::string& path, std::string name, unsigned threads);
  Status read_piece(const FileRange& piece, const Buffer& to) const;
  Status fill(const FileRange& piece, std::byte* to) const;
  Status failure_at(std::uint64_t byte, bool is_end) const;

  const std::string name_;
  const File file_;
  std::unique_ptr<Ring> ring_;
  mutable PieceWorkers workers_;  // last: they use the other members
};

}  // namespace penstock::device
