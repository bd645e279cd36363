// Covers: category_table, work_categories
// GPU work by category: real kernel names, each piece counted once, and the rules that matched.
#include "core/tables/name_stats/category_table.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "core/tables/analysis/trace_tables.hpp"
#include "core/trace/links/work_categories.hpp"
#include "tests/fixtures/event_fixture.hpp"

namespace {

std::string_view category_of(const std::string& kernel) {
  const auto trace = kino::EventFixture().kernel(kernel, 0, 10).build();
  const kino::WorkRules& rules = *kino::default_work_rules();
  return rules.category_name(kino::WorkCategories(*trace, rules).rule_of(kino::SliceId{0}));
}

}  // namespace

TEST_CASE("recognizes kernels of NVIDIA, AMD, PyTorch and Triton by name") {
  CHECK(category_of("ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_tn") == "Matrix product");
  CHECK(category_of("Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT320x224x64") == "Matrix product");
  CHECK(category_of("void cutlass::Kernel2<cutlass_75_tensorop_bf16_s1688gemm_bf16_256x128_tn_align1>()") ==
        "Matrix product");
  CHECK(category_of(
            "void cutlass::device_kernel<dpsk::grouped_gemm::cuda::m_grouped_fp8_ptp128c::GemmKernel>()") ==
        "Matrix product");
  CHECK(category_of("void pytorch_flash::flash_fwd_kernel<cutlass::bfloat16_t>(Flash_fwd_params)") ==
        "Attention");
  CHECK(category_of("fmha_cutlassF_bf16_aligned_64x64_rf_sm80(PyTorchMemEffAttention::AttentionKernel)") ==
        "Attention");
  CHECK(category_of("void cudnn::bn_bw_1C11_kernel_new<float, float, float2, 512, true, 1>()") ==
        "Normalization");
  CHECK(category_of(
            "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, float>()") ==
        "Normalization");
  CHECK(category_of("igemm_wrw_gtcx3_nhwc_bf16_bx0_ex1_bt64x32x32_wt16x16x16") == "Convolution");
  CHECK(category_of("cudnn_volta_scudnn_winograd_128x128_ldg1_ldg4_relu_tile148t_nt_v1") == "Convolution");
  CHECK(category_of("void implicit_convolve_sgemm<float, float, 1024, 6, 7, 3, 3, 5, 1>()") == "Convolution");
  CHECK(category_of("void (anonymous namespace)::softmax_warp_forward<float, float, float, 10, false>()") ==
        "Softmax");
  CHECK(category_of(
            "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>()") ==
        "Elementwise");
  CHECK(category_of("void at::native::elementwise_kernel<128, 4, at::native::direct_copy_kernel_cuda()>()") ==
        "Copy by a kernel");
  CHECK(category_of("void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, MeanOps>>()") ==
        "Reduction");
  CHECK(category_of("void at::native::index_elementwise_kernel<128, 4, gpu_index_kernel>()") ==
        "Embedding and indexing");
  CHECK(category_of("triton_poi_fused_addmm_gelu_view_15") == "Compiled (Triton)");
  CHECK(category_of("void multi_tensor_apply_kernel<TensorListMetadata<4>, AdamFunctor<float>>()") ==
        "Optimizer and foreach");
  CHECK(category_of("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)") ==
        "Communication");
  CHECK(category_of("void vllm::rotary_embedding_kernel<c10::BFloat16, true>(long const*)") == "Elementwise");
  CHECK(category_of("pe_exe") == "Other");
}

TEST_CASE("puts all GPU work into one category each, and adds up the rules") {
  const auto trace =
      kino::EventFixture()
          .kernel("sgemm_a", 0, 100)
          .kernel("sgemm_b", 100, 50)
          .kernel("sgemm_b", 200, 70)
          .slice(kino::TrackClass::gpu, "gpu_memset", "Memset (Device)", 300, 5, "7")
          .slice(kino::TrackClass::gpu, "gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", 400, 8, "7")
          .build();
  const kino::RangeAnalysis whole(*trace, kino::whole_range(*trace));
  for (std::size_t group = 0; group < kino::kCategoryTable.groups.size(); ++group) {
    const kino::Table table = kino::table_of(kino::kCategoryTable, whole, {group, {}});
    const auto& counts = std::get<kino::TableColumn::Integers>(table.find("count")->values);
    const auto& totals = std::get<kino::TableColumn::Integers>(table.find("total_ns")->values);
    CAPTURE(group);
    std::int64_t count = 0;
    std::int64_t total = 0;
    for (std::uint32_t row = 0; row < table.row_count(); ++row) {
      count += counts[row];
      total += totals[row];
      if (table.slice_of(row) == kino::kNoSlice) continue;
      const auto instances =
          kino::kCategoryTable.instances(whole, {table, row, table.slice_of(row), group}, {});
      CHECK(static_cast<std::int64_t>(instances.size()) == counts[row]);
    }
    CHECK(count == 5);
    CHECK(total == 233);
  }
  const kino::Table categories = kino::table_of(kino::kCategoryTable, whole);
  CHECK(std::get<kino::TableColumn::Texts>(categories.find("category")->values) ==
        std::vector<std::string>{"Matrix product", "Copy", "Memset"});
  CHECK(std::get<kino::TableColumn::Integers>(categories.find("names")->values)[0] == 2);
  CHECK(kino::table_of(kino::kCategoryTable, whole, {2, {}}).row_count() ==
        kino::default_work_rules()->all().size());
}

TEST_CASE("applies the rules of the range") {
  const auto trace = kino::EventFixture().kernel("my_gemm", 0, 10).build();
  const auto own = std::make_shared<const kino::WorkRules>(std::vector<kino::WorkRule>{{"Mine", "^My_"}});
  const kino::RangeAnalysis whole(*trace, kino::whole_range(*trace), nullptr, std::nullopt, own);
  const kino::Table table = kino::table_of(kino::kCategoryTable, whole);
  CHECK(std::get<kino::TableColumn::Texts>(table.find("category")->values) ==
        std::vector<std::string>{"Mine"});
}

TEST_CASE("spells each category in one way, and patterns in lower case") {
  for (const kino::WorkRule& rule : kino::default_name_rules()) {
    CHECK_FALSE(rule.category.empty());
    for (const char c : rule.pattern) CHECK_FALSE((c >= 'A' && c <= 'Z'));
  }
}

TEST_CASE("translates built-in categories, and not the user's") {
  const auto trace = kino::EventFixture().kernel("sgemm", 0, 10).kernel("My_gelu", 20, 5).build();
  std::vector<kino::WorkRule> rules{{"Attention", "^my_"}};
  rules.insert(rules.end(), kino::default_name_rules().begin(), kino::default_name_rules().end());
  const auto own = std::make_shared<const kino::WorkRules>(rules);
  const kino::RangeAnalysis whole(*trace, kino::whole_range(*trace), nullptr, std::nullopt, own);
  const kino::Table table = kino::table_of(kino::kCategoryTable, whole);
  const kino::TableColumn& category = *table.find("category");
  REQUIRE(category.words.size() == 2);
  CHECK(category.words[0].id() == kino::msg::matrix_product);
  CHECK(category.words[1].is_verbatim());
}
