#include "app/pages/critical/critical_content.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <numeric>
#include <string_view>
#include <utility>

#include "core/base/name_pattern.hpp"
#include "core/critical/retimed_path.hpp"
#include "core/critical/retiming.hpp"

namespace kino {
namespace {

constexpr std::size_t kKernelSliders = 3;

std::vector<std::uint32_t> longest_pieces(const CriticalPath& path) {
  std::vector<std::uint32_t> longest(path.pieces.size());
  std::iota(longest.begin(), longest.end(), 0U);
  const std::size_t kept = std::min(longest.size(), PathTable::kMostRows);
  const auto length = [&](std::uint32_t piece) { return path.pieces[piece].range.length_ns(); };
  std::ranges::partial_sort(longest, longest.begin() + static_cast<std::ptrdiff_t>(kept),
                            [&](std::uint32_t a, std::uint32_t b) {
                              return length(a) != length(b) ? length(a) > length(b) : a < b;
                            });
  longest.resize(kept);
  return longest;
}

PathTable table_of(const CriticalContent& content, PathGrouping grouping) {
  PathTable table;
  table.rows = path_rows({content.graph, content.graph.window}, content.path, grouping);
  table.all_rows = table.rows.size();
  if (table.rows.size() > PathTable::kMostRows) table.rows.resize(PathTable::kMostRows);
  if (grouping == PathGrouping::name) return table;
  table.longest.reserve(table.rows.size());
  for (const PathRow& row : table.rows) {
    PathPiece piece;
    piece.slice = row.longest;
    piece.rank = row.recording;
    piece.cause = row.cause;
    table.longest.push_back(piece_name(content.graph, piece));
  }
  return table;
}

PathTable table_of_pieces(const CriticalContent& content) {
  PathTable table;
  table.all_rows = content.path.pieces.size();
  table.rows.reserve(content.longest.size());
  for (const std::uint32_t index : content.longest) {
    const PathPiece& piece = content.path.pieces[index];
    PathRow& row = table.rows.emplace_back();
    row.name = piece_name(content.graph, piece);
    row.cause = piece.cause;
    row.recording = piece.rank;
    row.rank = content.graph.ranks[piece.rank].rank;
    row.start_ns = piece.range.begin_ns;
    row.time_ns = row.longest_ns = piece.range.length_ns();
    row.window_ns = content.window_ns();
    row.pieces = 1;
    row.longest = piece.slice;
  }
  return table;
}

/// Returns settings of the compute kernels with the most time on the path. Names that do not occur literally
/// are left out, such as those with template arguments in the middle.
std::vector<std::string> kernel_sliders(const ActivityGraph& graph, const PathTable& by_name) {
  std::vector<std::string> sliders;
  for (const PathRow& row : by_name.rows) {
    if (sliders.size() == kKernelSliders) break;
    if (row.cause != PathCause::compute || row.longest == kNoSlice) continue;
    if (graph.ranks[row.recording].trace->name_of(row.longest).find(row.name) == std::string_view::npos)
      continue;
    const std::string pattern = literal_pattern(row.name);
    if (!pattern.empty()) sliders.push_back("kernel:" + pattern);
  }
  return sliders;
}

/// Costs that the graphs of the ranks contain.
struct FoundCosts {
  bool computes = false;
  bool copies = false;
  bool moves = false;
  std::array<bool, kPathCauseCount> thread{};

