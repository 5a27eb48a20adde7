/* The interface between the SYCL plug-in (libpenstock_sycl.so) and the driver.
 *
 * The plug-in is compiled by a SYCL compiler, the driver by the ordinary one. They share this table
 * of functions and plain data alone: no C++ type, and no exception. Functions that can fail return
 * 0, or fill in the error and return its code. Memory is SYCL's unified shared memory (USM), by
 * address. Functions of one queue are called by one thread at a time, all others by any.
 */
#pragma once
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Raised when anything here or KernelEntry of sycl.prelude changes. */
#define PENSTOCK_SYCL_INTERFACE_VERSION 3

enum {
  PENSTOCK_SYCL_INVALID = 1,
  PENSTOCK_SYCL_NO_MEMORY = 2,
  PENSTOCK_SYCL_NO_KERNEL = 3,
  PENSTOCK_SYCL_LOST = 4,
  PENSTOCK_SYCL_INTERNAL = 5,
  PENSTOCK_SYCL_UNSUPPORTED = 6
};
typedef struct {
  int32_t code;
  char text[1020];
} penstock_sycl_error;

typedef struct {
  char name[256], vendor[256], driver[256], backend[64];
  char version[256]; /* "sm_90" of NVIDIA's, if AdaptiveCpp lists it; a version of the backend's */
  uint64_t global_bytes, max_allocation_bytes, local_bytes;
  uint32_t compute_units, max_group_size;
  uint32_t subgroup_size; /* 1 where the device has none, or several sizes */
  uint32_t is_cpu, is_gpu, uses_system_memory, has_f64, has_atomic_u64;
} penstock_sycl_device_info;

typedef struct {
  uint32_t parameter_count;
  const uint32_t* value_bytes; /* of each parameter; 0: a pointer */
  uint64_t local_bytes;        /* of a group */
} penstock_sycl_kernel_info;

typedef struct penstock_sycl_device penstock_sycl_device;
typedef struct penstock_sycl_queue penstock_sycl_queue;
typedef struct penstock_sycl_event penstock_sycl_event;
typedef struct penstock_sycl_module penstock_sycl_module;
typedef struct penstock_sycl_kernel penstock_sycl_kernel;

typedef struct {
  uint32_t version; /* first in every version */
  /* The compiler that made this plug-in, by which programs are compiled: its path and its options,
   * one a line, and the text by which it names itself. */
  const char* compiler_command;
  const char* compiler_version;
  uint32_t has_precompiled_headers; /* -x c++-header and -include-pch */

  int32_t (*device_count)(uint32_t* count, penstock_sycl_error*);
  int32_t (*device_info)(uint32_t index, penstock_sycl_device_info*, penstock_sycl_error*);
  /* Opens a device in a context of its own, or in that of a queue (a sycl::queue*). */
  int32_t (*open_device)(uint32_t index, penstock_sycl_device**, penstock_sycl_error*);
  int32_t (*open_device_of_queue)(void* queue, penstock_sycl_device**, uint32_t* index,
                                  penstock_sycl_error*);
  void (*close_device)(penstock_sycl_device*);

  int32_t (*allocate)(penstock_sycl_device*, uint64_t bytes, uint32_t on_host, void** memory,
                      penstock_sycl_error*);
  void (*release)(penstock_sycl_device*, void* memory);
  /* Whether kernels of the device may use the address. */
  int32_t (*check_memory)(penstock_sycl_device*, const void* memory, penstock_sycl_error*);

  int32_t (*make_queue)(penstock_sycl_device*, penstock_sycl_queue**, penstock_sycl_error*);
  /* A copy of a sycl::queue, which has to be in order and of the device's context. Errors of its
   * work go to the queue's own handler alone: finish() and wait() do not return them. */
  int32_t (*borrow_queue)(penstock_sycl_device*, void* queue, penstock_sycl_queue**,
                          penstock_sycl_error*);
  void (*free_queue)(penstock_sycl_queue*);
  int32_t (*copy)(penstock_sycl_queue*, void* to, const void* from, uint64_t bytes,
                  penstock_sycl_error*);
  int32_t (*fill)(penstock_sycl_queue*, void* to, uint32_t value, uint64_t words,
                  penstock_sycl_error*);
  int32_t (*launch)(penstock_sycl_queue*, const penstock_sycl_kernel*, uint32_t groups,
                    void** arguments, penstock_sycl_error*);
  int32_t (*flush)(penstock_sycl_queue*, penstock_sycl_error*);
  /* Also returns what failed earlier in any queue of the device that make_queue() made. */
  int32_t (*finish)(penstock_sycl_queue*, penstock_sycl_error*);

  int32_t (*record)(penstock_sycl_queue*, penstock_sycl_event**, penstock_sycl_error*);
  int32_t (*wait_for)(penstock_sycl_queue*, const penstock_sycl_event*, penstock_sycl_error*);
  int32_t (*wait)(const penstock_sycl_event*, penstock_sycl_error*);
  int32_t (*end_nanoseconds)(const penstock_sycl_event*, uint64_t*, penstock_sycl_error*);
  void (*free_event)(penstock_sycl_event*);

  /* Opens a compiled program, which stays open: the runtime may use its code until the process
   * ends. A kernel lives as long as its module's code. */
  int32_t (*load_module)(const char* path, penstock_sycl_module**, penstock_sycl_error*);
  int32_t (*find_kernel)(const penstock_sycl_module*, const char* name,
                         const penstock_sycl_kernel**, penstock_sycl_kernel_info*,
                         penstock_sycl_error*);
  void (*free_module)(penstock_sycl_module*);
} penstock_sycl_interface;

/* The one function that the plug-in exports. */
#define PENSTOCK_SYCL_ENTRY "penstock_sycl_plugin"
typedef const penstock_sycl_interface* (*penstock_sycl_entry)(void);

#ifdef __cplusplus
}
#endif
