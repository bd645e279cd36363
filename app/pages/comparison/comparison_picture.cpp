#include "app/pages/comparison/comparison_picture.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/base/terminal_text.hpp"
#include "core/tables/compare/comparison_tables.hpp"
#include "core/tables/compare/run_modules.hpp"
#include "core/tables/compare/statistics.hpp"
#include "loaders/formats/chrome_trace/recording_settings.hpp"
#include "loaders/formats/open.hpp"

namespace kino {
namespace {

constexpr double kLeastChange = 0.01;   // smallest relevant change, relative to A's module or step
constexpr double kLeastShare = 0.0015;  // narrower nodes are omitted; share of the step
constexpr double kThinShare = 0.004;    // width of nodes that A hardly contains; share of the step

StepLane lane_of(const Trace& trace, const TimeAttribution& ledger, const RunRecord& record,
                 const std::vector<std::uint32_t>& row_of_slice, const std::stop_token& stop) {
  StepLane lane;
  const RunWindow& window = record.windows[typical_window(record)];
  lane.name = window.name;
  lane.window = window.range;
  std::array<std::vector<TimeRange>, kTimeCategoryCount> causes;
  ledger.for_each(window.range,
                  [&](std::int64_t begin_ns, std::int64_t end_ns, TimeCategory cause, SliceId slice) {
                    const TimeRange part{begin_ns - window.range.begin_ns, end_ns - window.range.begin_ns};
                    causes[static_cast<std::size_t>(cause)].push_back(part);
                    if (is_idle(cause) || slice == kNoSlice) return;
                    lane.parts.push_back({part, slice, row_of_slice[index_of(slice)]});
                  });
  for (std::size_t i = 0; i < causes.size(); ++i) lane.causes[i] = BusyLine(united(std::move(causes[i])));
  if (lane.parts.size() <= StepLane::kMostOutlined)
    lane.outline = step_outline(trace, ledger, window.range, stop);
  return lane;
}

RunMemory memory_of(const Trace& trace, const RunRecord& record, const StepLane& lane,
                    const std::stop_token& stop) {
  RunMemory memory;
  const std::vector<MemoryPoint> points = memory_points_of(trace, stop);
  if (points.empty()) return memory;
  for (const RunWindow& window : record.windows) {
    memory.peak_bytes =
        std::max(memory.peak_bytes, peak_within(points, window.range.begin_ns, window.range.end_ns));
  }
  // The curve contains the usage at the start of the step, and each change within the step.
  auto at = std::ranges::upper_bound(points, lane.window.begin_ns, {}, &MemoryPoint::time_ns);
  if (at != points.begin()) memory.curve.push_back({0, std::prev(at)->bytes});
  for (; at != points.end() && at->time_ns < lane.window.end_ns; ++at)
    memory.curve.push_back({at->time_ns - lane.window.begin_ns, at->bytes});
  return memory;
}

/// A node of the tree under construction.
struct Growing {
  std::string name;
  std::optional<TimeCategory> cause;
  std::uint32_t row = kNoRow;
  std::int64_t sum_a = 0;
  std::int64_t sum_b = 0;
  bool told = false;
  std::vector<std::int64_t> cells_a;  // ns per window, for modules
  std::vector<std::int64_t> cells_b;
  std::map<std::string, std::size_t, std::less<>> places;  // indices into `children` by module name
  std::vector<Growing> children;
};

class IcicleMaker {
 public:
  IcicleMaker(const ReadRuns& runs, const RunComparison& comparison) : runs_(runs), comparison_(comparison) {}

  bool by_module() const {
    const auto has = [](const RunRecord& run) {
      return std::ranges::any_of(run.rows, [](const RunRow& row) { return !row.module.empty(); });
    };
    return has(runs_.records[0]) && has(runs_.records[1]);
  }

  std::vector<IcicleNode> run() {
    Growing root;
    for (const ComparedCause& cause : comparison_.waterfall) {
      root.sum_a += cause.sum_a;
      root.sum_b += cause.sum_b;
    }
    root.told = comparison_.verdict == RunVerdict::faster || comparison_.verdict == RunVerdict::slower;
    if (by_module()) {
      add_modules(root);
      tell_modules(root);
    } else {
      add_causes(root);
    }
    total_a_ = std::max(1.0, mean_a(root.sum_a));
    place(root, 0, 0, 1);
    return std::move(out_);
  }

