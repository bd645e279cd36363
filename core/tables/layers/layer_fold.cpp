#include "core/tables/layers/layer_fold.hpp"

#include <array>
#include <utility>

#include "core/base/parallel.hpp"
#include "core/tables/layers/annotation_stacks.hpp"
#include "core/tables/layers/kernel_sequence.hpp"
#include "core/tables/layers/layer_costs.hpp"
#include "core/tables/layers/layer_verdict.hpp"
#include "core/tables/layers/module_stacks.hpp"
#include "core/tables/layers/name_stacks.hpp"
#include "core/tables/operators/device_side.hpp"
#include "core/trace/steps.hpp"

namespace kino {
namespace {

LayerFold folded_by(const OperatorParts& parts, LayerSource source, const Steps& steps, bool operators,
                    const std::stop_token& stop) {
  const Trace& trace = parts.trace();
  LayerFold fold;
  switch (source) {
    case LayerSource::modules:
      if (module_source(trace) != ModuleSource::python) break;
      fold = fold_by_modules(trace, parts.module_calls(ModuleSource::python, stop),
                             parts.module_placers(ModuleSource::python, stop), steps, operators, stop);
      break;
    case LayerSource::annotations:
      fold = fold_by_annotations(trace, parts.work(stop), steps, stop);
      break;
    case LayerSource::names:
      fold = fold_by_names(trace, kernel_sequences(trace, parts.work(stop), steps, operators, stop), steps,
                           parts.work_rules(), stop);
      break;
    case LayerSource::alike:
      fold = fold_by_alike(trace, kernel_sequences(trace, parts.work(stop), steps, operators, stop), steps,
                           parts.work_rules(), stop);
      break;
    case LayerSource::none:
      break;
  }
  if (fold.stacks.empty()) fold.source = LayerSource::none;
  fold.operators = operators;
  return fold;
}

OtherSource counted_layers(const LayerFold& fold) {
  OtherSource counted;
  counted.source = fold.source;
  for (const LayerStack& stack : fold.stacks) {
    std::uint32_t& layers = stack.backward ? counted.backward_layers : counted.layers;
    if (layers == 0) layers = stack.layers;
  }
  return counted;
}

}  // namespace

FoldedTrace fold_layers(const OperatorParts& parts, LayerSource wanted, const std::stop_token& stop) {
  const Trace& trace = parts.trace();
  const Steps steps = find_steps(trace, stop);
  const bool operators = !records_gpu_work(trace);
  FoldedTrace folded;
  folded.wanted = wanted;
  LayerFold& fold = folded.fold;
  bool partial = false;  // whether annotations contain only a small part of the layers
  if (wanted != LayerSource::none) {
    fold = folded_by(parts, wanted, steps, operators, stop);
  } else {
    constexpr std::array kSources{LayerSource::modules, LayerSource::annotations, LayerSource::names};
    std::array<LayerFold, kSources.size()> folds;
    parallel_for(thread_count_or_default(0), folds.size(), {}, [&](std::size_t i, unsigned) {
      folds[i] = folded_by(parts, kSources[i], steps, operators, stop);
    });
    if (stop.stop_requested()) return {};
    for (LayerFold& found : folds) {
      if (found.source == LayerSource::none) continue;
      if (fold.source == LayerSource::none) {
        fold = std::move(found);
        continue;
      }
      partial = fold.source == LayerSource::annotations && fold.placed_ns < found.placed_ns / 2;
      const OtherSource mine = counted_layers(fold);
      const OtherSource other = counted_layers(found);
      const bool backward_differs = other.backward_layers != 0 && other.backward_layers != mine.layers;
      if ((other.layers != 0 && other.layers != mine.layers) || backward_differs)
        folded.others.push_back(other);
    }
  }
  if (!partial) {
    for (LayerStack& stack : fold.stacks) judge_stack(stack);
  }
  if (fold.source != LayerSource::none) add_costs(trace, parts.work(stop), parts.tree(stop), fold, stop);
  return folded;
}

}  // namespace kino
