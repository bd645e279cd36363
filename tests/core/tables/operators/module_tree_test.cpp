// Covers: module_tree, module_tables, module_anchors, autograd_pairs, trace_summary, operator_table
// Modules: calls from one place form one node; backward and recomputed calls find their module.
#include "core/tables/operators/module_tree.hpp"

#include <algorithm>
#include <variant>

#include <doctest/doctest.h>

#include "core/tables/analysis/range_analysis.hpp"
#include "core/tables/analysis/trace_summary.hpp"
#include "core/tables/operators/operator_table.hpp"
#include "core/trace/autograd_pairs.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "core/trace/links/slice_relations.hpp"
#include "tests/fixtures/event_fixture.hpp"

namespace {

using kino::EventFixture;
using kino::ModuleNode;
using kino::ModulePhase;
using kino::ModuleSource;
using kino::ModuleTree;
using kino::Trace;
using kino::TrackClass;

ModuleTree modules_of(const Trace& trace) {
  return kino::module_tree(trace, kino::whole_range(trace), kino::module_source(trace));
}

const ModuleNode& module_named(const ModuleTree& tree, std::string_view name) {
  const auto found =
      std::find_if(tree.nodes.begin(), tree.nodes.end(), [&](const auto& it) { return it.name == name; });
  REQUIRE(found != tree.nodes.end());
  return *found;
}

EventFixture& python(EventFixture& events, const std::string& name, std::int64_t start, std::int64_t duration,
                     const std::string& tid = "1") {
  return events.slice(TrackClass::cpu, "python_function", name, start, duration, tid);
}

/// Net calls Linear_0 twice; the backward pass runs on thread 2 and calls Linear_0 once more.
std::shared_ptr<const Trace> trained() {
  EventFixture events;
  python(events, "nn.Module: Net_0", 0, 100);
  python(events, "net.py(3): forward", 5, 90);
  python(events, "nn.Module: Linear_0", 10, 30);
  events.op("aten::linear", 12, 20).numbered(5);
  events.op("aten::addmm", 14, 10).numbered(5);
  events.launch(15, 2, 1).kernel("gemm", 200, 40, 1);
  python(events, "nn.Module: Linear_0", 50, 30);
  events.op("aten::linear", 52, 20).numbered(6);
  events.op("autograd::engine::evaluate_function: AddmmBackward0", 300, 50, "2").numbered(5, 1);
  events.op("AddmmBackward0", 305, 20, "2").numbered(5, 1);
  events.launch(310, 2, 2, "2").kernel("gemm_backward", 400, 60, 2);
  python(events, "nn.Module: Linear_0", 330, 15, "2");
  events.op("aten::linear", 332, 10, "2").launch(333, 2, 3, "2").kernel("gemm", 500, 7, 3);
  return events.build();
}

}  // namespace

TEST_CASE("joins operators of both passes by their sequence numbers") {
  const auto trace = trained();
  const auto backward = kino::slice_named(*trace, "autograd::engine::evaluate_function: AddmmBackward0");
  const auto arrows = kino::flows_to(*trace, backward);
  REQUIRE(arrows.size() == 1);
  CHECK(trace->name_of(trace->flows.from[arrows[0]]) == "aten::addmm");
  CHECK(trace->categories[kino::index_of(trace->flows.category[arrows[0]])] == kino::kAutogradFlow);
}

TEST_CASE("assigns a sequence number of two threads to the only possible thread") {
  const auto trace = EventFixture()
                         .op("a", 0, 5, "1")
                         .numbered(1)
                         .op("b", 10, 5, "3")
                         .numbered(1)
                         .op("c", 20, 5, "3")
                         .numbered(2)
                         .op("c backward", 100, 5, "2")
                         .numbered(2, 7)
                         .op("b backward", 110, 5, "2")
                         .numbered(1, 7)
                         .build();
  REQUIRE(trace->flows.size() == 2);
  for (std::size_t i = 0; i < trace->flows.size(); ++i) {
    const std::string from(trace->name_of(trace->flows.from[i]));
    CHECK(trace->name_of(trace->flows.to[i]) == from + " backward");
    CHECK(from != "a");
  }
}

