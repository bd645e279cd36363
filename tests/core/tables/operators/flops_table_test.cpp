// Covers: flops_table, flops_table_text, device_peaks, flop_formulas, convolution_outputs, input_shapes
// FLOPs by shape, cost of recomputation, peaks of devices, and uncounted work, by worked cases.
#include "core/tables/operators/flops_table.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

#include "core/tables/analysis/range_analysis.hpp"
#include "core/tables/analysis/trace_tables.hpp"
#include "core/tables/gpu/device_peaks.hpp"
#include "core/tables/gpu/input_shapes.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "core/trace/links/operator_tree.hpp"
#include "tests/fixtures/event_fixture.hpp"

namespace {

using kino::EventFixture;
using kino::FlopsGrouping;
using kino::TrackClass;

kino::EventFacts facts_of(std::string_view dims, std::string_view concrete = {}) {
  kino::EventFacts facts;
  facts.input_dims = dims;
  facts.concrete_inputs = concrete;
  return facts;
}

/// Returns -1 if it cannot be counted.
double flops(std::string_view op, std::string_view dims, std::string_view concrete = {}) {
  const auto count = kino::flops_of(op, facts_of(dims, concrete));
  return count ? count->hardware : -1;
}

double model_flops(std::string_view op, std::string_view dims) {
  return kino::flops_of(op, facts_of(dims)).value_or(kino::FlopCount{-1, -1}).model;
}

kino::FlopsReport report_of(const kino::Trace& trace) {
  const kino::RangeAnalysis all(trace, kino::whole_range(trace));
  return kino::flops_report(trace, all.tree(), {all.base(), all.coverage().all_ns});
}

}  // namespace

TEST_CASE("counts matrix products by shape") {
  CHECK(flops("aten::mm", "[[2, 3], [3, 4]]") == 48);
  CHECK(flops("aten::mm", "[[2, 3], [5, 4]]") == -1);
  CHECK(flops("aten::mm", "[[2, 3]]") == -1);
  CHECK(flops("aten::mm", "2,3;3,4;") == 48);
  CHECK(flops("aten::addmm", "[[4], [2, 3], [3, 4], [], []]") == 48);
  CHECK(flops("aten::_addmm_activation", "[[4], [2, 3], [3, 4], [], [], []]") == 48);
  CHECK(flops("aten::_int_mm", "[[2, 3], [3, 4]]") == 48);
  CHECK(flops("aten::_scaled_mm", "[[2, 3], [3, 4], [], [], [], [], [], [], [2, 4]]") == 48);
  CHECK(flops("aten::mv", "[[2, 3], [3]]") == 12);
  CHECK(flops("aten::addmv", "[[2], [2, 3], [3], [], []]") == 12);
  CHECK(flops("aten::bmm", "[[7, 2, 3], [7, 3, 4]]") == 7 * 48);
  CHECK(flops("aten::baddbmm", "[[7, 2, 4], [7, 2, 3], [7, 3, 4], [], []]") == 7 * 48);
  // All rows of the left matrix, each with the right matrix of its group.
  CHECK(flops("aten::_grouped_mm", "[[8196, 7168], [4, 7168, 2048], [4], [], []]") ==
        2.0 * 8196 * 7168 * 2048);
  CHECK(flops("aten::_grouped_mm", "[[4, 5, 6], [6, 40], [4]]") == 2.0 * 5 * 6 * 40);
  CHECK(flops("aten::_grouped_mm", "[[5, 60], [60, 7], [4]]") == 2.0 * 5 * 60 * 7);
  CHECK(flops("aten::_scaled_grouped_mm", "[[16, 8], [4, 8, 3], [16, 1]]") == 2.0 * 16 * 8 * 3);
  CHECK(flops("aten::relu", "[[2, 3]]") == -1);
}

