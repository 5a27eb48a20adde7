#include "on_device/video/video_from_c.h"

#include <stddef.h>

static penstock_code get_scores(penstock_scorer* scorer, struct c_video* video,
                                penstock_status* status) {
  penstock_code code = penstock_scorer_finish(scorer, status);
  for (uint32_t i = 0; i < video->frame_count && code == PENSTOCK_OK; i++)
    code = penstock_scorer_score(scorer, video->key, i, &video->scores[i], status);
  if (code == PENSTOCK_OK)
    code = penstock_scorer_pooled(scorer, video->key, &video->pooled, status);
  if (code == PENSTOCK_OK && penstock_scorer_frame_count(scorer) != video->frame_count)
    code = PENSTOCK_INTERNAL;
  return code;
}

/* Puts a picture into memory of its own. */
static penstock_device_picture put_picture(const struct c_allocator* allocator,
                                           const struct c_video* video, uint32_t index) {
  penstock_device_picture picture;
  const penstock_memory memory = {
      allocator->put(allocator, video->pictures + index * video->picture_bytes,
                     video->picture_bytes),
      video->picture_bytes};
  for (int plane = 0; plane < 3; plane++) {
    picture.planes[plane] = video->places[plane];
    picture.planes[plane].memory = memory;
  }
  return picture;
}

static penstock_code enqueue_all(const struct c_allocator* allocator, penstock_scorer* scorer,
                                 struct c_video* video, penstock_status* status) {
  enum { max_pictures = 256 };
  uint64_t kept[max_pictures];
  penstock_code code = 2 * video->frame_count > max_pictures ? PENSTOCK_CAPACITY : PENSTOCK_OK;
  uint32_t count = 0;
  for (uint32_t i = 0; i < video->frame_count && code == PENSTOCK_OK; i++) {
    const penstock_device_picture reference = put_picture(allocator, video, 2 * i),
                                  distorted = put_picture(allocator, video, 2 * i + 1);
    kept[count++] = reference.planes[0].memory.handle;
    kept[count++] = distorted.planes[0].memory.handle;
    code = penstock_scorer_enqueue(scorer, &reference, &distorted, status);
  }
  if (code == PENSTOCK_OK) code = get_scores(scorer, video, status);
  allocator->finish(allocator);
  for (uint32_t i = 0; i < count; i++) allocator->release(allocator, kept[i]);
  return code;
}

penstock_code score_device_pictures(const struct c_allocator* allocator, penstock_device* device,
                                    void* argument, penstock_status* status) {
  struct c_video* const video = argument;
  penstock_scorer* scorer = NULL;
  penstock_code code =
      penstock_scorer_create_on_queue(device, allocator->queue, &video->format, video->features,
                                      video->feature_count, &scorer, status);
  if (code == PENSTOCK_OK) code = enqueue_all(allocator, scorer, video, status);
  penstock_scorer_free(scorer);
  return code;
}

penstock_code score_host_pictures(penstock_device* device, struct c_video* video,
                                  const penstock_host_picture* references,
                                  const penstock_host_picture* distorted, penstock_status* status) {
  penstock_scorer* scorer = NULL;
  penstock_code code = penstock_scorer_create(device, &video->format, video->features,
                                              video->feature_count, &scorer, status);
  for (uint32_t i = 0; i < video->frame_count && code == PENSTOCK_OK; i++)
    code = penstock_scorer_add(scorer, &references[i], &distorted[i], status);
  if (code == PENSTOCK_OK) code = get_scores(scorer, video, status);
  penstock_scorer_free(scorer);
  return code;
}
