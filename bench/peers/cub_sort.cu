// The cases of `penstock bench sort` by CUB. Built by: nvcc -O3 -arch=native -o cub_sort
// bench/peers/cub_sort.cu. Takes the number of keys and the repeats; prints `case;name;seconds`.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cub/cub.cuh>

#define CHECK(call)                                                                       \
  do {                                                                                    \
    if (cudaError_t error = (call); error != cudaSuccess) {                               \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
      std::exit(1);                                                                       \
    }                                                                                     \
  } while (0)

template <class T> __global__ void make_keys(T* keys, unsigned* rows, size_t count) {
  for (size_t row = blockIdx.x * size_t(blockDim.x) + threadIdx.x; row < count;
       row += size_t(gridDim.x) * blockDim.x) {
    unsigned long long hash = row * 0x9E3779B97F4A7C15ull;
    hash = (hash ^ hash >> 30) * 0xBF58476D1CE4E5B9ull;
    hash = (hash ^ hash >> 27) * 0x94D049BB133111EBull;
    keys[row] = T(hash ^ hash >> 31);
    rows[row] = unsigned(row);
  }
}

template <class T> void bench(const char* name, bool has_values, size_t count, int repeats) {
  T *keys, *spare;
  unsigned *rows, *spare_rows;
  CHECK(cudaMalloc(&keys, count * sizeof(T)));
  CHECK(cudaMalloc(&spare, count * sizeof(T)));
  CHECK(cudaMalloc(&rows, count * 4));
  CHECK(cudaMalloc(&spare_rows, count * 4));
  void* scratch = nullptr;
  size_t bytes = 0;
  cudaEvent_t begun, done;
  CHECK(cudaEventCreate(&begun));
  CHECK(cudaEventCreate(&done));
  std::vector<float> times;
  for (int i = 0; i < repeats + 3; i++) {
    make_keys<<<1024, 256>>>(keys, rows, count);
    cub::DoubleBuffer<T> both(keys, spare);
    cub::DoubleBuffer<unsigned> both_rows(rows, spare_rows);
    const auto sort = [&] {
      return has_values ? cub::DeviceRadixSort::SortPairs(scratch, bytes, both, both_rows, count)
                        : cub::DeviceRadixSort::SortKeys(scratch, bytes, both, count);
    };
    if (!scratch) {
      CHECK(sort());
      CHECK(cudaMalloc(&scratch, bytes));
    }
    CHECK(cudaEventRecord(begun));
    CHECK(sort());
    CHECK(cudaEventRecord(done));
    CHECK(cudaEventSynchronize(done));
    float milliseconds;
    CHECK(cudaEventElapsedTime(&milliseconds, begun, done));
    if (i >= 3) times.push_back(milliseconds);
  }
  std::sort(times.begin(), times.end());
  std::printf("%s;CUB DeviceRadixSort;%.9f\n", name, times[times.size() / 2] / 1e3);
  for (T* memory : {keys, spare}) CHECK(cudaFree(memory));
  for (unsigned* memory : {rows, spare_rows}) CHECK(cudaFree(memory));
  CHECK(cudaFree(scratch));
}

int main(int argument_count, char** arguments) {
  const size_t count = argument_count > 1 ? std::atoll(arguments[1]) : 1 << 24;
  const int repeats = argument_count > 2 ? std::atoi(arguments[2]) : 20;
  bench<unsigned>("sort u32", false, count, repeats);
  bench<unsigned>("sort u32 and u32", true, count, repeats);
  bench<unsigned long long>("sort u64", false, count, repeats);
  bench<unsigned long long>("sort u64 and u32", true, count, repeats);
  return 0;
}
