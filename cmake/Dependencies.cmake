# Libraries that only io and sql need.
