#include "core/tables/layers/annotation_stacks.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/ascii.hpp"
#include "core/base/parallel.hpp"
#include "core/base/saturating.hpp"
#include "core/tables/layers/module_stacks.hpp"

namespace kino {
namespace {

constexpr std::size_t kLeastIndices = 3;
constexpr std::uint32_t kMostIndex = 9999;

bool is_word(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
         (letter >= '0' && letter <= '9') || letter == '_';
}

bool is_annotation(SliceKind kind) { return kind == SliceKind::annotation || kind == SliceKind::cpu_op; }

bool names_backward(std::string_view name) {
  const std::string folded = lowered(name);
  return folded.find("backward") != std::string::npos || folded.find("bwd") != std::string::npos;
}

/// Stack and index that one name (NameId) contains.
struct NamedLayer {
  std::uint32_t stack = 0;  // index of the stack plus one; 0: none
  std::uint32_t index = 0;
  bool backward = false;
};

struct NamedLayers {
  std::vector<NamedLayer> by_name;
  std::vector<std::string> bases;                   // by stack
  std::vector<std::vector<std::uint32_t>> indices;  // by stack; sorted
};

NamedLayers named_layers(const Trace& trace) {
  NamedLayers named;
  named.by_name.resize(trace.names.size());
  std::map<std::string_view, std::vector<std::pair<std::uint32_t, IndexedName>>> by_base;
  for (std::uint32_t i = 0; i < trace.names.size(); ++i) {
    if (!is_annotation(trace.name_kind[i])) continue;
    if (const std::optional<IndexedName> found = indexed_name(trace.names[i]))
      by_base[found->base].emplace_back(i, *found);
  }
  for (const auto& [base, names] : by_base) {
    std::vector<std::uint32_t> indices;
    for (const auto& [name, found] : names) indices.push_back(found.index);
    std::ranges::sort(indices);
    indices.erase(std::unique(indices.begin(), indices.end()), indices.end());
    if (indices.size() < kLeastIndices) continue;
    named.bases.emplace_back(base);
    for (const auto& [name, found] : names) {
      const auto layer = std::ranges::lower_bound(indices, found.index) - indices.begin();
      named.by_name[name] = {static_cast<std::uint32_t>(named.bases.size()),
                             static_cast<std::uint32_t>(layer), names_backward(trace.names[name])};
    }
    named.indices.push_back(std::move(indices));
  }
  return named;
}

}  // namespace

std::optional<IndexedName> indexed_name(std::string_view name) {
  for (const std::string_view base : {"layers", "layer", "blocks", "block", "h"}) {
    for (std::size_t at = name.find(base); at != std::string_view::npos; at = name.find(base, at + 1)) {
      if (at > 0 && is_word(name[at - 1])) continue;
      const std::size_t digits = at + base.size() + 1;
      if (digits >= name.size() || (name[digits - 1] != '.' && name[digits - 1] != '_')) continue;
      std::uint32_t index = 0;
      const auto [end, error] = std::from_chars(name.data() + digits, name.data() + name.size(), index);
      const bool longer = end != name.data() + name.size() && is_word(*end);
      if (error != std::errc() || longer || index > kMostIndex) continue;
      return IndexedName{base, index};
    }
  }
  return std::nullopt;
}

LayerFold fold_by_annotations(const Trace& trace, const GpuWork& work, const Steps& steps,
                              const std::stop_token& stop) {
  LayerFold fold;
  const NamedLayers named = named_layers(trace);
  if (named.bases.empty()) return fold;
  fold.source = LayerSource::annotations;
  struct Copies {
    std::map<std::tuple<std::uint32_t, std::size_t, std::uint32_t>, std::uint32_t>
        by_key;  // layer, step, phase
    std::map<std::size_t, std::uint32_t> pass_of_step;
    std::vector<PlacedWork> work;
  };
  std::vector<Copies> copies(named.bases.size());
  for (std::size_t i = 0; i < named.bases.size(); ++i) {
    LayerStack& stack = fold.stacks.emplace_back();
    stack.container = named.bases[i];
    stack.layers = static_cast<std::uint32_t>(named.indices[i].size());
    for (const std::uint32_t index : named.indices[i])
      stack.layer_names.push_back(named.bases[i] + "." + std::to_string(index));
  }
  std::uint32_t visited = 0;
  for (const StreamWork& stream : work.streams) {
    for (const SliceId slice : stream.slices) {
      if (++visited % kCancelStride == 0 && stop.stop_requested()) return {};
      add_saturating(fold.total_ns, trace.duration_ns(slice));
      NamedLayer layer;
      const SliceId launch = trace.link(slice);
      for (SliceId at = launch; at != kNoSlice && layer.stack == 0; at = trace.parent(at))
        layer = named.by_name[index_of(trace.name(at))];
      if (layer.stack == 0) continue;
      LayerStack& stack = fold.stacks[layer.stack - 1];
      Copies& known = copies[layer.stack - 1];
      const std::size_t step = steps.at(trace.start_ns(launch));
      const auto [pass, fresh] =
          known.pass_of_step.try_emplace(step, static_cast<std::uint32_t>(stack.passes.size()));
      if (fresh) {
        LayerPass& made = stack.passes.emplace_back();
        if (step != Steps::kNone) made.step = steps.steps[step].number;
      }
      const auto [place, made] = known.by_key.try_emplace({layer.index, step, layer.backward ? 1U : 0U},
                                                          static_cast<std::uint32_t>(stack.copies.size()));
      if (made) {
        LayerCopy& copy = stack.copies.emplace_back();
        copy.pass = pass->second;
        copy.layer = layer.index;
        copy.phase = layer.backward ? LayerPhase::backward : LayerPhase::forward;
      }
      known.work.push_back({place->second, slice});
      add_saturating(fold.placed_ns, trace.duration_ns(slice));
    }
  }
  for (std::size_t i = 0; i < fold.stacks.size(); ++i)
    place_work(trace, std::move(copies[i].work), fold, fold.stacks[i]);
  return fold;
}

}  // namespace kino