TEST_CASE("does not add arrows that the file contains") {
  const auto trace = EventFixture()
                         .op("a", 0, 5)
                         .numbered(1)
                         .op("a backward", 100, 5, "2")
                         .numbered(1, 1)
                         .flow('s', 9, 0)
                         .flow('f', 9, 100, "2")
                         .build();
  CHECK(trace->flows.size() == 1);
}

TEST_CASE("sums the forward and backward pass and recomputation of a module") {
  const auto trace = trained();
  const ModuleTree tree = modules_of(*trace);
  REQUIRE(tree.source == ModuleSource::python);
  REQUIRE(tree.nodes.size() == 2);
  const ModuleNode& net = module_named(tree, "Net_0");
  const ModuleNode& linear = module_named(tree, "Linear_0");
  CHECK(net.calls == 1);
  CHECK(net.host_ns == 100);
  CHECK(net.host_self_ns == 40);
  CHECK(linear.parent == 0);
  CHECK(linear.calls == 2);
  CHECK(linear.operators == 2);
  CHECK(linear.host_ns == 60);
  CHECK(linear.host_self_ns == 20);
  CHECK(linear.device_ns == 40);
  CHECK(linear.device_self_ns == 40);
  CHECK(net.device_ns == 40);
  CHECK(net.device_self_ns == 0);
  CHECK(linear.backward_host_ns == 35);  // 50 minus 15 of recomputation
  CHECK(linear.backward_device_ns == 60);
  CHECK(net.backward_device_ns == 60);
  CHECK(linear.recompute_host_ns == 15);
  CHECK(linear.recompute_device_ns == 7);
  CHECK(tree.owned_device_ns == 107);
  CHECK(tree.device_ns == 107);
  REQUIRE(linear.kernels.size() == 3);
  CHECK(linear.kernels[0].phase == ModulePhase::backward);
  const kino::Table table = kino::module_table(tree);
  CHECK(table.depths == std::vector<std::uint32_t>{0, 1});
  CHECK(std::get<kino::TableColumn::Texts>(table.find("path")->values)[1] == "Net_0 / Linear_0");
  CHECK(kino::module_kernel_table(*trace, tree).row_count() == 3);
}

TEST_CASE("limits the size of paths of deeply nested modules") {
  const auto path_bytes = [](int depth) {
    EventFixture events;
    for (int i = 0; i < depth; ++i)
      python(events, "nn.Module: Layer_" + std::to_string(i), i, 2 * (depth - i));
    const auto trace = events.build();
    const kino::Table table = kino::module_table(modules_of(*trace));
    const auto& paths = std::get<kino::TableColumn::Texts>(table.find("path")->values);
    REQUIRE(paths.size() == static_cast<std::size_t>(depth));
    CHECK(paths[1] == "Layer_0 / Layer_1");
    CHECK(paths.back().ends_with(" / Layer_" + std::to_string(depth - 1)));
    CHECK(paths.back().starts_with("\u2026 ("));
    std::size_t bytes = 0;
    for (const std::string& path : paths) bytes += path.size();
    return bytes;
  };
  CHECK(path_bytes(4000) < 5 * path_bytes(1000));  // 16 times as much with full paths
}

TEST_CASE("reports recomputation in the summary, with a kernel of it") {
  const auto trace = trained();
  const auto summary =
      kino::summarize_trace(kino::RangeAnalysis(*trace, kino::whole_range(*trace)), kino::ByteUnits::decimal);
  const auto& list = summary.findings.list;
  const auto found = std::find_if(list.begin(), list.end(),
                                  [](const auto& it) { return it.kind == kino::FindingKind::recompute; });
  REQUIRE(found != list.end());
  CHECK(found->won_ns == 7);
  CHECK(found->share == 7.0 / 307.0);  // from the first to the last GPU work
  CHECK(trace->slices.duration_ns[kino::index_of(found->evidence())] == 7);
}

