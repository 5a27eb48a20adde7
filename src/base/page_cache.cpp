#include "base/page_cache.hpp"

#include <fcntl.h>
#include <sys/uio.h>
#include <sys/vfs.h>

#include <cerrno>

#include "base/file.hpp"

namespace penstock {

namespace {

bool is_in_memory(const File& file) {
  constexpr long tmpfs = 0x01021994;  // TMPFS_MAGIC of statfs(2)
  struct statfs system = {};
  return ::fstatfs(file.descriptor(), &system) == 0 && system.f_type == tmpfs;
}

}  // namespace

std::optional<double> share_in_page_cache(const std::string& path,
                                          std::span<const std::uint64_t> offsets) {
  const File file(path, O_RDONLY);
  if (!file) return {};
  if (offsets.empty() || is_in_memory(file)) return 1;
  std::size_t there = 0;
  for (const std::uint64_t offset : offsets) {
    char byte = 0;
    const iovec into{&byte, 1};
    const ssize_t read =
        preadv2(file.descriptor(), &into, 1, static_cast<off_t>(offset), RWF_NOWAIT);
    if (read < 0 && errno != EAGAIN) return {};
    there += read >= 0;
  }
  return static_cast<double>(there) / static_cast<double>(offsets.size());
}

}  // namespace penstock
