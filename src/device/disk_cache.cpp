#include "device/disk_cache.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/file.hpp"

namespace penstock::device {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t default_limit_bytes = std::uint64_t{256} << 20;
constexpr std::string_view entry_suffix = ".jit";
constexpr std::string_view header_suffix = ".pch";
constexpr std::string_view header_source_suffix = ".pch.cpp";
constexpr std::string_view partial_mark = ".partial.";
constexpr std::size_t name_digits = 32;

// The head of an entry file; key, log, notes and binary follow in this order. Little-endian, as
// every machine that we run on.
struct Header {
  char magic[8];
  std::uint64_t key_bytes, log_bytes, notes_bytes, binary_bytes;
  Hash128 checksum;  // of everything after the header, seeded with the sizes
};
constexpr char magic[8] = {'P', 'S', 'T', 'K', 'J', 'I', 'T', '1'};

Hash128 checksum_of(const Header& header, std::span<const std::byte> content) {
  const std::uint64_t sizes[] = {header.key_bytes, header.log_bytes, header.notes_bytes,
                                 header.binary_bytes};
  return content_hash(content, content_hash(std::as_bytes(std::span(sizes))).low);
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::uint64_t limit_from_environment() {
  const std::string text = environment("PENSTOCK_CACHE_BYTES");
  std::uint64_t bytes = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  return text.empty() || error != std::errc{} || end != text.data() + text.size()
             ? default_limit_bytes
             : bytes;
}

// Returns the whole file, or nothing. Ignores files of other users: their code would run as us.
std::optional<std::vector<std::byte>> read_own_file(const std::string& path,
                                                    std::uint64_t limit_bytes) {
  const File file(path, O_RDONLY | O_NOFOLLOW);
  struct stat info{};
  if (!file || fstat(file.descriptor(), &info) != 0 || !S_ISREG(info.st_mode)) return {};
  if (info.st_uid != geteuid() && info.st_uid != 0) return {};
  if ((info.st_mode & (S_IWGRP | S_IWOTH)) != 0) return {};  // who may write may run code
  const auto bytes = static_cast<std::uint64_t>(info.st_size);
  if (bytes < sizeof(Header) || bytes > limit_bytes) return {};
  std::vector<std::byte> content(bytes);
  if (file.read_up_to(content.data(), content.size()) != content.size()) return {};
  futimens(file.descriptor(), nullptr);  // eviction takes the least recently used first
  return content;
}

std::optional<CacheEntry> decode(std::span<const std::byte> file, const std::string& key_text) {
  Header header;
  std::memcpy(&header, file.data(), sizeof header);
  if (std::memcmp(header.magic, magic, sizeof magic) != 0) return {};
  std::span<const std::byte> rest = file.subspan(sizeof header);
  std::uint64_t left = rest.size();
  for (const std::uint64_t part :
       {header.key_bytes, header.log_bytes, header.notes_bytes, header.binary_bytes}) {
    if (part > left) return {};
    left -= part;
  }
  if (left != 0 || !(header.checksum == checksum_of(header, rest))) return {};
  const auto take = [&rest](std::uint64_t bytes) {
    const std::span<const std::byte> part = rest.first(bytes);
    rest = rest.subspan(bytes);
    return part;
  };
  const auto take_text = [&take](std::uint64_t bytes) {
    const auto part = take(bytes);
    return std::string(reinterpret_cast<const char*>(part.data()), part.size());
  };
  if (take_text(header.key_bytes) != key_text) return {};
  CacheEntry entry;
  entry.log = take_text(header.log_bytes);
  entry.notes = take_text(header.notes_bytes);
  entry.binary.assign(rest.begin(), rest.end());
  return entry;
}

std::vector<std::byte> encode(const CacheEntry& entry, const std::string& key_text) {
  Header header{};
  std::memcpy(header.magic, magic, sizeof magic);
  header.key_bytes = key_text.size(), header.log_bytes = entry.log.size();
  header.notes_bytes = entry.notes.size(), header.binary_bytes = entry.binary.size();
  std::vector<std::byte> file(sizeof header);
  const auto append = [&file](const auto& part) {
    const auto bytes = std::as_bytes(std::span(part));
    file.insert(file.end(), bytes.begin(), bytes.end());
  };
  append(key_text), append(entry.log), append(entry.notes), append(entry.binary);
  header.checksum = checksum_of(header, std::span(file).subspan(sizeof header));
  std::memcpy(file.data(), &header, sizeof header);
  return file;
}

bool is_entry(std::string_view name) {
  std::string_view suffix = entry_suffix;
  for (const std::string_view other : {header_suffix, header_source_suffix})
    if (name.ends_with(other)) suffix = other;
  return name.size() == name_digits + suffix.size() && name.ends_with(suffix) &&
         name.find_first_not_of("0123456789abcdef") == name_digits;
}
bool is_partial(std::string_view name) {
  return name.size() > name_digits + partial_mark.size() &&
         name.substr(name_digits).starts_with(partial_mark) &&
         name.find_first_not_of("0123456789abcdef") == name_digits;
}

bool is_header_source(const fs::path& path) {
  return path.native().ends_with(header_source_suffix);
}
// Whether a file is the source of a header that is not there: its compiler died, or the header was
// removed by hand.
bool is_orphan(const fs::path& path) {
  std::error_code error;
  if (!is_header_source(path)) return false;
  const std::string& source = path.native();
  return !fs::exists(source.substr(0, source.size() - 4), error) && !error;
}
// Removes a file of the cache. A compiled header takes along its source, which no use of it touches
// and without which compilers refuse it. Returns the bytes that are free.
std::uint64_t evict_file(const fs::path& path, std::uint64_t bytes) {
  std::error_code error;
  fs::remove(path, error);
  if (!path.native().ends_with(header_suffix)) return bytes;
  const fs::path source = path.native() + ".cpp";
  const std::uint64_t source_bytes = fs::file_size(source, error);
  return !error && fs::remove(source, error) ? bytes + source_bytes : bytes;
}

struct CacheFile {
  fs::path path;
  std::uint64_t bytes;
  fs::file_time_type used;
  bool partial;
};

// Returns the files that are ours by name. Skips files that another process removes meanwhile.
std::vector<CacheFile> files_of(const std::string& directory, std::error_code& error) {
  std::vector<CacheFile> files;
  for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (!is_entry(name) && !is_partial(name)) continue;
    std::error_code gone;
    CacheFile file{at->path(), at->file_size(gone), {}, is_partial(name)};
    if (!gone) file.used = at->last_write_time(gone);
    if (!gone) files.push_back(std::move(file));
  }
  return files;
}

Status cannot_list(const std::string& directory, const std::error_code& error) {
  return Status(Code::io, "cannot list the cache directory " + directory + ": " + error.message());
}

}  // namespace

