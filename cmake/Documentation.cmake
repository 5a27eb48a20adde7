# The target `docs`, where Doxygen is installed: reference pages of include/ in BUILD/docs/html.
# `include/penstock/detail` is left out.
if(NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()
find_package(Doxygen QUIET)
if(NOT DOXYGEN_FOUND)
  return()
endif()
set(DOXYGEN_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/docs)
set(DOXYGEN_EXCLUDE ${PROJECT_SOURCE_DIR}/include/penstock/detail)
set(DOXYGEN_EXTRACT_ALL YES)
set(DOXYGEN_QUIET YES)
set(DOXYGEN_WARN_IF_UNDOCUMENTED NO)
set(DOXYGEN_GENERATE_TREEVIEW YES)
# The headers' comments are ordinary ones; this makes Doxygen's of them.
set(DOXYGEN_INPUT_FILTER "sed -E -f ${PROJECT_SOURCE_DIR}/cmake/doxygen.sed")
set(DOXYGEN_MACRO_EXPANSION YES)
set(DOXYGEN_STRIP_FROM_PATH ${PROJECT_SOURCE_DIR}/include)
doxygen_add_docs(docs ${PROJECT_SOURCE_DIR}/include/penstock
  COMMENT "Writing reference pages to ${PROJECT_BINARY_DIR}/docs/html")
