#include "ranks/wire/share_bytes.hpp"

#include <algorithm>

#include "ranks/wire/table_bytes.hpp"

namespace penstock::ranks {
namespace {

// The fields of a report that are numbers.
struct ReportNumbers {
  std::uint64_t rows_read, chunks, paged_chunks, bytes_uploaded, bytes_downloaded,
      bytes_read_directly;
  double total_seconds, read_seconds, wait_seconds;
  SkipCounts skipped;
};

void put_kernel(WireWriter& to, const KernelReport& kernel) {
  to.put_text(kernel.name), to.put_text(kernel.variant);
  to.put(kernel.build.cache), to.put(kernel.build.seconds);
  to.put(kernel.device_seconds), to.put(kernel.launches), to.put(kernel.bytes_moved);
}

KernelReport get_kernel(WireReader& from) {
  KernelReport kernel;
  kernel.name = from.get_text(), kernel.variant = from.get_text();
  kernel.build.cache = std::min(from.get<CacheResult>(), CacheResult::compiled);
  kernel.build.seconds = from.get<double>();
  kernel.device_seconds = from.get<double>(), kernel.launches = from.get<std::uint64_t>();
  kernel.bytes_moved = from.get<std::uint64_t>();
  kernel.source = std::make_shared<const std::string>();  // texts do not travel
  return kernel;
}

void put_report(WireWriter& to, const RunReport& report) {
  to.put(ReportNumbers{report.rows_read, report.chunks, report.paged_chunks, report.bytes_uploaded,
                       report.bytes_downloaded, report.bytes_read_directly, report.total_seconds,
                       report.read_seconds, report.wait_seconds, report.skipped});
  to.put_text(report.device_id), to.put_text(report.device_name);
  to.put<std::uint64_t>(report.notes.size());
  for (const std::string& note : report.notes) to.put_text(note);
  to.put<std::uint64_t>(report.kernels.size());
  for (const KernelReport& kernel : report.kernels) put_kernel(to, kernel);
}

RunReport get_report(WireReader& from) {
  RunReport report;
  const auto numbers = from.get<ReportNumbers>();
  report.rows_read = numbers.rows_read, report.chunks = numbers.chunks;
  report.paged_chunks = numbers.paged_chunks;
  report.bytes_uploaded = numbers.bytes_uploaded;
  report.bytes_downloaded = numbers.bytes_downloaded;
  report.bytes_read_directly = numbers.bytes_read_directly;
  report.total_seconds = numbers.total_seconds;
  report.read_seconds = numbers.read_seconds, report.wait_seconds = numbers.wait_seconds;
  report.skipped = numbers.skipped;
  report.device_id = from.get_text(), report.device_name = from.get_text();
  for (std::uint64_t rest = from.get_count(); rest > 0; rest--)
    report.notes.push_back(from.get_text());
  for (std::uint64_t rest = from.get_count(); rest > 0; rest--)
    report.kernels.push_back(get_kernel(from));
  return report;
}

Status put_part(WireWriter& to, const plan::PartialTable& part) {
  to.put<std::uint64_t>(part.step_columns.size());
  for (const std::uint32_t column : part.step_columns) to.put(column);
  to.put(part.base);
  return put_table(to, part.rows);
}

Result<plan::PartialTable> get_part(WireReader& from) {
  plan::PartialTable part;
  for (std::uint64_t rest = from.get_count(); rest > 0; rest--)
    part.step_columns.push_back(from.get<std::uint32_t>());
  part.base = from.get<StepId>();
  PENSTOCK_ASSIGN(part.rows, get_table(from));
  return part;
}

Status put_share(WireWriter& to, const RankShare& share) {
  to.put<std::uint64_t>(share.parts.size());
  for (const plan::PartialTable& part : share.parts) PENSTOCK_TRY(put_part(to, part));
  put_report(to, share.report);
  return {};
}

}  // namespace

Result<MessageBytes> bytes_of_share(const Result<RankShare>& share) {
  WireWriter to;
  put_status(to, share.status());
  if (share.ok()) PENSTOCK_TRY(put_share(to, *share));
  return to.take();
}

Result<RankShare> share_of_bytes(std::span<const std::byte> bytes) {
  WireReader from(bytes);
  PENSTOCK_TRY(get_status(from));
  RankShare share;
  for (std::uint64_t rest = from.get_count(); rest > 0; rest--) {
    PENSTOCK_ASSIGN(share.parts.emplace_back(), get_part(from));
  }
  share.report = get_report(from);
  PENSTOCK_TRY(from.status());
  return share;
}

}  // namespace penstock::ranks