std::string notes_of_build(std::string_view label, double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f ", seconds);
  return text + std::string(label);
}

DiskCache DiskCache::from_environment() {
  const std::uint64_t limit_bytes = limit_from_environment();
  if (const std::string own = environment("PENSTOCK_CACHE_DIR"); !own.empty())
    return {own, limit_bytes};
  // The XDG base directory specification says to ignore relative paths.
  if (const std::string xdg = environment("XDG_CACHE_HOME"); xdg.starts_with('/'))
    return {xdg + "/penstock", limit_bytes};
  if (const std::string home = environment("HOME"); !home.empty())
    return {home + "/.cache/penstock", limit_bytes};
  return {"", limit_bytes};
}

DiskCache::DiskCache(std::string directory, std::uint64_t limit_bytes)
    : directory_(std::move(directory)), limit_bytes_(limit_bytes) {
  if (directory_.empty()) return;
  std::error_code error;
  if (fs::is_directory(directory_, error)) return;
  fs::create_directories(directory_, error);
  if (!error) fs::permissions(directory_, fs::perms::owner_all, error);  // its files are executed
}

std::string DiskCache::path(const CacheKey& key) const {
  return directory_ + "/" + key.digest.hex() + std::string(entry_suffix);
}

DiskCache::HeaderPaths DiskCache::paths_of_header(const CacheKey& key) const {
  const std::string path = directory_ + "/" + key.digest.hex();
  return {path + std::string(header_suffix), path + std::string(header_source_suffix),
          path + std::string(partial_mark) + std::to_string(getpid())};
}

std::optional<CacheEntry> DiskCache::load(const CacheKey& key) const {
  if (directory_.empty()) return {};
  const auto file = read_own_file(path(key), std::max(limit_bytes_, default_limit_bytes));
  if (!file) return {};
  auto entry = decode(*file, key.text);
  if (!entry) remove(key);
  return entry;
}

bool DiskCache::store(const CacheKey& key, const CacheEntry& entry) const {
  if (directory_.empty()) return false;
  const std::vector<std::byte> content = encode(entry, key.text);
  if (content.size() > limit_bytes_) return false;
  static std::atomic<unsigned> counter{0};
  const std::string partial = directory_ + "/" + key.digest.hex() + std::string(partial_mark) +
                              std::to_string(getpid()) + "." + std::to_string(counter++);
  bool written = false;
  {
    const File file(partial, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW);
    if (!file) return false;
    written = file.write_all(content.data(), content.size());
  }
  if (!written || std::rename(partial.c_str(), path(key).c_str()) != 0) {
    unlink(partial.c_str());
    return false;
  }
  evict();
  return true;
}

