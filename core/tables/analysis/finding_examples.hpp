// Collectors for the largest examples of a finding, over all work or by name.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "core/tables/analysis/findings.hpp"

namespace kino {

/// Sorts examples by time, largest first, and keeps the first kMaxExamples.
inline void keep_largest(std::vector<FindingExample>& examples) {
  std::ranges::stable_sort(examples, std::ranges::greater(), &FindingExample::ns);
  if (examples.size() > kMaxExamples) examples.resize(kMaxExamples);
}

/// Keeps the largest of the added examples, in bounded memory.
class TopExamples {
 public:
  /// Adds an example, unless its time is not positive. If it has the slice and range of the previous example,
  /// its time is added to that example.
  void add(const FindingExample& example) {
    if (example.ns <= 0) return;
    if (!all_.empty() && all_.back().slice == example.slice && all_.back().range == example.range) {
      all_.back().ns += example.ns;
      return;
    }
    if (all_.size() >= 32 * kMaxExamples) keep_largest(all_);
    all_.push_back(example);
  }
  std::vector<FindingExample> take() {
    keep_largest(all_);
    return std::move(all_);
  }

 private:
  std::vector<FindingExample> all_;
};

/// Returns the key whose time is more than half of `of_ns`, or a default-constructed key if there is none.
template <class Map>
typename Map::key_type most_of(const Map& ns_by_key, std::int64_t of_ns) {
  for (const auto& [key, ns] : ns_by_key) {
    if (ns > of_ns / 2) return key;
  }
  return {};
}

/// Times and examples by name. The text of a finding mentions a name only if it has more than half of the
/// time.
class CostsByName {
 public:
  void add(std::uint32_t name, const FindingExample& example) {
    ns_[name] += example.ns;
    examples_[name].add(example);
  }
  /// Returns the name with more than half of `of_ns`, or 0 (the empty name) if there is none.
  std::uint32_t most(std::int64_t of_ns) const { return most_of(ns_, of_ns); }
  /// Returns the examples of the name with more than half of `of_ns`. If there is no such name, returns the
  /// largest examples of all names.
  std::vector<FindingExample> take(std::int64_t of_ns) {
    const std::uint32_t name = most(of_ns);
    if (ns_.contains(name) && ns_[name] > of_ns / 2) return examples_[name].take();
    TopExamples all;
    for (auto& [key, examples] : examples_) {
      for (const FindingExample& example : examples.take()) all.add(example);
    }
    return all.take();
  }

 private:
  std::map<std::uint32_t, std::int64_t> ns_;  // by NameId
  std::map<std::uint32_t, TopExamples> examples_;
};

}  // namespace kino