 private:
  double mean_a(std::int64_t sum) const {
    return static_cast<double>(sum) /
           static_cast<double>(std::max<std::size_t>(1, comparison_.steps_a.size()));
  }
  double change_of(const Growing& node) const {
    return static_cast<double>(node.sum_b) / static_cast<double>(comparison_.steps_b.size()) -
           mean_a(node.sum_a);
  }

  void add_cause(Growing& root, const ComparedCause& cause) {
    Growing& node = root.children.emplace_back();
    node.cause = cause.cause;
    node.sum_a = cause.sum_a;
    node.sum_b = cause.sum_b;
    node.told = cause.p < kSignificant;
  }

  void add_causes(Growing& root) {
    for (const ComparedCause& cause : comparison_.waterfall) {
      add_cause(root, cause);
      Growing& node = root.children.back();
      for (std::uint32_t i = 0; i < comparison_.rows.size(); ++i) {
        const ComparedRow& row = comparison_.rows[i];
        if (row.cause != cause.cause) continue;
        Growing& child = node.children.emplace_back();
        child.name = row.key;
        child.cause = row.cause;
        child.row = i;
        child.sum_a = row.sum_a;
        child.sum_b = row.sum_b;
        child.told = row.status != RowStatus::same;
      }
    }
  }

  void add_modules(Growing& root) {
    // Work outside of modules is listed by cause. Its time is the cause's total minus the time within
    // modules.
    std::array<std::int64_t, kTimeCategoryCount> of_modules_a{};
    std::array<std::int64_t, kTimeCategoryCount> of_modules_b{};
    for (std::size_t side = 0; side < kSides; ++side) {
      const RunRecord& record = runs_.records[side];
      for (const RunRow& row : record.rows) {
        if (row.module.empty()) continue;
        std::vector<Growing*> path;
        std::string_view rest = comparison_.modules.path(row.module);
        Growing* at = &root;
        while (!rest.empty()) {
          const std::size_t end = std::min(rest.find(kBetweenModules), rest.size());
          at = &module_in(*at, rest.substr(0, end));
          path.push_back(at);
          rest.remove_prefix(std::min(rest.size(), end + kBetweenModules.size()));
        }
        for (const RunCell& cell : row.cells) {
          auto& total = (side == 0 ? of_modules_a : of_modules_b)[static_cast<std::size_t>(row.cause)];
          total += cell.ns;
          for (Growing* node : path) {
            (side == 0 ? node->sum_a : node->sum_b) += cell.ns;
            (side == 0 ? node->cells_a : node->cells_b)[cell.window] += cell.ns;
          }
        }
      }
    }
    for (ComparedCause cause : comparison_.waterfall) {
      cause.sum_a -= of_modules_a[static_cast<std::size_t>(cause.cause)];
      cause.sum_b -= of_modules_b[static_cast<std::size_t>(cause.cause)];
      if (cause.sum_a > 0 || cause.sum_b > 0) add_cause(root, cause);
    }
  }

  Growing& module_in(Growing& parent, std::string_view name) {
    const auto found = parent.places.find(name);
    if (found != parent.places.end()) return parent.children[found->second];
    parent.places.emplace(name, parent.children.size());
    Growing& node = parent.children.emplace_back();
    node.name = name;
    node.cells_a.resize(comparison_.steps_a.size());
    node.cells_b.resize(comparison_.steps_b.size());
    return node;
  }

  static void collect_modules(Growing& node, std::vector<Growing*>& out) {
    for (Growing& child : node.children) {
      if (!child.cells_a.empty()) out.push_back(&child);
      collect_modules(child, out);
    }
  }

