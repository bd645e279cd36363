// Covers: iterations, iteration_windows, iteration_groups, part_timeline, hand_over, graph_marks, serving_work, mark_names
// Iterations of recorded and made inference servers against an independent implementation (golden/serving),
// exact to the ns.
#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/tables/serving/iterations.hpp"
#include "core/tables/serving/mark_names.hpp"
#include "tests/fixtures/loader_files.hpp"

namespace {

using ServingJson = nlohmann::json;

/// Times of this trace are whole microseconds. The reference assigns the time after a copy without a
/// duration to the copy, up to the next event. Here, it is idle time.
constexpr std::string_view kCopiesWithoutDuration = "sam";

ServingJson json_or_null(std::optional<std::int64_t> value) {
  return value ? ServingJson(*value) : ServingJson(nullptr);
}

/// Returns the traces below the data folder by file name.
std::map<std::string, std::filesystem::path> traces_by_name() {
  std::map<std::string, std::filesystem::path> traces;
  for (const std::filesystem::path& file : kino_test::real_files({"kineto", "serving"}))
    traces.emplace(file.filename().string(), file);
  return traces;
}

std::string reason_of(const kino::Iterations& found) {
  switch (found.reason) {
    case kino::NoIterations::none:
      return "";
    case kino::NoIterations::profiler_steps:
      return "the profiler marked steps";
    case kino::NoIterations::training:
      return "training: " + found.training.name;
    case kino::NoIterations::no_gpu_work:
      return "no GPU work";
    case kino::NoIterations::nothing_found:
      return "no annotation, no replay, and no model that repeats up to a copy to the host";
  }
  return "";
}

std::string left_out_of(const kino::Trace& trace, const kino::Iteration& iteration) {
  switch (iteration.left_out) {
    case kino::LeftOut::none:
      return "";
    case kino::LeftOut::no_window:
      return "no window";
    case kino::LeftOut::cut:
      return "cut by the end of the recording";
    case kino::LeftOut::prepares_code:
      return "captures or loads code: " + std::string(trace.name_of(iteration.prepares));
    case kino::LeftOut::warm_up:
      return "warm-up: " + std::to_string(iteration.window_ns()) + " ns, steady " +
             std::to_string(iteration.steady_ns);
  }
  return "";
}

ServingJson parts_of(const kino::IterationTimes& times) {
  ServingJson parts = ServingJson::object();
  for (std::size_t i = 0; i < kino::kIterationPartCount; ++i) {
    if (times.ns[i] != 0) parts[std::string(kino::kIterationPartNames[i])] = times.ns[i];
  }
  return parts;
}

void check_parts(const kino::IterationTimes& times, ServingJson golden, bool exact) {
  ServingJson parts = parts_of(times);
  if (exact) {
    CHECK(parts == golden);
    return;
  }
  // Only copies and idle time differ, and their sum does not.
  std::int64_t difference_ns = 0;
  for (const auto& [name, ns] : golden.items()) {
    const std::int64_t here_ns = parts.value(name, std::int64_t{0}) - ns.get<std::int64_t>();
    const bool may_differ = name == "copy" || name.starts_with("idle:");
    if (!may_differ) CHECK(here_ns == 0);
    if (name == "copy") CHECK(here_ns <= 0);
    difference_ns += here_ns;
  }
  CHECK(difference_ns == 0);
}

void check_iteration(const kino::Trace& trace, const kino::Iteration& iteration, const ServingJson& golden,
                     bool exact) {
  // The reference does not add the base time of the file's header.
  const std::int64_t origin_ns = trace.origin_unix_ns - trace.base_time_ns;
  const auto range_of = [&](kino::TimeRange range) {
    return ServingJson::array({range.begin_ns + origin_ns, range.end_ns + origin_ns});
  };
  CHECK(range_of(iteration.mark) == golden["cpu"]);
  REQUIRE(iteration.window);
  CHECK(range_of(*iteration.window) == golden["window"]);
  CHECK(iteration.times.total() == iteration.window_ns());
  CHECK(text_of(iteration.phase) == golden["phase"]);
  CHECK(iteration.guessed == golden["guess"]);
  CHECK(json_or_null(iteration.sizes.context) == golden["context"]);
  CHECK(json_or_null(iteration.sizes.context_tokens) == golden["context_tokens"]);
  CHECK(json_or_null(iteration.sizes.generation) == golden["generation"]);
  CHECK(json_or_null(iteration.sizes.generation_tokens) == golden["generation_tokens"]);
  CHECK(iteration.complete == golden["complete"]);
  CHECK(iteration.busy_ns == golden["busy"]);
  CHECK(iteration.gpu_span_ns == golden["gpu_span"]);
  CHECK(iteration.kernels == golden["kernels"]);
  CHECK(text_of(iteration.launched_by) == golden["graph"]);
  CHECK(iteration.graph_launches == golden["graph_launches"]);
  CHECK(left_out_of(trace, iteration) == golden["left_out"]);
  check_parts(iteration.times, golden["parts"], exact);
}

void check_group(const kino::IterationGroup& group, const ServingJson& golden, bool exact) {
  CHECK(text_of(group.phase) == golden["phase"]);
  CHECK(group.batch == golden["batch"]);
  CHECK(text_of(group.launched_by) == golden["graph"]);
  CHECK(group.iterations == golden["iterations"]);
  CHECK(group.windows.count == golden["used"]);
  CHECK(group.steady_from == golden["steady_from"]);
  CHECK(group.windows.sum_ns == golden["sum"]);
  CHECK(group.windows.min_ns == golden["min"]);
  CHECK(group.windows.p50_ns == golden["p50"]);
  CHECK(group.windows.p90_ns == golden["p90"]);
  CHECK(group.windows.p99_ns == golden["p99"]);
  CHECK(group.windows.max_ns == golden["max"]);
  CHECK(group.generated == golden["generated"]);
  CHECK(group.prefilled == golden["prefilled"]);
  CHECK(group.generated_per_s() == golden["generated_per_s"]);
  CHECK(group.prefilled_per_s() == golden["prefilled_per_s"]);
  CHECK(text_of(group.times.largest()) == golden["bound"]);
  CHECK((group.steady == kino::SteadyState::too_few) ==
        golden["why"].get<std::string>().starts_with("fewer"));
  check_parts(group.times, golden["parts"], exact);
}

void check_stalls(const kino::Iterations& found, const ServingJson& golden) {
  const std::vector<kino::Stall> stalls = kino::find_stalls(found.list);
  std::int64_t sum_ns = 0;
  kino::Stall longest;
  for (const kino::Stall& stall : stalls) {
    sum_ns += stall.ns;
    if (stall.ns > longest.ns) longest = stall;
  }
  CHECK(stalls.size() == golden["count"]);
  CHECK(sum_ns == golden["sum"]);
  if (!stalls.empty()) CHECK(ServingJson::array({longest.ns, longest.iteration}) == golden["max"]);
}

void check_between(const kino::Iterations& found, const ServingJson& golden) {
  const kino::WindowStats between = kino::time_between_tokens(found.list);
  CHECK((between.count == 0) == golden.is_null());
  if (golden.is_null()) return;
  CHECK(between.count == golden["n"]);
  CHECK(between.p50_ns == golden["p50"]);
  CHECK(between.p90_ns == golden["p90"]);
  CHECK(between.p99_ns == golden["p99"]);
}

void check_run(const kino::Trace& trace, const ServingJson& golden, bool exact) {
  kino::IterationOptions options;
  options.hide_annotations = golden["hidden"] == "annotations";
  options.hide_launches = golden["hidden"] == "cpu";
  const kino::ServingRun run = kino::find_iterations(trace, options);
  const kino::Iterations& found = run.iterations;
  CHECK(text_of(found.source) == (golden["source"].is_null() ? "" : golden["source"].get<std::string>()));
  CHECK(reason_of(found) == golden["why"]);
  REQUIRE(found.list.size() == golden["iterations"].size());
  if (found.list.empty()) return;
  CHECK(found.family == golden["family"]);
  CHECK(found.others.size() + 1 == golden["engines"]);
  for (std::size_t i = 0; i < found.list.size(); ++i) {
    CAPTURE(i);
    check_iteration(trace, found.list[i], golden["iterations"][i], exact);
  }
  REQUIRE(run.groups.size() == golden["groups"].size());
  for (std::size_t i = 0; i < run.groups.size(); ++i) {
    CAPTURE(i);
    check_group(run.groups[i], golden["groups"][i], exact);
  }
  check_stalls(found, golden["stalls"]);
  check_between(found, golden["between_tokens"]);
}

}  // namespace

