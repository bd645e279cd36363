#include "core/critical/what_if.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>

#include "core/base/name_pattern.hpp"
#include "core/base/saturating.hpp"
#include "core/base/terminal_text.hpp"
#include "core/critical/critical_path.hpp"
#include "core/critical/rank_costs.hpp"
#include "core/critical/waiting_calls.hpp"
#include "core/tables/compare/run_key.hpp"
#include "core/tables/table_request.hpp"
#include "core/trace/links/gpu_work.hpp"

namespace kino {
namespace {

bool is_thread_setting(std::string_view name) {
  return std::ranges::find(kThreadSettings, name, &ThreadSetting::name) != kThreadSettings.end();
}

constexpr double kMostFactor = 1'000;
constexpr double kMostGbPerS = 1'000'000;

/// Returns the number from 0 to `most`; nullopt for other texts.
std::optional<double> number_of(std::string_view text, double most) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || !(number >= 0) || number > most)
    return std::nullopt;
  return number;
}

/// Scales all thread time except data loading.
void scale_cpu(RankCostChange& change, double factor) {
  for (std::size_t i = index_of_cause(PathCause::loader); i < kPathCauseCount; ++i) {
    if (i != index_of_cause(PathCause::loader)) change.thread[i] *= factor;
  }
}

/// Scales the work, except collectives, for which `chosen(slice)` is true. Returns whether there is any.
template <class Chosen>
bool scale_work(const RankGraph& rank, double factor, RankCostChange& change, const Chosen& chosen) {
  bool any = false;
  for (std::size_t i = 0; i < rank.works.size(); ++i) {
    if (rank.works[i].collective >= 0 || !chosen(rank.works[i].slice)) continue;
    if (change.work.empty()) change.work.assign(rank.works.size(), 1);
    change.work[i] *= static_cast<float>(factor);
    any = true;
  }
  return any;
}

bool is_copy(const RankGraph& rank, SliceId slice) { return rank.trace->kind(slice) == SliceKind::copy; }

/// Marks the names of calls that no longer wait: calls that match `pattern`, or all if it is null. Calls that
/// free or pin memory still wait. Returns whether any call matches.
bool drop_syncs(const RankGraph& rank, const NamePattern* pattern, RankCostChange& change) {
  const Trace& trace = *rank.trace;
  if (change.sync_names.empty()) change.sync_names.assign(trace.names.size(), 0);
  bool any = false;
  for (const LineNode& node : rank.line_nodes) {
    if (node.kind != LineNode::Kind::wait_end) continue;
    if (wait_target(trace.name_of(node.slice)) == WaitTarget::memory) continue;
    if (pattern != nullptr && !pattern->found_in(trace.name_of(node.slice))) continue;
    change.sync_names[index_of(trace.name(node.slice))] = 1;
    any = true;
  }
  return any;
}

/// A setting that was parsed. The name is without rank and value: "cpu", "kernel:gemm".
struct GivenSetting {
  std::string text;
  std::string_view name;  // into the text of the caller
  std::size_t first_rank = 0;
  std::size_t last_rank = 0;
  std::optional<double> value;
};

/// Whether `other` has no effect beside `setting`.
bool covers(const GivenSetting& setting, const GivenSetting& other) {
  const bool of_thread = other.name == "cpu" || (other.name != "loader" && is_thread_setting(other.name));
  const bool is_zero = setting.value == 0.0;
  if (setting.name == "graphs" || (setting.name == "cpu" && is_zero)) return of_thread;
  if (setting.name == "compute" && is_zero) return other.name.starts_with("kernel:");
  if (setting.name == "sync") return other.name.starts_with("sync:");
  return setting.name == "moving" && other.name == "busbw";
}

/// Applies the setting in a text to the ranks that it names.
class SettingParser {
 public:
  SettingParser(const ActivityGraph& graph, WhatIf& what_if) : graph_(graph), what_if_(what_if) {
    what_if_.change.resize(graph.ranks.size());
  }

