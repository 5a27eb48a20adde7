// The cases of `penstock bench scan` by CUB. Built by: nvcc -O3 -arch=native -o cub_scan
// bench/peers/cub_scan.cu. Takes the number of values and the repeats; prints `case;name;seconds`.
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

template <class T> __global__ void make_values(T* values, size_t count) {
  for (size_t row = blockIdx.x * size_t(blockDim.x) + threadIdx.x; row < count;
       row += size_t(gridDim.x) * blockDim.x) {
    unsigned long long hash = row * 0x9E3779B97F4A7C15ull;
    hash = (hash ^ hash >> 30) * 0xBF58476D1CE4E5B9ull;
    hash = (hash ^ hash >> 27) * 0x94D049BB133111EBull;
    values[row] = T((hash ^ hash >> 31) % 100);
  }
}

template <class T, class Scan>
void measure(const char* name, size_t count, int repeats, Scan scan) {
  T *values = nullptr, *sums = nullptr;
  CHECK(cudaMalloc(&values, count * sizeof(T)));
  CHECK(cudaMalloc(&sums, count * sizeof(T)));
  make_values<<<1024, 256>>>(values, count);
  size_t bytes = 0;
  void* scratch = nullptr;
  CHECK(scan(scratch, bytes, values, sums));
  CHECK(cudaMalloc(&scratch, bytes));
  cudaEvent_t begun, done;
  CHECK(cudaEventCreate(&begun));
  CHECK(cudaEventCreate(&done));
  std::vector<float> times;
  for (int run = 0; run < repeats + 2; run++) {
    CHECK(cudaEventRecord(begun));
    CHECK(scan(scratch, bytes, values, sums));
    CHECK(cudaEventRecord(done));
    CHECK(cudaEventSynchronize(done));
    float milliseconds = 0;
    CHECK(cudaEventElapsedTime(&milliseconds, begun, done));
    if (run >= 2) times.push_back(milliseconds);
  }
  std::sort(times.begin(), times.end());
  std::printf("%s;CUB DeviceScan;%.9f\n", name, times[times.size() / 2] / 1000);
  CHECK(cudaFree(scratch));
  CHECK(cudaFree(values));
  CHECK(cudaFree(sums));
}

int main(int count, char** words) {
  const size_t rows = count > 1 ? std::strtoull(words[1], nullptr, 10) : size_t(1) << 30;
  const int repeats = count > 2 ? std::atoi(words[2]) : 9;
  measure<float>("inclusive f32", rows, repeats,
                 [&](void* scratch, size_t& bytes, float* in, float* out) {
                   return cub::DeviceScan::InclusiveSum(scratch, bytes, in, out, rows);
                 });
  measure<unsigned>("exclusive u32", rows, repeats,
                    [&](void* scratch, size_t& bytes, unsigned* in, unsigned* out) {
                      return cub::DeviceScan::ExclusiveSum(scratch, bytes, in, out, rows);
                    });
  measure<unsigned long long>(
      "inclusive u64", rows, repeats,
      [&](void* scratch, size_t& bytes, unsigned long long* in, unsigned long long* out) {
        return cub::DeviceScan::InclusiveSum(scratch, bytes, in, out, rows);
      });
  return 0;
}
