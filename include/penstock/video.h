/* Scores of a distorted video against its reference in C: frames in the host's memory, or in a
 * device's, on a queue of the caller's. video.hpp is the same interface in C++ and has more detail.
 *
 *     const char* features[] = {"float_ssim", "cambi=full_ref=true"};
 *     penstock_picture_format format = {3840, 2160, 8, PENSTOCK_CHROMA_420};
 *     penstock_scorer* scorer = NULL;
 *     penstock_scorer_create_on_queue(device, stream, &format, features, 2, &scorer, &status);
 *     for (each frame)
 *       penstock_scorer_enqueue(scorer, &reference, &distorted, &status);
 *     penstock_scorer_finish(scorer, &status);
 *     penstock_scorer_score(scorer, "float_ssim", 0, &score, &status);
 */
#ifndef PENSTOCK_VIDEO_H
#define PENSTOCK_VIDEO_H
#include "penstock/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Chroma subsampling; 400 is luma alone. */
typedef enum penstock_chroma {
  PENSTOCK_CHROMA_400,
  PENSTOCK_CHROMA_420,
  PENSTOCK_CHROMA_422,
  PENSTOCK_CHROMA_444
} penstock_chroma;

/* Samples of 8 bits are bytes, samples of 10, 12 and 16 bits are 16-bit numbers,
 * right-aligned.
 * Chroma planes of odd sizes are rounded up. */
typedef struct penstock_picture_format {
  uint32_t width, height;
  uint32_t bits;
  penstock_chroma chroma;
} penstock_picture_format;

/* The planes Y, Cb and Cr of a picture in the host's memory. row_bytes: from one row to the next.
 */
typedef struct penstock_host_picture {
  const void* planes[3];
  uint64_t row_bytes[3];
} penstock_host_picture;

/* A plane in device memory: from `first_byte` of `memory`, with row_bytes from one row to the
 * next, both multiples of a sample's size. */
typedef struct penstock_device_plane {
  penstock_memory memory;
  uint64_t first_byte, row_bytes;
} penstock_device_plane;
typedef struct penstock_device_picture {
  penstock_device_plane planes[3];
} penstock_device_picture;

/* The minimum, maximum, arithmetic and harmonic mean over frames. */
typedef struct penstock_pooled {
  double min, max, mean, harmonic_mean;
} penstock_pooled;

typedef struct penstock_scorer penstock_scorer;

/* Creates a scorer. `device`: NULL for the host alone. `features`: in libvmaf's form, "psnr" or
 * "cambi=enc_width=960:enc_height=540". Release it with penstock_scorer_free(). One host thread at
 * a time may use a scorer. Returns PENSTOCK_INVALID for unknown features, options and formats. */
penstock_code penstock_scorer_create(penstock_device* device, const penstock_picture_format* format,
                                     const char* const* features, uint32_t feature_count,
                                     penstock_scorer** scorer, penstock_status* status);
/* The same with all kernels on `queue`: a CUstream (NULL: the default stream) or an in-order
 * cl_command_queue. All features run by kernels; PENSTOCK_UNSUPPORTED if one has none. */
penstock_code penstock_scorer_create_on_queue(penstock_device* device, void* queue,
                                              const penstock_picture_format* format,
                                              const char* const* features, uint32_t feature_count,
                                              penstock_scorer** scorer, penstock_status* status);
void penstock_scorer_free(penstock_scorer* scorer);

/* Adds the next frame from the host's memory, which may change when this returns. */
penstock_code penstock_scorer_add(penstock_scorer* scorer, const penstock_host_picture* reference,
                                  const penstock_host_picture* distorted, penstock_status* status);
/* Enqueues the next frame from device memory, where samples are not checked for bits beyond those
 * of the format. The caller's later work on its queue may overwrite it. For a scorer with a queue
 * of its own it must be complete, and stay until penstock_scorer_finish(). The memory must outlive
 * the scorer's work on it. Waits for earlier frames if several are in flight. */
penstock_code penstock_scorer_enqueue(penstock_scorer* scorer,
                                      const penstock_device_picture* reference,
                                      const penstock_device_picture* distorted,
                                      penstock_status* status);
/* Waits for all frames. Nothing can be added after it; the functions below need it. */
penstock_code penstock_scorer_finish(penstock_scorer* scorer, penstock_status* status);

uint64_t penstock_scorer_frame_count(const penstock_scorer* scorer);
/* The keys of scores ("psnr_y"), in libvmaf's order; NULL from the last on. Valid as long as the
 * scorer. */
const char* penstock_scorer_key(const penstock_scorer* scorer, uint32_t index);
/* The score of a frame: may be infinite. PENSTOCK_INVALID if there is none. */
penstock_code penstock_scorer_score(const penstock_scorer* scorer, const char* key, uint64_t frame,
                                    double* score, penstock_status* status);
penstock_code penstock_scorer_pooled(const penstock_scorer* scorer, const char* key,
                                     penstock_pooled* pooled, penstock_status* status);
/* The place where a feature runs, by its index in the list of features: "cuda:0 NVIDIA H200",
 * "host". NULL from the last on. */
const char* penstock_scorer_place(const penstock_scorer* scorer, uint32_t feature);

#ifdef __cplusplus
}
#endif
#endif
