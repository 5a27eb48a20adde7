#include "io/text/decompressed_text.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <vector>

#include "base/exception_boundary.hpp"
#include "base/thread_pool.hpp"
#include "penstock/stream.hpp"
#include "stream/formats.hpp"
#include "stream/input/byte_reader.hpp"
#include "stream/input/input.hpp"
#include "stream/input/skippable_frame.hpp"

namespace penstock::io {
namespace {

constexpr std::size_t part_bytes = 1 << 20, queued_bytes_limit = 4 << 20;

// All threads decode one Deflate stream of a file. A pipe's stream has one thread.
stream::Source source_of(ByteFile& file) {
  if (const auto descriptor = file.descriptor())
    return stream::Source::descriptor(file.name(), *descriptor);
  return stream::Source::reader(
      file.name(),
      [&file, offset = std::uint64_t{0}](std::span<std::byte> into) mutable -> Result<std::size_t> {
        const std::span<char> chars(reinterpret_cast<char*>(into.data()), into.size());
        PENSTOCK_ASSIGN(const std::size_t bytes, file.read_at(chars, offset));
        offset += bytes;
        return bytes;
      });
}

// gzip and bgzip only warn of these faults. They are errors here: a table cannot carry a warning.
Status check_end(const stream::Report& report) {
  if (report.ignored_bytes > 0)
    return {Code::corrupt, std::to_string(report.ignored_bytes) +
                               " bytes after the last gzip member are not gzip"};
  if (report.lacks_bgzip_end)
    return {Code::truncated,
            "bgzip's end-of-file block is absent, so that the file may be cut (penstock decompress "
            "writes what there is)"};
  return {};
}

// Decodes a whole file.
Status decode(ByteFile& file, const stream::Sink& sink, std::uint32_t threads) {
  const auto report = stream::decompress(source_of(file), sink, {.threads = threads});
  const Status status = report.ok() ? check_end(*report) : report.status();
  return status.ok() ? status : status.with("while decompressing " + file.name());
}

class DecompressedText final : public TextInput {
 public:
  explicit DecompressedText(std::shared_ptr<ByteFile> file) : file_(std::move(file)) {}
  ~DecompressedText() override {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
    changed_.notify_all();
  }  // the task, which is the last member, is waited for

  Result<std::size_t> read(std::span<char> into) override {
    return catch_exceptions([&] { return fill(into); });
  }

 private:
  Result<std::size_t> fill(std::span<char> into) {
    if (!decoding_.valid()) decoding_ = ThreadPool::shared().start([this] { run(); });
    std::size_t done = 0;
    while (done < into.size() && has_part()) done += take(into.subspan(done));
    if (done < into.size() && !end_.ok()) return end_;
    return done;
  }

  // Waits for decoded bytes. Returns false at their end.
  bool has_part() {
    if (taken_bytes_ < part_.size()) return true;
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return has_ended_ || !parts_.empty(); });
    if (parts_.empty()) return false;
    part_ = std::move(parts_.front());
    parts_.pop_front();
    queued_bytes_ -= part_.size();
    taken_bytes_ = 0;
    changed_.notify_all();
    return true;
  }

  std::size_t take(std::span<char> into) {
    const std::size_t bytes = std::min(into.size(), part_.size() - taken_bytes_);
    std::copy_n(part_.data() + taken_bytes_, bytes, into.data());
    taken_bytes_ += bytes;
    return bytes;
  }

  void run() {
    Status end = catch_exceptions([&] {
      return decode(*file_, [this](std::span<const std::byte> bytes) { return push(bytes); }, 0);
    });
    const std::lock_guard lock(mutex_);
    end_ = std::move(end);
    has_ended_ = true;
    changed_.notify_all();
  }

  Status push(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const auto part = bytes.first(std::min(bytes.size(), part_bytes));
      const auto* const begin = reinterpret_cast<const char*>(part.data());
      std::vector<char> copy(begin, begin + part.size());
      bytes = bytes.subspan(part.size());
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return is_stopping_ || queued_bytes_ < queued_bytes_limit; });
      if (is_stopping_) return {Code::cancelled, "the rest of the text is not wanted"};
      queued_bytes_ += copy.size();
      parts_.push_back(std::move(copy));
      changed_.notify_all();
    }
    return {};
  }

  const std::shared_ptr<ByteFile> file_;
  std::vector<char> part_;  // that the reader takes from
  std::size_t taken_bytes_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::vector<char>> parts_;
  std::size_t queued_bytes_ = 0;
  bool has_ended_ = false, is_stopping_ = false;
  Status end_;
  Task<void> decoding_;
};

// zlib has no signature: "80" begins a stream as well as a number. These bytes begin no text.
bool is_zlib_for_certain(std::string_view start) {
  return start.starts_with("\x78\x01") || start.starts_with("\x78\x9c") ||
         start.starts_with("\x78\xda");
}

}  // namespace

// A skippable frame, which zstd and lz4 have, may be longer than the start.
bool is_compressed(std::string_view start) {
  const auto bytes = std::as_bytes(std::span(start));
  const auto input = stream::Input::open(stream::Source::memory(bytes));
  const auto format =
      input.ok() ? stream::detect_format(**input) : Result<stream::Format>(input.status());
  if (stream::is_skippable_magic(stream::ByteReader(bytes).u32())) return true;
  return format.ok() && (*format != stream::Format::zlib || is_zlib_for_certain(start));
}

Result<std::unique_ptr<TextInput>> decompressed_text(std::shared_ptr<ByteFile> file) {
  return std::unique_ptr<TextInput>(std::make_unique<DecompressedText>(std::move(file)));
}

Result<std::string> decompressed_start(ByteFile& file, std::size_t bytes) {
  std::string start;
  const Status status = decode(
      file,
      [&](std::span<const std::byte> part) {
        const std::size_t wanted = std::min(part.size(), bytes - start.size());
        start.append(reinterpret_cast<const char*>(part.data()), wanted);
        return start.size() < bytes ? Status() : Status(Code::cancelled, "enough was decoded");
      },
      1);
  if (!status.ok() && start.size() < bytes) return status;
  return start;
}

}  // namespace penstock::io