bool DiskCache::writable() const {
  return !directory_.empty() && access(directory_.c_str(), W_OK | X_OK) == 0;
}

void DiskCache::remove(const CacheKey& key) const { unlink(path(key).c_str()); }

// Evicts the least recently used entries down to 7/8 of the limit, so that a full cache is not
// listed and trimmed for every new entry.
void DiskCache::evict() const {
  std::error_code error;
  std::vector<CacheFile> files = files_of(directory_, error);
  std::uint64_t bytes = 0;
  const auto abandoned =
      fs::file_time_type::clock::now() - std::chrono::hours(1);  // its writer died
  for (const CacheFile& file : files) {
    if (file.used < abandoned && (file.partial || is_orphan(file.path)))
      fs::remove(file.path, error);
    bytes += file.bytes;
  }
  if (bytes <= limit_bytes_) return;
  std::sort(files.begin(), files.end(),
            [](const CacheFile& a, const CacheFile& b) { return a.used < b.used; });
  for (const CacheFile& file : files) {
    if (bytes <= limit_bytes_ - limit_bytes_ / 8 || &file == &files.back())
      break;  // the newest was just compiled
    if (file.partial || is_header_source(file.path)) continue;
    bytes -= evict_file(file.path, file.bytes);
  }
}

Result<CacheSummary> DiskCache::summary() const {
  CacheSummary summary{directory_, 0, 0, limit_bytes_};
  std::error_code error;
  if (directory_.empty() || !fs::exists(directory_, error)) return summary;
  for (const CacheFile& file : files_of(directory_, error))
    summary.file_count++, summary.bytes += file.bytes;
  if (error) return cannot_list(directory_, error);
  return summary;
}

Result<std::vector<ListedProgram>> DiskCache::list() const {
  std::vector<ListedProgram> programs;
  std::error_code error;
  if (directory_.empty() || !fs::exists(directory_, error)) return programs;
  for (const CacheFile& file : files_of(directory_, error)) {
    if (file.path.extension() != entry_suffix) continue;
    const auto content = read_own_file(file.path, std::max(limit_bytes_, default_limit_bytes));
    if (!content) continue;
    Header header;
    std::memcpy(&header, content->data(), sizeof header);
    if (header.key_bytes > content->size() - sizeof header) continue;
    const std::string key(reinterpret_cast<const char*>(content->data()) + sizeof header,
                          header.key_bytes);
    if (const auto entry = decode(*content, key))
      programs.push_back({file.path.stem().string(), entry->notes,
                          static_cast<std::uint64_t>(std::ranges::count(key, '\n')),
                          entry->binary.size()});
  }
  if (error) return cannot_list(directory_, error);
  std::ranges::sort(programs, {}, &ListedProgram::key);
  return programs;
}

Result<CacheSummary> DiskCache::clear() const {
  CacheSummary removed{directory_, 0, 0, limit_bytes_};
  std::error_code error;
  if (directory_.empty() || !fs::exists(directory_, error)) return removed;
  for (const CacheFile& file : files_of(directory_, error)) {
    std::error_code failed;
    if (fs::remove(file.path, failed)) removed.file_count++, removed.bytes += file.bytes;
    if (failed)
      return Status(Code::io, "cannot remove " + file.path.string() + ": " + failed.message());
  }
  if (error) return cannot_list(directory_, error);
  return removed;
}

// Open-file-description locks: unlike flock they take a byte range, unlike POSIX record locks they
// also exclude the threads of one process from one another.
DiskCache::Lock DiskCache::lock(const CacheKey& key) const {
  Lock lock;
  if (directory_.empty()) return lock;
  File file(directory_ + "/lock", O_RDWR | O_CREAT | O_NOFOLLOW);
  if (!file) return lock;
  struct flock range{};
  range.l_type = F_WRLCK, range.l_whence = SEEK_SET;
  range.l_start = static_cast<off_t>(key.digest.low >> 2), range.l_len = 1;  // off_t is signed
  int outcome = 0;
  do outcome = fcntl(file.descriptor(), F_OFD_SETLKW, &range);
  while (outcome != 0 && errno == EINTR);
  if (outcome == 0) lock.descriptor_ = file.release();
  return lock;
}

DiskCache::Lock::~Lock() {
  if (descriptor_ >= 0) close(descriptor_);
}

}  // namespace penstock::device

namespace penstock {

Result<CacheSummary> summarize_cache() { return device::DiskCache::from_environment().summary(); }
Result<CacheSummary> clear_cache() { return device::DiskCache::from_environment().clear(); }

}  // namespace penstock