  std::optional<Error> add(std::string_view text) {
    text_ = text;
    first_ = 0;
    last_ = graph_.ranks.size();
    if (text.starts_with("rank:")) {
      if (auto problem = choose_rank(text)) return problem;
    }
    const std::size_t equals = text.rfind('=');
    const std::string_view name = text.substr(0, equals);
    const bool has_value = equals != std::string_view::npos;
    const std::string_view value = has_value ? text.substr(equals + 1) : std::string_view();
    if (needs_work(name) && !has_work()) return problem(msg::what_if_needs_work);
    if (is_switch(name)) {
      if (has_value) return problem(msg::what_if_takes_no_value, std::string(name));
      if (auto problem = conflict(name, std::nullopt)) return problem;
      return add_switch(name);
    }
    if (!takes_number(name)) return problem(msg::what_if_unknown_setting);
    const auto number = number_of(value, name == "busbw" ? kMostGbPerS : kMostFactor);
    if (name == "busbw" && number.value_or(0) <= 0) return problem(msg::what_if_bad_bandwidth);
    if (!number) return problem(msg::what_if_bad_factor);
    if (auto problem = conflict(name, number)) return problem;
    return add_number(name, *number);
  }

 private:
  Error problem(msg::Id id) const { return request_error({id, escaped(text_)}); }
  Error problem(msg::Id id, const std::string& other) const {
    return request_error({id, escaped(text_), escaped(other)});
  }

  /// Whether `name` is "kernel:gemm" for the prefix "kernel:".
  static bool has_pattern(std::string_view name, std::string_view prefix) {
    return name.starts_with(prefix) && name.size() > prefix.size();
  }
  bool is_switch(std::string_view name) const {
    if (name == "median") return text_.starts_with("rank:");
    return name == "graphs" || name == "overlap" || name == "sync" || has_pattern(name, "sync:") ||
           has_pattern(name, "stream:");
  }
  static bool takes_number(std::string_view name) {
    return name == "compute" || name == "copy" || name == "cpu" || name == "moving" || name == "busbw" ||
           has_pattern(name, "kernel:") || is_thread_setting(name);
  }

  /// Whether the setting changes device work, launches or waits. Names that are no settings do not.
  bool needs_work(std::string_view name) const {
    const bool of_thread = name == "cpu" || name == "median" || is_thread_setting(name);
    return !of_thread && (is_switch(name) || takes_number(name));
  }
  bool has_work() const {
    return std::any_of(graph_.ranks.begin() + static_cast<std::ptrdiff_t>(first_),
                       graph_.ranks.begin() + static_cast<std::ptrdiff_t>(last_),
                       [](const RankGraph& rank) { return !rank.works.empty(); });
  }

  /// Returns an error if an earlier setting of the same ranks changes the same cost. Otherwise, keeps the
  /// setting for later calls.
  std::optional<Error> conflict(std::string_view name, std::optional<double> value) {
    GivenSetting setting{std::string(text_), name, first_, last_, value};
    for (const GivenSetting& other : given_) {
      if (other.first_rank >= last_ || first_ >= other.last_rank) continue;
      if (other.name == name) return problem(msg::what_if_given_twice, other.text);
      if (covers(other, setting) || covers(setting, other))
        return problem(msg::what_if_contradiction, other.text);
    }
    given_.push_back(std::move(setting));
    return std::nullopt;
  }

