#include "core/tables/capture/graph_captures.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <system_error>

#include "core/base/ascii.hpp"
#include "core/tables/gpu/input_shapes.hpp"
#include "core/trace/links/launch_calls.hpp"
#include "core/trace/links/operator_tree.hpp"

namespace kino {
namespace {

constexpr std::string_view kModulePrefix = "nn.Module: ";

NodeKind node_kind(std::string_view call_name) {
  switch (launch_kind(call_name)) {
    case LaunchKind::kernel:
      return NodeKind::kernel;
    case LaunchKind::transfer:
      return contains(call_name, "emset") || contains(call_name, "Fill") ? NodeKind::memset : NodeKind::copy;
    case LaunchKind::graph:
    case LaunchKind::none:
      break;
  }
  return NodeKind::other;
}

/// Removes the escapes of a JSON string. Escapes of code points remain, because kernel names have none.
std::string unescaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] != 'u') ++i;
    out += text[i];
  }
  return out;
}

/// Returns the index of the last begun capture that contains the launch; nullopt if there is none.
/// `candidates` are indices of the captures of its thread, in order of begin.
std::optional<std::size_t> capture_at(const std::vector<StreamCapture>& captures,
                                      const std::vector<std::size_t>& candidates, std::int64_t time_ns) {
  // Captures rarely nest: the innermost one is among the last few that began before the launch.
  constexpr int kDeepest = 64;
  auto at = std::ranges::upper_bound(candidates, time_ns, {},
                                     [&](std::size_t index) { return captures[index].range.begin_ns; });
  for (int depth = 0; depth < kDeepest && at != candidates.begin(); ++depth) {
    --at;
    if (time_ns < captures[*at].range.end_ns) return *at;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::int64_t> captured_batch(std::string_view annotation) {
  constexpr std::string_view kPrefix = "capture_";
  if (!annotation.starts_with(kPrefix)) return std::nullopt;
  annotation.remove_prefix(kPrefix.size());
  std::int64_t batch = 0;
  const auto [end, error] = std::from_chars(annotation.data(), annotation.data() + annotation.size(), batch);
  const auto length = static_cast<std::size_t>(end - annotation.data());
  const bool whole = length == annotation.size() || annotation[length] == '_';
  if (error != std::errc{} || batch <= 0 || !whole) return std::nullopt;
  return batch;
}

GraphCaptures::GraphCaptures(const Trace& trace, const std::stop_token& stop) : trace_(&trace) {
  const CapturedWork captured = captured_work(trace, stop);
  if (captured.launches.empty()) return;
  facts_ = decode_facts(trace);
  std::map<TrackId, std::vector<std::size_t>> by_thread;
  std::vector<GraphCapture> captures(captured.captures.size());
  for (std::size_t i = 0; i < captures.size(); ++i) {
    const StreamCapture& capture = captured.captures[i];
    captures[i].range = capture.range;
    captures[i].process = trace.track(capture.first_thread).process;
    by_thread[capture.first_thread].push_back(i);
    if (capture.last_thread != capture.first_thread) by_thread[capture.last_thread].push_back(i);
  }
  std::size_t visited = 0;
  for (const SliceId launch : captured.launches) {
    if (++visited % 4096 == 0 && stop.stop_requested()) return;
    const auto thread = by_thread.find(trace.track_of(launch));
    if (thread == by_thread.end()) continue;
    const auto index = capture_at(captured.captures, thread->second, trace.start_ns(launch));
    if (index) captures[*index].nodes.push_back(captured_launch(launch));
  }
  for (GraphCapture& capture : captures) {
    if (capture.nodes.empty()) continue;
    const auto order = [&](const CapturedLaunch& node) { return trace.start_ns(node.launch); };
    std::ranges::stable_sort(capture.nodes, {}, order);
    capture.batch = batch_of(capture);
    captures_.push_back(std::move(capture));
  }
}

CapturedLaunch GraphCaptures::captured_launch(SliceId launch) const {
  const Trace& trace = *trace_;
  CapturedLaunch node{.launch = launch, .kind = node_kind(trace.name_of(launch))};
  constexpr int kDeepest = 4096;
  SliceId around = trace.parent(launch);
  for (int depth = 0; depth < kDeepest && around != kNoSlice; ++depth, around = trace.parent(around)) {
    const SliceKind kind = trace.kind(around);
    if (kind == SliceKind::cpu_op && node.op == kNoSlice) node.op = around;
    if (kind != SliceKind::python) continue;
    if (node.frame == kNoSlice) node.frame = around;
    if (node.module == kNoSlice && is_module_call(trace.name_of(around))) node.module = around;
    if (node.op != kNoSlice && node.module != kNoSlice) break;
  }
  return node;
}

std::int64_t GraphCaptures::batch_of(const GraphCapture& capture) const {
  const Trace& trace = *trace_;
  constexpr int kDeepest = 4096;
  SliceId around = trace.parent(capture.nodes.front().launch);
  for (int depth = 0; depth < kDeepest && around != kNoSlice; ++depth, around = trace.parent(around)) {
    if (trace.kind(around) != SliceKind::annotation) continue;
    if (const auto batch = captured_batch(trace.name_of(around))) return *batch;
  }
  std::map<std::int64_t, std::size_t> counts;  // by leading dimension of the first input
  for (const CapturedLaunch& node : capture.nodes) {
    const std::vector<Shape> shapes = shapes_of(shapes_of_inputs(node));
    const auto first = std::ranges::find_if(shapes, [](const Shape& shape) { return !shape.empty(); });
    if (first != shapes.end()) ++counts[first->front()];
  }
  const auto most = std::ranges::max_element(counts, {}, [](const auto& count) { return count.second; });
  return most == counts.end() ? -1 : most->first;
}

std::size_t GraphCaptures::launch_count() const {
  std::size_t count = 0;
  for (const GraphCapture& capture : captures_) count += capture.nodes.size();
  return count;
}

std::string GraphCaptures::kernel_name(const CapturedLaunch& node) const {
  return unescaped(facts_of(node.launch).launched_kernel);
}

std::string_view GraphCaptures::shapes_of_inputs(const CapturedLaunch& node) const {
  return node.op == kNoSlice ? std::string_view{} : facts_of(node.op).input_dims;
}

std::string_view GraphCaptures::operator_name(const CapturedLaunch& node) const {
  return node.op == kNoSlice ? std::string_view{} : trace_->name_of(node.op);
}

std::string_view GraphCaptures::module_name(const CapturedLaunch& node) const {
  if (node.module == kNoSlice) return {};
  return trace_->name_of(node.module).substr(kModulePrefix.size());
}

}  // namespace kino
