// Covers: mark_names, work_names
#include "core/tables/serving/mark_names.hpp"

#include <string_view>

#include <doctest/doctest.h>

#include "core/tables/serving/work_names.hpp"

using namespace kino;

TEST_CASE("an annotation of a batch contains its sizes and phase") {
  const auto mark = parse_mark_name("execute_context_2(6144)_generation_3(3)");
  REQUIRE(mark);
  CHECK(mark->source == MarkSource::batch);
  CHECK(mark->family == "vllm");
  CHECK(mark->phase == IterationPhase::mixed);
  CHECK(mark->sizes == BatchSizes{2, 6144, 3, 3, std::nullopt});
}

TEST_CASE("a chunk of a prefill that is counted as generation is prefill") {
  CHECK(phase_of(0, 1, 16) == IterationPhase::verify);
  CHECK(phase_of(0, 1, 17) == IterationPhase::prefill);
  CHECK(phase_of(0, 2, 33) == IterationPhase::mixed);
  CHECK(phase_of(1, 1, 17) == IterationPhase::mixed);
  CHECK(phase_of(0, 0, 0) == IterationPhase::idle);
}

TEST_CASE("only whole names mark iterations") {
  for (const char* const name :
       {"execute_context_2(6144)_generation_3(3) ", "x execute_context_0(0)_generation_1(1)",
        "execute_context_-2(6144)_generation_3(3)", "step", "layer 3", "my train step 3", "step 3 of 4",
        "step[DECODE bs=]", "step[DECODE bs=8", "step[NEW bs=8]", "decode[bs=4", "token_", "prefilled",
        "execute_context_1234567890123456(1)_generation_0(0)", "", "ProfilerStep#3",
        "[Executor] _forward_step"}) {
    CAPTURE(name);
    CHECK_FALSE(parse_mark_name(name).has_value());
  }
}

TEST_CASE("sizes above 2^31 are read") {
  const auto mark = parse_mark_name("execute_context_1(3000000000)_generation_0(0)");
  REQUIRE(mark);
  CHECK(mark->sizes.context_tokens == 3'000'000'000);
  CHECK(mark->phase == IterationPhase::prefill);
}

TEST_CASE("a name that is cut anywhere does not mark an iteration") {
  for (const std::string_view whole :
       {"execute_32_context_0(sq0sk0sqsq0sqsk0)_generation_32(sq32sk5sqsq32sqsk5)",
        "[Executor] _forward_step 6: 1 ctx reqs, 20 ctx tokens, 32 gen reqs",
        "step[MIXED bs=2 c=1 g=1 c_sq=5 g_sq=1]"}) {
    CHECK(parse_mark_name(whole).has_value());
    for (std::size_t size = 0; size < whole.size(); ++size)
      CHECK_FALSE(parse_mark_name(whole.substr(0, size)).has_value());
  }
}

TEST_CASE("requests are no iterations") {
  for (const char* const name : {"generate", "LlamaGenerationMixin.generate", "LLM.generate",
                                 "model_inference", "execute_diffusion_1_1024x1024"}) {
    CHECK(is_request_name(name));
    CHECK_FALSE(parse_mark_name(name).has_value());
  }
  CHECK_FALSE(is_request_name("execute_diffusion_1_1024"));
}

TEST_CASE("kernels belong to parts by name") {
  CHECK(compute_part("void vllm::moe::topk") == IterationPart::experts);
  CHECK(compute_part("flash_fwd_kernel<cutlass::bf16>") == IterationPart::attention);
  CHECK(compute_part("nvjet_tst_64x8") == IterationPart::matrix);
  CHECK(compute_part("reduce_kernel<ArgMaxOps>") == IterationPart::sampling);
  CHECK(compute_part("upsample_bilinear2d") == IterationPart::other);
  CHECK(compute_part("properties_kernel") == IterationPart::other);
  CHECK(communication_part("ncclDevKernel_SendRecv", "all_to_allv") == IterationPart::all_to_all);
  CHECK(communication_part("ncclDevKernel_SendRecv", "") == IterationPart::communication);
  CHECK(communication_part("ncclDevKernel_AllGather_RING_LL", "") == IterationPart::all_reduce);
  CHECK(communication_part("cross_device_reduce_1stage", "") == IterationPart::all_reduce);
}

TEST_CASE("selection of tokens is neither routing nor dropout") {
  CHECK(selects_tokens("distribution_elementwise"));
  CHECK_FALSE(selects_tokens("moe_sampling_kernel"));
  CHECK_FALSE(selects_tokens("fused_dropout_distribution_"));
}

TEST_CASE("signs of training are names of the backward pass and of optimizers") {
  CHECK(is_training_kernel("multi_tensor_adam"));
  CHECK(is_training_kernel("lamb_stage_1"));
  CHECK_FALSE(is_training_kernel("operator()::{lambda()#1}"));
  CHECK_FALSE(is_training_kernel("sm80_xmma_dgrad_implicit_gemm"));
  CHECK_FALSE(is_training_kernel("multi_tensor_apply_kernel"));
  CHECK(is_training_slice("autograd::engine::evaluate_function: MmBackward0"));
  CHECK(is_training_slice("Optimizer.zero_grad#SGD.zero_grad"));
  CHECK_FALSE(is_training_slice("aten::mm"));
  CHECK(is_training_annotation("my training step"));
  CHECK_FALSE(is_training_annotation("constrain"));
}
