// Steps that the threads of several shares take together: each gives something, and all get what
// all gave.
//
// A share that leaves, fails or refuses keeps no other waiting, and the others leave by one exit:
//   rows     every share has taken the step.
//   refused  one will not, or its memory does not suffice: each share goes on alone.
//   error    one has failed: all end. It returns its own error, and the others Code::cancelled.
//
// A share of an exchange then reads from top to bottom. Its own decisions must depend only on what
// all gave, so that all decide alike. It gives what else may fail to the next step.
#pragma once
#include <any>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <type_traits>
#include <vector>

#include "table/exchange/exchanged.hpp"

namespace penstock::plan {

// The shares that meet, and how long each waits awake before it sleeps. Waking a
// sleeping thread takes 50 to 300 us, and the threads that wait for it run later still.
struct Shares {
  std::size_t count;
  double awake_seconds;
};

// The value of each share. Drop it before a step after which memory is to be free.
template <class Value> using Gathered = std::shared_ptr<const std::vector<Value>>;

class Collective {
 public:
  explicit Collective(Shares shares)
      : awake_seconds_(shares.awake_seconds), next_step_(shares.count), has_left_(shares.count) {}
  std::size_t shares() const { return next_step_.size(); }

  // The face of one share. Code::no_memory and Code::capacity in place of a value refuse the step
  // for all, once all have come to it. Another error ends the shares at once.
  class Member {
   public:
    Member(Collective& all, std::size_t share) : all_(all), share_(share) {}
    std::size_t share() const { return share_; }
    std::size_t shares() const { return all_.shares(); }

    // Gives a value to all shares. One that comes to a step of other values refuses it.
    template <class Value> Exchanged<Gathered<Value>> gather(Result<Value> own) const {
      const auto values = all_.values_of_step<Value>(share_);
      if (own.ok() && values) (*values)[share_] = std::move(own).value();
      PENSTOCK_TRY(all_.meet(share_, values ? own.status() : Agreement::refused()));
      return Gathered<Value>(values);
    }
    // Gives value i to share i. Returns what each share gave to this one.
    template <class Value>
    Exchanged<std::vector<Value>> all_to_all(Result<std::vector<Value>> own) const {
      PENSTOCK_ASSIGN(const auto all, gather(std::move(own)));
      std::vector<Value> to_this;
      for (const std::vector<Value>& of_share : *all) to_this.push_back(of_share[share_]);
      return to_this;
    }
    Agreement agree(const Agreement& own) const { return all_.meet(share_, own); }

   private:
    Collective& all_;
    const std::size_t share_;
  };

  // Calls `part` with a Member, and returns what it does: Exchanged or an Agreement. The share then
  // leaves. One that begins anew is refused: the others may be past what it gave.
  template <class Part> std::invoke_result_t<Part, Member> take_part(std::size_t share, Part part) {
    if (!may_begin(share)) return Agreement::refused();
    auto ended = part(Member(*this, share));
    leave(share, status_of(ended));
    return ended;
  }

  // Call when a share has ended. Steps that it has not come to end for all shares, as the first one
  // to leave says: in error, or refused. Without `how`: refused where it has come to no step.
  void leave(std::size_t share);
  void leave(std::size_t share, const Agreement& how);

 private:
  struct Step {
    std::size_t arrived = 0;
    bool is_refused = false;
    std::any values;  // a shared pointer to the values of all shares, until all have come
  };

  bool may_begin(std::size_t share);
  // The memory of the share's next step: null where another share came with other values.
  template <class Value> std::shared_ptr<std::vector<Value>> values_of_step(std::size_t share) {
    static_assert(!std::is_same_v<Value, bool>, "shares write their values at the same time");
    const std::lock_guard lock(mutex_);
    std::any& values = step_of(share).values;
    if (!values.has_value()) values = std::make_shared<std::vector<Value>>(shares());
    const auto* const typed = std::any_cast<std::shared_ptr<std::vector<Value>>>(&values);
    return typed ? *typed : nullptr;
  }
  Agreement meet(std::size_t share, const Agreement& own);
  // Under the lock.
  Step& step_of(std::size_t share);
  void end(std::size_t share, const Agreement& how);
  template <class IsOver> void wait(std::unique_lock<std::mutex>& lock, const IsOver& is_over);
  void change();

  const double awake_seconds_;
  std::atomic<std::size_t> changes_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Step> steps_;
  std::vector<std::size_t> next_step_;  // of each share
  std::vector<bool> has_left_;
  Agreement ending_;  // of every step that not all have come to, once a share has left
};

}  // namespace penstock::plan
