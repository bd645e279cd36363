// Covers: step_breakdown, trace_summary, collective_table, collective_facts
// Steps split into roles that add up, bandwidths of collectives, and advice of the summary.
#include "core/tables/gpu/step_breakdown.hpp"

#include <numeric>

#include <doctest/doctest.h>

#include "core/tables/analysis/range_analysis.hpp"
#include "core/tables/analysis/trace_summary.hpp"
#include "core/tables/gpu/collective_table.hpp"
#include "tests/fixtures/event_fixture.hpp"
#include "tests/fixtures/table_cells.hpp"

namespace {

using kino::CollectiveKind;
using kino::EventFixture;
using kino::StepRole;
using kino::TrackClass;

}  // namespace

TEST_CASE("leaves figures of GPU work unknown without GPU events, instead of 0") {
  const auto table_of = [](bool gpu) {
    EventFixture events;
    events.slice(TrackClass::cpu, "user_annotation", "ProfilerStep#3", 0, 1000, "1").op("aten::mm", 300, 200);
    if (gpu) events.launch(350, 50, 1).kernel("gemm", 400, 300, 1);
    const auto trace = events.build();
    return kino::step_table(kino::step_rows(*trace, kino::find_steps(*trace)));
  };
  const kino::Table on_cpu = table_of(false);
  for (const char* key : {"compute_ns", "communication_ns", "memcpy_ns", "memset_ns",
                          "hidden_communication_ns", "gpu_work", "work_end_ns"}) {
    CAPTURE(key);
    CHECK(kino_test::integer(on_cpu, key, 0) == kino::kNoInteger);
  }
  CHECK(kino_test::integer(on_cpu, "cpu_ns", 0) == 200);
  CHECK(kino_test::integer(on_cpu, "total_ns", 0) == 1000);
  CHECK(kino::english_texts(on_cpu.notes) ==
        std::vector<std::string>{"No GPU work was recorded, so the GPU columns are empty."});
  const kino::Table on_gpu = table_of(true);
  CHECK(kino_test::integer(on_gpu, "compute_ns", 0) == 300);
  CHECK(kino_test::integer(on_gpu, "memcpy_ns", 0) == 0);
  CHECK(kino_test::integer(on_gpu, "gpu_work", 0) == 1);
  CHECK(on_gpu.notes.empty());
}

TEST_CASE("gives every moment of a step to its first active role") {
  const auto trace = EventFixture()
                         .slice(TrackClass::cpu, "user_annotation", "ProfilerStep#3", 0, 1000, "1")
                         .op("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 0, 200)
                         .op("aten::mm", 300, 200)
                         .launch(350, 50, 1)
                         .kernel("gemm", 400, 300, 1)
                         .launch(600, 10, 2)
                         .kernel("ncclDevKernel_AllReduce", 650, 450, 2, "20")
                         .build();
  const auto rows = kino::step_rows(*trace, kino::find_steps(*trace));
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].name == "3");
  CHECK(rows[0].range.length_ns() == 1000);  // as marked
  CHECK(rows[0].work_end_ns == 1100);        // end of the collective
  CHECK(rows[0].gpu_work == 2);
  CHECK(rows[0].tensorboard == kino::TimeRange{0, 1100});
  const auto check = [&](const kino::TimeBreakdown& split, std::int64_t exposed_ns) {
    CHECK(split[StepRole::compute] == 300);
    CHECK(split[StepRole::communication] == exposed_ns);
    CHECK(split.hidden_communication_ns == 50);
    CHECK(split[StepRole::runtime] == 50);
    CHECK(split[StepRole::data_loading] == 200);
    CHECK(split[StepRole::cpu] == 50);
    CHECK(split[StepRole::idle] == 100);
    CHECK(std::accumulate(split.role_ns.begin(), split.role_ns.end(), std::int64_t{0}) ==
          split.window.length_ns());
  };
  check(rows[0].split, 300);
  check(kino::SliceRoles(*trace).split(rows[0].tensorboard), 400);
}

