#include "exec/scan/direct_pages.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "base/page_cache.hpp"
#include "base/thread_pool.hpp"
#include "device/staged_file.hpp"

namespace penstock::plan {
namespace {

constexpr std::size_t cache_samples = 256;
// The page cache yields more than disks do, and several threads read ahead for the rest.
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

// None if the system does not tell.
std::optional<double> cached_share(const PagesToRead& read) {
  std::string path = read.table.path_of_open_file();
  if (path.empty()) path = read.table.file_path();
  return share_in_page_cache(path, sampled_offsets(read));
}

// Judges by the first row group. The host finds each page header by a call of the system.
Result<bool> finds_much_for_host(const pages::PagedTable& table, const PagesToRead& read) {
  constexpr std::uint64_t max_share = 8;  // an eighth
  constexpr std::uint64_t min_page_bytes = 48 << 10;
  std::uint64_t by_host = 0, all = 0, pages = 0;
  for (const std::uint32_t column : read.columns) {
    PENSTOCK_ASSIGN(const pages::ChunkPages chunk,
                    table.read(column, read.chunks[0].row_groups[0], {}));
    by_host += chunk.host_bytes;
    all += chunk.bytes.size();
    pages += chunk.data.size();
  }
  return by_host > all / max_share || all < pages * min_page_bytes;
}

// Findings on columns of files, by their content's identity. Looking again took a millisecond of
// each scan.
class FoundFiles {
 public:
  std::optional<bool> find(const std::string& key) {
    const std::lock_guard lock(mutex_);
    const auto known = found_.find(key);
    return known == found_.end() ? std::nullopt : std::optional(known->second);
  }
  void keep(const std::string& key, bool reads_much) {
    constexpr std::size_t max_found = 1024;
    const std::lock_guard lock(mutex_);
    if (found_.size() >= max_found) found_.clear();
    found_[key] = reads_much;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, bool> found_;
};

// Returns a name for the chunks of these columns; "" if the file has no identity.
std::string name_of_chunks(const PagesToRead& read) {
  std::string name = file_identity(read.table.path_of_open_file());
  if (name.empty()) return name;
  for (const std::uint32_t column : read.columns) {
    const auto place = read.table.place_of(column, read.chunks[0].row_groups[0]);
    if (!place) return "";
    name += std::to_string(place->offset) + "," + std::to_string(place->bytes) + " ";
  }
  return name;
}

Result<bool> host_reads_much(const pages::PagedTable& table, const PagesToRead& read) {
  static FoundFiles& files = *new FoundFiles;  // kept: threads may outlive statics
  const std::string name = name_of_chunks(read);
  if (name.empty()) return finds_much_for_host(table, read);
  if (const auto known = files.find(name)) return *known;
  PENSTOCK_ASSIGN(const bool reads_much, finds_much_for_host(table, read));
  files.keep(name, reads_much);
  return reads_much;
}

}  // namespace

bool may_be_read_directly(const PagesToRead& read, DirectReads wanted) {
  if (wanted != DirectReads::automatic) return wanted == DirectReads::on;
  return device::expects_direct_files() && cached_share(read).value_or(1) <= max_cached_share;
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

bool may_be_staged(const Device& device, const PagesToRead& read, std::uint64_t min_bytes) {
  constexpr double min_cached_share = 0.9;
  if (device.traits().unified_memory || read.table.path_of_open_file().empty()) return false;
  std::uint64_t bytes = 0, compressed = 0;
  for (const pages::RowGroupBatch& chunk : read.chunks)
    for (const std::uint32_t column : read.columns)
      for (const std::uint32_t group : chunk.row_groups) {
        const pages::StoredChunk& stored = read.table.chunks(column)[group];
        bytes += stored.stored_bytes;
        if (stored.compression != pages::Compression::none) compressed += stored.stored_bytes;
      }
  return bytes >= min_bytes && compressed <= bytes / 10 &&
         cached_share(read).value_or(0) >= min_cached_share;
}

Result<std::shared_ptr<const pages::PagedTable>> staged_pages(std::shared_ptr<Device> device,
                                                              const PagesToRead& read,
                                                              std::uint32_t threads) {
  // 16 fill the link of one GPU. The remaining cores find page headers, and launch kernels.
  constexpr std::uint32_t max_threads = 24;
  const std::uint32_t cores = threads > 0 ? threads : host_core_count();
  const std::uint32_t wanted = std::clamp<std::uint32_t>(cores * 3 / 4, 1, max_threads);
  auto file = device::StagedFile::open(std::move(device), read.table.path_of_open_file(),
                                       read.table.file_path(), wanted);
  // A system without /proc cannot open an open file again.
  if (file.status().code() == Code::io) return std::shared_ptr<const pages::PagedTable>();
  PENSTOCK_TRY(file.status());
  auto table = read.table.with_direct_reads(std::move(file).value());
  if (!table) return table;
  PENSTOCK_ASSIGN(const bool reads_much, host_reads_much(*table, read));
  return reads_much ? nullptr : table;
}

}  // namespace penstock::plan
