# Tests through PoCL: the driver of OpenCL itself, the words of Kernel C, and some of each family of
# kernels. Without a GPU, kernels with many threads in a group run only here: groups of cpu:0 have
# one.
function(penstock_opencl_test program filter)
  add_test(NAME opencl_${program} COMMAND ${program} --gtest_filter=${filter})
  set_tests_properties(opencl_${program} PROPERTIES LABELS opencl
    ENVIRONMENT "PENSTOCK_HIDE=cpu;GTEST_OUTPUT=xml:${PROJECT_BINARY_DIR}/test-results/opencl_${program}.xml")
endfunction()
penstock_opencl_test(on_device_device *)
penstock_opencl_test(on_device_kernel *)
penstock_opencl_test(on_device_expr *)
penstock_opencl_test(on_device_column ArrowStringLayouts.*)
penstock_opencl_test(on_device_primitive "Scan.*:RadixSort.*")
penstock_opencl_test(on_device_plan
  "Partitions.*:DevicesSums.OfKeys*:DevicesFirstGroups.*:FirstGroups.*:GroupBy.*:WideExtremes.*:Compaction.*:Join.*:Window.*:TopK.*")
penstock_opencl_test(on_device_codec
  "Lz4Chunks.*:SnappyChunks.*:GzipChunks.*:ZstdChunks.*:FsstOnDevices.*:ChunksFromC.*:ImportedQueues.*:Pages.*")
penstock_opencl_test(on_device_stream "StreamOnDevice.*")
penstock_opencl_test(on_device_session KeptGroups.*)
penstock_opencl_test(on_device_video "VideoFromC.*:SsimOnDevices.*:MotionOnDevices.*")