TEST_CASE("splits overlapping steps independently") {
  const auto trace = EventFixture()
                         .slice(TrackClass::cpu, "user_annotation", "ProfilerStep#1", 0, 100, "1")
                         .slice(TrackClass::cpu, "user_annotation", "ProfilerStep#2", 50, 100, "2")
                         .op("aten::mm", 40, 40)
                         .kernel("gemm", 60, 60)
                         .build();
  const auto rows = kino::step_rows(*trace, kino::find_steps(*trace));
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].split[StepRole::compute] == 40);
  CHECK(rows[0].split[StepRole::cpu] == 20);
  CHECK(rows[0].split[StepRole::idle] == 40);
  CHECK(rows[1].split[StepRole::compute] == 60);
  CHECK(rows[1].split[StepRole::cpu] == 10);
  CHECK(rows[1].split[StepRole::idle] == 30);
}

TEST_CASE("has no other roles in a step filled by kernels") {
  // The plugin's slots are empty then, and it restarts with the whole step (gpu/README.md, Steps).
  const auto trace = EventFixture()
                         .slice(TrackClass::cpu, "user_annotation", "ProfilerStep#1", 0, 100, "1")
                         .op("aten::mm", 10, 50)
                         .launch(20, 5, 1)
                         .kernel("gemm", 0, 100, 1)
                         .build();
  const auto rows = kino::step_rows(*trace, kino::find_steps(*trace));
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].split[StepRole::compute] == 100);
  CHECK(rows[0].split[StepRole::cpu] == 0);
  CHECK(rows[0].split[StepRole::idle] == 0);
}

TEST_CASE("handles traces without steps, and without any events") {
  const auto trace = EventFixture().op("aten::add", 10, 20).op("aten::add", 50, 30).build();
  const auto rows = kino::step_rows(*trace, kino::find_steps(*trace));
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].name == "0");
  CHECK(rows[0].split.window.length_ns() == 70);
  CHECK(rows[0].split[StepRole::cpu] == 50);
  const auto empty = EventFixture().build();
  CHECK(kino::step_rows(*empty, kino::find_steps(*empty))[0].split.window.length_ns() == 0);
  CHECK(
      kino::summarize_trace(kino::RangeAnalysis(*empty, kino::whole_range(*empty)), kino::ByteUnits::decimal)
          .findings.list.empty());
}

TEST_CASE("notes that a trace has no steps, and leaves out figures of steps") {
  const auto table_of = [](const kino::Trace& trace) {
    return kino::step_table(kino::step_rows(trace, kino::find_steps(trace)));
  };
  // The operators end before the graph's launch.
  const auto replayed = EventFixture()
                            .op("aten::mm", 0, 20)
                            .launch(5, 5, 1)
                            .slice(TrackClass::cpu, "cuda_runtime", "cudaGraphLaunch", 30, 10, "1", 2)
                            .kernel("first", 50, 10, 1)
                            .kernel("node 1", 60, 10, 2)
                            .kernel("node 2", 80, 10, 2)
                            .kernel("of unknown launch", 90, 30)
                            .build();
  const kino::Table table = table_of(*replayed);
  REQUIRE(table.row_count() == 1);
  for (const char* key : {"name", "complete", "use"}) {
    CAPTURE(key);
    CHECK(kino_test::text(table, key, 0).empty());
  }
  CHECK(kino_test::integer(table, "tensorboard_ns", 0) == kino::kNoInteger);
  CHECK(kino_test::integer(table, "start_ns", 0) == 50);
  CHECK(kino_test::integer(table, "total_ns", 0) == 70);
  CHECK(kino_test::integer(table, "gpu_work", 0) == 3);
  CHECK(kino_test::integer(table, "work_end_ns", 0) == 90);
  CHECK(kino::english_texts(table.notes) ==
        std::vector<std::string>{
            "This trace has no steps. The row covers the device's window, from its first to its last work."});

  const auto cpu = EventFixture().op("aten::mm", 0, 20).build();
  const kino::Table on_cpu = table_of(*cpu);
  REQUIRE(on_cpu.row_count() == 1);
  CHECK(on_cpu.notes.at(0) ==
        "This trace has no steps. The row covers the time from the first to the last operator.");

  const auto build = EventFixture().slice(TrackClass::cpu, "build", "link", 0, 20, "1").build();
  const kino::Table plain = table_of(*build);
  CHECK(plain.row_count() == 0);
  CHECK(kino::english_texts(plain.notes) ==
        std::vector<std::string>{"This trace has no steps, operators, runtime calls or GPU work."});
}