  /// Reads "rank:2=median" and "rank:2.cpu=0.5"; leaves "median" or the rest in `text`.
  std::optional<Error> choose_rank(std::string_view& text) {
    text.remove_prefix(std::string_view("rank:").size());
    std::int64_t rank = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rank);
    const auto length = static_cast<std::size_t>(end - text.data());
    const bool ends = length < text.size() && (text[length] == '.' || text.substr(length) == "=median");
    if (error != std::errc{} || !ends) return problem(msg::what_if_unknown_setting);
    text.remove_prefix(length + 1);
    for (std::size_t i = 0; i < graph_.ranks.size(); ++i) {
      if (graph_.ranks[i].rank != rank) continue;
      first_ = i;
      last_ = i + 1;
      return std::nullopt;
    }
    return problem(msg::what_if_unknown_rank);
  }

  template <class Apply>
  bool each_rank(const Apply& apply) {
    bool any = false;
    for (std::size_t i = first_; i < last_; ++i) any = apply(graph_.ranks[i], what_if_.change[i]) || any;
    return any;
  }

  std::optional<Error> add_switch(std::string_view name) {
    if (name == "median") return add_median();
    what_if_.bound = true;
    if (name == "graphs") {
      each_rank([](const RankGraph&, RankCostChange& change) {
        scale_cpu(change, 0);
        return change.graphs = true;
      });
      return std::nullopt;
    }
    if (name == "overlap") {
      each_rank([](const RankGraph&, RankCostChange& change) { return change.overlap = true; });
      return std::nullopt;
    }
    if (name.starts_with("stream:")) return drop_stream(name.substr(std::string_view("stream:").size()));
    std::optional<NamePattern> pattern;
    if (name != "sync") {
      Result<NamePattern> compiled = NamePattern::compile(name.substr(std::string_view("sync:").size()));
      if (!compiled.ok()) return compiled.error();
      pattern = std::move(compiled).value();
    }
    const bool any = each_rank([&](const RankGraph& rank, RankCostChange& change) {
      return drop_syncs(rank, pattern ? &*pattern : nullptr, change);
    });
    if (!any && pattern) return problem(msg::what_if_nothing_matches);
    return std::nullopt;
  }

  std::optional<Error> add_median() {
    if (graph_.ranks.size() < 2) return request_error(msg::what_if_needs_ranks);
    const RankCostChange median = like_median(graph_, first_);
    RankCostChange& change = what_if_.change[first_];
    for (std::size_t cause = 0; cause < kPathCauseCount; ++cause)
      change.thread[cause] *= median.thread[cause];
    if (change.work.empty()) change.work.assign(median.work.size(), 1);
    for (std::size_t i = 0; i < median.work.size(); ++i) change.work[i] *= median.work[i];
    return std::nullopt;
  }

  std::optional<Error> add_number(std::string_view name, double number) {
    if (name == "compute" || name == "copy") {
      each_rank([&](const RankGraph& rank, RankCostChange& change) {
        return scale_work(rank, number, change,
                          [&](SliceId slice) { return is_copy(rank, slice) == (name == "copy"); });
      });
      return std::nullopt;
    }
    if (name == "busbw") return set_bandwidth(number);
    if (name.starts_with("kernel:"))
      return scale_kernels(name.substr(std::string_view("kernel:").size()), number);
    const auto* const setting = std::ranges::find(kThreadSettings, name, &ThreadSetting::name);
    each_rank([&](const RankGraph&, RankCostChange& change) {
      if (name == "cpu") {
        scale_cpu(change, number);
      } else if (name == "moving") {
        change.moving = number;
      } else {
        change.thread[index_of_cause(setting->cause)] *= number;
      }
      return true;
    });
    return std::nullopt;
  }

  std::optional<Error> set_bandwidth(double gb_per_s) {
    const bool any = each_rank([gb_per_s](const RankGraph& rank, RankCostChange& change) {
      change.bus_gb_per_s = gb_per_s;
      return std::ranges::any_of(rank.collectives,
                                 [](const GraphCollective& collective) { return collective.bus_bytes > 0; });
    });
    if (!any) return problem(msg::what_if_no_sizes);
    return std::nullopt;
  }

  std::optional<Error> scale_kernels(std::string_view pattern_text, double factor) {
    const Result<NamePattern> pattern = NamePattern::compile(pattern_text, LetterCase::exact);
    if (!pattern.ok()) return pattern.error();
    const bool any = each_rank([&](const RankGraph& rank, RankCostChange& change) {
      std::vector<std::uint8_t> matches(rank.trace->names.size());
      for (std::uint32_t i = 0; i < matches.size(); ++i)
        matches[i] = pattern.value().found_in(rank.trace->names[i]) ? 1 : 0;
      return scale_work(rank, factor, change,
                        [&](SliceId slice) { return matches[index_of(rank.trace->name(slice))] != 0; });
    });
    if (!any) return problem(msg::what_if_nothing_matches);
    return std::nullopt;
  }

  std::optional<Error> drop_stream(std::string_view number) {
    const bool any = each_rank([&](const RankGraph& rank, RankCostChange& change) {
      bool found = false;
      if (change.streams.empty()) change.streams.assign(rank.streams.size(), 0);
      for (std::size_t i = 0; i < rank.streams.size(); ++i) {
        if (stream_number(rank.trace->track(rank.streams[i])) != number) continue;
        change.streams[i] = 1;
        found = true;
      }
      return found;
    });
    if (!any) return problem(msg::what_if_nothing_matches);
    return std::nullopt;
  }

  const ActivityGraph& graph_;
  WhatIf& what_if_;
  std::string_view text_;
  std::size_t first_ = 0;
  std::size_t last_ = 0;
  std::vector<GivenSetting> given_;
};