  void tell_modules(Growing& root) {
    constexpr std::size_t kLeastSteps = 4;
    if (comparison_.steps_a.size() < kLeastSteps || comparison_.steps_b.size() < kLeastSteps) return;
    std::vector<Growing*> modules;
    collect_modules(root, modules);
    std::vector<double> p;
    p.reserve(modules.size());
    for (const Growing* node : modules) p.push_back(mann_whitney_p(node->cells_a, node->cells_b));
    const std::vector<double> q = false_discovery_rates(p);
    for (std::size_t i = 0; i < modules.size(); ++i) {
      const bool changed = std::abs(change_of(*modules[i])) >= kLeastChange * mean_a(modules[i]->sum_a);
      modules[i]->told = q[i] < kSignificant && changed;
    }
  }

  double own_width(const Growing& node) const {
    const double share = mean_a(node.sum_a) / total_a_;
    return share < kThinShare && std::abs(change_of(node)) >= kLeastChange * total_a_ ? kThinShare : share;
  }

  void place(Growing& node, int depth, double left, double width) {
    IcicleNode& made = out_.emplace_back();
    made.name = std::move(node.name);
    made.cause = node.cause;
    made.row = node.row;
    made.sum_a = node.sum_a;
    made.sum_b = node.sum_b;
    made.change_ns = change_of(node);
    made.told = node.told;
    made.depth = depth;
    made.left = left;
    made.width = width;
    std::ranges::stable_sort(node.children, std::ranges::greater{}, [](const Growing& grown) {
      return std::pair(grown.sum_a, std::abs(grown.sum_b));
    });
    double all = 0;
    for (const Growing& child : node.children) all += own_width(child);
    const double shrink = all > width ? width / all : 1;
    for (Growing& child : node.children) {
      const double own = own_width(child) * shrink;
      if (own >= kLeastShare) place(child, depth + 1, left, own);
      left += own;
    }
  }

  const ReadRuns& runs_;
  const RunComparison& comparison_;
  double total_a_ = 1;
  std::vector<IcicleNode> out_;
};

std::vector<std::uint32_t> places_of(const RunRecord& record, const RunComparison& comparison) {
  std::map<std::pair<TimeCategory, std::string_view>, std::uint32_t> place_of;
  for (std::uint32_t i = 0; i < comparison.rows.size(); ++i)
    place_of[{comparison.rows[i].cause, comparison.rows[i].key}] = i;
  std::vector<std::uint32_t> places;
  for (const RunRow& row : record.rows) {
    const auto found = place_of.find({row.cause, comparison.key_of(row)});
    places.push_back(found == place_of.end() ? kNoRow : found->second);
  }
  return places;
}

}  // namespace

std::array<std::string, kSides> different_labels(const std::array<std::string, kSides>& titles) {
  constexpr std::size_t kShort = 24;
  constexpr std::string_view kBetweenWords = "_-. /#()";
  const auto& [a, b] = titles;
  if (a == b || (a.size() <= kShort && b.size() <= kShort)) return titles;
  const auto head = static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
  std::size_t tail = 0;
  while (tail < std::min(a.size(), b.size()) - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail])
    ++tail;
  // The label starts at the word before the first difference and ends after the word with the last
  // difference.
  std::size_t begin = head;
  for (int words = 0; words < 2 && begin > 0; ++words) {
    // Several separators in a row count as one.
    const std::size_t end = words == 0 ? begin - 1 : a.find_last_not_of(kBetweenWords, begin - 1);
    const std::size_t at = end == std::string::npos ? end : a.find_last_of(kBetweenWords, end);
    begin = at == std::string::npos ? 0 : at + 1;
  }
  const auto cut = [&](const std::string& title) {
    const std::size_t end = title.find_first_of(kBetweenWords, std::max(head, title.size() - tail));
    return title.substr(begin, end == std::string::npos ? end : end - begin);
  };
  return {cut(a), cut(b)};
}

