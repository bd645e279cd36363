#include "core/tables/ledger/utilization.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <limits>
#include <utility>

#include "core/base/parallel.hpp"
#include "core/base/time_text.hpp"

namespace kino {
namespace {

double sum_of_peaks(const std::vector<TypeFlop>& types, double TypeFlop::*flop) {
  double ns = 0;
  for (const TypeFlop& type : types) ns += type.flop_per_ns > 0 ? type.*flop / type.flop_per_ns : 0;
  return ns;
}

/// Returns text such as "5.80e12". The power of 10 is a multiple of 3, and at most 12.
std::string in_engineering(double flop, int digits) {
  constexpr int kMostPower = 12;
  int power = 0;
  for (; power < kMostPower && flop >= 1000; power += 3) flop /= 1000;
  char text[32];
  std::snprintf(text, sizeof text, "%.*fe%d", digits, flop, power);
  return text;
}

/// Adds the part of the work of one stream that is in the window.
void add_work(const Trace& trace, const WorkCosts& costs, std::span<const SliceId> work, TimeRange window,
              Utilization& sum) {
  std::size_t near = 0;
  for (const SliceId kernel : work) {
    const std::int64_t length_ns =
        std::min(trace.end_ns(kernel), window.end_ns) - std::max(trace.start_ns(kernel), window.begin_ns);
    const WorkCosts::Piece* const piece = length_ns > 0 ? costs.find(kernel, near) : nullptr;
    if (piece == nullptr) continue;
    const CallCost* const cost = costs.cost(*piece);
    const bool counted = cost != nullptr && cost->counted && cost->device_ns > 0;
    if (counted || piece->work_class == WorkClass::matrix) sum.matrix_ns += length_ns;
    if (!counted) {
      if (piece->work_class == WorkClass::matrix) sum.uncounted_ns += length_ns;
      continue;
    }
    auto type = std::ranges::find(sum.types, cost->dtype, &TypeFlop::dtype);
    if (type == sum.types.end()) {
      sum.types.push_back({cost->dtype, 0, 0, costs.roofs().flop_per_ns(cost->dtype)});
      type = sum.types.end() - 1;
    }
    const double share = static_cast<double>(length_ns) / static_cast<double>(cost->device_ns);
    type->hardware_flop += share * cost->hardware_flop;
    if (!cost->recomputed && piece->work_class != WorkClass::recompute)
      type->model_flop += share * cost->model_flop;
  }
}

}  // namespace

std::string_view short_dtype(std::string_view dtype) {
  constexpr std::pair<std::string_view, std::string_view> kShort[] = {{"c10::BFloat16", "bf16"},
                                                                      {"c10::Half", "fp16"},
                                                                      {"float", "fp32"},
                                                                      {"double", "fp64"},
                                                                      {"c10::Float8_e4m3fn", "e4m3"},
                                                                      {"c10::Float8_e5m2", "e5m2"},
                                                                      {"c10::Float8_e4m3fnuz", "e4m3"},
                                                                      {"c10::Float8_e5m2fnuz", "e5m2"}};
  const auto* const found = std::ranges::find(kShort, dtype, [](const auto& pair) { return pair.first; });
  return found != std::end(kShort) ? found->second : dtype;
}

bool Utilization::known() const {
  return window_ns > 0 && !types.empty() &&
         std::ranges::all_of(types, [](const TypeFlop& type) { return type.flop_per_ns > 0; });
}

double Utilization::mfu() const {
  return window_ns > 0 ? sum_of_peaks(types, &TypeFlop::model_flop) / static_cast<double>(window_ns) : 0;
}

double Utilization::hfu() const {
  return window_ns > 0 ? sum_of_peaks(types, &TypeFlop::hardware_flop) / static_cast<double>(window_ns) : 0;
}

Utilization& Utilization::operator+=(const Utilization& other) {
  window_ns += other.window_ns;
  matrix_ns += other.matrix_ns;
  uncounted_ns += other.uncounted_ns;
  for (const TypeFlop& type : other.types) {
    const auto own = std::ranges::find(types, type.dtype, &TypeFlop::dtype);
    if (own == types.end()) {
      types.push_back(type);
      continue;
    }
    own->model_flop += type.model_flop;
    own->hardware_flop += type.hardware_flop;
  }
  return *this;
}

std::string Utilization::formula() const {
  constexpr double kPerSecond = 1e9;
  std::string terms;
  for (const TypeFlop& type : types) {
    if (!terms.empty()) terms += " + ";
    terms += in_engineering(type.model_flop, 2) + " " + std::string(short_dtype(type.dtype)) + " / " +
             in_engineering(type.flop_per_ns * kPerSecond, 1);
  }
  return "(" + terms + ") / " + text_from_duration(window_ns);
}

Utilization utilization(const Trace& trace, const WorkCosts& costs, std::span<const StreamWork> streams,
                        TimeRange window) {
  Utilization sum;
  sum.window_ns = window.length_ns();
  for (const StreamWork& stream : streams) add_work(trace, costs, stream.slices, window, sum);
  return sum;
}

std::vector<Utilization> utilizations(const Trace& trace, const WorkCosts& costs,
                                      std::span<const StreamWork> streams, std::span<const TimeRange> windows,
                                      const std::stop_token& stop) {
  // Work of a stream can overlap, so its ends are not sorted, but the latest end of all earlier work is.
  std::vector<std::vector<std::int64_t>> latest_ns(streams.size());
  for (std::size_t i = 0; i < streams.size(); ++i) {
    std::int64_t latest = std::numeric_limits<std::int64_t>::min();
    latest_ns[i].reserve(streams[i].slices.size());
    for (const SliceId slice : streams[i].slices) {
      latest = std::max(latest, trace.end_ns(slice));
      latest_ns[i].push_back(latest);
    }
  }
  std::vector<Utilization> sums(windows.size());
  parallel_for(thread_count_or_default(0), windows.size(), stop, [&](std::size_t i, unsigned) {
    const TimeRange window = windows[i];
    sums[i].window_ns = window.length_ns();
    for (std::size_t k = 0; k < streams.size(); ++k) {
      const std::span<const SliceId> work = streams[k].slices;
      const auto first = std::ranges::upper_bound(latest_ns[k], window.begin_ns) - latest_ns[k].begin();
      const auto last = std::ranges::lower_bound(work, window.end_ns, {},
                                                 [&](SliceId slice) { return trace.start_ns(slice); }) -
                        work.begin();
      if (first >= last) continue;
      add_work(trace, costs,
               work.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first)), window,
               sums[i]);
    }
  });
  return sums;
}

}  // namespace kino
