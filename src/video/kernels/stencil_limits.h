// The sizes of stencil_tile.kc's tiles, which the host needs to count them.
#define STENCIL_TILE_COLUMNS 128u  // with the apron
#define MOTION_TILE_ROWS 16u
#define ANSNR_TILE_ROWS 16u
#define VIF_TILE_ROWS 8u

// Logarithms of VIF: words of two entries, each of eight numbers (vif_information.kc).
#define VIF_LOG_WORDS 2048u
