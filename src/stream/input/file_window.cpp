#include "stream/input/file_window.hpp"

#include <sys/mman.h>

#include <algorithm>

#include "base/huge_page_allocator.hpp"

namespace penstock::stream {
namespace {

// The bytes that one thread reads at once, while other threads wait for them.
constexpr std::uint64_t part_bytes = 1 << 20;
// Memory is released in pieces of this size: each piece costs a call that stops all threads.
constexpr std::uint64_t released_bytes = 16 << 20;

}  // namespace

Result<std::unique_ptr<FileWindow>> FileWindow::open(std::shared_ptr<const File> file,
                                                     std::string name, std::uint64_t begin,
                                                     std::uint64_t bytes) {
  std::unique_ptr<FileWindow> window(new FileWindow);
  window->mapping_bytes_ = bytes + huge_page_bytes;
  void* const mapped = ::mmap(nullptr, window->mapping_bytes_, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED)
    return Status(Code::no_memory, "there are no " + std::to_string(bytes) +
                                       " bytes of addresses for " + name +
                                       "; a pipe needs none, and nor do methods in order");
  window->mapping_ = static_cast<std::byte*>(mapped);
  const auto address = reinterpret_cast<std::uintptr_t>(mapped);
  window->memory_ = window->mapping_ + (huge_page_bytes - address % huge_page_bytes);
#ifdef MADV_HUGEPAGE
  static_cast<void>(::madvise(window->memory_, bytes, MADV_HUGEPAGE));
#endif
  window->file_ = std::move(file), window->name_ = std::move(name);
  window->begin_ = begin, window->bytes_ = bytes;
  window->parts_ = std::vector<std::atomic<Part>>((bytes + part_bytes - 1) / part_bytes);
  return window;
}

FileWindow::~FileWindow() {
  if (mapping_ != nullptr) ::munmap(mapping_, mapping_bytes_);
}

Status FileWindow::require(std::uint64_t first, std::uint64_t last) {
  last = std::min(last, bytes_);
  for (std::uint64_t part = first / part_bytes; part * part_bytes < last; part++) {
    std::atomic<Part>& state = parts_[part];
    Part seen = state.load(std::memory_order_acquire);
    if (seen == Part::missing && state.compare_exchange_strong(seen, Part::being_read)) {
      const Status status = read(part);
      state.store(status.ok() ? Part::there : Part::failed, std::memory_order_release);
      state.notify_all();
      PENSTOCK_TRY(status);
      continue;
    }
    while ((seen = state.load(std::memory_order_acquire)) == Part::being_read) state.wait(seen);
    if (seen == Part::failed) return error();
  }
  return {};
}

Status FileWindow::read(std::uint64_t part) {
  const std::uint64_t first = part * part_bytes;
  Status status = file_->read_exactly({memory_ + first, std::min(part_bytes, bytes_ - first)},
                                      begin_ + first, name_);
  if (status.ok()) return status;
  const std::lock_guard lock(mutex_);
  if (error_.ok()) error_ = status;
  return status;
}

Status FileWindow::error() {
  const std::lock_guard lock(mutex_);
  return error_;
}

void FileWindow::release(std::uint64_t first) {
  const std::uint64_t end = std::min(first, bytes_) / released_bytes * released_bytes;
  if (end <= released_) return;
  static_cast<void>(::madvise(memory_ + released_, end - released_, MADV_DONTNEED));
  released_ = end;
}

}  // namespace penstock::stream
