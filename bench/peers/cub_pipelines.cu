// The cases of `penstock bench pipelines` by CUB, with its fancy iterators. Built by: nvcc -O3
// -arch=native -o cub_pipelines bench/peers/cub_pipelines.cu. Takes the row count, the repeats and
// optionally `selectivity`, for all pass rates of that sweep. Prints `case;name;seconds`.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <cub/cub.cuh>

#define CHECK(call)                                                                       \
  do {                                                                                    \
    if (cudaError_t error = (call); error != cudaSuccess) {                               \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
      std::exit(1);                                                                       \
    }                                                                                     \
  } while (0)

struct Twice {
  __host__ __device__ float operator()(float x) const { return x * 2; }
};
struct PlusHundred {
  __host__ __device__ float operator()(float x) const { return x + 100; }
};
struct Above {
  float limit;
  __host__ __device__ bool operator()(float x) const { return x > limit; }
};
struct TwiceIfAbove {
  float limit;
  __host__ __device__ double operator()(float x) const {
    return x * 2 > limit ? double(x * 2) : 0.0;
  }
};

__global__ void make_rows(float* rows, size_t count) {
  for (size_t row = blockIdx.x * size_t(blockDim.x) + threadIdx.x; row < count;
       row += size_t(gridDim.x) * blockDim.x) {
    unsigned long long hash = row * 0x9E3779B97F4A7C15ull;
    hash = (hash ^ hash >> 30) * 0xBF58476D1CE4E5B9ull;
    hash = (hash ^ hash >> 27) * 0x94D049BB133111EBull;
    hash ^= hash >> 31;
    rows[row] = float(hash >> 40) * (1000.0f / 16777216.0f);
  }
}

double median_seconds(int repeats, const std::function<void()>& work) {
  cudaEvent_t begun, done;
  CHECK(cudaEventCreate(&begun));
  CHECK(cudaEventCreate(&done));
  std::vector<float> times;
  for (int i = 0; i < repeats + 3; i++) {
    CHECK(cudaEventRecord(begun));
    work();
    CHECK(cudaEventRecord(done));
    CHECK(cudaEventSynchronize(done));
    float milliseconds;
    CHECK(cudaEventElapsedTime(&milliseconds, begun, done));
    if (i >= 3) times.push_back(milliseconds);
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2] / 1e3;
}

int main(int argument_count, char** arguments) {
  const long long rows = argument_count > 1 ? std::atoll(arguments[1]) : 1 << 24;
  const int repeats = argument_count > 2 ? std::atoi(arguments[2]) : 20;
  float *in, *out;
  unsigned long long* count;
  double* sum;
  CHECK(cudaMalloc(&in, rows * 4));
  CHECK(cudaMalloc(&out, rows * 4));
  CHECK(cudaMalloc(&count, 8));
  CHECK(cudaMalloc(&sum, 8));
  make_rows<<<1024, 256>>>(in, rows);
  const auto twice = thrust::make_transform_iterator(in, Twice());
  const auto plus = thrust::make_transform_output_iterator(out, PlusHundred());
  const bool is_sweep = argument_count > 3 && arguments[3] == std::string("selectivity");
  const std::vector<const char*> sweep = {"0.1", "0.3", "1",  "3",  "10",   "30",  "50",
                                          "70",  "90",  "97", "99", "99.7", "99.9"};
  const auto above = [](const char* percent) { return float(2000 - 20 * std::atof(percent)); };
  void* scratch = nullptr;
  size_t bytes = 0;
  CHECK(cub::DeviceSelect::If(scratch, bytes, twice, plus, count, rows, Above{0}));
  CHECK(cudaMalloc(&scratch, bytes));
  for (const char* percent : is_sweep ? sweep : std::vector<const char*>{"50", "10", "1", "90"}) {
    const Above is_above{above(percent)};
    const double seconds = median_seconds(repeats, [&] {
      CHECK(cub::DeviceSelect::If(scratch, bytes, twice, plus, count, rows, is_above));
    });
    std::printf("map-filter-map %s%%;CUB DeviceSelect::If;%.9f\n", percent, seconds);
  }
  void* sum_scratch = nullptr;
  size_t sum_bytes = 0;
  CHECK(cub::DeviceReduce::Sum(sum_scratch, sum_bytes,
                               thrust::make_transform_iterator(in, TwiceIfAbove{0}), sum, rows));
  CHECK(cudaMalloc(&sum_scratch, sum_bytes));
  for (const char* percent : is_sweep ? sweep : std::vector<const char*>{"50"}) {
    const auto terms = thrust::make_transform_iterator(in, TwiceIfAbove{above(percent)});
    const double seconds = median_seconds(
        repeats, [&] { CHECK(cub::DeviceReduce::Sum(sum_scratch, sum_bytes, terms, sum, rows)); });
    std::printf("filter-sum %s%%;CUB DeviceReduce::Sum;%.9f\n", percent, seconds);
  }
  return 0;
}
