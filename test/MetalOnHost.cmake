# Tests of the host executor once more, over Metal's texts (kernel_c/metal_on_host): every template of
# pipelines and each family of hand-written kernels in one setting. CTest's set is a choice, as the
# executor is slow; PENSTOCK_HOST_TARGET=metal in the environment has any test program do so.
if(PENSTOCK_CLANGXX)
  function(penstock_metal_on_host program name filter)
    add_test(NAME metal_on_host_${name} COMMAND ${program} --gtest_filter=${filter})
    set_tests_properties(metal_on_host_${name} PROPERTIES LABELS kernel_c
      FAIL_REGULAR_EXPRESSION "Running 0 tests"
      ENVIRONMENT "PENSTOCK_HOST_TARGET=metal;GTEST_OUTPUT=xml:${PROJECT_BINARY_DIR}/test-results/metal_on_host_${name}.xml")
  endfunction()
  penstock_metal_on_host(host_kernel pipelines Devices/Pipelines.*/Gpu*:Devices/Lookups.*/0:Devices/LocalGroups.*/0)
  penstock_metal_on_host(host_kernel groups
    Devices/PartitionedGroups.*/0:Devices/MergedGroups.*/0:Devices/DeviceTables.*/0:Devices/DenseGroups.*/0)
  penstock_metal_on_host(on_device_primitive primitives Devices/*/0)
  penstock_metal_on_host(on_device_video video VideoAdversarial.KernelsHaveNoFaultsOnTheHostsExecutor:*.NoAccessIsOutsideAndNoneRaces)
  set(codecs DeflateChunksOnHost DeflateEncodingOnHost Lz4ChunksOnHost Lz4EncodingOnHost SnappyChunksOnHost ZstdChunksOnHost
    ZstdFrameOnHost RunChecksumsOnHost FsstOnTheHost FsstEncodeOnTheHost FsstMatchingOnTheHost FsstSelectedOnTheHost)
  list(TRANSFORM codecs REPLACE "(.+)" "*/\\1.*/0")
  list(JOIN codecs ":" codecs)
  penstock_metal_on_host(on_device_codec codecs ${codecs})
  penstock_metal_on_host(on_device_expr expressions EmittedExpressions.RandomGraphsComputeWhatTheInterpreterComputes)
  penstock_metal_on_host(on_device_plan windows Devices/WindowOnTheHost.*/0:LightTile.*)
  penstock_metal_on_host(on_device_column columns Devices/ArrowStringLayoutsOnTheHost.*/0)
endif()
