#include "core/trace/build/span_pairing.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

namespace kino {
namespace {

SliceRecord slice_of(const PointRecord& begin, std::int64_t end_ns) {
  SliceRecord slice;
  slice.start_ns = begin.time_ns;
  slice.duration_ns = std::max<std::int64_t>(0, end_ns - begin.time_ns);
  slice.source_offset = begin.source_offset;
  slice.name = begin.name;
  slice.track = begin.track;
  slice.category = begin.category;
  return slice;
}

class Pairing {
 public:
  Pairing(std::span<const PointRecord> spans, SpanPairs& out, std::int64_t end_ns)
      : spans_(spans), out_(out), end_ns_(end_ns) {}

  void end_track() {
    for (const std::size_t begin : open_) {
      if (!end_before_begin(begin)) put_unended(begin, end_ns_);
      --open_names_[spans_[begin].name];
    }
    open_.clear();
    for (const auto& [name, offset] : unbegun_) out_.damage.add(DamageReason::end_without_begin, offset, "");
    unbegun_.clear();
    for (const auto& [begin, end_ns] : passed_over_) put_unended(begin, end_ns);
    passed_over_.clear();
    passed_over_names_.clear();
    for (const auto& [id, begins] : async_) {
      for (const PointRecord& begin : begins) {
        out_.slices.push_back(slice_of(begin, end_ns_));
        out_.damage.add(DamageReason::async_without_end, begin.source_offset, "");
      }
    }
    async_.clear();
  }

  void add(std::size_t index) {
    const PointRecord& record = spans_[index];
    switch (record.phase) {
      case 'B':
        open_.push_back(index);
        if (record.name >= open_names_.size()) open_names_.resize(record.name + std::size_t{1});
        ++open_names_[record.name];
        break;
      case 'E':
        close(record);
        break;
      case 'b':
      case 'S':
        async_[record.async_id].push_back(record);
        break;
      case 'e':
      case 'F':
        close_async(record);
        break;
      default:
        out_.instants.push_back(record);
        break;
    }
  }

 private:
  void close(const PointRecord& end) {
    const bool named = end.name != 0;  // name 0 is the empty name
    const bool open = named && end.name < open_names_.size() && open_names_[end.name] > 0;
    if (!open && close_passed_over(end)) return;
    if (open_.empty()) {
      unbegun_.emplace(end.name, end.source_offset);
      return;
    }
    if (open) {
      while (spans_[open_.back()].name != end.name) {
        passed_over_.emplace(open_.back(), end.time_ns);
        passed_over_names_.emplace(spans_[open_.back()].name, open_.back());
        --open_names_[spans_[open_.back()].name];
        open_.pop_back();
      }
    }
    put_ended(open_.back(), end);
    --open_names_[spans_[open_.back()].name];
    open_.pop_back();
  }

  /// Closes the innermost passed-over start with the end's name. If the end has no name and no start is open,
  /// closes the innermost passed-over start of any name. Returns whether a start was closed.
  bool close_passed_over(const PointRecord& end) {
    if (passed_over_.empty()) return false;
    std::size_t begin = passed_over_.rbegin()->first;
    if (end.name != 0) {
      const auto after = passed_over_names_.upper_bound({end.name, spans_.size()});
      if (after == passed_over_names_.begin() || std::prev(after)->first != end.name) return false;
      begin = std::prev(after)->second;
    } else if (!open_.empty()) {
      return false;
    }
    put_ended(begin, end);
    passed_over_.erase(begin);
    passed_over_names_.erase({spans_[begin].name, begin});
    return true;
  }

  /// If an end with the start's name follows it in the file but has an earlier time, adds a slice without
  /// length and returns true. Since spans are in order of time, such an end was visited before its start.
  bool end_before_begin(std::size_t index) {
    const PointRecord& begin = spans_[index];
    if (begin.name == 0) return false;
    const auto end = unbegun_.lower_bound({begin.name, begin.source_offset});
    if (end == unbegun_.end() || end->first != begin.name) return false;
    unbegun_.erase(end);
    out_.slices.push_back(slice_of(begin, begin.time_ns));
    ++out_.matched;
    out_.damage.add(DamageReason::negative_duration, begin.source_offset, "");
    return true;
  }

  void put_ended(std::size_t begin, const PointRecord& end) {
    out_.slices.push_back(slice_of(spans_[begin], end.time_ns));
    ++out_.matched;
  }

  void put_unended(std::size_t begin, std::int64_t end_ns) {
    out_.slices.push_back(slice_of(spans_[begin], end_ns));
    out_.damage.add(DamageReason::begin_without_end, spans_[begin].source_offset, "");
  }

  void close_async(const PointRecord& end) {
    const auto begins = async_.find(end.async_id);
    if (begins == async_.end()) {
      out_.instants.push_back(end);
      out_.damage.add(DamageReason::async_without_begin, end.source_offset, "");
      return;
    }
    out_.slices.push_back(slice_of(begins->second.back(), end.time_ns));
    ++out_.async_matched;
    begins->second.pop_back();
    if (begins->second.empty()) async_.erase(begins);
  }

  const std::span<const PointRecord> spans_;
  SpanPairs& out_;
  const std::int64_t end_ns_;
  // Starts are indices into spans_, so a larger one is further inside.
  std::vector<std::size_t> open_;
  std::vector<std::uint32_t> open_names_;                              // count of open_ by name
  std::map<std::size_t, std::int64_t> passed_over_;                    // start -> time of the outer end
  std::set<std::pair<std::uint32_t, std::size_t>> passed_over_names_;  // (name, start) of passed_over_
  std::multiset<std::pair<std::uint32_t, std::uint64_t>> unbegun_;  // (name, offset) of ends without a start
  std::unordered_map<std::uint64_t, std::vector<PointRecord>> async_;
};

}  // namespace

SpanPairs pair_spans_of(std::span<const PointRecord> spans, std::int64_t end_ns) {
  SpanPairs out;
  Pairing pairing(spans, out, end_ns);
  for (std::size_t i = 0; i < spans.size(); ++i) {
    if (i > 0 && spans[i].track != spans[i - 1].track) pairing.end_track();
    pairing.add(i);
  }
  pairing.end_track();
  return out;
}

}  // namespace kino
