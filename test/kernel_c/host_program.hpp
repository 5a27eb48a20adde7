// Compiles an assembled host or Metal text with the system's compiler and runs its kernels on the
// host executor, under AddressSanitizer and UndefinedBehaviorSanitizer, each launch in a process of
// its own, so that a defect ends that process and is a Status here.
//
//     PENSTOCK_ASSIGN(const auto program,
//         kernel::HostProgram::build(kernel::assemble(Target::host, parts), {.group_size = 64}));
//     std::vector<std::uint32_t> in = ..., out(in.size());
//     PENSTOCK_TRY(program.run("twice", groups, {HostArgument::buffer(in),
//         HostArgument::buffer(out), HostArgument::value(count)}));
#pragma once
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "kernel/kernel_source.hpp"
#include "kernel/signature.hpp"
#include "kernel_c/host_server.hpp"

namespace penstock::kernel {

// One argument. A buffer is copied in for the run and copied back; the kernel sees exactly its
// bytes.
struct HostArgument {
  void* buffer_data = nullptr;  // null for a value
  std::size_t bytes = 0;
  std::vector<std::byte> value_bytes;

  static HostArgument buffer_of(void* data, std::size_t bytes) { return {data, bytes, {}}; }
  template <class T> static HostArgument buffer(std::vector<T>& data) {
    return {data.data(), data.size() * sizeof(T), {}};
  }
  template <class T>
    requires std::is_trivially_copyable_v<T>
  static HostArgument value(T value) {
    HostArgument argument{nullptr, sizeof(T), std::vector<std::byte>(sizeof(T))};
    std::memcpy(argument.value_bytes.data(), &value, sizeof(T));
    return argument;
  }
};

enum class ThreadOrder : unsigned char { forward, reverse, shuffled };

struct HostProgramOptions {
  std::uint32_t group_size = 64;
  std::vector<std::pair<std::string, std::string>> defines = {};
  Target target = Target::host;  // or Target::metal, which needs clang
};

class HostProgram {
 public:
  // Takes seconds. Code::compile holds the compiler's output.
  static Result<HostProgram> build(std::string_view text, const HostProgramOptions& options = {});
  // Whether races are looked for: clang compiles the text. Without it, only what g++'s sanitizers
  // and the executor find.
  static bool finds_races();

  // Code::invalid for arguments that do not fit the kernel. Code::internal when a defect was found:
  // the message is what the executor or a sanitizer wrote. Buffers are unchanged then.
  Status run(std::string_view kernel, std::uint32_t groups,
             const std::vector<HostArgument>& arguments, ThreadOrder order = ThreadOrder::forward,
             std::uint32_t seed = 1) const;
  const std::vector<Signature>& signatures() const { return signatures_; }

 private:
  struct Folder {
    explicit Folder(std::filesystem::path made) : path(std::move(made)) {}
    ~Folder();
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    std::filesystem::path path;
  };
  std::shared_ptr<const Folder> folder_;
  std::shared_ptr<HostServer> server_;  // ends before the folder is removed
  std::vector<Signature> signatures_;
};

}  // namespace penstock::kernel
