#include "terminal/bandwidth_record.hpp"

#include <cctype>
#include <charconv>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <optional>

#include "base/file.hpp"
#include "device/disk_cache.hpp"
#include "kernel/bandwidth.hpp"

namespace penstock::terminal {

namespace {

// The file's first line, compared on load: another driver or another device is another record.
std::string identity(const Traits& traits) {
  std::string text;
  for (const std::string* part :
       {&traits.id, &traits.name, &traits.driver, &traits.architecture, &traits.compiler})
    for (char c : *part + "|") text += c == '\n' ? ' ' : c;
  return text;
}

// Every statement asks, so that the cache's files are not counted for it.
Result<std::filesystem::path> record_path(const Traits& traits) {
  const auto cache = device::DiskCache::from_environment();
  if (cache.directory().empty()) return Status(Code::io, "the cache is off");
  std::string name = "copy-bandwidth-";
  for (char c : (traits.id + "-" + traits.name).substr(0, 80))
    name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return std::filesystem::path(cache.directory()) / (name + ".txt");
}

std::optional<MeasuredBandwidth> read_record(const Traits& traits) {
  const auto path = record_path(traits);
  if (!path.ok()) return std::nullopt;
  std::ifstream file(*path);
  std::string device, figure;
  MeasuredBandwidth measured;
  if (!std::getline(file, device) || !std::getline(file, figure) ||
      !std::getline(file, measured.date))
    return std::nullopt;
  const auto parsed =
      std::from_chars(figure.data(), figure.data() + figure.size(), measured.bytes_per_second);
  const bool whole = parsed.ec == std::errc() && parsed.ptr == figure.data() + figure.size();
  if (!whole || device != identity(traits) || !(measured.bytes_per_second > 0) ||
      measured.date.size() != 10)
    return std::nullopt;
  return measured;
}

// Opens the record's file before the measurement, which takes time.
Result<std::unique_ptr<WholeFile>> open_record(const Traits& traits) {
  PENSTOCK_ASSIGN(const auto path, record_path(traits));
  std::error_code ignored;
  std::filesystem::create_directories(path.parent_path(), ignored);
  return WholeFile::create(path);
}

Status write_record(WholeFile& file, const Traits& traits, const MeasuredBandwidth& measured) {
  PENSTOCK_TRY(file.write(identity(traits) + "\n" + std::to_string(measured.bytes_per_second) +
                          "\n" + measured.date + "\n"));
  return file.commit();
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  char text[16];
  std::tm parts{};
  return std::string(text, std::strftime(text, sizeof text, "%F", ::localtime_r(&now, &parts)));
}

}  // namespace

Result<MeasuredBandwidth> measure_copy_bandwidth(Device& device) {
  const auto record = open_record(device.traits());
  PENSTOCK_ASSIGN(const double bytes_per_second, kernel::copy_bandwidth(device));
  MeasuredBandwidth measured{bytes_per_second, today()};
  if (record.ok()) (void)write_record(**record, device.traits(), measured);
  return measured;
}

void prepare_copy_bandwidth(Device& device) {
  if (device.traits().shares_host_cores() || read_record(device.traits())) return;
  if (record_path(device.traits()).ok()) static_cast<void>(kernel::build_copy(device).ok());
}

std::optional<MeasuredBandwidth> copy_bandwidth_for_query(Device& device) {
  if (auto recorded = read_record(device.traits())) return recorded;
  if (device.traits().shares_host_cores() || !open_record(device.traits()).ok())
    return std::nullopt;
  const auto measured = measure_copy_bandwidth(device);
  return measured.ok() ? std::optional(*measured) : std::nullopt;
}

}  // namespace penstock::terminal
