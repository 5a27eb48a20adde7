#include "device/program_archive.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace penstock::device {

// As it is in the file. Little-endian, as every machine that we run on.
struct ProgramArchive::Head {
  char magic[8] = {'P', 'S', 'T', 'K', 'P', 'R', 'G', '1'};
  std::uint64_t count = 0;
  Hash128 checksum;  // of the index
};

namespace {

constexpr unsigned writable_for_others = S_IWGRP | S_IWOTH;

// Whether all who may write to the file are trusted: this process's user and root, and who may
// write to the file that it came with.
bool is_trusted(const struct stat& file, const std::string& beside) {
  struct stat own{};
  const bool has_own = !beside.empty() && stat(beside.c_str(), &own) == 0;
  const bool of_owner =
      file.st_uid == geteuid() || file.st_uid == 0 || (has_own && file.st_uid == own.st_uid);
  const unsigned others = file.st_mode & writable_for_others;
  const bool as_own = has_own && file.st_gid == own.st_gid && (others & ~own.st_mode) == 0;
  return of_owner && (others == 0 || as_own);
}

// Returns the file's size if it may be used, else 0.
std::uint64_t usable_bytes(const File& file, const std::string& beside) {
  struct stat info{};
  if (!file || fstat(file.descriptor(), &info) != 0 || !S_ISREG(info.st_mode)) return 0;
  return is_trusted(info, beside) ? static_cast<std::uint64_t>(info.st_size) : 0;
}

std::string_view text_of(const void* data, std::size_t bytes) {
  return {static_cast<const char*>(data), bytes};
}

}  // namespace

ProgramArchive::ProgramArchive(const std::string& path, const std::string& beside)
    : file_(path, O_RDONLY), file_bytes_(usable_bytes(file_, beside)), index_(read_index()) {}

std::vector<ProgramArchive::Entry> ProgramArchive::read_index() const {
  Head head;
  if (file_bytes_ < sizeof head || file_.read_at(&head, sizeof head, 0) != sizeof head) return {};
  if (std::memcmp(head.magic, Head().magic, sizeof head.magic) != 0) return {};
  if (head.count > (file_bytes_ - sizeof head) / sizeof(Entry)) return {};
  std::vector<Entry> index(head.count);
  const std::span<std::byte> bytes = std::as_writable_bytes(std::span(index));
  if (file_.read_at(bytes.data(), bytes.size(), sizeof head) != bytes.size()) return {};
  if (!(content_hash(bytes) == head.checksum)) return {};
  return index;
}

std::optional<ProgramBytes> ProgramArchive::find(const Hash128& key) const {
  const auto entry = std::ranges::lower_bound(index_, key, {}, &Entry::key);
  if (entry == index_.end() || !(entry->key == key)) return {};
  if (entry->offset > file_bytes_ || entry->bytes > file_bytes_ - entry->offset) return {};
  ProgramBytes program(entry->bytes);
  if (file_.read_at(program.data(), program.size(), entry->offset) != program.size()) return {};
  if (!(content_hash(program) == entry->checksum)) return {};
  return program;
}

Status ProgramArchive::write(const std::string& path,
                             const std::map<Hash128, ProgramBytes>& programs) {
  std::vector<Entry> index;
  std::uint64_t offset = sizeof(Head) + programs.size() * sizeof(Entry);
  for (const auto& [key, program] : programs) {
    index.push_back({key, offset, program.size(), content_hash(program)});
    offset += program.size();
  }
  Head head;
  head.count = index.size(), head.checksum = content_hash(std::as_bytes(std::span(index)));
  PENSTOCK_ASSIGN(const auto file, WholeFile::create(path));
  PENSTOCK_TRY(file->write(text_of(&head, sizeof head)));
  PENSTOCK_TRY(file->write(text_of(index.data(), index.size() * sizeof(Entry))));
  for (const auto& [key, program] : programs)
    PENSTOCK_TRY(file->write(text_of(program.data(), program.size())));
  return file->commit();
}

}  // namespace penstock::device
