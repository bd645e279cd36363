#include "core/tables/ledger/utilisation.hpp"

#include <algorithm>
#include <cstdio>

#include "core/base/time_text.hpp"

namespace kino {
namespace {

double sum_of_peaks(const std::vector<TypeFlop>& types, double TypeFlop::*flop) {
  double ns = 0;
  for (const TypeFlop& type : types) ns += type.flop_per_ns > 0 ? type.*flop / type.flop_per_ns : 0;
  return ns;
}

/// "5.80e12": always with a power of 10^12.
std::string in_tera(double flop, int digits) {
  constexpr double kTera = 1e12;
  char text[32];
  std::snprintf(text, sizeof text, "%.*fe12", digits, flop / kTera);
  return text;
}

}  // namespace

bool Utilisation::known() const {
  return window_ns > 0 && !types.empty() &&
         std::ranges::all_of(types, [](const TypeFlop& type) { return type.flop_per_ns > 0; });
}

double Utilisation::mfu() const {
  return window_ns > 0 ? sum_of_peaks(types, &TypeFlop::model_flop) / static_cast<double>(window_ns) : 0;
}

double Utilisation::hfu() const {
  return window_ns > 0 ? sum_of_peaks(types, &TypeFlop::hardware_flop) / static_cast<double>(window_ns) : 0;
}

std::string Utilisation::formula() const {
  constexpr double kPerSecond = 1e9;
  std::string terms;
  for (const TypeFlop& type : types) {
    if (!terms.empty()) terms += " + ";
    terms += in_tera(type.model_flop, 2) + " " + std::string(type.dtype) + " / " +
             in_tera(type.flop_per_ns * kPerSecond, 1);
  }
  return "(" + terms + ") / " + text_from_duration(window_ns);
}

Utilisation utilisation(const Trace& trace, const WorkCosts& costs, std::span<const StreamWork> streams,
                        TimeRange window) {
  Utilisation sum;
  sum.window_ns = window.length_ns();
  for (const StreamWork& stream : streams) {
    for (const SliceId kernel : stream.slices) {
      const std::int64_t length_ns =
          std::min(trace.end_ns(kernel), window.end_ns) - std::max(trace.start_ns(kernel), window.begin_ns);
      const WorkCosts::Piece* const piece = length_ns > 0 ? costs.find(kernel) : nullptr;
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
  return sum;
}

}  // namespace kino