namespace {

/// A trace and the record that was computed from it.
struct MeasuredTrace {
  std::shared_ptr<const Trace> trace;
  TimeAttribution ledger;
  RunRecord record;
  std::vector<std::uint32_t> row_of_slice;
};

MeasuredTrace read_trace(std::shared_ptr<const Trace> trace, const TextSource* text, RunSelection selection,
                         const std::stop_token& stop) {
  MeasuredTrace read;
  read.ledger = TimeAttribution(*trace, attributed_thread(*trace, stop), stop);
  selection.modules = true;
  read.record = run_record(*trace, read.ledger, selection, stop, &read.row_of_slice);
  if (text != nullptr) read.record.facts.settings = recording_settings(*text);
  read.trace = std::move(trace);
  return read;
}

Result<MeasuredTrace> open_rank(const ComparedSide& side, const std::filesystem::path& file,
                                const std::stop_token& stop) {
  LoadProgress progress;
  const Result<OpenedTrace> opened = open_trace(file, side.job->options, progress, stop);
  if (!opened.ok()) return opened.error();
  return read_trace(opened.value().trace, opened.value().text.get(), side.selection, stop);
}

/// Appends the records of a job's readable ranks to `runs`, sorted by rank. Returns their files in the same
/// order.
std::vector<std::filesystem::path> read_ranks(const ComparedSide& side, std::size_t number, ReadRuns& runs,
                                              const std::stop_token& stop) {
  std::vector<std::pair<RunRecord, std::filesystem::path>> ranks;
  for (const std::filesystem::path& file : side.job->files) {
    Result<MeasuredTrace> read = open_rank(side, file, stop);
    if (stop.stop_requested()) return {};
    if (!read.ok()) {
      runs.lost[number].push_back(error_sentence(read.error(), file.string()));
      continue;
    }
    ranks.emplace_back(std::move(read.value().record), file);
  }
  std::ranges::stable_sort(ranks, {}, [](const auto& entry) { return entry.first.facts.rank; });
  std::vector<std::filesystem::path> files;
  for (auto& [record, file] : ranks) {
    runs.ranks[number].push_back(std::move(record));
    files.push_back(std::move(file));
  }
  return files;
}

/// Returns the number of the rank whose traces are compared; -1 if unknown.
std::int64_t compared_rank(const std::array<ComparedSide, kSides>& sides, const ReadRuns& runs) {
  if (sides[0].job != nullptr && sides[1].job != nullptr) return runs.job.head;
  for (const ComparedSide& side : sides) {
    if (side.trace != nullptr) return side.trace->job.rank;
  }
  return -1;
}

/// Opens the trace of the compared rank. If the job does not contain this rank, opens its first rank, unless
/// both sides are jobs. Empty if it fails.
MeasuredTrace read_rank(const std::array<ComparedSide, kSides>& sides, std::size_t number,
                        const std::vector<std::filesystem::path>& files, ReadRuns& runs,
                        const std::stop_token& stop) {
  const std::vector<RunRecord>& ranks = runs.ranks[number];
  const std::int64_t rank = compared_rank(sides, runs);
  auto found = std::ranges::find(ranks, rank, [](const RunRecord& run) { return run.facts.rank; });
  if (found == ranks.end() && sides[1 - number].job == nullptr) found = ranks.begin();
  if (found == ranks.end()) return {};
  runs.paths[number] = files[static_cast<std::size_t>(found - ranks.begin())];
  Result<MeasuredTrace> read = open_rank(sides[number], runs.paths[number], stop);
  if (read.ok()) return std::move(read).value();
  runs.lost[number].push_back(error_sentence(read.error(), runs.paths[number].string()));
  return {};
}

}  // namespace

