#include "loaders/formats/chrome_trace/event_walk.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "core/base/ascii.hpp"
#include "loaders/bytes/byte_stream.hpp"
#include "loaders/bytes/json_members.hpp"
#include "loaders/bytes/json_scan.hpp"
#include "loaders/formats/chrome_trace/args_reader.hpp"

namespace kino {
namespace {

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Appends a tree as JSON. Unquoted texts become strings. The recursion is safe: read_event() bounds the
/// depth.
void append_json(const ArgNode& node, std::string& out) {
  const bool object = node.kind == ArgNode::Kind::object;
  if (!object && node.kind != ArgNode::Kind::array) {
    const bool word = node.kind != ArgNode::Kind::string && nlohmann::json::accept(node.text);
    out += word ? node.text : quoted(node.text);
    return;
  }
  out += object ? '{' : '[';
  bool first = true;
  for (const ArgNode& child : node.children) {
    if (!first) out += ", ";
    first = false;
    if (object) out += quoted(child.key) + ": ";
    append_json(child, out);
  }
  out += object ? '}' : ']';
}

constexpr std::size_t kMostBeforeArray = std::size_t{256} << 20;
constexpr std::size_t kLargestValue = std::size_t{256} << 20;

/// Reads a text from an offset on.
class SourceStream : public ByteStream {
 public:
  SourceStream(const TextSource& text, std::uint64_t offset, std::atomic<std::uint64_t>& bytes_read)
      : text_(text), offset_(offset), bytes_read_(bytes_read) {}
  Result<std::size_t> read(std::span<std::uint8_t> out) override {
    Result<std::size_t> got = text_.read(offset_, {reinterpret_cast<char*>(out.data()), out.size()});
    if (got.ok()) {
      offset_ += got.value();
      bytes_read_.fetch_add(got.value(), std::memory_order_relaxed);
    }
    return got;
  }
  std::uint64_t file_bytes_read() const override { return offset_; }