TEST_CASE("iterations of inference servers are those of the reference, to the ns") {
  const auto folder = kino_test::real_data("golden/serving");
  if (!folder) return;
  const std::map<std::string, std::filesystem::path> traces = traces_by_name();
  std::size_t compared = 0;
  for (const auto& entry : std::filesystem::directory_iterator(*folder)) {
    const std::string name = entry.path().stem().string();
    if (name == "names") continue;
    const ServingJson golden = ServingJson::parse(kino_test::file_content(entry.path()));
    const auto trace = traces.find(golden["file"].get<std::string>());
    if (trace == traces.end()) continue;
    CAPTURE(name);
    const auto opened = kino_test::open(trace->second);
    REQUIRE(opened.ok());
    check_run(*opened.value().trace, golden, name != kCopiesWithoutDuration);
    ++compared;
  }
  MESSAGE(compared, " recordings of inference compared");
}

TEST_CASE("names of marks are read as by the reference") {
  const auto file = kino_test::real_data("golden/serving/names.json");
  if (!file) return;
  const ServingJson names = ServingJson::parse(kino_test::file_content(*file));
  for (const auto& [name, golden] : names.items()) {
    CAPTURE(name);
    const std::optional<kino::MarkName> mark = kino::parse_mark_name(name);
    const bool request = !golden.is_null() && golden["source"] == "request";
    CHECK(kino::is_request_name(name) == request);
    CHECK(mark.has_value() == (!golden.is_null() && !request));
    if (!mark) continue;
    constexpr std::string_view kSources[] = {"batch", "forward", "step"};
    CHECK(kSources[static_cast<std::size_t>(mark->source)] == golden["source"]);
    CHECK(mark->family == golden["family"]);
    CHECK(text_of(mark->phase) == golden["phase"]);
    CHECK(json_or_null(mark->sizes.context) == golden["context"]);
    CHECK(json_or_null(mark->sizes.context_tokens) == golden["context_tokens"]);
    CHECK(json_or_null(mark->sizes.generation) == golden["generation"]);
    CHECK(json_or_null(mark->sizes.generation_tokens) == golden["generation_tokens"]);
    if (golden.contains("kv_tokens")) CHECK(json_or_null(mark->sizes.kv_tokens) == golden["kv_tokens"]);
  }
}