/// Returns the standard error of the gain over the steps, without the first one, since it does not begin at
/// the end of a step. Returns nullopt with fewer than two such steps.
std::optional<std::int64_t> step_error(const Replay& before, const Replay& after) {
  std::vector<double> gains;
  gains.reserve(before.step_ends.size());
  double sum = 0;
  for (std::size_t i = 1; i < before.step_ends.size(); ++i) {
    const std::int64_t recorded_ns = saturating_subtract(before.step_ends[i], before.step_ends[i - 1]);
    const std::int64_t changed_ns = saturating_subtract(after.step_ends[i], after.step_ends[i - 1]);
    gains.push_back(static_cast<double>(recorded_ns) - static_cast<double>(changed_ns));
    sum += gains.back();
  }
  if (gains.size() < 2) return std::nullopt;
  const auto count = static_cast<double>(gains.size());
  double squares = 0;
  for (const double gain : gains) squares += (gain - sum / count) * (gain - sum / count);
  return std::llround(std::sqrt(squares / (count - 1) / count));
}

bool has_loader_edges(const ActivityGraph& graph) {
  return graph.edge_counts[static_cast<std::size_t>(EdgeKind::loader)] > 0;
}
bool has_inert_arrivals(const ActivityGraph& graph) {
  return graph.ranks.size() == 1 && graph.edge_counts[static_cast<std::size_t>(EdgeKind::arrival)] > 0;
}

/// Lengths of a reading without changes.
struct Unchanged {
  Reading reading{};
  Replay replay;  // without times of nodes
};

/// Returns the readings that apply to the graph; the first one is that of the forecast.
std::vector<Unchanged> unchanged_replays(const ActivityGraph& graph, const std::stop_token& stop) {
  std::vector<Reading> readings{Reading::kept, Reading::no_residual, Reading::no_inferred};
  if (has_inert_arrivals(graph)) readings.push_back(Reading::others_fixed);
  if (has_loader_edges(graph)) readings.push_back(Reading::own_pace);
  std::vector<Unchanged> unchanged;
  unchanged.reserve(readings.size());
  for (const Reading reading : readings) {
    if (stop.stop_requested()) return unchanged;
    unchanged.push_back({reading, replayed(graph, {}, reading)});
    unchanged.back().replay.time_ns = {};
  }
  return unchanged;
}

Forecast forecast_from(const ActivityGraph& graph, const std::vector<Unchanged>& unchanged,
                       const WhatIf& what_if, const std::stop_token& stop) {
  const std::int64_t window_ns = graph.window.length_ns();
  Forecast result{what_if.setting, what_if.bound, window_ns, window_ns, window_ns, std::nullopt};
  bool first = true;
  for (const auto& [reading, before] : unchanged) {
    if (stop.stop_requested()) return result;
    const Replay after = replayed(graph, what_if.change, reading);
    const std::int64_t gain_ns = saturating_subtract(before.length_ns, after.length_ns);
    const std::int64_t length_ns = saturating_subtract(window_ns, gain_ns);
    if (first) {
      result.length_ns = result.lowest_ns = result.highest_ns = length_ns;
      result.step_error_ns = step_error(before, after);
      first = false;
    }
    result.lowest_ns = std::min(result.lowest_ns, length_ns);
    result.highest_ns = std::max(result.highest_ns, length_ns);
  }
  return result;
}

/// Returns the name of the compute kernel with the longest total duration; empty if there are none.
std::string dearest_kernel(const ActivityGraph& graph) {
  std::map<std::string, std::int64_t> sums;
  for (const RankGraph& rank : graph.ranks) {
    for (const GraphWork& work : rank.works) {
      if (work.collective >= 0 || is_copy(rank, work.slice)) continue;
      add_saturating(sums[kernel_without_templates(rank.trace->name_of(work.slice))],
                     rank.trace->duration_ns(work.slice));
    }
  }
  const auto dearest =
      std::ranges::max_element(sums, {}, &std::pair<const std::string, std::int64_t>::second);
  return dearest == sums.end() ? std::string() : dearest->first;
}

