/* OpenCL memory and a queue of a C program's own. */
#include "c_callers/c_callers.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

static uint64_t put(const struct c_allocator* allocator, const void* content, uint64_t bytes) {
  const cl_mem memory =
      clCreateBuffer(allocator->context, CL_MEM_READ_WRITE, (size_t)bytes + 16, NULL, NULL);
  if (content != NULL)
    clEnqueueWriteBuffer(allocator->queue, memory, CL_FALSE, 0, (size_t)bytes, content, 0, NULL,
                         NULL);
  return (uintptr_t)memory;
}
static void get(const struct c_allocator* allocator, uint64_t memory, void* to, uint64_t bytes) {
  clEnqueueReadBuffer(allocator->queue, (cl_mem)(uintptr_t)memory, CL_FALSE, 0, (size_t)bytes, to,
                      0, NULL, NULL);
}
static void finish(const struct c_allocator* allocator) { clFinish(allocator->queue); }
static void release(const struct c_allocator* allocator, uint64_t memory) {
  (void)allocator;
  clReleaseMemObject((cl_mem)(uintptr_t)memory);
}

static penstock_code run_on_queue(cl_context context, cl_command_queue queue, c_body body,
                                  void* argument, penstock_status* status) {
  const struct c_allocator allocator = {context, queue, put, get, finish, release};
  penstock_device* device = NULL;
  penstock_code code = penstock_device_of_opencl_queue(queue, &device, status);
  if (code == PENSTOCK_OK && penstock_device_context(device) != (void*)context)
    code = PENSTOCK_INTERNAL;
  if (code == PENSTOCK_OK) code = body(&allocator, device, argument, status);
  penstock_device_close(device);
  return code;
}

void* first_opencl_device(void) {
  cl_platform_id platforms[16];
  cl_uint platform_count = 0;
  if (clGetPlatformIDs(16, platforms, &platform_count) != CL_SUCCESS) return NULL;
  for (cl_uint i = 0; i < platform_count; i++) {
    cl_device_id device = NULL;
    if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL) == CL_SUCCESS)
      return device;
  }
  return NULL;
}

penstock_code run_on_opencl(uint64_t queue_properties, c_body body, void* argument,
                            penstock_status* status) {
  cl_device_id device = first_opencl_device();
  if (device == NULL) return PENSTOCK_NO_DEVICE;
  const cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
  const cl_command_queue queue = clCreateCommandQueue(context, device, queue_properties, NULL);
  const penstock_code code = run_on_queue(context, queue, body, argument, status);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  return code;
}
