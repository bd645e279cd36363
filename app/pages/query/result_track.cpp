#include "app/pages/query/result_track.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/saturating.hpp"
#include "core/trace/name_text.hpp"

namespace kino {
namespace {

constexpr std::size_t kMostLanes = 24;
constexpr std::size_t kMostNameBytes = 80;

std::optional<std::int64_t> integer_at(const TableColumn* column, std::size_t row) {
  const auto* const integers =
      column == nullptr ? nullptr : std::get_if<TableColumn::Integers>(&column->values);
  if (integers == nullptr || (*integers)[row] == kNoInteger) return std::nullopt;
  return (*integers)[row];
}

std::optional<double> number_at(const TableColumn* column, std::size_t row) {
  if (const auto integer = integer_at(column, row)) return static_cast<double>(*integer);
  const auto* const numbers =
      column == nullptr ? nullptr : std::get_if<TableColumn::Numbers>(&column->values);
  if (numbers == nullptr || std::isnan((*numbers)[row])) return std::nullopt;
  return (*numbers)[row];
}

/// The rows of one lane, by index.
struct LaneRows {
  std::string name;
  std::vector<std::uint32_t> rows;
};

std::vector<CurvePoint> values_of(const Table& table, const TableColumn* value,
                                  const std::vector<std::uint32_t>& rows) {
  std::vector<CurvePoint> points;
  for (const std::uint32_t row : rows) {
    const auto ts = integer_at(table.find("ts"), row);
    const auto number = number_at(value, row);
    if (ts && number) points.push_back({*ts, *number});
  }
  std::ranges::stable_sort(points, {}, &CurvePoint::time_ns);
  // Retains the last of several points with equal times.
  const auto same = [](const CurvePoint& a, const CurvePoint& b) { return a.time_ns == b.time_ns; };
  points.erase(points.begin(), std::unique(points.rbegin(), points.rend(), same).base());
  return points;
}

std::vector<CurvePoint> running_of(const Table& table, const std::vector<std::uint32_t>& rows) {
  std::map<std::int64_t, std::int64_t> changes;
  for (const std::uint32_t row : rows) {
    const auto ts = integer_at(table.find("ts"), row);
    const auto dur = integer_at(table.find("dur"), row);
    if (!ts || !dur || *dur < 0) continue;
    ++changes[*ts];
    --changes[saturating_add(*ts, *dur)];
  }
  std::vector<CurvePoint> points;
  std::int64_t running = 0;
  for (const auto& [at, change] : changes) {
    running += change;
    if (change != 0) points.push_back({at, static_cast<double>(running)});
  }
  return points;
}

std::string lane_of(const TableColumn* column, std::uint32_t row) {
  const auto* const texts = column == nullptr ? nullptr : std::get_if<TableColumn::Texts>(&column->values);
  if (texts != nullptr) return cut_text((*texts)[row], kMostNameBytes);
  const auto number = integer_at(column, row);
  return number ? std::to_string(*number) : std::string();
}

/// Returns the lanes with the most rows, sorted by name, followed by all remaining rows as one lane. The
/// remaining rows, and rows with an empty lane, are named `title`, as are all rows if there is no lane
/// column.
std::vector<LaneRows> lanes_of(const Table& table, const std::string& title) {
  const TableColumn* column = nullptr;
  for (const char* const key : {"lane", "name"}) {
    if (column == nullptr) column = table.find(key);
  }
  std::map<std::string, std::vector<std::uint32_t>> by_name;
  for (std::uint32_t row = 0; row < table.row_count(); ++row) by_name[lane_of(column, row)].push_back(row);
  std::vector<LaneRows> lanes;
  lanes.reserve(by_name.size());
  for (auto& [name, rows] : by_name) lanes.push_back({name, std::move(rows)});
  std::ranges::stable_sort(lanes, std::ranges::greater{},
                           [](const LaneRows& lane) { return lane.rows.size(); });
  LaneRows rest{title, {}};
  for (std::size_t i = kMostLanes; i < lanes.size(); ++i)
    rest.rows.insert(rest.rows.end(), lanes[i].rows.begin(), lanes[i].rows.end());
  lanes.resize(std::min(lanes.size(), kMostLanes));
  std::ranges::sort(rest.rows);  // table order, because the last of several rows with equal times counts
  std::ranges::sort(lanes, {}, &LaneRows::name);
  if (!rest.rows.empty()) lanes.push_back(std::move(rest));
  for (LaneRows& lane : lanes) {
    if (lane.name.empty()) lane.name = title;
  }
  return lanes;
}

}  // namespace

std::shared_ptr<const CounterTracks> track_of_result(const Table& rows, const Trace& trace,
                                                     const std::string& title) {
  if (trace.tracks.empty()) return nullptr;
  const TableColumn* const value = rows.find("value");
  std::vector<FoundCounter> found;
  for (const LaneRows& lane : lanes_of(rows, title)) {
    std::vector<CurvePoint> points =
        value != nullptr ? values_of(rows, value, lane.rows) : running_of(rows, lane.rows);
    if (points.empty()) continue;
    for (CurvePoint& point : points) point.time_ns = saturating_subtract(point.time_ns, trace.origin_unix_ns);
    found.push_back({DerivedCounter::query,
                     trace.tracks.front().process,
                     {0, false},
                     "SQL: " + lane.name,
                     lane.name,
                     std::move(points)});
  }
  if (found.empty()) return nullptr;
  return std::make_shared<const CounterTracks>(counter_tracks(std::move(found)));
}

}  // namespace kino
