# Tests of the host executor once more, over Metal's texts: kernel_c/metal_on_host. The sets have every
# family of hand-written kernels and every template of pipelines.
