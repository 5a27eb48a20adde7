// Declarations of SYCL 2020 (revision 9) that Kernel C's prelude uses, so that its text is checked
// where there is no SYCL compiler. Nothing runs.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

// AdaptiveCpp's, for texts that are meant for it (KC_HAS_NVVM).
#define __ACPP_ENABLE_LLVM_SSCP_TARGET__
extern int __acpp_sscp_is_device;

namespace sycl {

enum class memory_order { relaxed, acquire, release, acq_rel, seq_cst };
enum class memory_scope { work_item, sub_group, work_group, device, system };
namespace access {
enum class address_space { global_space, local_space, generic_space };
}

template <int dimensions = 1> class range {
 public:
  range(std::size_t size);
};
template <int dimensions = 1> class nd_range {
 public:
  nd_range(range<dimensions> global, range<dimensions> local);
};
template <int dimensions = 1> class group {};
struct sub_group {
  std::size_t get_local_linear_id() const;
};
template <int dimensions = 1> class nd_item {
 public:
  std::size_t get_local_id(int dimension) const;
  std::size_t get_group(int dimension) const;
  group<dimensions> get_group() const;
  std::size_t get_group_range(int dimension) const;
  sub_group get_sub_group() const;
};
void atomic_fence(memory_order, memory_scope);
template <class Group> void group_barrier(Group, memory_scope = memory_scope::work_group);
template <class Group, class T> T shift_group_right(Group, T value, std::size_t distance = 1);
template <class Group, class T> T select_from_group(Group, T value, std::size_t lane);
template <class Group, class T> T permute_group_by_xor(Group, T value, std::size_t mask);

template <class T, memory_order order, memory_scope scope,
          access::address_space space = access::address_space::generic_space>
class atomic_ref {
 public:
  explicit atomic_ref(T&);
  T load(memory_order = order, memory_scope = scope) const;
  void store(T, memory_order = order, memory_scope = scope) const;
  T fetch_add(T, memory_order = order, memory_scope = scope) const;
  T fetch_min(T, memory_order = order, memory_scope = scope) const;
  T fetch_max(T, memory_order = order, memory_scope = scope) const;
  T fetch_or(T, memory_order = order, memory_scope = scope) const;
  T exchange(T, memory_order = order, memory_scope = scope) const;
  bool compare_exchange_strong(T& expected, T desired, memory_order = order,
                               memory_scope = scope) const;
};

class handler;
template <class T, int dimensions = 1> class local_accessor {
 public:
  local_accessor(range<dimensions> size, handler&);
  T& operator[](std::size_t index) const;
};
class handler {
 public:
  template <int dimensions, class Kernel>
  void parallel_for(nd_range<dimensions>, const Kernel& kernel) {
    kernel(nd_item<dimensions>());
  }
};
class event {};
class queue {
 public:
  template <class CommandGroup> event submit(CommandGroup group) {
    handler of_group;
    group(of_group);
    return {};
  }
};

template <class T> T popcount(T);
template <class T> T clz(T);
std::int64_t mul_hi(std::int64_t, std::int64_t);
std::uint64_t mul_hi(std::uint64_t, std::uint64_t);
#define SHIM_MATH(NAME) \
  float NAME(float);    \
  double NAME(double);
SHIM_MATH(ceil)
SHIM_MATH(cos)
SHIM_MATH(exp)
SHIM_MATH(fabs)
SHIM_MATH(floor)
SHIM_MATH(log)
SHIM_MATH(log10)
SHIM_MATH(rint)
SHIM_MATH(round)
SHIM_MATH(sin)
SHIM_MATH(sqrt)
SHIM_MATH(tan)
SHIM_MATH(trunc)
#undef SHIM_MATH
float fmod(float, float);
double fmod(double, double);
float pow(float, float);
double pow(double, double);
float fma(float, float, float);
namespace native {
float exp2(float);
float log2(float);
float recip(float);
float rsqrt(float);
float sqrt(float);
}  // namespace native

}  // namespace sycl
