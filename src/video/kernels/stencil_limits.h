// The sizes of stencil_tile.kc's tiles, which the host needs to count them.
#define STENCIL_TILE_COLUMNS 128u  // with the apron
#define MOTION_TILE_ROWS 16u