ReadRuns read_runs(const std::array<ComparedSide, kSides>& sides, const std::stop_token& stop) {
  ReadRuns runs;
  std::array<std::vector<std::filesystem::path>, kSides> files;
  for (std::size_t i = 0; i < kSides; ++i) {
    if (sides[i].job != nullptr) files[i] = read_ranks(sides[i], i, runs, stop);
  }
  if (sides[0].job != nullptr && sides[1].job != nullptr) runs.job = job_change(runs.ranks[0], runs.ranks[1]);
  for (std::size_t i = 0; i < kSides; ++i) {
    if (stop.stop_requested()) return runs;
    runs.paths[i] = sides[i].path;
    MeasuredTrace read = sides[i].job != nullptr
                             ? read_rank(sides, i, files[i], runs, stop)
                             : read_trace(sides[i].trace, sides[i].text.get(), sides[i].selection, stop);
    if (stop.stop_requested()) return runs;
    RunRecord& record = runs.records[i];
    record = std::move(read.record);
    record.name = sides[i].title;
    runs.traces[i] = std::move(read.trace);
    if (record.windows.empty() || runs.traces[i] == nullptr) continue;
    runs.lanes[i] = lane_of(*runs.traces[i], read.ledger, record, read.row_of_slice, stop);
    runs.memory[i] = memory_of(*runs.traces[i], record, runs.lanes[i], stop);
  }
  runs.anchors.emplace_back(0, 0);
  if (runs.traces[0] != nullptr && runs.traces[1] != nullptr) {
    runs.alignment =
        align_steps(*runs.traces[0], runs.lanes[0].outline, *runs.traces[1], runs.lanes[1].outline, stop);
  }
  constexpr auto kWork = static_cast<std::size_t>(StepDepth::work);
  for (const AlignedNode& node : runs.alignment[kWork]) {
    if (node.a == AlignedNode::kNone || node.b == AlignedNode::kNone) continue;
    runs.anchors.emplace_back(runs.lanes[0].outline.nodes[kWork][node.a].begin_ns,
                              runs.lanes[1].outline.nodes[kWork][node.b].begin_ns);
  }
  runs.anchors.emplace_back(runs.lanes[0].window.length_ns(), runs.lanes[1].window.length_ns());
  return runs;
}

double ReadRuns::time_in_b(double time_in_a) const {
  auto after = std::ranges::upper_bound(anchors, static_cast<std::int64_t>(time_in_a), {},
                                        [](const auto& anchor) { return anchor.first; });
  if (after == anchors.begin()) return time_in_a;
  if (after == anchors.end()) --after;
  const auto [a0, b0] = *(after - 1);
  const auto [a1, b1] = *after;
  const double share = a1 > a0 ? (time_in_a - static_cast<double>(a0)) / static_cast<double>(a1 - a0) : 0;
  return static_cast<double>(b0) + share * static_cast<double>(b1 - b0);
}

ComparisonPicture compare(std::shared_ptr<const ReadRuns> runs, const std::array<ComparedSide, kSides>& sides,
                          const CompareOptions& options, const std::stop_token& stop) {
  ComparisonPicture picture;
  // A run whose windows are empty cannot be compared.
  const auto has_time = [](const RunRecord& run) {
    return std::ranges::any_of(run.windows, [](const RunWindow& window) { return window.length_ns() > 0; });
  };
  if (std::ranges::all_of(runs->records, has_time))
    picture.comparison = compare_runs(runs->records[0], runs->records[1], options, stop);
  picture.ranks = compare_ranks(runs->ranks[0], runs->ranks[1], options, stop);
  if (sides[0].job != nullptr || sides[1].job != nullptr) {
    const auto facts = [&](std::size_t i) {
      return sides[i].job == nullptr ? JobFacts{}
                                     : JobFacts{runs->ranks[i].size(), runs->lost[i], sides[i].job->verdict};
    };
    for (RunCheck& check : job_checks(facts(0), facts(1)))
      picture.comparison.checks.push_back(std::move(check));
  }
  for (std::size_t i = 0; i < kSides; ++i)
    picture.row_of[i] = places_of(runs->records[i], picture.comparison);
  if (!picture.comparison.steps_a.empty() && !picture.comparison.steps_b.empty()) {
    IcicleMaker icicle(*runs, picture.comparison);
    picture.by_module = icicle.by_module();
    picture.icicle = icicle.run();
  }
  picture.runs = std::move(runs);
  return picture;
}

BusyLine parts_of_row(const ComparisonPicture& picture, std::size_t side, std::uint32_t row) {
  std::vector<TimeRange> parts;
  for (const LanePart& part : picture.runs->lanes[side].parts) {
    if (part.row != kNoRow && picture.row_of[side][part.row] == row) parts.push_back(part.range);
  }
  return BusyLine(united(std::move(parts)));
}

}  // namespace kino
