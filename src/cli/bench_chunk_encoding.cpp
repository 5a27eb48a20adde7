#include "cli/bench_chunk_encoding.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <filesystem>

#include "base/clock.hpp"
#include "base/parallel.hpp"
#include "cli/output_file.hpp"

namespace penstock::cli {
namespace {

constexpr std::uint64_t alignment = 16;

class EncodingBench {
 public:
  EncodingBench(std::shared_ptr<Device> device, const ChunkLibrary& library, const Bytes& text, std::uint64_t chunk_bytes)
      : device_(std::move(device)), library_(library), text_(text), chunk_bytes_(chunk_bytes) {}

  Status open() {
    const std::uint64_t count = (text_.size() + chunk_bytes_ - 1) / chunk_bytes_;
    const std::uint64_t room = chunks::Encoder::bound_bytes(library_.format, chunk_bytes_);
    for (std::uint64_t i = 0; i < count; i++) {
      text_offsets_.push_back(i * chunk_bytes_);
      text_sizes_.push_back(std::min<std::uint64_t>(chunk_bytes_, text_.size() - i * chunk_bytes_));
      room_offsets_.push_back(i * ((room + alignment - 1) / alignment * alignment));
    }
    PENSTOCK_ASSIGN(queue_, device_->queue());
    batch_.chunk_count = static_cast<std::uint32_t>(count);
    PENSTOCK_ASSIGN(batch_.input, upload(text_));
    PENSTOCK_ASSIGN(batch_.input_offsets, upload(text_offsets_));
    PENSTOCK_ASSIGN(batch_.input_sizes, upload(text_sizes_));
    PENSTOCK_ASSIGN(batch_.output, device_->allocate(room_offsets_.back() + room + alignment));
    PENSTOCK_ASSIGN(batch_.output_offsets, upload(room_offsets_));
    PENSTOCK_ASSIGN(batch_.output_capacities, upload(std::vector<std::uint64_t>(count, room)));
    PENSTOCK_ASSIGN(batch_.output_sizes, device_->allocate(count * 8));
    PENSTOCK_ASSIGN(batch_.verdicts, device_->allocate(count * sizeof(chunks::Verdict)));
    return queue_->finish();
  }

  Status use(const std::string& variant) {
    PENSTOCK_ASSIGN(encoder_, chunks::Encoder::build(device_, library_.format, variant));
    PENSTOCK_ASSIGN(scratch_, device_->allocate(encoder_->scratch_bytes(batch_.chunk_count)));
    return {};
  }

  Result<double> run_seconds() {
    PENSTOCK_ASSIGN(const auto begun, queue_->record());
    PENSTOCK_TRY(encoder_->enqueue(*queue_, batch_, *scratch_));
    PENSTOCK_ASSIGN(const auto done, queue_->record());
    PENSTOCK_TRY(done->wait());
    return done->seconds_since(*begun);
  }

  // The bytes of all chunks, each of which the format's library reads.
  Result<std::uint64_t> verify() {
    PENSTOCK_TRY(run_seconds());
    std::vector<std::uint64_t> sizes(text_sizes_.size());
    std::vector<chunks::Verdict> verdicts(text_sizes_.size());
    Bytes made(batch_.output->bytes());
    PENSTOCK_TRY(queue_->download(sizes.data(), *batch_.output_sizes, sizes.size() * 8));
    PENSTOCK_TRY(queue_->download(verdicts.data(), *batch_.verdicts, verdicts.size() * sizeof(chunks::Verdict)));
    PENSTOCK_TRY(queue_->download(made.data(), *batch_.output, made.size()));
    PENSTOCK_TRY(queue_->finish());
    std::uint64_t stored_bytes = 0;
    for (std::uint64_t i = 0; i < sizes.size(); i++) {
      PENSTOCK_TRY(chunks::status_of(library_.format, i, verdicts[i]));
      stored_bytes += sizes[i];
    }
    std::atomic<std::uint64_t> first_wrong = sizes.size();
    in_parallel(sizes.size(), 1, [&](std::uint64_t first, std::uint64_t last) {
      Bytes read(chunk_bytes_);
      for (std::uint64_t i = first; i < last; i++)
        if (!library_.decompress(made.data() + room_offsets_[i], sizes[i], read.data(), text_sizes_[i]) ||
            std::memcmp(read.data(), text_.data() + text_offsets_[i], text_sizes_[i]) != 0)
          first_wrong = i;
    });
    if (first_wrong != sizes.size()) return Status(Code::internal, "chunk " + std::to_string(first_wrong) + " is wrong");
    return stored_bytes;
  }

