// Compressed bytes: whole buffers, and a reader that decodes ahead of its user.
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <unistd.h>

#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>

#include "bindings.hpp"
#include "penstock/stream.hpp"

namespace penstock::python {
namespace {

using Input = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;

std::span<const std::byte> bytes_of(const Input& input) {
  return {static_cast<const std::byte*>(input.data()), input.nbytes()};
}

stream::Format format_of(const std::string& name) {
  if (const auto format = stream::format_named(name)) return *format;
  throw StatusError{
      Status(Code::invalid, "no format '" + name + "': gzip, zlib, zstd, lz4, snappy")};
}

// The options that all decoders take; what they point at lives as long as they do.
struct Decoding {
  std::string dictionary;
  stream::DecompressOptions options;
  SignalCheck signals;

  Decoding(const std::string& format, std::optional<std::uint64_t> max_output_bytes,
           std::uint32_t threads, std::string dictionary_, const std::string& device, bool fallback)
      : dictionary(std::move(dictionary_)) {
    if (!format.empty()) options.format = format_of(format);
    if (max_output_bytes) options.max_output_bytes = *max_output_bytes;
    options.threads = threads;
    options.dictionary = std::as_bytes(std::span<const char>(dictionary));
    options.fallback = fallback;
    if (!device.empty()) {
      const nb::gil_scoped_release released;
      options.device = value_of(open_device(device));
    }
  }
  Decoding(const Decoding&) = delete;
};

nb::bytes decompress(const Input& input, const std::string& format,
                     std::optional<std::uint64_t> max_output_bytes, std::uint32_t threads,
                     nb::bytes dictionary, const std::string& device, bool fallback) {
  Decoding decoding(format, max_output_bytes, threads,
                    std::string(dictionary.c_str(), dictionary.size()), device, fallback);
  decoding.options.progress = [&](const stream::Progress&) { return decoding.signals.keep_on(); };
  std::optional<Result<std::vector<std::byte>>> output;
  {
    const nb::gil_scoped_release released;
    output = stream::decompress(bytes_of(input), decoding.options);
  }
  check_work(output->status());
  return nb::bytes((*output)->data(), (*output)->size());
}

nb::bytes compress(const Input& input, const std::string& format, std::uint32_t level,
                   std::uint32_t threads, std::uint64_t block_bytes, const std::string& device) {
  stream::CompressOptions options;
  SignalCheck signals;
  options.format = format_of(format);
  options.level = level;
  options.threads = threads;
  options.block_bytes = block_bytes;
  options.progress = [&](const stream::Progress&) { return signals.keep_on(); };
  std::optional<Result<std::vector<std::byte>>> output;
  {
    const nb::gil_scoped_release released;
    if (!device.empty()) options.device = value_of(open_device(device));
    output = stream::compress(bytes_of(input), options);
  }
  check_work(output->status());
  return nb::bytes((*output)->data(), (*output)->size());
}

// Bytes that a Python function returns, read(count). Decoders call it from threads of their own.
class PythonInput {
 public:
  explicit PythonInput(nb::object read) : read_(std::move(read)) {}
  ~PythonInput() {
    const nb::gil_scoped_acquire acquired;
    read_.reset();
    error_.reset();
  }
  PythonInput(const PythonInput&) = delete;

  Result<std::size_t> operator()(std::span<std::byte> into) {
    const nb::gil_scoped_acquire acquired;
    try {
      const nb::object part = read_(into.size());
      if (!nb::isinstance<nb::bytes>(part))
        return Status(Code::invalid, "read() of the file object returned no bytes");
      const nb::bytes bytes = nb::borrow<nb::bytes>(part);
      if (bytes.size() > into.size())
        return Status(Code::invalid, "read() of the file object returned more than it was asked");
      std::memcpy(into.data(), bytes.c_str(), bytes.size());
      return bytes.size();
    } catch (const nb::python_error& error) {
      error_ = nb::borrow(error.value());
      return Status(Code::io, "read() of the file object raised an exception");
    }
  }
  // Throws what read() raised, if it has, as often as it is called. The caller has the GIL.
  void rethrow() {
    if (!error_) return;
    PyErr_SetObject(error_.type().ptr(), error_.ptr());
    throw nb::python_error();
  }

 private:
  nb::object read_;
  nb::object error_;
};

// Decoded parts of a file that wait for their reader. The thread that decodes owns it too.
class PartsAhead {
 public:
  // `source`: a path as bytes, or a function read(count).
  PartsAhead(nb::object source, const std::string& format,
             std::optional<std::uint64_t> max_output_bytes, std::uint32_t threads,
             const nb::bytes& dictionary, const std::string& device, bool fallback)
      : decoding_(format, max_output_bytes, threads,
                  std::string(dictionary.c_str(), dictionary.size()), device, fallback) {
    if (nb::isinstance<nb::bytes>(source))
      path_ = nb::cast<nb::bytes>(source).c_str();
    else
      python_input_.emplace(std::move(source));
  }

