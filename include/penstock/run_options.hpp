// The options of a run: devices, memory, who decodes, what is recorded.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace penstock {

struct Progress {
  std::uint64_t rows_done = 0;
  std::optional<std::uint64_t> rows_total;
};

// The decoder of a file's pages (Parquet) or light encodings (Arrow): kernels, in the step that
// loads a row, or the host. automatic: kernels, if the device has cores of its own and the pages
// allow it; otherwise the host, with a note in the report. device: kernels, or an error that says
// why not.
enum class PageDecoding : unsigned char { automatic, device, host };
// The memory of rows between the kernels of a query: the right sides of joins, with their tables,
// and rows that are to be sorted. They stay in device memory, or on the host, which uploads them.
// automatic: in the memory of devices with cores of their own; on the host for small files, and for
// rows that a device cannot keep. device: in the memory of every device.
enum class IntermediateRows : unsigned char { automatic, device, host };
// Whether a device reads the pages of Parquet files itself, past the host's memory: GPUDirect
// Storage by cuFile, for NVIDIA's GPUs. automatic: if the driver says that the file system allows
// it, and the page cache has little of the file. on: always, if need be in cuFile's compatibility
// mode; it is an error if there is no cuFile, or if the host decodes the pages. The report says
// what the device read.
enum class DirectReads : unsigned char { automatic, on, off };
// The answer of a run on several devices to one that is missing, lost, or short of memory. stop:
// the run ends with an error that names the device. go_on: the other devices compute its rows, and
// the report has a note of it.
enum class OnDeviceFailure : unsigned char { stop, go_on };
class SessionDevice;  // session_device.hpp
namespace plan {
class KeptPrograms;  // src/exec/kernel/kept_programs.hpp
}  // namespace plan

struct RunOptions {
  // As open_device takes it; or several devices, which then share the rows: "cuda:0,1",
  // "cuda:0,opencl:1", "cuda:*". One that is named twice has two shares.
  std::string device = {};
  OnDeviceFailure on_device_failure = OnDeviceFailure::stop;
  // Runs on the session's device or devices, whatever `device` says, with what they keep of files.
  std::shared_ptr<SessionDevice> session = {};
  bool fast_math = false;
  // Rows per chunk, and per piece of sorted rows that is downloaded; 0: chosen from the device and
  // the row width.
  std::uint64_t batch_rows = 0;
  std::uint64_t memory_limit_bytes = 0;  // of device memory; 0: the device's
  // Threads that read a file's pages; 0: one a core. Several devices share them.
  std::uint32_t reading_threads = 0;
  PageDecoding page_decoding = PageDecoding::automatic;
  IntermediateRows intermediate_rows = IntermediateRows::automatic;
  DirectReads direct_reads = DirectReads::automatic;
  // Leaves columns of a result in device memory, where its last step is a filter, a map or a join
  // that a kernel computes on one device. Such a column has Column::device_values, and no values on
  // the host. Strings, truths, wide numbers and columns with NULLs come to the host all the same.
  bool results_on_device = false;
  std::string variant = {};  // forces a row of the variant table by name ("compact_look_back")
  // Computes every step by the host reference too, row by row in the interpreter (some 10^5 rows a
  // second), and compares. A difference is an error with the step, the row, both values and the
  // row's inputs. Values must be equal, with two exceptions: sums and averages of floats (1e-9 of
  // the sum of the absolute values, since the device adds in its own order); and values computed
  // from functions that devices do not round exactly, as sin, exp, power and UDFs of floats (1e-9
  // of the value, FLOAT 1e-4). Not with fast_math.
  bool validate = false;
  bool profile = false;  // fills RunReport::profile
  // Fills the profile's stalls too: samples of what kernels waited for; see Device::sample_stalls.
  bool stalls = false;
  std::function<bool(const Progress&)> progress = {};  // returning false cancels
  // Gets each kernel's source before it is compiled.
  std::function<void(std::string_view text)> on_source = {};
  // For the library's own use: what earlier runs of the same plan made, which a session keeps.
  std::shared_ptr<plan::KeptPrograms> kept_programs = {};
};

}  // namespace penstock
