#include "core/tables/serving/training_signs.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "core/base/parallel.hpp"
#include "core/tables/serving/work_names.hpp"
#include "core/trace/autograd_pairs.hpp"

namespace kino {
namespace {

bool has_autograd_flow(const Trace& trace) {
  for (std::uint32_t i = 0; i < trace.categories.size(); ++i) {
    if (trace.categories[i] != kAutogradFlow) continue;
    return std::ranges::find(trace.flows.category, CategoryId{static_cast<std::uint16_t>(i)}) !=
           trace.flows.category.end();
  }
  return false;
}

/// Kinds of events for which a name is a sign.
struct SignKinds {
  bool kernel = false;
  bool slice = false;
  bool annotation = false;

  bool any() const { return kernel || slice || annotation; }
  bool contain(SliceKind kind) const {
    if (is_gpu_work(kind)) return kernel && kind != SliceKind::copy;
    if (kind == SliceKind::annotation) return annotation || slice;
    return slice && kind == SliceKind::cpu_op;
  }
};

}  // namespace

TrainingSign training_sign(const Trace& trace, const std::stop_token& stop) {
  if (has_autograd_flow(trace)) return {TrainingSign::Kind::autograd_flow, {}};
  std::vector<SignKinds> kinds(trace.names.size());
  bool any = false;
  for (std::uint32_t i = 0; i < trace.names.size(); ++i) {
    const std::string_view name = trace.names[i];
    kinds[i] = {is_training_kernel(name), is_training_slice(name), is_training_annotation(name)};
    any = any || kinds[i].any();
  }
  if (!any) return {};
  SliceId first = kNoSlice;
  for (std::uint32_t i = 0; i < trace.slice_count(); ++i) {
    if (i % kCancelStride == 0 && stop.stop_requested()) return {};
    const SignKinds& sign = kinds[index_of(trace.slices.name[i])];
    if (!sign.any() || !sign.contain(trace.slices.kind[i])) continue;
    if (first == kNoSlice || trace.slices.start_ns[i] < trace.start_ns(first)) first = SliceId{i};
  }
  if (first == kNoSlice) return {};
  return {TrainingSign::Kind::name, std::string(trace.name_of(first))};
}

}  // namespace kino
