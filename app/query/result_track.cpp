#include "app/query/result_track.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/saturating.hpp"

namespace kino {
namespace {

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

std::vector<CurvePoint> values_of(const Table& rows, const TableColumn* value) {
  std::vector<CurvePoint> points;
  for (std::uint32_t row = 0; row < rows.row_count(); ++row) {
    const auto ts = integer_at(rows.find("ts"), row);
    const auto number = number_at(value, row);
    if (ts && number) points.push_back({*ts, *number});
  }
  std::ranges::stable_sort(points, {}, &CurvePoint::time_ns);
  // The last one of a time.
  const auto same = [](const CurvePoint& a, const CurvePoint& b) { return a.time_ns == b.time_ns; };
  points.erase(points.begin(), std::unique(points.rbegin(), points.rend(), same).base());
  return points;
}

std::vector<CurvePoint> running_of(const Table& rows) {
  std::map<std::int64_t, std::int64_t> changes;
  for (std::uint32_t row = 0; row < rows.row_count(); ++row) {
    const auto ts = integer_at(rows.find("ts"), row);
    const auto dur = integer_at(rows.find("dur"), row);
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

}  // namespace

std::shared_ptr<const CounterTracks> track_of_result(const Table& rows, const Trace& trace,
                                                     const std::string& title) {
  if (trace.tracks.empty()) return nullptr;
  const TableColumn* const value = rows.find("value");
  std::vector<CurvePoint> points = value != nullptr ? values_of(rows, value) : running_of(rows);
  if (points.empty()) return nullptr;
  for (CurvePoint& point : points) point.time_ns = saturating_subtract(point.time_ns, trace.origin_unix_ns);
  std::vector<FoundCounter> found;
  found.push_back({DerivedCounter::query,
                   trace.tracks.front().process,
                   {0, false},
                   "SQL: " + title,
                   title,
                   std::move(points)});
  return std::make_shared<const CounterTracks>(counter_tracks(std::move(found)));
}

}  // namespace kino
