# Compiles through ccache where it is installed and no other launcher was named.
#
# ccache refuses files that use a precompiled header unless it may ignore what such a header hides:
# #defines that were never used, and __DATE__ and __TIME__, which Penstock does not use.
find_program(PENSTOCK_CCACHE ccache DOC "The compiler cache; empty to use none")
if(PROJECT_IS_TOP_LEVEL AND PENSTOCK_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER
   AND NOT DEFINED ENV{CMAKE_CXX_COMPILER_LAUNCHER})
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${PENSTOCK_CCACHE})
endif()
