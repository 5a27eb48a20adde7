#include "io/parquet/direct_chunks.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace penstock::io {

DirectChunks::DirectChunks(const std::string& path, std::shared_ptr<const device::DirectFile> file)
    : file_(std::move(file)), host_file_(path, O_RDONLY) {
  if (host_file_) posix_fadvise(host_file_.descriptor(), 0, 0, POSIX_FADV_RANDOM);
}

std::shared_ptr<std::byte> DirectChunks::memory(std::uint64_t bytes) {
  void* const made = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (made == MAP_FAILED) return nullptr;
  madvise(made, bytes, MADV_NOHUGEPAGE);  // headers are few and far between
  return {static_cast<std::byte*>(made), [bytes](std::byte* memory) { munmap(memory, bytes); }};
}

Status DirectChunks::read(std::uint64_t offset, std::size_t bytes, std::byte* to) const {
  if (!host_file_) return {Code::io, "the file cannot be opened again"};
  if (host_file_.read_at(to, bytes, offset) == bytes) return {};
  if (errno != 0) return {Code::io, std::strerror(errno)};
  return {Code::truncated, "the file ends before the column chunk does"};
}

}  // namespace penstock::io