  void decode() {
    decoding_.options.progress = [this](const stream::Progress&) { return !is_closed(); };
    // Decoders report no progress before they have a block, for which an object may be read often.
    const auto read = [this](std::span<std::byte> into) -> Result<std::size_t> {
      if (is_closed()) return Status(Code::cancelled, "the reader was closed");
      return (*python_input_)(into);
    };
    const auto input =
        python_input_ ? stream::Source::reader("file object", read) : stream::Source::file(path_);
    const auto report = stream::decompress(
        input, [this](std::span<const std::byte> part) { return add(part); }, decoding_.options);
    const std::lock_guard lock(mutex_);
    status_ = report.status();
    is_done_ = true;
    changed_.notify_all();
  }
  // Waits for bytes and returns at most `limit`; none at the end.
  nb::bytes read(std::uint64_t limit) {
    SignalCheck signals;
    std::unique_lock lock(mutex_, std::defer_lock);
    bool goes_on = true;
    {
      const nb::gil_scoped_release released;
      lock.lock();
      while (parts_.empty() && !is_done_ && goes_on) {
        changed_.wait_for(lock, std::chrono::milliseconds(50));
        lock.unlock();
        goes_on = signals.keep_on();
        lock.lock();
      }
    }
    if (!goes_on) throw nb::python_error();
    if (parts_.empty()) {
      if (python_input_) python_input_->rethrow();
      check(status_);
      return nb::bytes("", 0);
    }
    return take(limit);
  }
  void close() {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
    changed_.notify_all();
  }

 private:
  // Parts in memory that nobody has read; a part has about a mebibyte.
  static constexpr std::size_t max_parts = 16;

  nb::bytes take(std::uint64_t limit) {
    std::vector<std::byte>& part = parts_.front();
    const std::uint64_t count = std::min<std::uint64_t>(limit, part.size() - first_);
    const nb::bytes bytes(part.data() + first_, count);
    first_ += count;
    if (first_ == part.size()) {
      parts_.pop_front();
      first_ = 0;
      changed_.notify_all();
    }
    return bytes;
  }
  Status add(std::span<const std::byte> part) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return parts_.size() < max_parts || is_closed_; });
    if (is_closed_) return Status(Code::cancelled, "the reader was closed");
    parts_.emplace_back(part.begin(), part.end());
    changed_.notify_all();
    return {};
  }
  bool is_closed() {
    const std::lock_guard lock(mutex_);
    return is_closed_;
  }

  Decoding decoding_;
  std::string path_;
  std::optional<PythonInput> python_input_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::vector<std::byte>> parts_;
  std::size_t first_ = 0;  // of the first part, that was not read
  Status status_;
  bool is_done_ = false, is_closed_ = false;
};

// Decodes a file in a thread, some parts ahead of the reader.
class Reader {
 public:
  Reader(nb::object source, const std::string& format,
         std::optional<std::uint64_t> max_output_bytes, std::uint32_t threads, nb::bytes dictionary,
         const std::string& device, bool fallback)
      : ahead_(std::make_shared<PartsAhead>(std::move(source), format, max_output_bytes, threads,
                                            dictionary, device, fallback)),
        worker_([ahead = ahead_] { ahead->decode(); }) {}
  ~Reader() { close(); }
  Reader(const Reader&) = delete;

  nb::bytes read(std::uint64_t limit) { return ahead_->read(limit); }
  void close() {
    std::thread worker = std::move(worker_);  // one caller has it, as all have the GIL
    if (!worker.joinable()) return;
    // A forked process has a copy of this, without the thread that may hold the lock.
    if (getpid() != process_) return worker.detach();
    const nb::gil_scoped_release released;
    ahead_->close();
    // Python's collector may find the reader while the thread runs read() of a file object.
    if (worker.get_id() == std::this_thread::get_id())
      worker.detach();
    else
      worker.join();
  }

 private:
  const pid_t process_ = getpid();
  std::shared_ptr<PartsAhead> ahead_;
  std::thread worker_;
};

}  // namespace

void add_streams(nb::module_& module) {
  module.def("decompress", decompress);
  module.def("compress", compress);
  nb::class_<Reader>(module, "Reader")
      .def(nb::init<nb::object, const std::string&, std::optional<std::uint64_t>, std::uint32_t,
                    nb::bytes, const std::string&, bool>())
      .def("read", &Reader::read)
      .def("close", &Reader::close);
}

}  // namespace penstock::python