TEST_CASE("leaves roles without recorded events unknown, instead of 0") {
  const auto trace = EventFixture().kernel("a", 0, 10).kernel("b", 30, 10).build();
  const kino::Table table = kino::step_table(kino::step_rows(*trace, kino::find_steps(*trace)));
  REQUIRE(table.row_count() == 1);
  for (const char* key : {"runtime_ns", "data_loading_ns", "cpu_ns", "idle_ns", "gpu_work", "work_end_ns"}) {
    CAPTURE(key);
    CHECK(kino_test::integer(table, key, 0) == kino::kNoInteger);
  }
  CHECK(kino_test::integer(table, "compute_ns", 0) == 20);
  CHECK(kino_test::integer(table, "memcpy_ns", 0) == 0);
  CHECK(table.notes.back() == "If events of a kind were not recorded, the column of this kind is empty.");
}

TEST_CASE("groups collectives by kind, group and size, with bandwidths") {
  const auto trace = EventFixture()
                         .op("record_param_comms", 0, 100)
                         .told({{'c', "allreduce"},
                                {'n', "1000000"},
                                {'N', "1000000"},
                                {'d', "Float"},
                                {'z', "4"},
                                {'p', "0"}})
                         .launch(10, 5, 1)
                         .kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 1000, 2'000'000, 1, "20")
                         .kernel("gemm", 1000, 500'000, 0, "7")
                         .build();
  const kino::TimeRange range = kino::whole_range(*trace);
  const auto rows = kino::collective_rows(*trace, kino::gpu_work_in(*trace, range), range);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].kind == CollectiveKind::all_reduce);
  CHECK(rows[0].bytes == 4'000'000);
  CHECK(rows[0].group_size == 4);
  CHECK(rows[0].exposed_ns == 1'500'000);
  CHECK(rows[0].algorithm_bandwidth == doctest::Approx(2.0));
  CHECK(rows[0].bus_bandwidth == doctest::Approx(3.0));
}

TEST_CASE("estimates waiting from the shortest of several equal collectives") {
  EventFixture events;
  const std::int64_t durations[] = {300, 200, 1200};
  for (std::uint32_t i = 0; i < 3; ++i) {
    events.op("record_param_comms", 1000 * i, 100)
        .told({{'c', "allreduce"}, {'n', "100"}, {'N', "100"}, {'d', "Float"}, {'z', "4"}, {'p', "0"}})
        .launch(1000 * i + 10, 5, i + 1)
        .kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 5000 * (i + 1), durations[i], i + 1, "20");
  }
  events
      .kernel("ncclDevKernel_AllGather_RING_LL", 40'000, 500, 0, "20")  // of unknown size
      .kernel("ncclDevKernel_AllGather_RING_LL", 50'000, 700, 0, "20");
  const auto trace = events.build();
  const auto rows_in = [&](kino::TimeRange range) {
    return kino::collective_rows(*trace, kino::gpu_work_in(*trace, range), range);
  };
  const auto rows = rows_in(kino::whole_range(*trace));
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].kind == CollectiveKind::all_reduce);
  CHECK(rows[0].transfer_ns == 600);
  CHECK(rows[0].waiting_ns == 1100);
  CHECK(rows[1].transfer_ns == -1);
  CHECK(rows[1].waiting_ns == -1);
  // The range cuts the shortest call: its rest counts, but it defines no transfer time of other calls.
  const auto cut = rows_in({10'150, 17'000});
  REQUIRE(cut.size() == 1);
  CHECK(cut[0].spread.total_ns == 1250);
  CHECK(cut[0].transfer_ns == 1250);
  const auto alone = rows_in({14'000, 17'000});
  CHECK(alone.at(0).waiting_ns == -1);
}

TEST_CASE("sizes a gather by what its root receives, and a scatter by what it sends") {
  const auto bytes = [](CollectiveKind kind, std::int64_t in, std::int64_t out) {
    kino::CollectiveFacts facts;
    facts.kind = kind;
    facts.in_elements = in;
    facts.out_elements = out;
    facts.group_size = 4;
    facts.dtype = "Float";
    return facts.bytes();
  };
  CHECK(bytes(CollectiveKind::gather, 100, 400) == 1600);
  CHECK(bytes(CollectiveKind::gather, 100, -1) == 1600);
  CHECK(bytes(CollectiveKind::scatter, 400, 100) == 1600);
  CHECK(bytes(CollectiveKind::all_gather, 100, -1) == 1600);
  CHECK(bytes(CollectiveKind::reduce_scatter, 400, 100) == 1600);
  CHECK(bytes(CollectiveKind::all_reduce, -1, -1) == -1);
}

