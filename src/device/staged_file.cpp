#include "device/staged_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>

#include "device/queue_checks.hpp"

namespace penstock::device {
namespace {

// With 1 MiB one H200 got 47 GB/s in place of 53. With a ring of 512 MiB it got 43.
constexpr std::uint64_t piece_bytes = 4 << 20;
constexpr std::size_t ring_pieces = 32;

std::vector<FileRange> pieces_of(std::span<const FileRange> ranges) {
  std::vector<FileRange> pieces;
  for (const FileRange& range : ranges)
    for (std::uint64_t done = 0; done < range.bytes; done += piece_bytes)
      pieces.push_back({range.file_offset + done, std::min(piece_bytes, range.bytes - done),
                        range.to_offset + done});
  return pieces;
}

}  // namespace

// Pinned memory in pieces, and the queue that uploads them. Thread-safe.
class StagedFile::Ring {
 public:
  struct Piece {
    std::shared_ptr<HostBuffer> memory;
    std::shared_ptr<Event> uploaded;  // null before the first upload
  };

  explicit Ring(std::shared_ptr<Device> device) : device_(std::move(device)) {}

  Status open() {
    PENSTOCK_ASSIGN(queue_, device_->queue());
    free_.resize(ring_pieces);
    return {};
  }

  // Returns the piece whose upload began first, once that is done. One thread at a time asks the
  // driver: many that wait there keep others from it.
  Result<Piece> take() {
    Piece piece;
    Status status;
    {
      const std::lock_guard turn(take_mutex_);
      piece = take_first();
      if (piece.uploaded) status = piece.uploaded->wait();
    }
    if (status.ok() && !piece.memory) {
      auto memory = device_->allocate_host(piece_bytes);
      if (memory.ok()) piece.memory = std::move(memory).value();
      status = memory.status();
    }
    if (status.ok()) return piece;
    give_back(std::move(piece));
    return status;
  }

  void give_back(Piece piece) {
    {
      const std::lock_guard lock(mutex_);
      free_.push_back(std::move(piece));
    }
    freed_.notify_one();
  }

  // Gives the piece back, too.
  Status upload(Piece piece, const FileRange& range, const Buffer& to) {
    Status status;
    {
      const std::lock_guard lock(queue_mutex_);
      status = enqueue(piece, range, to);
    }
    give_back(std::move(piece));
    return status;
  }

  Result<std::shared_ptr<Event>> record() {
    const std::lock_guard lock(queue_mutex_);
    PENSTOCK_ASSIGN(auto event, queue_->record());
    PENSTOCK_TRY(queue_->flush());
    return event;
  }

  // Makes uploads start after what `queue` has to do.
  Status follow(Queue& queue) {
    PENSTOCK_ASSIGN(const auto event, queue.record());
    PENSTOCK_TRY(queue.flush());
    const std::lock_guard lock(queue_mutex_);
    return queue_->wait_for(*event);
  }

 private:
  Piece take_first() {
    std::unique_lock lock(mutex_);
    freed_.wait(lock, [this] { return !free_.empty(); });
    Piece piece = std::move(free_.front());
    free_.pop_front();
    return piece;
  }

  Status enqueue(Piece& piece, const FileRange& range, const Buffer& to) {
    PENSTOCK_TRY(queue_->upload(to, piece.memory->data(), range.bytes, range.to_offset));
    PENSTOCK_ASSIGN(piece.uploaded, queue_->record());
    return queue_->flush();
  }

  const std::shared_ptr<Device> device_;
  std::mutex take_mutex_, mutex_, queue_mutex_;
  std::condition_variable freed_;
  std::deque<Piece> free_;
  std::unique_ptr<Queue> queue_;  // last: its uploads read the pieces
};

class StagedFile::Reads final : public FileReads {
 public:
  Reads(std::shared_ptr<const StagedFile> file, std::shared_ptr<Buffer> to,
        std::vector<FileRange> pieces)
      : file_(std::move(file)), to_(std::move(to)), pieces_(std::move(pieces)) {
    job_ = file_->workers_.begin(pieces_.size(), [this](std::uint64_t piece) {
      return file_->read_piece(pieces_[piece], *to_);
    });
  }
  bool has_ended() const override { return job_.has_ended(); }
  Status wait_on(Queue& queue) override {
    PENSTOCK_TRY(job_.wait());
    PENSTOCK_ASSIGN(const auto uploaded, file_->ring_->record());
    return queue.wait_for(*uploaded);
  }

 private:
  std::shared_ptr<const StagedFile> file_;
  std::shared_ptr<Buffer> to_;
  std::vector<FileRange> pieces_;
  PieceJob job_;  // last: it uses the others
};

StagedFile::StagedFile(std::string path, unsigned threads)
    : path_(std::move(path)), file_(path_, O_RDONLY), workers_(threads) {}

Result<std::shared_ptr<const DirectFile>> StagedFile::open(std::shared_ptr<Device> device,
                                                           const std::string& path,
                                                           unsigned threads) {
  std::shared_ptr<StagedFile> file(new StagedFile(path, threads));
  if (!file->file_) return Status(Code::io, "cannot open '" + path + "': " + std::strerror(errno));
  file->ring_ = std::make_unique<Ring>(std::move(device));
  PENSTOCK_TRY(file->ring_->open());
  return std::shared_ptr<const DirectFile>(std::move(file));
}

Status StagedFile::read(Queue& queue, const Buffer& to, std::span<const FileRange> ranges) const {
  const std::vector<FileRange> pieces = pieces_of(ranges);
  for (const FileRange& range : ranges)
    PENSTOCK_TRY(check_range("read of a file", to, range.bytes, range.to_offset));
  PENSTOCK_TRY(ring_->follow(queue));
  PENSTOCK_TRY(
      workers_
          .begin(pieces.size(), [&](std::uint64_t piece) { return read_piece(pieces[piece], to); })
          .wait());
  PENSTOCK_ASSIGN(const auto uploaded, ring_->record());
  return uploaded->wait();
}

Result<std::unique_ptr<FileReads>> StagedFile::begin(Queue& queue, std::shared_ptr<Buffer> to,
                                                     std::vector<FileRange> ranges) const {
  for (const FileRange& range : ranges)
    PENSTOCK_TRY(check_range("read of a file", *to, range.bytes, range.to_offset));
  PENSTOCK_TRY(ring_->follow(queue));
  return std::unique_ptr<FileReads>(
      std::make_unique<Reads>(shared_from_this(), std::move(to), pieces_of(ranges)));
}

Status StagedFile::read_piece(const FileRange& piece, const Buffer& to) const {
  PENSTOCK_ASSIGN(Ring::Piece staged, ring_->take());
  Status read = fill(piece, staged.memory->data());
  if (read.ok()) return ring_->upload(std::move(staged), piece, to);
  ring_->give_back(std::move(staged));
  return read;
}

Status StagedFile::fill(const FileRange& piece, std::byte* to) const {
  for (std::uint64_t done = 0; done < piece.bytes;) {
    const std::uint64_t at = piece.file_offset + done;
    const ssize_t count =
        ::pread(file_.descriptor(), to + done, piece.bytes - done, static_cast<off_t>(at));
    if (count < 0 && errno == EINTR) continue;
    const std::string where = "byte " + std::to_string(at) + " of '" + path_ + "'";
    if (count < 0) return {Code::io, "cannot read " + where + ": " + std::strerror(errno)};
    if (count == 0) return {Code::truncated, "the file ends before " + where};
    done += static_cast<std::uint64_t>(count);
  }
  return {};
}

}  // namespace penstock::device