 private:
  const TextSource& text_;
  std::uint64_t offset_;
  std::atomic<std::uint64_t>& bytes_read_;
};

bool skip_to_value(ByteWindow& window) {
  while (window.ensure(1)) {
    const char c = static_cast<char>(*window.data());
    if (!is_space(c) && c != ',') return true;
    window.skip(1);
  }
  return false;
}

bool skip_to(ByteWindow& window, std::uint64_t offset) {
  while (window.offset() < offset) {
    if (!window.ensure(1)) return false;
    window.skip(static_cast<std::size_t>(std::min<std::uint64_t>(window.size(), offset - window.offset())));
  }
  return true;
}

/// Reads the text after an array. Returns the stop at the next array or at the end; nullopt if a value is too
/// large or incomplete.
std::optional<DocumentRest::Stop> read_rest(DocumentRest& rest, ByteWindow& window, std::uint64_t begin) {
  constexpr std::size_t kPiece = std::size_t{64} << 10;
  for (std::size_t length = kPiece;;) {
    const bool whole = !window.ensure(length);
    const DocumentRest::Stop stop = rest.read(window.text(window.size()), begin + window.offset(), whole);
    window.skip(stop.at);
    if (stop.found != DocumentRest::Found::more) return stop;
    if (whole || length >= kLargestValue) return std::nullopt;
    length = stop.at > 0 ? kPiece : 4 * std::max(length, window.size());
  }
}

}  // namespace

std::optional<Error> EventWalk::find() {
  for (std::size_t size = std::size_t{1} << 20;; size *= 4) {
    const Result<std::string> head = text_.read_text(0, size);
    if (!head.ok()) return head.error();
    const ArraySearch search = find_event_array(head.value(), array_);
    if (search == ArraySearch::found) break;
    if (search == ArraySearch::absent || head.value().size() < size || size > kMostBeforeArray) {
      return Error{Error::Kind::unknown_format, "the trace has no event array that can be trimmed"};
    }
  }
  first_members_ = array_.members.size();
  if (trace_.damage.count(DamageReason::further_events) == 0) return std::nullopt;
  return visit([](const VisitedEvent&) { return std::optional<Error>(); });
}

std::optional<Error> EventWalk::visit(const Take& take) {
  SourceStream stream(text_, array_.begin, bytes_read_);
  ByteWindow window(stream);
  window_begin_ = array_.begin;
  document_ = 0;
  array_.members.resize(first_members_);
  DocumentRest rest(array_.form == ArrayForm::member, array_, kLargestValue);
  for (;;) {
    if (auto error = visit_array(window, rest.in_object(), take)) return error;
    const std::optional<DocumentRest::Stop> stop = read_rest(rest, window, window_begin_);
    if (window.error()) return window.error();
    if (const auto base = rest.take_base_time()) {
      bases_.resize(std::max(bases_.size(), document_ + 1));
      bases_[document_] = base;
    }
    if (!stop || stop->found != DocumentRest::Found::array) return std::nullopt;
    if (stop->document) ++document_;
  }
}

std::optional<Error> EventWalk::visit_array(ByteWindow& window, bool in_object, const Take& take) {
  const std::int64_t shift_ns = shift_of(document_);
  while (!stop_.stop_requested()) {
    if (!skip_to_value(window)) return window.error();
    const char first = static_cast<char>(*window.data());
    if (first == ']') window.skip(1);
    if (first == ']' || (first == '}' && in_object)) return std::nullopt;
    const std::size_t size = size_of_value(window);
    if (first != '{') {
      window.skip(size == kIncomplete ? 1 : std::max<std::size_t>(1, size));
      continue;
    }
    const std::uint64_t offset = window_begin_ + window.offset();
    const bool readable = size != kIncomplete && is_event(window.text(size));
    const std::string_view text = readable              ? window.text(size)
                                  : size == kIncomplete ? std::string_view()
                                                        : repaired(window.text(size));
    if (auto error = take({text, fields_, offset, shift_ns})) return error;
    if (readable) {
      window.skip(size);
    } else if (!pass_unreadable(window, size)) {
      return window.error();
    }
  }
  return cancelled("Trimming");
}

std::size_t EventWalk::size_of_value(ByteWindow& window) const {
  for (std::size_t wanted = std::size_t{64} << 10;; wanted *= 2) {
    window.ensure(wanted);
    const std::size_t size = value_end(window.text(std::min(window.size(), kLargestEvent)), 0);
    if (size != kIncomplete || window.size() < wanted || wanted >= kLargestEvent) return size;
  }
}

bool EventWalk::is_event(std::string_view event) {
  return strict_.parse_event(event, fields_) && nlohmann::json::accept(event);
}

std::string_view EventWalk::repaired(std::string_view event) {
  repaired_.clear();
  if (const std::optional<ArgNode> tree = read_event(event)) append_json(*tree, repaired_);
  return is_event(repaired_) ? std::string_view(repaired_) : std::string_view();
}

bool EventWalk::pass_unreadable(ByteWindow& window, std::size_t size) {
  if (size != kIncomplete) {
    constexpr std::size_t kMostSpace = 64;
    window.ensure(size + kMostSpace);
    const std::string_view text = window.text(window.size());
    const std::size_t next = skip_space(text, size);
    if (next < text.size() && text[next] == ']') {  // the next event in the model is in another array
      window.skip(next);
      return true;
    }
  }
  return skip_to(window, next_known(window_begin_ + window.offset()) - window_begin_);
}

std::uint64_t EventWalk::next_known(std::uint64_t offset) {
  if (known_.empty()) {
    known_.assign(trace_.slices.source_offset.begin(), trace_.slices.source_offset.end());
    known_.insert(known_.end(), trace_.instants.source_offset.begin(), trace_.instants.source_offset.end());
    std::ranges::sort(known_);
  }
  const auto next = std::ranges::upper_bound(known_, offset);
  return next == known_.end() ? offset + 1 : *next;
}

std::int64_t EventWalk::shift_of(std::size_t document) const {
  if (document >= bases_.size() || !bases_[document]) return 0;
  return base_shift_ns(*bases_[document], trace_.base_time_ns);
}

std::string us_from_ns(std::int64_t ns) {
  const auto magnitude = ns < 0 ? 0 - static_cast<std::uint64_t>(ns) : static_cast<std::uint64_t>(ns);
  std::string rest = std::to_string(magnitude % 1000);
  rest.insert(0, 3 - rest.size(), '0');
  return (ns < 0 ? "-" : "") + std::to_string(magnitude / 1000) + "." + rest;
}

std::string event_at(std::string_view event, std::int64_t time_ns) {
  std::string shifted(event);
  for_each_member(event, [&](std::string_view key, std::string_view value) {
    if (key != "ts") return true;
    shifted.replace(static_cast<std::size_t>(value.data() - event.data()), value.size(), us_from_ns(time_ns));
    return false;
  });
  return shifted;
}

}  // namespace kino