  Result<double> host_seconds(const HostEncoder& encoder, std::uint64_t& stored_bytes) {
    const std::uint64_t room = library_.bound(chunk_bytes_);
    std::atomic<std::uint64_t> made_bytes = 0;
    std::atomic<bool> has_failed = false;
    host_chunks_.resize(text_sizes_.size() * room);
    const double begun = now_seconds();
    in_parallel(text_sizes_.size(), 1, [&](std::uint64_t first, std::uint64_t last) {
      for (std::uint64_t i = first; i < last; i++) {
        const std::uint64_t size = encoder.compress(text_.data() + text_offsets_[i], text_sizes_[i], host_chunks_.data() + i * room, room);
        if (size == 0) has_failed = true;
        made_bytes += size;
      }
    });
    if (has_failed) return Status(Code::internal, std::string(encoder.name) + " could not compress a chunk");
    stored_bytes = made_bytes;
    return now_seconds() - begun;
  }

  Figure with_bytes(Figure figure, std::uint64_t stored_bytes) const {
    figure.text_bytes = static_cast<double>(text_.size());
    figure.stored_bytes = static_cast<double>(stored_bytes);
    figure.bytes = figure.text_bytes + figure.stored_bytes;
    return figure;
  }

 private:
  template <class T> Result<std::shared_ptr<Buffer>> upload(const std::vector<T>& values) {
    PENSTOCK_ASSIGN(auto buffer, device_->allocate(values.size() * sizeof(T) + alignment));
    PENSTOCK_TRY(queue_->upload(*buffer, values.data(), values.size() * sizeof(T)));
    PENSTOCK_TRY(queue_->finish());      // what is uploaded may be the caller's for this call alone
    return buffer;
  }

  std::shared_ptr<Device> device_;
  const ChunkLibrary& library_;
  const Bytes& text_;
  std::uint64_t chunk_bytes_;
  std::vector<std::uint64_t> text_offsets_, text_sizes_, room_offsets_;
  chunks::Batch batch_;
  std::unique_ptr<chunks::Encoder> encoder_;
  std::shared_ptr<Buffer> scratch_;
  Bytes host_chunks_;
  std::unique_ptr<Queue> queue_;
};

// For peers, which compress it themselves.
Status write_text(const Bytes& text, const std::string& work, const std::string& folder) {
  if (folder.empty()) return {};
  std::error_code ignored;      // the file tells what cannot be written
  std::filesystem::create_directories(folder, ignored);
  PENSTOCK_ASSIGN(const auto file, OutputFile::create((std::filesystem::path(folder) / (work + ".text")).string()));
  PENSTOCK_TRY(file->write({text.data(), text.size()}));
  return file->commit();
}

}  // namespace

bool is_encoded(const ChunkLibrary& library, const Traits& traits) {
  return !chunks::Encoder::variants(library.format, traits).empty();
}

Status measure_chunk_encoding(const std::shared_ptr<Device>& device, const ChunkLibrary& library, const std::string& work,
                              const Bytes& text, std::uint64_t chunk_bytes, const BenchOptions& options, Figures& figures) {
  PENSTOCK_TRY(write_text(text, work, options.texts_folder));
  EncodingBench bench(device, library, text, chunk_bytes);
  PENSTOCK_TRY(bench.open());
  for (const std::string& variant : chunks::Encoder::variants(library.format, device->traits())) {
    if (!options.variant.empty() && options.variant != variant) continue;
    PENSTOCK_TRY(bench.use(variant));
    const auto stored_bytes = bench.verify();
    PENSTOCK_TRY(stored_bytes.status().with(work + " by " + variant));
    PENSTOCK_ASSIGN(Figure figure, time_runs(work, "penstock " + variant, 0, options.repeats, [&] { return bench.run_seconds(); }));
    figures.push_back(bench.with_bytes(std::move(figure), *stored_bytes));
  }
  for (const HostEncoder& encoder : library.encoders) {
    std::uint64_t stored_bytes = 0;
    PENSTOCK_ASSIGN(Figure host, time_runs(work, std::string(encoder.name) + ", all cores", 0, std::min<std::uint64_t>(options.repeats, 3),
                                           [&] { return bench.host_seconds(encoder, stored_bytes); }));
    figures.push_back(bench.with_bytes(std::move(host), stored_bytes));
  }
  return {};
}

}  // namespace penstock::cli