TEST_CASE("clips modules to a range") {
  const auto trace = trained();
  const ModuleTree tree = kino::module_tree(*trace, {50, 60}, ModuleSource::python);
  CHECK(module_named(tree, "Net_0").host_ns == 10);
  CHECK(module_named(tree, "Linear_0").calls == 1);
  CHECK(tree.owned_device_ns == 0);
}

TEST_CASE("reads modules from the hierarchy of operators if there are no frames") {
  const auto trace = EventFixture()
                         .op("aten::conv2d", 0, 20)
                         .told({{'M', "TOP(Net)::forward.conv1(Conv2d)::forward.SELF(Conv2d)::_forward"}})
                         .op("aten::convolution", 5, 10)
                         .told({{'M', "TOP(Net)::forward.conv1(Conv2d)::forward"}})
                         .op("aten::relu", 30, 5)
                         .told({{'M', "TOP(Net)::forward"}})
                         .build();
  const ModuleTree tree = modules_of(*trace);
  REQUIRE(tree.source == ModuleSource::hierarchy);
  REQUIRE(tree.nodes.size() == 2);
  CHECK(module_named(tree, "Net").host_ns == 25);
  CHECK(module_named(tree, "conv1 (Conv2d)").host_ns == 20);
  CHECK(module_named(tree, "conv1 (Conv2d)").calls == 1);
}

TEST_CASE("uses annotations instead of modules, and reports if there are none") {
  const auto annotated = EventFixture()
                             .slice(TrackClass::cpu, "user_annotation", "ProfilerStep#1", 0, 100, "1")
                             .slice(TrackClass::cpu, "user_annotation", "forward", 10, 50, "1")
                             .op("aten::mm", 20, 10)
                             .build();
  const ModuleTree tree = modules_of(*annotated);
  REQUIRE(tree.nodes.size() == 1);
  CHECK(tree.nodes[0].name == "forward");
  CHECK(tree.nodes[0].host_self_ns == 40);
  // No GPU events were recorded, so GPU time is unknown.
  const kino::Table table = kino::module_table(tree);
  CHECK(std::get<kino::TableColumn::Integers>(table.find("host_total_ns")->values).front() == 50);
  for (const char* const key :
       {"device_total_ns", "device_self_ns", "backward_device_ns", "recompute_device_ns"})
    CHECK(std::get<kino::TableColumn::Integers>(table.find(key)->values).front() == kino::kNoInteger);
  const auto on_device = EventFixture()
                             .slice(TrackClass::cpu, "user_annotation", "forward", 10, 50, "1")
                             .op("aten::mm", 20, 10)
                             .launch(21, 2, 1)
                             .kernel("gemm", 100, 40, 1)
                             .build();
  const kino::Table of_device = kino::module_table(modules_of(*on_device));
  CHECK(std::get<kino::TableColumn::Integers>(of_device.find("device_total_ns")->values).front() == 40);
  CHECK(of_device.notes.back() == "100 % of GPU time belongs to an annotation.");
  const auto plain = EventFixture().op("aten::mm", 0, 10).build();
  CHECK(modules_of(*plain).nodes.empty());
  CHECK(kino::module_table(modules_of(*plain)).notes.size() == 1);
}

TEST_CASE("groups operators by call stack: the argument, or else Python frames") {
  EventFixture events;
  events.op("aten::mm", 0, 5).told({{'S', "b.py(2): g;a.py(1): f;"}});
  events.op("aten::mm", 10, 5).told({{'S', "a.py(1): f"}});
  python(events, "a.py(1): f", 20, 50);
  python(events, "b.py(2): g", 25, 40);
  events.op("aten::mm", 30, 5).op("aten::mm", 80, 1);
  const auto trace = events.build();
  const auto tree = kino::operator_tree(*trace, kino::whole_range(*trace), {.annotations = true});
  const auto rows = kino::operator_rows(*trace, tree, kino::OperatorGrouping::stack);
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].stack == "b.py(2): g;a.py(1): f");
  CHECK(rows[0].calls == 2);
  kino::OperatorStacks short_stacks(*trace, 1);
  CHECK(short_stacks.text(short_stacks.of(kino::slice_named(*trace, "aten::mm", 3))) == "b.py(2): g");
}
