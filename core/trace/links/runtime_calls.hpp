// Effects that calls of the CUDA and HIP runtime have on the calling thread, by the names of the calls.
#pragma once

#include <string_view>

namespace kino {

/// Whether the call counts as waiting for the GPU: synchronization and some synchronous copies.
constexpr bool waits_for_gpu(std::string_view call) {
  for (const std::string_view name :
       {"cudaDeviceSynchronize", "cudaStreamSynchronize", "cudaEventSynchronize", "cudaThreadSynchronize",
        "cudaMemcpy", "cuCtxSynchronize", "cuStreamSynchronize", "cuEventSynchronize", "hipDeviceSynchronize",
        "hipStreamSynchronize", "hipEventSynchronize", "hipCtxSynchronize", "hipMemcpy", "hipMemcpyDtoH",
        "hipMemcpyWithStream"}) {
    if (call == name) return true;
  }
  return false;
}

/// Whether a call creates, extends, updates, instantiates or uploads graphs, for example cudaGraphCreate or
/// hipGraphCreate. False for calls that capture streams or launch graphs.
constexpr bool builds_graph(std::string_view call) {
  for (const std::string_view part :
       {"GraphInstantiate", "GraphUpload", "GraphExecUpdate", "GraphCreate", "GraphAdd"}) {
    if (call.find(part) != std::string_view::npos) return true;
  }
  return false;
}

/// Whether a call allocates, maps or frees device or pinned memory in the driver. Many such calls wait for
/// the GPU.
constexpr bool changes_gpu_memory(std::string_view call) {
  for (const std::string_view name :
       {"cudaMalloc", "cudaFree", "cudaHostAlloc", "cudaFreeHost", "cudaMallocHost", "cudaMallocAsync",
        "cudaFreeAsync", "cuMemCreate", "cuMemMap", "cuMemUnmap", "cuMemRelease", "cuMemAddressReserve",
        "cuMemSetAccess", "hipMalloc", "hipFree", "hipHostMalloc", "hipHostFree", "hipExtMallocWithFlags"}) {
    if (call == name) return true;
  }
  return false;
}

}  // namespace kino
