#include "ranks/mpi/mpi_communicator.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "base/exception_boundary.hpp"

namespace penstock::ranks {
namespace {

// Counts of messages are of 31 bits.
constexpr std::uint64_t max_part_bytes = std::uint64_t{1} << 30;
constexpr int message_tag = 0;

// The calls that are used, for handles of one type. None reads a status: it has a layout of its own
// in each library.
template <class Handle> struct MpiCalls {
  int (*init_thread)(int*, char***, int, int*);
  int (*finalize)();
  int (*comm_rank)(Handle, int*);
  int (*comm_size)(Handle, int*);
  int (*set_errhandler)(Handle, Handle);
  int (*error_string)(int, char*, int*);
  int (*send)(const void*, int, Handle, int, int, Handle);
  int (*receive)(void*, int, Handle, int, int, Handle, void*);
  int (*probe)(int, int, Handle, int*, void*);
  int (*abort)(Handle, int);
  Handle world, byte, errors_return;
  int funneled;  // MPI_THREAD_FUNNELED: one thread calls
};

template <class Handle> Status bind_calls(const device::Library& library, MpiCalls<Handle>& calls) {
  PENSTOCK_TRY(library.bind(calls.init_thread, "MPI_Init_thread"));
  PENSTOCK_TRY(library.bind(calls.finalize, "MPI_Finalize"));
  PENSTOCK_TRY(library.bind(calls.comm_rank, "MPI_Comm_rank"));
  PENSTOCK_TRY(library.bind(calls.comm_size, "MPI_Comm_size"));
  PENSTOCK_TRY(library.bind(calls.set_errhandler, "MPI_Comm_set_errhandler"));
  PENSTOCK_TRY(library.bind(calls.error_string, "MPI_Error_string"));
  PENSTOCK_TRY(library.bind(calls.send, "MPI_Send"));
  PENSTOCK_TRY(library.bind(calls.receive, "MPI_Recv"));
  PENSTOCK_TRY(library.bind(calls.probe, "MPI_Iprobe"));
  return library.bind(calls.abort, "MPI_Abort");
}

template <class Handle> class MpiCommunicator final : public Communicator {
 public:
  MpiCommunicator(MpiCalls<Handle> calls, std::string name)
      : calls_(calls), name_(std::move(name)) {}
  // MPI's own end waits for all ranks, which ranks out of step do not reach.
  ~MpiCommunicator() override {
    if (!is_initialised_) return;
    if (!is_in_step()) abort(1);
    calls_.finalize();
  }

  Status begin() {
    int provided = 0, rank = 0, size = 0;
    PENSTOCK_TRY(check(calls_.init_thread(nullptr, nullptr, calls_.funneled, &provided), "starts"));
    is_initialised_ = true;
    PENSTOCK_TRY(check(calls_.set_errhandler(calls_.world, calls_.errors_return), "starts"));
    PENSTOCK_TRY(check(calls_.comm_rank(calls_.world, &rank), "starts"));
    PENSTOCK_TRY(check(calls_.comm_size(calls_.world, &size), "starts"));
    rank_ = static_cast<std::uint32_t>(rank), size_ = static_cast<std::uint32_t>(size);
    return {};
  }

  std::uint32_t rank() const override { return rank_; }
  std::uint32_t size() const override { return size_; }
  std::string describe() const override { return name_; }

  Status send(std::uint32_t to, std::span<const std::byte> bytes) override {
    const std::uint64_t size = bytes.size();
    PENSTOCK_TRY(send_part(to, &size, sizeof size));
    for (std::uint64_t at = 0; at < size; at += max_part_bytes)
      PENSTOCK_TRY(send_part(to, bytes.data() + at, std::min(max_part_bytes, size - at)));
    return {};
  }

  Result<bool> has_message(std::uint32_t from) override {
    int flag = 0;
    Unread status;
    PENSTOCK_TRY(
        check(calls_.probe(static_cast<int>(from), message_tag, calls_.world, &flag, &status),
              "looks for a message of rank " + std::to_string(from)));
    return flag != 0;
  }

  Result<MessageBytes> receive(std::uint32_t from) override {
    PENSTOCK_TRY(wait_for(from));
    std::uint64_t size = 0;
    PENSTOCK_TRY(receive_part(from, &size, sizeof size));
    PENSTOCK_ASSIGN(MessageBytes bytes, memory_for(from, size));
    for (std::uint64_t at = 0; at < size; at += max_part_bytes)
      PENSTOCK_TRY(receive_part(from, bytes.data() + at, std::min(max_part_bytes, size - at)));
    return bytes;
  }

  void abort(int exit_code) override {
    calls_.abort(calls_.world, exit_code);
    std::_Exit(exit_code);  // MPI_Abort may return
  }

 private:
  // Larger than the status of any library.
  struct alignas(16) Unread {
    std::byte bytes[128];
  };

  static Result<MessageBytes> memory_for(std::uint32_t from, std::uint64_t size) {
    auto bytes = catch_exceptions([&]() -> Result<MessageBytes> { return MessageBytes(size); });
    return bytes.ok() ? std::move(bytes)
                      : bytes.status().with("while " + std::to_string(size) + " bytes of rank " +
                                            std::to_string(from) + " arrive");
  }

  // MPI waits by spinning, which would take a core from a device that is the CPU.
  Status wait_for(std::uint32_t from) {
    auto pause = std::chrono::microseconds(10);
    for (;;) {
      PENSTOCK_ASSIGN(const bool is_there, has_message(from));
      if (is_there) return {};
      std::this_thread::sleep_for(pause);
      pause = std::min(pause * 2, std::chrono::microseconds(1000));
    }
  }

  Status send_part(std::uint32_t to, const void* bytes, std::uint64_t size) {
    return check(calls_.send(bytes, static_cast<int>(size), calls_.byte, static_cast<int>(to),
                             message_tag, calls_.world),
                 "sends to rank " + std::to_string(to));
  }
  Status receive_part(std::uint32_t from, void* bytes, std::uint64_t size) {
    Unread status;
    return check(calls_.receive(bytes, static_cast<int>(size), calls_.byte, static_cast<int>(from),
                                message_tag, calls_.world, &status),
                 "receives from rank " + std::to_string(from));
  }

  Status check(int error, const std::string& doing) const {
    if (error == 0) return {};
    char text[1024] = {};  // 512 at most
    int length = 0;
    calls_.error_string(error, text, &length);
    return Status(Code::io, text).with("while " + name_ + " " + doing);
  }

  const MpiCalls<Handle> calls_;
  const std::string name_;
  bool is_initialised_ = false;
  std::uint32_t rank_ = 0, size_ = 1;
};

template <class Handle>
Result<std::unique_ptr<Communicator>> communicator_of(const MpiLibrary& mpi,
                                                      MpiCalls<Handle> calls) {
  PENSTOCK_TRY(bind_calls(mpi.library, calls));
  auto made = std::make_unique<MpiCommunicator<Handle>>(
      calls, std::string(name_of(mpi.kind)) + " (" + mpi.library.name() + ")");
  PENSTOCK_TRY(made->begin());
  return std::unique_ptr<Communicator>(std::move(made));
}

void* as_handle(std::uintptr_t number) { return reinterpret_cast<void*>(number); }

}  // namespace

// The numbers of MPICH and of the standard are part of their ABIs.
Result<std::unique_ptr<Communicator>> mpi_communicator(const MpiLibrary& mpi) {
  if (mpi.kind == MpiKind::mpich) {
    MpiCalls<int> calls{};
    calls.world = 0x44000000, calls.byte = 0x4c00010d, calls.errors_return = 0x54000001;
    calls.funneled = 1;
    return communicator_of(mpi, calls);
  }
  MpiCalls<void*> calls{};
  if (mpi.kind == MpiKind::standard) {
    calls.world = as_handle(0x101), calls.byte = as_handle(0x247);
    calls.errors_return = as_handle(0x142), calls.funneled = 1024;
    return communicator_of(mpi, calls);
  }
  calls.world = mpi.library.symbol("ompi_mpi_comm_world");
  calls.byte = mpi.library.symbol("ompi_mpi_byte");
  calls.errors_return = mpi.library.symbol("ompi_mpi_errors_return");
  calls.funneled = 1;
  if (calls.byte == nullptr || calls.errors_return == nullptr)
    return Status(Code::unsupported, mpi.library.name() + " lacks objects of Open MPI");
  return communicator_of(mpi, calls);
}

}  // namespace penstock::ranks