TEST_CASE("counts convolutions by stride, transposition and requested gradients") {
  const auto convolution = [](const char* dims, const char* stride, const char* transposed) {
    const std::string values = std::string(R"(["", "", "", ")") + stride + R"(", "[1, 1]", "[1, 1]", ")" +
                               transposed + R"(", "[0, 0]", "1"])";
    return flops("aten::convolution", dims, values);
  };
  // 8 images, 16 channels of 4 x 4 outputs, 3 x 3 x 3 weights each.
  const char* const dims = "[[8, 3, 4, 4], [16, 3, 3, 3], [16], [], [], [], [], [], []]";
  const double one = 2.0 * 8 * 16 * 16 * 27;
  CHECK(convolution(dims, "[1, 1]", "False") == one);
  CHECK(convolution(dims, "[2, 2]", "False") == one / 4);
  CHECK(convolution("[[8, 3, 4, 4], [3, 16, 3, 3], []]", "[2, 2]", "True") == 2.0 * 8 * 3 * 16 * 16 * 9);
  CHECK(flops("aten::convolution", "[[8, 3, 4, 4], [16, 3, 3, 3], [16]]") == -1);
  CHECK(flops("aten::cudnn_convolution_transpose", "[[8, 3, 4, 4], [3, 16, 3, 3], []]") ==
        2.0 * 8 * 3 * 16 * 16 * 9);
  const auto backward = [](const char* backward_dims, const char* transposed, const char* mask) {
    const std::string values = std::string(R"(["", "", "", "[0]", "[1, 1]", "[1, 1]", "[1, 1]", ")") +
                               transposed + R"(", "[0, 0]", "1", ")" + mask + R"("])";
    return flops("aten::convolution_backward", backward_dims, values);
  };
  const char* const back = "[[8, 16, 4, 4], [8, 3, 4, 4], [16, 3, 3, 3], [], [], [], [], [], [], [], []]";
  CHECK(backward(back, "False", "[True, True, False]") == 2 * one);
  CHECK(backward(back, "False", "[False, True, True]") == one);
  CHECK(backward(back, "False", "[False, False, True]") == 0);
  CHECK(flops("aten::convolution_backward", back) == 2 * one);  // not recorded
  // Each gradient of a transposed convolution multiplies like the forward pass: by inputs, not by outputs.
  CHECK(backward("[[8, 16, 8, 8], [8, 3, 4, 4], [3, 16, 2, 2]]", "True", "[True, True, True]") ==
        2 * 2.0 * 8 * 3 * 16 * 16 * 4);
  // torch 1.8: one operator per gradient; that of the weight does not record the weight's shape.
  CHECK(flops("aten::cudnn_convolution_backward_input", "[[], [8, 16, 4, 4], [16, 3, 3, 3], [], []]") == one);
  const char* const weight = "aten::cudnn_convolution_backward_weight";
  CHECK(flops(weight, "[[], [8, 16, 4, 4], [8, 3, 4, 4], [], []]") == -1);
  const kino::EventFacts around = facts_of("[[8, 3, 4, 4], [8, 16, 4, 4], [16, 3, 3, 3], [], []]");
  CHECK(kino::flops_of(weight, facts_of("[[], [8, 16, 4, 4], [8, 3, 4, 4], [], []]"), &around)->hardware ==
        one);
}

