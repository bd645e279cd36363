#include "core/build/span_pairing.hpp"

#include <algorithm>
#include <unordered_map>

namespace kino {
namespace {

/// How far down the stack an E with another name looks for its B: bounds the cost of hostile input.
constexpr std::size_t kNameSearchDepth = 512;

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
  Pairing(SpanPairs& out, std::int64_t end_ns) : out_(out), end_ns_(end_ns) {}

  void end_track() {
    for (const PointRecord& begin : open_) {
      out_.slices.push_back(slice_of(begin, end_ns_));
      out_.damage.add(DamageReason::begin_without_end, begin.source_offset, "");
    }
    open_.clear();
    for (const auto& [id, begins] : async_) {
      for (const PointRecord& begin : begins) {
        out_.slices.push_back(slice_of(begin, end_ns_));
        out_.damage.add(DamageReason::async_without_end, begin.source_offset, "");
      }
    }
    async_.clear();
  }

  void add(const PointRecord& record) {
    switch (record.phase) {
      case 'B':
        open_.push_back(record);
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
    if (open_.empty()) {
      out_.damage.add(DamageReason::end_without_begin, end.source_offset, "");
      return;
    }
    std::size_t match = open_.size() - 1;
    if (end.name != 0 && open_[match].name != end.name) {  // name 0 is the empty name
      const std::size_t lowest = open_.size() > kNameSearchDepth ? open_.size() - kNameSearchDepth : 0;
      for (std::size_t i = open_.size(); i-- > lowest;) {
        if (open_[i].name == end.name) {
          match = i;
          break;
        }
      }
    }
    while (open_.size() > match + 1) {
      out_.slices.push_back(slice_of(open_.back(), end.time_ns));
      out_.damage.add(DamageReason::begin_without_end, open_.back().source_offset, "");
      open_.pop_back();
    }
    out_.slices.push_back(slice_of(open_.back(), end.time_ns));
    open_.pop_back();
    ++out_.matched;
  }

  void close_async(const PointRecord& end) {
    const auto it = async_.find(end.async_id);
    if (it == async_.end()) {
      out_.instants.push_back(end);
      out_.damage.add(DamageReason::async_without_begin, end.source_offset, "");
      return;
    }
    out_.slices.push_back(slice_of(it->second.back(), end.time_ns));
    ++out_.async_matched;
    it->second.pop_back();
    if (it->second.empty()) async_.erase(it);
  }

  SpanPairs& out_;
  const std::int64_t end_ns_;
  std::vector<PointRecord> open_;
  std::unordered_map<std::uint64_t, std::vector<PointRecord>> async_;
};

}  // namespace

SpanPairs pair_spans_of(std::span<const PointRecord> spans, std::int64_t end_ns) {
  SpanPairs out;
  Pairing pairing(out, end_ns);
  for (std::size_t i = 0; i < spans.size(); ++i) {
    if (i > 0 && spans[i].track != spans[i - 1].track) pairing.end_track();
    pairing.add(spans[i]);
  }
  pairing.end_track();
  return out;
}

}  // namespace kino