TEST_CASE("reads missing facts on a collective from the calls around its launch") {
  EventFixture events;
  // Older versions: a call without tensors, and an annotation with shapes inside it.
  events.op("record_param_comms", 0, 100).told({{'I', "[[], [], []]"}, {'T', R"(["Scalar", "Scalar", ""])"}});
  events.slice(TrackClass::cpu, "user_annotation", "nccl:all_to_all", 5, 90, "1")
      .told({{'I', "[[8, 1024]]"}, {'T', R"(["float"])"}});
  events.launch(10, 5, 1).kernel("ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t", 1000, 50, 1, "20");
  // The kernel's name shows only the type; its call has the rest.
  events.op("record_param_comms", 200, 100)
      .told({{'c', "_allgather_base"}, {'n', "10"}, {'N', "40"}, {'d', "Float"}, {'z', "4"}, {'D', "tp"}});
  events.launch(210, 5, 2)
      .kernel("ncclDevKernel_Generic", 2000, 50, 2, "20")
      .told({{'c', "_allgather_base"}});
  events.kernel("ncclDevKernel_SendRecv(int)", 3000, 50, 0, "20")
      .kernel("void deep_ep::combine<1>(int)", 4000, 9);
  const auto trace = events.build();
  const auto rows = kino::collective_rows(*trace, kino::gpu_work_in(*trace, kino::whole_range(*trace)),
                                          kino::whole_range(*trace));
  REQUIRE(rows.size() == 4);
  const auto row = [&](CollectiveKind kind, bool told) {
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const kino::CollectiveRow& it) {
      return it.kind == kind && it.kernel.empty() == told;
    });
    REQUIRE(found != rows.end());
    return *found;
  };
  CHECK(row(CollectiveKind::all_to_all, true).bytes == 8 * 1024 * 4);
  CHECK(row(CollectiveKind::all_to_all, true).dtype == "float");
  CHECK(row(CollectiveKind::all_gather, true).bytes == 160);
  CHECK(row(CollectiveKind::all_gather, true).group_size == 4);
  CHECK(row(CollectiveKind::all_gather, true).group == "tp");
  CHECK(row(CollectiveKind::send_receive, false).kernel == "ncclDevKernel_SendRecv");
  CHECK(row(CollectiveKind::all_to_all, false).kernel == "combine");
  CHECK(row(CollectiveKind::all_to_all, false).bytes == -1);
}

TEST_CASE("has a size but no type if only the bytes of a collective were recorded") {
  EventFixture events;
  events.kernel("ncclDevKernel_AllReduce_Sum_bf16_RING_LL", 0, 1000)
      .told({{'c', "AllReduce"}, {'n', "4096"}, {'N', "4096"}, {'d', std::string(kino::kOnlyBytes)}});
  const auto trace = events.build();
  const auto rows = kino::collective_rows(*trace, kino::gpu_work_in(*trace, kino::whole_range(*trace)),
                                          kino::whole_range(*trace));
  const kino::Table table = kino::collective_table(rows);
  REQUIRE(rows.size() == 1);
  CHECK(std::get<kino::TableColumn::Texts>(table.find("dtype")->values).front().empty());
  CHECK(std::get<kino::TableColumn::Integers>(table.find("bytes")->values).front() == 4096);
}