TEST_CASE("counts the width of values in attention, and causality only with is_causal") {
  const char* const sdpa = "aten::_scaled_dot_product_flash_attention";
  const char* const dims = "[[2, 4, 8, 16], [2, 4, 8, 16], [2, 4, 8, 16], [], [], [], []]";
  const double full = 4.0 * 2 * 4 * 8 * 8 * 16;
  CHECK(flops(sdpa, dims) == full);
  CHECK(flops(sdpa, "[[2, 4, 8, 16], [2, 4, 8, 16], [2, 4, 8, 32]]") == 2.0 * 2 * 4 * 8 * 8 * (16 + 32));
  CHECK(flops(sdpa, "[[2, 4, 8, 16], [2, 1, 32, 16], [2, 1, 32, 16]]") == 4 * full);
  CHECK(flops(sdpa, dims, R"(["", "", "", "0.", "True", "False", ""])") == full / 2);
  CHECK(flops(sdpa, dims, R"(["", "", "", "0.", "False", "True", ""])") == full);  // return_debug_mask
  const char* const efficient = "aten::_scaled_dot_product_efficient_attention";
  CHECK(flops(efficient, dims, R"(["", "", "", "", "True", "0.", "False", ""])") ==
        full);  // compute_log_sumexp
  CHECK(flops(efficient, dims, R"(["", "", "", "", "True", "0.", "True", ""])") == full / 2);
  CHECK(flops(efficient, dims, R"(["", "", "", "True", "False", ""])") == full);  // PyTorch 2.0
  const char* const cudnn = "aten::_scaled_dot_product_cudnn_attention";
  CHECK(flops(cudnn, dims, R"(["", "", "", "", "True", "0.", "False", "False", ""])") == full);
  CHECK(flops(cudnn, dims, R"(["", "", "", "0.", "True", "False", ""])") == full / 2);  // PyTorch 2.4
  const char* const back_dims = "[[2, 4, 8, 16], [2, 4, 8, 16], [2, 4, 8, 16], [2, 4, 8, 16], [2, 4, 8, 16]]";
  CHECK(flops("aten::_scaled_dot_product_flash_attention_backward", back_dims) == 2.5 * full);
  CHECK(model_flops("aten::_scaled_dot_product_flash_attention_backward", back_dims) == 2 * full);
  // Heads after the queries; a number before the first flag selects the mask.
  const char* const rows = "[[2, 8, 4, 16], [2, 8, 4, 16], [2, 8, 4, 16]]";
  const auto masked = [&](const char* kind) {
    const std::string values =
        std::string(R"(["", "", "", "", "", "", "", "0.", ")") + kind + R"(", "True", "", "", ""])";
    return flops("aten::_efficient_attention_forward", rows, values);
  };
  CHECK(masked("0") == full);
  CHECK(masked("1") == full / 2);
  CHECK(flops("xformers::efficient_attention_forward_cutlass", rows,
              R"(["", "", "", "", "", "", "", "0.", "True", "1", "", "", ""])") == full / 2);
  CHECK(flops("flash_attn::_flash_attn_forward", rows,
              R"(["", "", "", "0.", "0.25", "False", "-1", "-1"])") == full);
  CHECK(flops("flash_attn::_flash_attn_forward", rows, R"(["", "", "", "0.", "0.25", "True", "-1", "-1"])") ==
        full / 2);
  // two keys and itself
  CHECK(flops("flash_attn::_flash_attn_forward", rows, R"(["", "", "", "0.", "0.25", "True", "2", "0"])") ==
        full * 3 / 8);
  // A query after 32 keys attends to all of them.
  CHECK(flops("flash_attn::_flash_attn_forward", "[[1, 1, 4, 16], [1, 32, 4, 16], [1, 32, 4, 16]]",
              R"(["", "", "", "0.", "0.25", "True", "-1", "-1"])") == 4.0 * 4 * 16 * 31.5);
  // Packed sequences: at most as if all had the maximum length.
  CHECK(flops("flash_attn::_flash_attn_varlen_forward",
              "[[100, 4, 16], [100, 4, 16], [100, 4, 16], [5], [5]]",
              R"(["", "", "", "", "", "30", "30", "0.", "0.25", "False", "-1", "-1"])") ==
        4.0 * 100 * 30 * 4 * 16);
  CHECK(flops("aten::_scaled_dot_product_attention_math", dims) == -1);  // its matrix products count
}

TEST_CASE("gives an upper bound for packed sequences, unless all have the maximum length") {
  const auto count = [](std::string_view op, std::string_view dims, std::string_view values) {
    const auto found = kino::flops_of(op, facts_of(dims, values));
    REQUIRE(found.has_value());
    return *found;
  };
  // modded-nanogpt, rank 0: causal, a window of 384 keys.
  const auto nanogpt = count(
      "flash_attn_3::bwd",
      "[[16384, 6, 128], [16384, 6, 128], [16384, 6, 128], [16384, 6, 128], [16384, 6, 128], [6, 16384], "
      "[], [], [], [128], [128], [], [], [], [], [], [], [], [], [], [], []]",
      R"(["", "", "", "", "", "", "", "", "", "", "", "", "", "2048", "2048", "0.1", "True", "384", "0"])");
  CHECK(nanogpt.at_most);
  CHECK(nanogpt.hardware == 2.0 * 16384 * 6 * 385 * 5 * 128);
  const char* const varlen = "flash_attn::_flash_attn_varlen_forward";
  const char* const longest_30 = R"(["", "", "", "", "", "30", "30", "0.", "0.25", "False", "-1", "-1"])";
  const auto uneven = count(varlen, "[[100, 4, 16], [100, 4, 16], [100, 4, 16], [5], [5]]", longest_30);
  CHECK(uneven.at_most);
  CHECK(uneven.hardware == 4.0 * 100 * 30 * 4 * 16);
  const auto even = count(varlen, "[[120, 4, 16], [120, 4, 16], [120, 4, 16], [5], [5]]", longest_30);
  CHECK_FALSE(even.at_most);
  CHECK(even.hardware == 4.0 * 120 * 30 * 4 * 16);
  // One sequence with its own length, and unpacked ones.
  CHECK_FALSE(count(varlen, "[[30, 4, 16], [30, 4, 16], [30, 4, 16], [2], [2]]", longest_30).at_most);
  CHECK_FALSE(count("flash_attn::_flash_attn_forward", "[[2, 8, 4, 16], [2, 8, 4, 16], [2, 8, 4, 16]]",
                    R"(["", "", "", "0.", "0.25", "False", "-1", "-1"])")
                  .at_most);
  // One token of each of 4 sequences attends to up to 30 keys: half of that would be no upper bound.
  const auto decode = count(varlen, "[[4, 4, 16], [100, 4, 16], [100, 4, 16], [5], [5]]",
                            R"(["", "", "", "", "", "1", "30", "0.", "0.25", "True", "-1", "-1"])");
  CHECK(decode.at_most);
  CHECK(decode.hardware == 4.0 * 4 * 30 * 4 * 16);
  // A cache of keys that each sequence has used in part.
  CHECK(count("flash_attn_3::fwd",
              "[[2, 1, 4, 16], [2, 512, 4, 16], [2, 512, 4, 16], [], [], [], [], [], [], [], [], [2]]", "[]")
            .at_most);
}

TEST_CASE("marks rows that are upper bounds, and the sums that contain them") {
  EventFixture events;
  events.op("aten::mm", 0, 10).told({{'I', "[[2, 3], [3, 4]]"}});
  events.launch(1, 2, 1).kernel("gemm", 100, 10, 1);
  events.op("flash_attn::_flash_attn_varlen_forward", 20, 10)
      .told({{'I', "[[100, 4, 16], [100, 4, 16], [100, 4, 16], [5], [5]]"},
             {'C', R"(["", "", "", "", "", "30", "30", "0.", "0.25", "False", "-1", "-1"])"}});
  events.launch(21, 2, 2).kernel("flash", 200, 10, 2);
  const auto trace = events.build();
  const kino::FlopsReport report = report_of(*trace);
  CHECK(report.hardware.at_most_flop == 768000);
  const kino::Table table = kino::flops_table(*trace, report, FlopsGrouping::shape);
  const kino::TableColumn* const bound = table.find("upper_bound");
  REQUIRE(bound != nullptr);
  CHECK(std::get<kino::TableColumn::Texts>(bound->values) == std::vector<std::string>{"yes", "no"});
  CHECK(std::ranges::any_of(table.notes, [](const kino::Message& note) {
    return note.str().starts_with("7.68e+05 FLOP are an upper bound");
  }));
}

TEST_CASE("marks the peak of float as that of TF32 only if the device has TF32") {
  const auto is_tf32 = [](const char* device, const char* dtype) {
    return kino::device_peak(device, dtype).value().tf32;
  };
  for (const char* device : {"AMD Instinct MI300X VF", "NVIDIA H100 80GB HBM3", "A100-SXM4-40GB", "NVIDIA L4",
                             "NVIDIA GeForce RTX 4090"})
    CHECK(is_tf32(device, "float"));
  for (const char* device :
       {"AMD Instinct MI250X", "AMD Instinct MI355X", "Tesla V100-SXM2-16GB", "NVIDIA GeForce RTX 2080 Ti"})
    CHECK(!is_tf32(device, "float"));
  CHECK(!is_tf32("AMD Instinct MI300X VF", "c10::BFloat16"));
}

TEST_CASE("knows peaks only for exact device names and types") {
  const auto peak = [](const char* device, const char* dtype) {
    const auto found = kino::device_peak(device, dtype);
    return found ? found->tflop_per_s : -1;
  };
  CHECK(peak("NVIDIA H100 80GB HBM3", "c10::BFloat16") == 989.4);
  CHECK(peak("NVIDIA H100 80GB HBM3", "c10::Float8_e4m3fn") == 1978.9);
  CHECK(peak("NVIDIA H100 PCIe", "c10::Half") == 756.5);
  CHECK(peak("NVIDIA H100 NVL", "float") == 417.5);
  CHECK(peak("NVIDIA L40", "c10::Half") == 181.05);
  CHECK(peak("NVIDIA L40S", "c10::Half") == 362.05);
  CHECK(peak("NVIDIA L4", "c10::Half") == 121);
  CHECK(peak("NVIDIA T400", "c10::Half") == -1);
  CHECK(peak("NVIDIA T400 4GB", "float") == -1);
  CHECK(peak("Tesla T4", "c10::Half") == 65);
  CHECK(peak("Tesla T4", "c10::BFloat16") == -1);
  CHECK(peak("A100-SXM4-40GB", "float") == 156);
  CHECK(peak("NVIDIA A100-SXM4-80GB MIG 1g.10gb", "float") == -1);
  CHECK(peak("NVIDIA GB300", "c10::Float4_e2m1fn_x2") == 15000);
  CHECK(peak("NVIDIA A100-SXM4-40GB", "c10::Float8_e4m3fn") == -1);
  CHECK(peak("AMD Instinct MI355X", "c10::BFloat16") == 2516.6);
  CHECK(peak("AMD Instinct MI308X", "c10::BFloat16") == -1);
  CHECK(peak("NVIDIA GeForce RTX 4090", "c10::Half") == doctest::Approx(165.2).epsilon(1e-3));
  CHECK(peak("NVIDIA GeForce RTX 3090", "float") == doctest::Approx(35.6).epsilon(2e-3));
  CHECK(peak("NVIDIA GeForce RTX 5090", "c10::Float4_e2m1fn_x2") == doctest::Approx(1676).epsilon(1e-3));
  CHECK(peak("NVIDIA GeForce RTX 4090 Laptop GPU", "c10::Half") == -1);
  CHECK(peak("NVIDIA H100 80GB HBM3", "long int") == -1);
  CHECK(kino::has_tensor_cores("Tesla V100-SXM2-32GB"));
  CHECK_FALSE(kino::has_tensor_cores("NVIDIA T400"));
  CHECK_FALSE(kino::has_tensor_cores("AMD Instinct MI300X"));
}

TEST_CASE("makes one row per operator and shapes, regardless of other arguments") {
  EventFixture events;
  const char* const dims = "[[8, 8], [8, 8]]";
  events.op("aten::mm", 0, 10).told({{'I', dims}, {'T', R"(["float", "float"])"}, {'S', "a.py(1): f"}});
  events.op("aten::mm", 20, 10).told({{'I', dims}, {'T', R"(["float", "float"])"}, {'S', "b.py(2): g"}});
  events.op("aten::mm", 40, 10).told({{'I', dims}, {'T', R"(["c10::Half", "c10::Half"])"}});
  for (std::uint32_t i = 0; i < 3; ++i)
    events.launch(20 * i + 1, 2, i + 1).kernel("gemm", 100 + 10 * i, 10, i + 1);
  const auto trace = events.build();
  std::const_pointer_cast<kino::Trace>(trace)->job.device_names = {"NVIDIA A100-SXM4-40GB"};
  const kino::FlopsReport report = report_of(*trace);
  REQUIRE(report.rows.size() == 1);
  CHECK(report.rows[0].calls == 3);
  CHECK(report.rows[0].hardware.flop == 3.0 * 1024);
  // Each type has its own peak.
  CHECK(report.rows[0].hardware.peak_ns == doctest::Approx(2 * 1024 / 156e3 + 1024 / 312e3));
  const kino::Table table = kino::flops_table(*trace, report, FlopsGrouping::shape);
  CHECK(std::get<kino::TableColumn::Texts>(table.find("dtype")->values).front() == "float, c10::Half");
}

TEST_CASE("lists operators without a formula with their share of GPU time") {
  EventFixture events;
  events.op("aten::mm", 0, 10).told({{'I', "[[8, 8], [8, 8]]"}}).launch(1, 2, 1).kernel("gemm", 100, 60, 1);
  events.op("aten::softmax", 20, 10).told({{'I', "[[8, 8]]"}}).launch(21, 2, 2).kernel("softmax", 200, 30, 2);
  events.op("aten::copy_", 40, 10).launch(41, 2, 3).kernel("copy", 300, 10, 3);
  const auto trace = events.build();
  const kino::FlopsReport report = report_of(*trace);
  CHECK(report.device_ns == 100);
  CHECK(report.counted_ns == 60);
  REQUIRE(report.uncounted.size() == 1);
  CHECK(trace->names[kino::index_of(report.uncounted[0].name)] == "aten::softmax");
  const kino::Table table = kino::flops_table(*trace, report, FlopsGrouping::uncounted);
  CHECK(std::get<kino::TableColumn::Numbers>(table.find("share")->values).front() == doctest::Approx(0.3));
  CHECK(table.notes.back().str().find("aten::softmax 30.0 %") != std::string::npos);
  const kino::OperatorTree tree =
      kino::operator_tree(*trace, kino::whole_range(*trace), {.annotations = true});
  const kino::OperatorTreePart part(*trace, tree);
  CHECK(kino::uncounted_instances(*trace, part, report.uncounted[0].longest).size() == 1);
  CHECK(kino::flops_instances(*trace, part, report.rows[0].longest).size() == 1);
}

TEST_CASE("counts recomputation in the backward pass for the device, not for the model") {
  const char* const dims = "[[100, 100], [100, 100]]";
  const auto mm = [&](EventFixture& events, std::int64_t at, const char* tid) {
    events.op("aten::mm", at, 10, tid).told({{'I', dims}, {'T', R"(["c10::Half"])"}});
  };
  EventFixture events;
  events.slice(TrackClass::cpu, "user_annotation", "ProfilerStep#1", 1000, 1000, "1");
  mm(events, 500, "1");  // before the step
  mm(events, 1100, "1");
  // The checkpoint's node repeats the forward product, with its own backward within.
  events.op("autograd::engine::evaluate_function: CheckpointFunctionBackward", 1200, 500, "2");
  events.op("aten::linear", 1210, 50, "2").flow('s', 7, 1211, "2");
  mm(events, 1220, "2");
  events.op("autograd::engine::evaluate_function: MmBackward0", 1300, 100, "2").flow('f', 7, 1300, "2");
  mm(events, 1310, "2");
  mm(events, 1330, "2");
  events.launch(1331, 2, 1, "2").kernel("gemm", 1400, 100, 1);
  const auto trace = events.build();
  std::const_pointer_cast<kino::Trace>(trace)->job.device_names = {"NVIDIA A100-SXM4-40GB"};
  const kino::FlopsReport report = report_of(*trace);
  REQUIRE(report.rows.size() == 1);
  CHECK(report.rows[0].calls == 5);
  CHECK(report.rows[0].recomputed == 1);
  CHECK(report.rows[0].model_flop == 4 * 2e6);
  CHECK(report.base.steps == 1);
  CHECK(report.base.window.length_ns() == 1000);
  CHECK(report.gpus == 1);
  CHECK(report.hardware.flop == 4 * 2e6);
  CHECK(report.model.flop == 3 * 2e6);
  const kino::Table table = kino::flops_table(*trace, report, FlopsGrouping::shape);
  std::string notes;
  for (const kino::Message& note : table.notes) notes += note.str() + "\n";
  CHECK(notes.find("Over 1 step with its GPU work") != std::string::npos);
  CHECK(notes.find(": 1.9 % for model FLOPs, 2.6 % for hardware FLOPs") != std::string::npos);
  CHECK(notes.find("NVIDIA A100 data sheet") != std::string::npos);
}

TEST_CASE("relates a step's operators to the GPU time of that step") {
  EventFixture events;
  events.slice(TrackClass::cpu, "user_annotation", "ProfilerStep#1", 0, 100, "1");
  events.op("aten::mm", 10, 10)
      .told({{'I', "[[8, 8], [8, 8]]"}})
      .launch(11, 2, 1)
      .kernel("gemm", 100, 900, 1);
  events.slice(TrackClass::cpu, "user_annotation", "ProfilerStep#2", 100, 100, "1");
  events.op("aten::mm", 110, 10).told({{'I', "[[8, 8], [8, 8]]"}}).launch(111, 2, 2);
  events.kernel("gemm", 1000, 60, 2);
  events.op("aten::softmax", 130, 10)
      .told({{'I', "[[8, 8]]"}})
      .launch(131, 2, 3)
      .kernel("softmax", 1060, 40, 3);
  const auto trace = events.build();
  const kino::RangeAnalyses analyses(*trace);
  kino::TableRequest request;
  request.name = "flops";
  request.step = 2;
  const auto notes_of = [&] {
    std::string notes;
    const kino::Result<kino::Table> table = kino::compute_table(analyses, request);
    REQUIRE(table.ok());
    for (const kino::Message& note : table.value().notes) notes += note.str() + "\n";
    return notes;
  };
  CHECK(notes_of().starts_with("Over step 2 with its GPU work (100 ns), the device computed "));
  CHECK(
      notes_of().find(
          "Operators with counted FLOPs take 60.0 % of the GPU time. Operators with recorded shapes but without "
          "counted FLOPs take 40.0 %") != std::string::npos);
  request.group = "uncounted";
  const kino::Table left_out = kino::compute_table(analyses, request).value();
  CHECK(std::get<kino::TableColumn::Numbers>(left_out.find("share")->values).front() == doctest::Approx(0.4));
  request.step.reset();
  request.range = kino::TimeRange{105, 200};
  CHECK(notes_of().find("Operators with counted FLOPs take 60.0 % of the GPU time") != std::string::npos);
}

TEST_CASE("counts operations of the used steps only") {
  EventFixture events;
  std::uint32_t correlation = 1;
  for (int step = 1; step <= 3; ++step) {
    const std::int64_t begin = 1000 * step;
    events.slice(TrackClass::cpu, "user_annotation", "ProfilerStep#" + std::to_string(step), begin, 900, "1");
    events.op("aten::mm", begin + 10, 10).told({{'I', "[[8, 8], [8, 8]]"}});
    if (step == 3) break;  // its work was not recorded
    events.launch(begin + 11, 2, correlation).kernel("gemm", begin + 100, 50, correlation);
    ++correlation;
  }
  const auto trace = events.build();
  const kino::RangeAnalysis all(*trace, kino::whole_range(*trace));
  const kino::FlopsReport report = report_of(*trace);
  CHECK(report.base.brief() == "2 steps with their GPU work");
  CHECK(report.base.window == all.base().window);
  CHECK(report.hardware.flop == 2 * 1024.0);
  CHECK(report.rows.at(0).calls == 3);
}

TEST_CASE("leaves out captured operators and kernels of graphs") {
  const char* const dims = "[[8, 8], [8, 8]]";
  EventFixture events;
  events.op("aten::mm", 0, 10).told({{'I', dims}}).launch(1, 2, 1).kernel("gemm", 100, 60, 1);
  events.slice(TrackClass::cpu, "cuda_runtime", "cudaStreamBeginCapture", 20, 2, "1");
  for (std::int64_t i = 0; i < 2; ++i) {
    events.op("aten::addmm", 30 + 20 * i, 10).told({{'I', "[[8], [8, 8], [8, 8], [], []]"}});
    events.launch(31 + 20 * i, 2, static_cast<std::uint32_t>(2 + i));
  }
  events.slice(TrackClass::cpu, "cuda_runtime", "cudaStreamEndCapture", 80, 2, "1");
  events.slice(TrackClass::cpu, "cuda_runtime", "cudaGraphLaunch", 90, 5, "1", 9);
  events.kernel("gemm", 200, 30, 9).kernel("gemm", 240, 30, 9).kernel("gemm", 280, 30, 9);
  const auto trace = events.build();
  const kino::RangeAnalysis all(*trace, kino::whole_range(*trace));
  const kino::FlopsReport report = kino::flops_report(all);
  CHECK(report.captured == 2);
  CHECK(report.graph_kernels == 3);
  REQUIRE(report.rows.size() == 1);
  CHECK(report.rows[0].calls == 1);
  CHECK(report.uncounted.empty());
  CHECK(kino::counted_calls(*trace, all.tree()).size() == 1);
  CHECK(report.at_least());
  // 60 ns are counted, and another 90 ns may be products.
  CHECK(report.covered() == doctest::Approx(0.4));
  const kino::Table table = kino::flops_table(*trace, report, FlopsGrouping::shape);
  const auto has = [&](std::string_view text) {
    return std::ranges::any_of(
        table.notes, [&](const kino::Message& note) { return note.str().find(text) != std::string::npos; });
  };
  CHECK(has(" computed at least 1024 FLOP. The model needs at least 1024 FLOP"));
  CHECK(has(
      "2 operators are not counted, because they were captured into graphs and did not run at that time."));
  CHECK(has("3 kernels of graph launches are not counted, because their operators are not recorded."));
}

TEST_CASE("gives a utilization only if most GPU time that may multiply is counted") {
  const auto notes_of = [](const char* other, std::int64_t other_ns, const char* types) {
    EventFixture events;
    events.op("aten::mm", 0, 10).told({{'I', "[[8, 8], [8, 8]]"}, {'T', types}});
    events.launch(1, 2, 1).kernel("gemm", 100, 60, 1);
    events.op(other, 20, 10).told({{'I', "[[8, 3, 4, 4], [16, 3, 3, 3], [], [], []]"}});
    events.launch(21, 2, 2).kernel("other", 200, other_ns, 2);
    const auto trace = events.build();
    std::const_pointer_cast<kino::Trace>(trace)->job.device_names = {"NVIDIA A100-SXM4-40GB"};
    std::string notes;
    for (const kino::Message& note : kino::flops_table(*trace, report_of(*trace), FlopsGrouping::shape).notes)
      notes += note.str() + "\n";
    return notes;
  };
  const auto has = [](const std::string& notes, std::string_view text) {
    return notes.find(text) != std::string::npos;
  };
  const char* const half = R"(["c10::Half", "c10::Half"])";
  // The convolution's stride and padding are not recorded.
  const std::string few = notes_of("aten::cudnn_convolution", 140, half);
  CHECK(has(few, "computed at least 1024 FLOP"));
  CHECK(has(few, "1 call is not counted because its arguments are not recorded: aten::cudnn_convolution."));
  CHECK(has(few, "counted operators take only 30.0 % of the time of GPU work"));
  CHECK_FALSE(has(few, "Utilization of the dense peak"));
  CHECK(has(notes_of("aten::cudnn_convolution", 40, half), "Utilization of the dense peak"));
  // An addition multiplies nothing, a custom operator may.
  CHECK(has(notes_of("aten::add", 140, half), " computed 1024 FLOP"));
  CHECK(has(notes_of("aten::add", 140, half), "Utilization of the dense peak"));
  CHECK(has(notes_of("mine::fused", 140, half), "Utilization is not shown"));
  CHECK(has(notes_of("aten::add", 140, "[]"), "The types of the multiplied operands are not recorded"));
}

TEST_CASE("lists calls without the required arguments once, even without GPU work") {
  const char* const dims = "[[8, 3, 32, 32], [16, 3, 3, 3], [16], [], [], [], []]";
  EventFixture events;
  events.op("aten::mm", 0, 10).told({{'I', "[[8, 8], [8, 8]]"}});
  events.op("aten::conv2d", 20, 40).told({{'I', dims}});
  events.op("aten::convolution", 25, 30).told({{'I', dims}});
  events.op("aten::mkldnn_convolution", 30, 20).told({{'I', dims}});
  const auto trace = events.build();
  const kino::FlopsReport report = report_of(*trace);
  REQUIRE(report.uncounted.size() == 1);
  CHECK(trace->names[kino::index_of(report.uncounted[0].name)] == "aten::convolution");
  CHECK(report.uncounted[0].calls == 1);
  CHECK(report.lacking == 1);
  const kino::Table left_out = kino::flops_table(*trace, report, FlopsGrouping::uncounted);
  CHECK(std::get<kino::TableColumn::Integers>(left_out.find("device_ns")->values).front() ==
        kino::kNoInteger);
  const kino::Table table = kino::flops_table(*trace, report, FlopsGrouping::shape);
  CHECK(table.notes.front().str().starts_with(
      "Over the time from the first operator to the last (60 ns), the device computed at "
      "least 1024 FLOP"));
  CHECK(table.notes.back() ==
        "1 call is not counted because its arguments are not recorded: "
        "aten::convolution.");
}

TEST_CASE("derives the output of a convolution without strides from the backward pass") {
  const char* const dims = "[[8, 3, 32, 32], [16, 3, 3, 3], [16], [], [], [], []]";
  const auto report_with = [&](const std::vector<const char*>& gradients) {
    EventFixture events;
    events.op("aten::convolution", 0, 40).told({{'I', dims}});
    events.op("aten::mkldnn_convolution", 10, 20).told({{'I', dims}});
    std::int64_t at = 100;
    for (const char* const gradient : gradients) {
      events.op("aten::convolution_backward", at, 10)
          .told({{'I', "[" + std::string(gradient) + ", [8, 3, 32, 32], [16, 3, 3, 3], [], []]"}});
      at += 100;
    }
    return report_of(*events.build());
  };
  const double one = 2.0 * 8 * 16 * 16 * 16 * 27;
  const kino::FlopsReport derived = report_with({"[8, 16, 16, 16]", "[8, 16, 16, 16]"});
  CHECK(derived.lacking == 0);
  CHECK(derived.hardware.flop == one + 2 * 2 * one);
  // Two strides are possible, or none is known.
  CHECK(report_with({"[8, 16, 16, 16]", "[8, 16, 32, 32]"}).lacking == 1);
  CHECK(report_with({}).lacking == 1);
}

TEST_CASE("gives an upper bound for grouped products whose offsets are data") {
  const auto at_most = [](const char* dims) {
    return kino::flops_of("aten::_grouped_mm", facts_of(dims))->at_most;
  };
  CHECK(at_most("[[16, 8], [4, 8, 3], [4], [], []]"));
  CHECK(at_most("[[5, 60], [60, 7], [4]]"));
  CHECK_FALSE(at_most("[[4, 5, 6], [4, 6, 7]]"));
}

TEST_CASE("marks a row above the peak as an upper bound") {
  EventFixture events;
  events.op("aten::mm", 0, 10).told({{'I', "[[1000, 1000], [1000, 1000]]"}, {'T', R"(["c10::Half"])"}});
  events.launch(1, 2, 1).kernel("gemm", 100, 60, 1);
  const auto trace = events.build();
  std::const_pointer_cast<kino::Trace>(trace)->job.device_names = {"NVIDIA A100-SXM4-40GB"};
  const kino::Table table = kino::flops_table(*trace, report_of(*trace), FlopsGrouping::shape);
  CHECK(std::get<kino::TableColumn::Texts>(table.find("upper_bound")->values).front() == "yes");
}

TEST_CASE("counts an element of FP4 as two numbers") {
  const auto count = [](std::string_view op, std::string_view dims, std::string_view types) {
    kino::EventFacts facts = facts_of(dims);
    facts.input_types = types;
    return kino::flops_of(op, facts).value_or(kino::FlopCount{-1, -1}).hardware;
  };
  const char* const fp4 = R"(["c10::Float4_e2m1fn_x2", "c10::Float4_e2m1fn_x2", "c10::Float8_e4m3fn"])";
  const char* const fp8 = R"(["c10::Float8_e4m3fn", "c10::Float8_e4m3fn"])";
  CHECK(count("aten::_scaled_mm", "[[128, 64], [64, 256], []]", fp4) == 2.0 * 128 * 128 * 256);
  CHECK(count("aten::_scaled_mm", "[[128, 64], [64, 256], []]", fp8) == 2.0 * 128 * 64 * 256);
  CHECK(count("aten::_scaled_grouped_mm", "[[16, 8], [4, 8, 3], [16, 1]]", fp4) == 2.0 * 16 * 16 * 3);
}

TEST_CASE("reads the type of a tensor, not of a list before it") {
  kino::EventFacts facts = facts_of("[[], [8, 16, 4, 4], [16, 3, 3, 3], [], [], [], [], []]");
  facts.input_types =
      R"(["GenericList", "float", "float", "GenericList", "GenericList", "Int", "Bool", "Bool"])";
  CHECK(kino::flop_type("aten::cudnn_convolution_backward_input", facts) == "float");
  facts.input_dims = {};
  CHECK(kino::flop_type("aten::cudnn_convolution_backward_input", facts) ==
        "GenericList");  // nothing shows the type
}

TEST_CASE("reads the integers of a text up to one that exceeds 64 bits") {
  CHECK(kino::numbers_in("[1, -2]") == kino::Shape{1, -2});
  CHECK(kino::numbers_in("[3, 99999999999999999999123, 4]") == kino::Shape{3});
  CHECK(kino::numbers_in("").empty());
}
