// One query by several processes (ranks), which MPI or a scheduler started; on one machine or many.
//
//     PENSTOCK_ASSIGN(auto communicator, open_communicator());   // null if there is one process
//     PENSTOCK_ASSIGN(auto outcome, run_on_ranks(*communicator, bind, {.device = "cuda"}));
//     if (outcome) print(outcome->table);                        // rank 0 has it
//
// Each rank reads and computes a share of the rows on its own device. Rank 0 merges what they
// yield. Penstock starts no process: see docs/ranks.md.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "penstock/run.hpp"

namespace penstock {

using MessageBytes = std::vector<std::byte>;

// Messages between ranks. Messages from one rank to another arrive in order. Called by one thread.
class Communicator {
 public:
  virtual ~Communicator() = default;  // of MPI: ends the use of it in this process
  virtual std::uint32_t rank() const = 0;
  virtual std::uint32_t size() const = 0;
  virtual std::string describe() const = 0;  // "Open MPI (libmpi.so.40)"
  // Returns when the bytes may be changed: perhaps not before they are received.
  virtual Status send(std::uint32_t to, std::span<const std::byte> bytes) = 0;
  virtual Result<bool> has_message(std::uint32_t from) = 0;
  virtual Result<MessageBytes> receive(std::uint32_t from) = 0;  // waits for it
  // Ends the processes of all ranks, this one too.
  virtual void abort(int exit_code) = 0;

  // Rank 0 gets the bytes of all, by rank; the others get nothing.
  Result<std::vector<MessageBytes>> gather(std::span<const std::byte> own);
  // All get the bytes of rank 0.
  Result<MessageBytes> broadcast(std::span<const std::byte> of_first);

  // False while a run goes on, and after one that ended with an error that not all ranks were told
  // of: they may wait for ever, and abort() is what is left.
  bool is_in_step() const { return is_in_step_; }
  void set_in_step(bool is_in_step) { is_in_step_ = is_in_step; }

 private:
  bool is_in_step_ = true;
};

// Returns the communicator of all processes that mpirun, mpiexec or srun started with this one;
// null if there is one process alone, and then no library is opened. The environment tells.
// PENSTOCK_MPI there names a library, or is "off". Call it once in a process.
Result<std::unique_ptr<Communicator>> open_communicator();

// Adds a query's steps to a plan. Ranks may see different files.
using PlanBinder = std::function<Result<StepId>(Plan& plan)>;

// Runs a plan on all ranks, which call it with the same query. Rank 0 gets the result, with a
// DeviceShareReport for each rank; the others get nothing. An error of one rank ends the run of
// all, and names it. If the ranks could not exchange the error (no memory for a message, a lost
// connection), Communicator::is_in_step() is false: print the error, then call abort().
//
// RunOptions::device may be a list: the i-th rank of a machine takes its i-th device. Without a
// list, and without a number, it takes the i-th device of that kind.
Result<std::optional<QueryResult>> run_on_ranks(Communicator& communicator, const PlanBinder& bind,
                                                const RunOptions& options);

}  // namespace penstock
