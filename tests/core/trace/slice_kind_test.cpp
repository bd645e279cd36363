// Covers: slice_kind
#include "core/trace/slice_kind.hpp"

#include <doctest/doctest.h>

using kino::slice_kind;
using kino::SliceKind;

TEST_CASE("kernels are classified as compute or communication by their real names") {
  for (const char* name : {"ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
                           "ncclKernel_AllGather_RING_LL_Sum_int8_t(ncclDevComm*, unsigned long, ncclWork*)",
                           "void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>(...)",
                           "void (anonymous namespace)::multimem_all_reduce_kernel<c10::BFloat16>",
                           "void deep_ep::internode_ll::dispatch<true>", "hcom_allReduce__123_0",
                           "void dpsk::ep::internode::combine<false, 8, __nv_bfloat16>(int4*, float*)",
                           "_ZN7deep_ep8internode8dispatchEPv", "_mxfp8_all_to_all_expert_major_kernel",
                           "void (anonymous namespace)::multimem_all_gather_kernel<16>",
                           "one_shot_all_reduce_kernel", "void two_shot_all_reduce_kernel_inplace<float>()",
                           "void tensorrt_llm::kernels::oneShotAllReduceKernel<half, 8>",
                           "void quickreduce::allreduce_prototype_twoshot<__half>", "nvshmemi_barrier_kernel",
                           "void mscclpp::allreduce7<__half>", "void ncclSymkDevKernel_AllReduce_AGxLL_R_sum",
                           "rcclGenericKernel<1>", "HcclAllreduce"}) {
    CAPTURE(name);
    CHECK(slice_kind("kernel", name) == SliceKind::communication);
  }
  for (const char* name :
       {"void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>>",
        "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize64x128x64", "triton_poi_fused_add_0",
        "triton_poi_fused_all_to_all_single_wait_tensor_3",
        "void dpsk::grouped_gemm::cuda::utils::transpose<512>", "void at::native::reduce_kernel<512, 1>"}) {
    CAPTURE(name);
    CHECK(slice_kind("kernel", name) == SliceKind::compute);
  }
}

TEST_CASE("categories of old and new torch are equivalent") {
  CHECK(slice_kind("Kernel", "k") == SliceKind::compute);
  CHECK(slice_kind("Memcpy", "Memcpy HtoD") == SliceKind::copy);
  CHECK(slice_kind("gpu_memset", "Memset") == SliceKind::copy);
  CHECK(slice_kind("Operator", "aten::add") == SliceKind::cpu_op);
  CHECK(slice_kind("Operator", "ProfilerStep#3") == SliceKind::annotation);
  CHECK(slice_kind("Runtime", "cudaLaunchKernel") == SliceKind::runtime);
  for (const char* category : {"cuda_driver", "hip_runtime", "xpu_runtime", "xpu_driver", "musa_runtime",
                               "mtia_runtime", "privateuse1_runtime", "privateuse1_driver"}) {
    CAPTURE(category);
    CHECK(slice_kind(category, "cuLaunchKernel") == SliceKind::runtime);
  }
  for (const char* category : {"os_runtime", "_runtime", "driver", "v8_runtime"}) {
    CAPTURE(category);
    CHECK(slice_kind(category, "read") == SliceKind::other);
  }
  CHECK(slice_kind("cuda_sync", "Stream Wait Event") == SliceKind::gpu_sync);
  CHECK(slice_kind("gpu_user_annotation", "step") == SliceKind::gpu_annotation);
  CHECK(slice_kind("user_annotation", "step") == SliceKind::annotation);
  CHECK(slice_kind("", "anything") == SliceKind::other);
}

TEST_CASE("GPU categories are those of work and waits on a device") {
  CHECK(kino::is_gpu_category("kernel"));
  CHECK(kino::is_gpu_category("cuda_sync"));
  CHECK(kino::is_gpu_category("Memset"));
  CHECK_FALSE(kino::is_gpu_category("cpu_op"));
  CHECK_FALSE(kino::is_gpu_category("cuda_runtime"));
  CHECK_FALSE(kino::is_gpu_category(""));
}
