// Covers: gpu_metrics, tensor_cores
// Use of the GPU by its kernels, including Tensor Cores.
#include "core/tables/gpu/gpu_metrics.hpp"

#include <cmath>

#include <doctest/doctest.h>

#include "core/tables/gpu/kernel_table.hpp"
#include "core/tables/gpu/tensor_cores.hpp"
#include "tests/fixtures/event_fixture.hpp"
#include "tests/fixtures/gpu_work_of.hpp"

namespace {

using kino::EventFixture;
using kino::KernelGrouping;
using kino::TrackClass;
using kino_test::work_of;

}  // namespace

TEST_CASE("recognizes Tensor Core kernels of all generations") {
  using kino::GpuVendor;
  using kino::TensorCores;
  for (const char* name :
       {"volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nn",
        "ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_64x3_tn",
        "nvjet_tst_128x256_64x4_1x2_h_bz_coopA_TNT", "void deep_gemm::fp8_gemm_kernel<4096u, 7168u>(int*)",
        "void cutlass::device_kernel<dpsk::grouped_gemm::cuda::fp8_ptp128c::GemmKernel>(int)",
        "_ZN12cutlass_mslk13device_kernelINS_4gemm6kernel13GemmUniversalI",
        "sm80_xmma_dgrad_implicit_gemm_bf16bf16_bf16f32_f32_nhwckrsc_nhwc_tilesize128x32x32_g1_tensor16x8x16_"
        "execute",
        "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64", "_block_scaled_fp8_gemm",
        "fmha_cutlassF_bf16_aligned_64x128_rf_sm80(int)",
        "void cutlass::device_kernel<flash::enable_sm90_or_later<flash::FlashAttnFwdSm90<flash::X>>>(int)"}) {
    CAPTURE(name);
    CHECK(kino::tensor_cores_of(name, GpuVendor::nvidia) == TensorCores::yes);
  }
  for (const char* name :
       {"volta_sgemm_128x64_nn", "void at::native::vectorized_elementwise_kernel<4>",
        "void cutlass::device_kernel<flash::FlashAttnBwdPreprocess<cutlass::arch::Sm90>>(int)",
        "void pytorch_flash::flash_bwd_dot_do_o_kernel<true>", "fmha_cutlassF_f32_aligned_64x64_rf_sm70(int)",
        "void cutlass::Kernel2<cutlass_80_simt_sgemm_128x32_8x5_nn_align1>(int)"}) {
    CAPTURE(name);
    CHECK(kino::tensor_cores_of(name, GpuVendor::nvidia) == TensorCores::no);
  }
}

TEST_CASE("reports unclear kernel names on NVIDIA as unknown") {
  using kino::TensorCores;
  const auto use = [](const char* name) { return kino::tensor_cores_of(name, kino::GpuVendor::nvidia); };
  for (const char* name : {"linear_relu_square_kernel", "XXT_kernel", "_block_scaled_block_gemm", "_attn_fwd",
                           "triton_tem_fused_mm_3", "_matmul_kernel", "triton__0d1d2d3de", "_fwd_kernel"}) {
    CAPTURE(name);
    CHECK(use(name) == TensorCores::unknown);
  }
  for (const char* name :
       {"volta_scudnn_128x64_relu_interior_nn_v1", "void cub::DeviceReduceKernel<int>(int*)",
        "void (anonymous namespace)::softmax_warp_forward<float>(float*)", "triton_poi_fused_add_1",
        "void gemmSN_TN_kernel<float, 128, 16>(int)", "void cudnn::bn_bw_1C11_kernel_new<float>(float)",
        "_fwd_kernel_destindex_copy_kv", "ampere_gcgemm_64x32_nt"}) {
    CAPTURE(name);
    CHECK(use(name) == TensorCores::no);
  }
}

TEST_CASE("reports Matrix Cores on AMD by name, and otherwise unknown") {
  using kino::TensorCores;
  const auto use = [](const char* name) { return kino::tensor_cores_of(name, kino::GpuVendor::amd); };
  CHECK(use("Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT320x224x64_MI16x16x1_SN_LDSB0") ==
        TensorCores::yes);
  CHECK(use("void paged_attention_ll4mi_QKV_mfma16_kernel<0>(int)") == TensorCores::yes);
  CHECK(use("_ZN2ck16tensor_operation6device12kernel_grouped_conv_fwd_xdl_cshuffle_v3") == TensorCores::yes);
  CHECK(use("Cijk_Ailk_Bljk_SB_MT64x64x8_SE_K1") == TensorCores::unknown);
  CHECK(use("attn_fwd") == TensorCores::unknown);
  CHECK(use("volta_fp16_s884gemm") == TensorCores::unknown);
  CHECK(use("void at::native::vectorized_elementwise_kernel<4>") == TensorCores::no);

  EventFixture fixture;
  fixture.slice(TrackClass::cpu, "cuda_runtime", "hipLaunchKernel", 0, 5, "1", 1);
  const auto trace = fixture.kernel("attn_fwd", 10, 30, 1).kernel("Cijk_A_MI16x16x1_B", 50, 10).build();
  CHECK(kino::gpu_vendor(*trace) == kino::GpuVendor::amd);
  const auto without_calls = EventFixture().kernel("gemm.kd", 0, 10).build();
  CHECK(kino::gpu_vendor(*without_calls) == kino::GpuVendor::amd);
  const auto metrics = kino::gpu_metrics(*trace, work_of(*trace), kino::whole_range(*trace));
  REQUIRE(metrics.size() == 1);
  CHECK(metrics[0].tensor_core_share == doctest::Approx(0.25));
  CHECK(metrics[0].tensor_core_unknown_share == doctest::Approx(0.75));
}