  void add(const RankGraph& rank) {
    for (const GraphWork& work : rank.works) {
      if (work.collective >= 0) continue;
      const bool copy = rank.trace->kind(work.slice) == SliceKind::copy;
      copies = copies || copy;
      computes = computes || !copy;
    }
    moves = moves || !rank.collectives.empty();
    for (const ThreadLine& line : rank.lines) {
      for (const LinePiece& piece : line.pieces) thread[index_of_cause(piece.cause)] = true;
    }
  }
};

/// Returns the settings with a factor whose cost the graph contains.
std::vector<std::string> sliders_of(const CriticalContent& content) {
  FoundCosts found;
  for (const RankGraph& rank : content.graph.ranks) found.add(rank);
  std::vector<std::string> sliders;
  if (found.computes) {
    sliders.emplace_back("compute");
    std::ranges::move(kernel_sliders(content.graph, content.tables[static_cast<std::size_t>(PathTab::name)]),
                      std::back_inserter(sliders));
  }
  if (found.moves) sliders.emplace_back("moving");
  if (found.copies) sliders.emplace_back("copy");
  for (const ThreadSetting& setting : kThreadSettings) {
    if (found.thread[index_of_cause(setting.cause)]) sliders.emplace_back(setting.name);
  }
  return sliders;
}

double relative_error(std::int64_t length_ns, std::int64_t recorded_ns) {
  if (recorded_ns <= 0) return 0;
  return (static_cast<double>(length_ns) - static_cast<double>(recorded_ns)) /
         static_cast<double>(recorded_ns);
}

/// Finds the path of the content's graph, and its tables. Unspecified if stopped.
void fill_content(CriticalContent& content, const std::stop_token& stop) {
  content.path = critical_path(content.graph);
  if (content.path.pieces.empty()) return;
  content.explained = content.path.explained(content.graph.window);
  content.lane = lane_cells(content.path.pieces, content.graph.window);
  content.longest = longest_pieces(content.path);
  content.steps = graph_steps(content.graph);
  const auto table = [&](PathTab tab) -> PathTable& { return content.tables[static_cast<std::size_t>(tab)]; };
  table(PathTab::cause) = table_of(content, PathGrouping::cause);
  table(PathTab::name) = table_of(content, PathGrouping::name);
  if (content.graph.ranks.size() > 1) table(PathTab::rank) = table_of(content, PathGrouping::rank);
  if (!content.steps.empty()) table(PathTab::step) = table_of(content, PathGrouping::step);
  table(PathTab::longest) = table_of_pieces(content);
  if (stop.stop_requested()) return;
  content.sliders = sliders_of(content);
  content.slack = slack_summary(content.graph, node_slacks(content.graph));
  content.replay_error =
      relative_error(replayed(content.graph, {}, Reading::typical).length_ns, content.window_ns());
}

}  // namespace

std::shared_ptr<const CriticalContent> critical_content(const std::shared_ptr<const Trace>& trace,
                                                        const std::stop_token& stop) {
  auto made = std::make_shared<CriticalContent>();
  made->traces.push_back(trace);
  made->graph = activity_graph(*trace, stop);
  if (!stop.stop_requested()) fill_content(*made, stop);
  return made;
}

std::shared_ptr<const CriticalContent> critical_content(CriticalJob job, const std::stop_token& stop) {
  auto made = std::make_shared<CriticalContent>();
  made->traces = std::move(job.traces);
  made->job = std::move(job.analysis);
  made->files = std::move(job.files);
  std::vector<const Trace*> traces;
  traces.reserve(made->traces.size());
  for (const std::shared_ptr<const Trace>& trace : made->traces) traces.push_back(trace.get());
  made->graph = activity_graph(TracedJob{*made->job, traces}, stop);
  if (stop.stop_requested()) return made;
  fill_content(*made, stop);
  std::vector<std::int64_t> ranks;
  ranks.reserve(made->graph.ranks.size());
  for (const RankGraph& rank : made->graph.ranks) ranks.push_back(rank.rank);
  made->ranks = rank_lanes_of_path(made->path.pieces, made->graph.window, ranks);
  return made;
}

std::shared_ptr<const RetimedContent> retimed_content(const CriticalContent& content,
                                                      std::vector<std::string> settings,
                                                      const std::stop_token& stop) {
  auto made = std::make_shared<RetimedContent>();
  made->settings = std::move(settings);
  const Result<WhatIf> what_if = parse_what_if(content.graph, made->settings);
  if (!what_if.ok()) {
    made->problem = what_if.error().what;
    return made;
  }
  made->forecast = forecast(content.graph, what_if.value(), stop);
  if (stop.stop_requested()) return made;
  RetimedPath path = retimed_path(content.graph, what_if.value().change, stop);
  made->lane = lane_cells(path.pieces, path.window);
  made->pieces = std::move(path.pieces);
  made->window = path.window;
  return made;
}

std::string literal_pattern(const std::string& name) {
  if (name.empty() || name.size() > static_cast<std::size_t>(NamePattern::kMaxPositions)) return {};
  std::string pattern;
  pattern.reserve(2 * name.size());
  for (const char letter : name) {
    const auto byte = static_cast<unsigned char>(letter);
    if (byte < 128 && std::ispunct(byte) != 0 && letter != '_') pattern += '\\';
    pattern += letter;
  }
  return NamePattern::compile(pattern, LetterCase::exact).ok() ? pattern : std::string();
}

std::string literal_text(const std::string& pattern) {
  std::string text;
  text.reserve(pattern.size());
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '\\' && i + 1 < pattern.size()) ++i;
    text += pattern[i];
  }
  return text;
}

}  // namespace kino
