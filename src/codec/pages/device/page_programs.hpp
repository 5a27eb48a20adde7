// The programs that decode pages on a device, built when they are first needed.
#pragma once
#include <array>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "base/thread_pool.hpp"
#include "codec/pages/device/page_decoder.hpp"
#include "penstock/batch.hpp"
#include "penstock/device.hpp"

namespace penstock::pages {

class PagePrograms {
 public:
  // Code::unsupported for a device that runs neither warps nor single threads.
  static Result<std::unique_ptr<PagePrograms>> create(std::shared_ptr<Device> device);

  // Begins to build these programs, in threads, each once.
  void prepare(const PageNeeds& needs);
  // Builds all programs of kernels/, and waits: for the cache.
  Status build_all();
  Status launch(Queue& queue, PageProgram program, std::string_view kernel, std::uint32_t groups,
                std::span<const Argument> arguments);
  // Returns the groups of a launch with a warp, or a thread of a CPU, for each of `count` tasks.
  std::uint32_t groups_of_tasks(std::uint64_t count) const;
  // Returns the groups that take tiles of `tile_items` items in turn.
  std::uint32_t groups_of_tiles(std::uint64_t item_count, std::uint32_t tile_items) const;
  Result<std::shared_ptr<batch::Decoder>> decoder(Compression compression);
  Device& device() const { return *device_; }

 private:
  explicit PagePrograms(std::shared_ptr<Device> device) : device_(std::move(device)) {}
  Result<std::shared_ptr<Program>> program(PageProgram which);

  template <class T> struct Slot {
    std::mutex mutex;
    std::shared_ptr<T> built;
  };
  std::shared_ptr<Device> device_;
  std::uint32_t group_size_ = 1, tasks_per_group_ = 1;
  std::array<Slot<Program>, page_program_count> programs_;
  std::array<Slot<batch::Decoder>, 5> decoders_;
  std::mutex tasks_mutex_;
  PageNeeds prepared_;
  std::vector<Task<void>> tasks_;  // waits for them before the rest is destroyed
};

// The format of a compression that is not `none` or `other`.
batch::Format format_of(Compression compression);

}  // namespace penstock::pages