TEST_CASE("counts only kernels in GPU metrics, weighted by time") {
  const auto trace = EventFixture()
                         .kernel("a", 0, 40, 0, "7")
                         .told({{'B', "0.6"}, {'o', "40"}})
                         .kernel("b", 20, 40, 0, "8")
                         .told({{'B', "0.6"}, {'o', "80"}})
                         .slice(TrackClass::gpu, "gpu_memcpy", "Memcpy HtoD", 80, 20, "7")
                         .build();
  const auto gpus = kino::gpu_metrics(*trace, work_of(*trace), {0, 100});
  REQUIRE(gpus.size() == 1);
  CHECK(gpus[0].utilization == doctest::Approx(0.6));
  CHECK(gpus[0].sm_efficiency == doctest::Approx((20 * 0.6 + 20 * 1.0 + 20 * 0.6) / 100));
  CHECK(gpus[0].occupancy == doctest::Approx(60));
}

TEST_CASE("ignores an occupancy of 0 that contradicts the warps per SM") {
  const auto trace = EventFixture()
                         .kernel("a", 0, 40)
                         .told({{'b', "256,1,1"}, {'B', "0.5"}, {'o', "40"}})
                         .kernel("much shared memory", 50, 120)
                         .told({{'b', "256,1,1"}, {'B', "0.5"}, {'o', "0"}})
                         .kernel("one block", 200, 40)
                         .told({{'b', "64,1,1"}, {'B', "0.01"}, {'o', "0"}})
                         .build();
  const auto gpus = kino::gpu_metrics(*trace, work_of(*trace), {0, 300});
  REQUIRE(gpus.size() == 1);
  CHECK(gpus[0].occupancy == doctest::Approx(20));
  CHECK(gpus[0].occupancy_known_share == doctest::Approx(0.4));
}

TEST_CASE("knows the Tensor Core share if most kernel names are clear") {
  const auto metrics = [](std::int64_t unclear_ns) {
    const auto trace =
        EventFixture().kernel("volta_sgemm_128x64_nn", 0, 90).kernel("triton_", 100, unclear_ns).build();
    const auto gpus = kino::gpu_metrics(*trace, work_of(*trace), kino::whole_range(*trace));
    REQUIRE(gpus.size() == 1);
    const kino::Table table = kino::gpu_metrics_table(*trace, gpus, {});
    CHECK(
        (table.notes.back() ==
         "Shares of Tensor Cores (AMD: Matrix Cores) are lower bounds. A kernel counts as not using them if "
         "its name does not show that it does.") == (gpus[0].tensor_core_share >= 0));
    return gpus[0];
  };
  CHECK(metrics(10).tensor_core_share == 0);
  CHECK(metrics(10).tensor_core_unknown_share == doctest::Approx(0.1));
  CHECK(metrics(110).tensor_core_share == -1);
}

TEST_CASE("has a kernel's occupancy only if most of its time has one") {
  const auto cell = [](std::int64_t known_ns) {
    const auto trace = EventFixture()
                           .kernel("send", 0, known_ns)
                           .told({{'b', "32,1,1"}, {'B', "0.01"}, {'o', "0"}})
                           .kernel("send", 1000, 100)
                           .told({{'b', "256,1,1"}, {'B', "0.5"}, {'o', "0"}})
                           .build();
    const auto rows =
        kino::kernel_rows(*trace, work_of(*trace), kino::whole_range(*trace), KernelGrouping::name);
    const kino::Table table = kino::kernel_table(*trace, rows, KernelGrouping::name);
    return std::get<kino::TableColumn::Numbers>(table.find("occupancy_percent")->values)[0];
  };
  CHECK(std::isnan(cell(90)));
  CHECK(cell(110) == 0);
}

TEST_CASE("leaves the share unknown for other makers, and detects NVIDIA by architecture names") {
  const auto share = [](const char* call, const char* kernel) {
    EventFixture events;
    events.slice(TrackClass::cpu, "xpu_runtime", call, 0, 5, "1", 1);
    const auto trace = events.kernel(kernel, 10, 30, 1).build();
    const auto gpus = kino::gpu_metrics(*trace, work_of(*trace), kino::whole_range(*trace));
    REQUIRE(gpus.size() == 1);
    return gpus[0].tensor_core_share;
  };
  CHECK(share("urEnqueueKernelLaunch", "at::native::xpu::Fill") == -1);
  CHECK(share("musaLaunchKernel", "at::native::vectorized_elementwise_kernel<4>") == -1);
  const auto volta = EventFixture().kernel("volta_sgemm_128x64_nn", 0, 10).build();
  CHECK(kino::gpu_vendor(*volta) == kino::GpuVendor::nvidia);
}

TEST_CASE("ignores occupancy and SM efficiency that are 0 for every kernel") {
  const auto trace = EventFixture()
                         .kernel("a", 0, 40)
                         .told({{'B', "0"}, {'o', "0"}})
                         .kernel("b", 50, 40)
                         .told({{'B', "0"}, {'o', "0"}})
                         .build();
  const auto gpus = kino::gpu_metrics(*trace, work_of(*trace), {0, 100});
  REQUIRE(gpus.size() == 1);
  CHECK(gpus[0].sm_efficiency == -1);
  CHECK(gpus[0].occupancy == -1);
}