TEST_CASE("recognizes collectives by kernel and metadata names") {
  CHECK(kino::collective_kind(
            "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)") ==
        CollectiveKind::reduce_scatter);
  CHECK(kino::collective_kind("_allgather_base") == CollectiveKind::all_gather);
  CHECK(kino::collective_kind("multimem_all_reduce_kernel") == CollectiveKind::all_reduce);
  CHECK(kino::collective_kind("void deep_ep::internode_ll::dispatch<true>()") == CollectiveKind::all_to_all);
  // All-to-all or pipeline neighbors: the name does not show which.
  CHECK(kino::collective_kind("ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t") == CollectiveKind::send_receive);
  CHECK(
      kino::collective_kind("void (anonymous namespace)::multimem_all_reduce_kernel<c10::BFloat16>(int*)") ==
      CollectiveKind::all_reduce);
  CHECK(kino::collective_kind("void dpsk::ep::internode::combine<false>(int4*)") ==
        CollectiveKind::all_to_all);
  CHECK(kino::collective_kind("void quickreduce::twoshot()") == CollectiveKind::all_reduce);
  CHECK(kino::collective_kind("wait") == CollectiveKind::other);
  CHECK(kino::element_bytes("c10::BFloat16") == 2);
  CHECK(kino::element_bytes("Float") == 4);
  CHECK(kino::element_bytes("Float8_e4m3fn") == 1);
  CHECK(kino::element_bytes("Long") == 8);
  CHECK(kino::element_bytes("something") == 0);
  CHECK(kino::bus_factor(CollectiveKind::all_gather, 8) == doctest::Approx(0.875));
  CHECK(kino::bus_factor(CollectiveKind::broadcast, 8) == 1);
  CHECK(kino::bus_factor(CollectiveKind::gather, 8) == doctest::Approx(0.875));
  CHECK(kino::bus_factor(CollectiveKind::scatter, 4) == doctest::Approx(0.75));
}

