#include "bench/bench_chunk_encoding.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <numeric>

#include "bench/bench_batch.hpp"
#include "terminal/output_file.hpp"

namespace penstock::bench {
namespace {

constexpr std::uint64_t alignment = 16;

class EncodingBench {
 public:
  EncodingBench(const ChunkLibrary& library, const Bytes& output, std::uint64_t chunk_bytes)
      : library_(library), output_(output), chunk_bytes_(chunk_bytes) {}

  Status open(const std::shared_ptr<Device>& device) {
    const std::uint64_t count = (output_.size() + chunk_bytes_ - 1) / chunk_bytes_;
    const std::uint64_t capacity = batch::Encoder::bound_bytes(library_.format, chunk_bytes_);
    for (std::uint64_t i = 0; i < count; i++) {
      output_offsets_.push_back(i * chunk_bytes_);
      output_sizes_.push_back(
          std::min<std::uint64_t>(chunk_bytes_, output_.size() - i * chunk_bytes_));
      capacity_offsets_.push_back(i * ((capacity + alignment - 1) / alignment * alignment));
    }
    const std::vector<std::uint64_t> capacities(count, capacity);
    return batch_.open(device, {output_, output_offsets_, output_sizes_, capacity_offsets_,
                                capacities, capacity_offsets_.back() + capacity + alignment});
  }

  Status use(const std::shared_ptr<Device>& device, const std::string& variant) {
    PENSTOCK_ASSIGN(encoder_, batch::Encoder::build(device, library_.format, variant));
    return batch_.prepare(*encoder_);
  }

  Result<double> run_seconds() { return batch_.run_seconds(*encoder_); }

  // Returns the compressed size of all chunks, each of which the format's library decompresses.
  Result<std::uint64_t> verify() {
    PENSTOCK_TRY(run_seconds());
    PENSTOCK_ASSIGN(const BenchBatch::Output made, batch_.output(library_.format));
    const auto is_right = [&](std::uint64_t i) {
      Bytes read(output_sizes_[i]);
      return library_.decompress(made.bytes.data() + capacity_offsets_[i], made.sizes[i],
                                 read.data(), read.size()) &&
             std::memcmp(read.data(), output_.data() + output_offsets_[i], read.size()) == 0;
    };
    const std::string failure =
        std::string(library_.library) + " decompresses other data from chunk ";
    PENSTOCK_TRY(seconds_on_all_cores(made.sizes.size(), failure, is_right).status());
    return std::accumulate(made.sizes.begin(), made.sizes.end(), std::uint64_t{0});
  }

  Result<double> host_seconds(const HostEncoder& encoder, std::uint64_t& stored_bytes) {
    const std::uint64_t capacity = library_.bound(chunk_bytes_);
    std::atomic<std::uint64_t> encoded_bytes = 0;
    host_chunks_.resize(output_sizes_.size() * capacity);
    const auto compress = [&](std::uint64_t i) {
      const std::uint64_t size =
          encoder.compress(output_.data() + output_offsets_[i], output_sizes_[i],
                           host_chunks_.data() + i * capacity, capacity);
      encoded_bytes += size;
      return size != 0;
    };
    PENSTOCK_ASSIGN(
        const double seconds,
        seconds_on_all_cores(output_sizes_.size(),
                             std::string(encoder.name) + " could not compress chunk ", compress));
    stored_bytes = encoded_bytes;
    return seconds;
  }

  Figure with_bytes(Figure figure, std::uint64_t stored_bytes) const {
    return of_chunks(std::move(figure), output_.size(), stored_bytes);
  }

 private:
  const ChunkLibrary& library_;
  const Bytes& output_;
  std::uint64_t chunk_bytes_;
  std::vector<std::uint64_t> output_offsets_, output_sizes_, capacity_offsets_;
  BenchBatch batch_;
  std::unique_ptr<batch::Encoder> encoder_;
  Bytes host_chunks_;
};

// Writes the data for baselines, which compress it themselves.
Status write_output(const Bytes& output, const std::string& work, const std::string& folder) {
  if (folder.empty()) return {};
  std::error_code ignored;  // creating the file reports the error
  std::filesystem::create_directories(folder, ignored);
  PENSTOCK_ASSIGN(const auto file,
                  OutputFile::create((std::filesystem::path(folder) / (work + ".text")).string()));
  PENSTOCK_TRY(file->write({output.data(), output.size()}));
  return file->commit();
}

}  // namespace

bool is_encoded(const ChunkLibrary& library, const Traits& traits) {
  return !batch::Encoder::variants(library.format, traits).empty();
}

Status measure_chunk_encoding(const std::shared_ptr<Device>& device, const ChunkLibrary& library,
                              const std::string& work, const Bytes& output,
                              std::uint64_t chunk_bytes, const BenchOptions& options,
                              Figures& figures) {
  PENSTOCK_TRY(write_output(output, work, options.outputs_folder));
  show_progress(work, "compressing and checking");
  EncodingBench bench(library, output, chunk_bytes);
  PENSTOCK_TRY(bench.open(device));
  for (const std::string& variant : batch::Encoder::variants(library.format, device->traits())) {
    if (!options.variant.empty() && options.variant != variant) continue;
    PENSTOCK_TRY(bench.use(device, variant));
    const auto stored_bytes = bench.verify();
    PENSTOCK_TRY(stored_bytes.status().with(work + " by " + variant));
    PENSTOCK_ASSIGN(Figure figure, time_runs(work, "penstock " + variant, 0, options.repeats,
                                             [&] { return bench.run_seconds(); }));
    figures.push_back(bench.with_bytes(std::move(figure), *stored_bytes));
  }
  for (const HostEncoder& encoder : library.encoders) {
    std::uint64_t stored_bytes = 0;
    PENSTOCK_ASSIGN(Figure host, time_runs(work, std::string(encoder.name) + ", all cores", 0,
                                           std::min<std::uint64_t>(options.repeats, 3), [&] {
                                             return bench.host_seconds(encoder, stored_bytes);
                                           }));
    figures.push_back(bench.with_bytes(std::move(host), stored_bytes));
  }
  return {};
}

}  // namespace penstock::bench