/// Adds each rank like the median. Without time on the critical path, a rank cannot shorten it, so only the
/// ranks with the most time on it are added.
void add_medians(const ActivityGraph& graph, std::vector<WhatIf>& usual) {
  constexpr std::size_t kMostRanks = 16;
  if (graph.ranks.size() < 2) return;
  std::vector<std::int64_t> on_path(graph.ranks.size());
  for (const PathPiece& piece : critical_path(graph).pieces) {
    if (piece.rank < on_path.size()) on_path[piece.rank] += piece.range.length_ns();
  }
  std::vector<std::size_t> ranks;
  for (std::size_t i = 0; i < on_path.size(); ++i) {
    if (on_path[i] > 0 && graph.ranks[i].rank >= 0) ranks.push_back(i);
  }
  std::ranges::stable_sort(ranks, std::ranges::greater{}, [&](std::size_t i) { return on_path[i]; });
  if (ranks.size() > kMostRanks) ranks.resize(kMostRanks);
  std::vector<RankCostChange> changes = like_medians(graph, ranks);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    WhatIf& what_if = usual.emplace_back();
    what_if.setting = "rank:" + std::to_string(graph.ranks[ranks[i]].rank) + "=median";
    what_if.change.resize(graph.ranks.size());
    what_if.change[ranks[i]] = std::move(changes[i]);
  }
}

}  // namespace

std::int64_t Forecast::margin_ns(std::int64_t window_ns) const {
  constexpr std::int64_t kShare = 100;
  const std::int64_t error_ns = step_error_ns.value_or(0);
  return saturating_add(window_ns / kShare, saturating_add(error_ns, error_ns));
}

bool Forecast::may_be_nothing(std::int64_t window_ns) const {
  const std::int64_t margin = margin_ns(window_ns);
  return saturating_add(highest_ns, margin) >= window_ns &&
         saturating_subtract(lowest_ns, margin) <= window_ns;
}

Result<WhatIf> parse_what_if(const ActivityGraph& graph, std::span<const std::string> settings) {
  WhatIf what_if;
  SettingParser parser(graph, what_if);
  for (const std::string& setting : settings) {
    if (auto problem = parser.add(setting)) return *std::move(problem);
    what_if.setting += (what_if.setting.empty() ? "" : " ") + setting;
  }
  return what_if;
}

Forecast forecast(const ActivityGraph& graph, const WhatIf& what_if, const std::stop_token& stop) {
  return forecast_from(graph, unchanged_replays(graph, stop), what_if, stop);
}

std::vector<WhatIf> usual_what_ifs(const ActivityGraph& graph) {
  const std::string kernel = dearest_kernel(graph);
  std::vector<WhatIf> usual;
  const auto add = [&](const std::string& setting) {
    Result<WhatIf> parsed = parse_what_if(graph, std::span(&setting, 1));
    if (parsed.ok()) usual.push_back(std::move(parsed).value());
  };
  add("compute=0.5");
  if (!kernel.empty()) {
    WhatIf what_if{"kernel:" + kernel + "=0.5", {}, false};
    what_if.change.resize(graph.ranks.size());
    for (std::size_t i = 0; i < graph.ranks.size(); ++i) {
      const RankGraph& rank = graph.ranks[i];
      scale_work(rank, 0.5, what_if.change[i], [&](SliceId slice) {
        return !is_copy(rank, slice) && kernel_without_templates(rank.trace->name_of(slice)) == kernel;
      });
    }
    usual.push_back(std::move(what_if));
  }
  bool collectives = false;
  bool copies = false;
  bool loads = false;
  for (const RankGraph& rank : graph.ranks) {
    collectives = collectives || !rank.collectives.empty();
    copies = copies || std::ranges::any_of(rank.works,
                                           [&](const GraphWork& work) { return is_copy(rank, work.slice); });
    loads = loads || std::ranges::any_of(rank.line_nodes, [](const LineNode& node) {
              return node.kind == LineNode::Kind::loader_begin;
            });
  }
  add("cpu=0.5");
  add("cpu=0");
  usual.back().bound = true;
  add("graphs");
  if (loads) add("loader=0");
  if (collectives) {
    add("moving=0");
    add("moving=0.5");
    add("overlap");
  }
  if (copies) add("copy=0");
  add("sync");
  add("gc=0");
  add_medians(graph, usual);
  return usual;
}

std::vector<Forecast> usual_forecasts(const ActivityGraph& graph, const std::stop_token& stop) {
  std::vector<Forecast> forecasts;
  const std::vector<Unchanged> unchanged = unchanged_replays(graph, stop);
  for (const WhatIf& what_if : usual_what_ifs(graph)) {
    if (stop.stop_requested()) return forecasts;
    forecasts.push_back(forecast_from(graph, unchanged, what_if, stop));
  }
  std::ranges::stable_sort(forecasts, {}, &Forecast::length_ns);
  return forecasts;
}

}  // namespace kino
