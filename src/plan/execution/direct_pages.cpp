#include "plan/execution/direct_pages.hpp"

#include <algorithm>
#include <vector>

#include "base/page_cache.hpp"

namespace penstock::plan {
namespace {

constexpr std::size_t cache_samples = 256;
// The page cache yields more than disks do, and what it lacks is read ahead by several threads.
constexpr double max_cached_share = 0.25;

// Returns a byte in the middle of some of the chunks that are read, evenly over the file.
std::vector<std::uint64_t> sampled_offsets(const PagesToRead& read) {
  std::size_t groups = 0;
  for (const pages::RowGroupBatch& chunk : read.chunks) groups += chunk.row_groups.size();
  const std::size_t step = groups * read.columns.size() / cache_samples + 1;
  std::vector<std::uint64_t> offsets;
  std::size_t number = 0;
  for (const pages::RowGroupBatch& chunk : read.chunks)
    for (const std::uint32_t group : chunk.row_groups)
      for (const std::uint32_t column : read.columns)
        if (number++ % step == 0)
          if (const auto place = read.table.place_of(column, group))
            offsets.push_back(place->offset + place->bytes / 2);
  return offsets;
}

bool is_cached(const PagesToRead& read) {
  return share_in_page_cache(read.table.file_path(), sampled_offsets(read)) > max_cached_share;
}

}  // namespace

bool may_be_read_directly(const PagesToRead& read, DirectReads wanted) {
  if (wanted != DirectReads::automatic) return wanted == DirectReads::on;
  return device::expects_direct_files() && !is_cached(read);
}

Result<DirectPages> direct_pages(const Device& device, const PagesToRead& read,
                                 DirectReads wanted) {
  const bool is_asked_for = wanted == DirectReads::on;
  const std::string path = read.table.file_path();
  if (!may_be_read_directly(read, wanted) || (path.empty() && !is_asked_for)) return DirectPages();
  auto file = device::open_direct_file(device, path);
  if (!is_asked_for && (!file.ok() || !(*file)->bypasses_host())) return DirectPages();
  PENSTOCK_TRY(file.status());
  DirectPages direct;
  direct.how =
      (*file)->bypasses_host() ? "by GPUDirect Storage" : "by cuFile in its compatibility mode";
  direct.table = read.table.with_direct_reads(std::move(file).value());
  if (direct.table) return direct;
  return Status(Code::unsupported, "pages of '" + path + "' cannot be read by a device itself");
}

}  // namespace penstock::plan
