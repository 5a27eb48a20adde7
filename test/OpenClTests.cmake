# Tests through PoCL: the driver of OpenCL itself, the words of Kernel C, and some of each family of
# kernels. Without a GPU, kernels with many threads in a group run only here: groups of cpu:0 have
# one. PoCL compiles for a second a kernel, so that each family has few cases.
function(penstock_opencl_test program filter)
  add_test(NAME opencl_${program} COMMAND ${program} --gtest_filter=${filter})
  set_tests_properties(opencl_${program} PROPERTIES LABELS opencl
    ENVIRONMENT "PENSTOCK_HIDE=cpu;GTEST_OUTPUT=xml:${PROJECT_BINARY_DIR}/test-results/opencl_${program}.xml")
endfunction()
penstock_opencl_test(on_device_device *)
penstock_opencl_test(on_device_kernel *)
penstock_opencl_test(on_device_expr "*-*PlantedDefect")
penstock_opencl_test(on_device_column ArrowStringLayouts.*)
penstock_opencl_test(on_device_primitive "Scan.*:RadixSort.*")
set(groups "Partitions.UniformKeys*:Partitions.NullKeys*:DevicesSums.OfKeys*:FirstGroups.ByKeys*:GroupBy.*:WideExtremes.*")
penstock_opencl_test(on_device_plan "${groups}:Compaction.*:Join.*Keys*:Join.*Groups*:Window.Every*:TopK.*")
penstock_opencl_test(on_device_codec
  "Lz4Chunks.*:SnappyChunks.*:GzipChunks.*:ZstdChunks.*:FsstOnDevices.*:ChunksFromC.*:ImportedQueues.*:Pages.*")
penstock_opencl_test(on_device_stream "StreamOnDevice.*")
penstock_opencl_test(on_device_session KeptGroups.Rows*)
penstock_opencl_test(on_device_video "VideoFromC.*:SsimOnDevices.EveryLevel*:SsimOnDevices.EveryDepth*:MotionOnDevices.*")
