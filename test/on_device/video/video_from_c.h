/* The C interface of video as a C program uses it, with memory and a queue of its own. C11. */
#ifndef VIDEO_FROM_C_H
#define VIDEO_FROM_C_H
#include "c_callers/c_callers.h"
#include "penstock/video.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Pairs of frames, and the first feature's scores of the key. */
struct c_video {
  penstock_picture_format format;
  const char* const* features;
  uint32_t feature_count;
  const char* key;
  uint32_t frame_count;
  double* scores;
  penstock_pooled pooled;
  /* Frames in device memory: 2 * frame_count pictures, the reference's first, each picture_bytes
   * long with its planes at `places`. */
  const uint8_t* pictures;
  uint64_t picture_bytes;
  penstock_device_plane places[3];
};
/* A c_body with a c_video as its argument: the pictures are in the caller's memory. */
penstock_code score_device_pictures(const struct c_allocator* allocator, penstock_device* device,
                                    void* argument, penstock_status* status);
penstock_code score_host_pictures(penstock_device* device, struct c_video* video,
                                  const penstock_host_picture* references,
                                  const penstock_host_picture* distorted, penstock_status* status);

#ifdef __cplusplus
}
#endif
#endif