TEST_CASE("reports a slow data loader, with its call as evidence") {
  const auto trace = EventFixture()
                         .slice(TrackClass::cpu, "user_annotation", "ProfilerStep#1", 0, 1000, "1")
                         .op("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 0, 600)
                         .launch(700, 10, 1)
                         .kernel("gemm", 720, 200, 1)
                         .build();
  const auto summary =
      kino::summarize_trace(kino::RangeAnalysis(*trace, kino::whole_range(*trace)), kino::ByteUnits::decimal);
  REQUIRE_FALSE(summary.findings.list.empty());
  bool found = false;
  for (const kino::Finding& finding : summary.findings.list) {
    if (finding.kind != kino::FindingKind::data_loading) continue;
    found = true;
    CHECK(finding.share == doctest::Approx(0.6));
    CHECK(finding.sentence.str().find("60.0 %") != std::string::npos);
    CHECK(trace->name_of(finding.evidence()).starts_with("enumerate(DataLoader)"));
  }
  CHECK(found);
  CHECK(kino::summary_table(*trace, summary, kino::ByteUnits::decimal).row_count() > 10);
}

TEST_CASE("reports memory near the limit if the file contains the limit") {
  EventFixture events;
  events.slice(TrackClass::cpu, "user_annotation", "ProfilerStep#1", 0, 1000, "1");
  events.op("aten::empty", 100, 50).memory(120, 950, 0x1000).memory(130, -900, 0x2000);
  const auto built = events.build();
  const auto finding_in = [&](std::int64_t capacity) {
    kino::TraceSummary summary;
    auto trace = std::const_pointer_cast<kino::Trace>(built);
    trace->job.device_memory_bytes = {capacity};
    trace->arguments.memory_device[0] = trace->arguments.memory_device[1] = 0;
    summary = kino::summarize_trace(kino::RangeAnalysis(*trace, kino::whole_range(*trace)),
                                    kino::ByteUnits::decimal);
    for (const kino::Finding& finding : summary.findings.list) {
      if (finding.kind == kino::FindingKind::memory_limit) return finding;
    }
    return kino::Finding{};
  };
  const kino::Finding near = finding_in(1000);
  CHECK(near.share == doctest::Approx(0.95));
  CHECK(near.sentence.str().starts_with(
      "GPU 0 is close to running out of memory. Allocated memory peaked at 95.0 %"));
  CHECK(built->name_of(near.evidence()) == "aten::empty");
  CHECK(finding_in(2000).sentence.empty());
  CHECK(finding_in(0).sentence.empty());
  // A server reserves memory by its settings.
  const auto served = EventFixture().op("vllm::unified_attention", 100, 50).memory(120, 950, 0x1000).build();
  auto trace = std::const_pointer_cast<kino::Trace>(served);
  trace->job.device_memory_bytes = {1000};
  trace->arguments.memory_device[0] = 0;
  for (const kino::Finding& finding :
       kino::summarize_trace(kino::RangeAnalysis(*trace, kino::whole_range(*trace)), kino::ByteUnits::decimal)
           .findings.list)
    CHECK(finding.kind != kino::FindingKind::memory_limit);
}

TEST_CASE("reports the compute time that could use Tensor Cores if none does") {
  EventFixture events;
  events.op("aten::mm", 0, 20).launch(1, 5, 1).launch(8, 5, 2);
  events.op("aten::add", 30, 20).launch(31, 5, 3).op("aten::mm", 60, 20).launch(61, 5, 4);
  events.kernel("sgemm_a", 100, 300, 1).kernel("elementwise_add", 400, 200, 3).kernel("sgemm_b", 600, 500, 4);
  const auto built = events.build();
  const auto finding_in = [&](const char* device, kino::TimeRange range) {
    auto trace = std::const_pointer_cast<kino::Trace>(built);
    trace->job.device_names = {device};
    const auto summary = kino::summarize_trace(kino::RangeAnalysis(*trace, range), kino::ByteUnits::decimal);
    for (const kino::Finding& finding : summary.findings.list) {
      if (finding.kind == kino::FindingKind::no_tensor_cores) return finding;
    }
    return kino::Finding{};
  };
  const kino::TimeRange whole = kino::whole_range(*built);
  const kino::Finding all = finding_in("Tesla V100-SXM2-32GB", whole);
  CHECK(all.share == doctest::Approx(0.8));
  CHECK(built->name_of(all.evidence()) == "aten::mm");
  CHECK(built->slices.start_ns[kino::index_of(all.evidence())] == 60);
  // Only the part within a range, although the operators ran before it.
  CHECK(finding_in("Tesla V100-SXM2-32GB", {200, 500}).share == doctest::Approx(200.0 / 300));
  CHECK(finding_in("Tesla P100-PCIE-16GB", whole).sentence.empty());
}

TEST_CASE("notes how much later the work ends if the CPU runs ahead of the GPU") {
  const auto notes = [](std::int64_t kernel_ns, int steps = 4) {
    EventFixture events;
    for (int i = 0; i < steps; ++i) {
      const auto correlation = static_cast<std::uint32_t>(i + 1);
      events.slice(TrackClass::cpu, "user_annotation", "ProfilerStep#" + std::to_string(i), i * 1000, 1000,
                   "1");
      events.launch(i * 1000 + 10, 5, correlation).kernel("gemm", i * kernel_ns + 50, kernel_ns, correlation);
    }
    const auto trace = events.build();
    return kino::english_texts(
        kino::mark_notes(*trace, kino::step_windows(*trace, kino::find_steps(*trace))));
  };
  CHECK(notes(900).empty());
  // The steps' work ends at 1350, 2650, 3950 and 5250 ns; their marks end at 1000, 2000, 3000 and 4000 ns.
  REQUIRE(notes(1300).size() == 1);
  CHECK(notes(1300)[0].ends_with("ends 800 ns after the CPU mark of the step (median)."));
  // Fewer than three have no median: 350 and 650 ns, and 1050 ns of a single step.
  CHECK(notes(1300, 2)[0].ends_with("ends 500 ns after the CPU mark of the step (mean)."));
  CHECK(notes(2000, 1)[0].ends_with("ends 1.05 µs after the CPU mark of the step."));
}

TEST_CASE("notes if one of few steps begins with earlier GPU work") {
  const auto notes = [](int steps, bool recorded, std::int64_t before_ns) {
    EventFixture events;
    events.op("aten::mm", 0, 10);
    if (recorded) events.launch(20, 5, 99);
    events.kernel("gemm", 950, 50 + before_ns, recorded ? 99 : 0);
    for (int i = 0; i < steps; ++i) {
      const auto correlation = static_cast<std::uint32_t>(i + 1);
      const std::int64_t begin = 1000 + i * 1000;
      events.slice(TrackClass::cpu, "user_annotation", "ProfilerStep#" + std::to_string(i), begin, 1000, "1");
      events.launch(begin + 10, 5, correlation).kernel("gemm", begin + 400, 500, correlation);
    }
    const auto trace = events.build();
    return kino::english_texts(
        kino::mark_notes(*trace, kino::step_windows(*trace, kino::find_steps(*trace))));
  };
  const std::vector<std::string> said{
      "In step 0, 37.5 % of the GPU time is work that was launched before the step. This work ends 300 ns "
      "after the step begins."};
  CHECK(notes(1, false, 300) == said);
  CHECK(notes(1, true, 300) == said);
  CHECK(notes(4, true, 300) == said);
  CHECK(notes(5, true, 300).empty());
  CHECK(notes(1, true, 50).empty());  // 9.1 % of 550 ns
}
