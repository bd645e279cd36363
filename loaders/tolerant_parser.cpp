#include "loaders/tolerant_parser.hpp"

#include <algorithm>

#include "core/damage.hpp"
#include "loaders/json_scan.hpp"
#include "loaders/lenient_event.hpp"

namespace kino {
namespace {

/// How far an event with separators inside is followed before it counts as broken: what it costs to find out
/// is paid for each broken event.
constexpr std::size_t kLargestList = std::size_t{64} << 10;

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

/// Whether a line break stands inside a string, which valid JSON does not have. `text` begins outside one.
bool breaks_line_in_string(std::string_view text) {
  bool inside = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n' && inside) return true;
    if (text[i] == '"') inside = !inside;
    if (text[i] == '\\' && inside) ++i;
  }
  return false;
}

}  // namespace

ParseOutcome parse_tolerant(std::string_view text, std::uint64_t base_offset, const TolerantOptions& options,
                            StrictParser& strict, EventInterpreter& out) {
  EventFields fields;
  std::size_t at = 0;
  bool after_event = options.after_event;
  std::size_t separator = options.separator.empty() ? std::string_view::npos : text.find(options.separator);
  while (true) {
    bool comma = false;
    while (at < text.size() && (is_space(text[at]) || text[at] == ',')) {
      if (text[at] == ',' && comma) out.reject_element(base_offset + at);
      comma = comma || text[at] == ',';
      ++at;
    }
    if (at >= text.size()) return {ParseOutcome::State::complete, base_offset + text.size()};
    const std::uint64_t offset = base_offset + at;
    if (text[at] == ']') {
      if (comma) out.note(DamageReason::repaired_document, offset);
      return {ParseOutcome::State::closed, offset};
    }
    if (text[at] != '{') {
      // Another value is an element that is no event; anything else is a line that does not belong here.
      const std::size_t line_end = std::min(text.find('\n', at), text.size());
      const std::size_t brace = text.find('{', at);
      std::size_t end = std::min(line_end, brace);
      const bool value = text[at] == '"' || text[at] == '[' || text[at] == '-' ||
                         (text[at] >= '0' && text[at] <= '9') || text.substr(at).starts_with("null") ||
                         text.substr(at).starts_with("true") || text.substr(at).starts_with("false");
      if (value) end = std::min(value_end(text, at), line_end);
      if (end >= text.size() && options.more_follows) return {ParseOutcome::State::complete, offset};
      if (value) {
        out.reject_element(offset);
      } else {
        out.note(DamageReason::unreadable_event, offset);
      }
      at = std::max(end, at + 1);
      after_event = true;
      continue;
    }
    // Where the event ends by its brackets, and where the next separator says so.
    std::size_t end = value_end(text, at);
    if (!options.separator.empty() && separator != std::string_view::npos && separator < at) {
      separator = text.find(options.separator, at);
    }
    // What is valid by itself is no repair, wherever the units were cut that brought it here.
    bool valid = false;
    const std::size_t separator_end = separator == std::string_view::npos
                                          ? std::string_view::npos
                                          : separator + options.separator.find('}') + 1;
    if (separator != std::string_view::npos && end > separator_end) {
      // The separator stands between the elements of a list of the event's own, or the brackets were misled.
      const std::size_t known = std::min(end, text.size()) - at;
      const bool undecided = end == kIncomplete && options.more_follows && known < kLargestList &&
                             !breaks_line_in_string(text.substr(at));
      if (undecided) return {ParseOutcome::State::complete, offset};
      valid =
          end != kIncomplete && known < kLargestList && strict.parse_event(text.substr(at, known), fields);
      if (!valid) end = separator_end;
    }
    if (end == kIncomplete && options.more_follows) return {ParseOutcome::State::complete, offset};
    const bool cut_off = end == kIncomplete;
    const std::string_view event = text.substr(at, cut_off ? std::string_view::npos : end - at);
    valid = valid || (!cut_off && strict.parse_event(event, fields));
    LenientEvent read{true, event.size()};
    if (!valid) {
      fields.clear();
      read = read_lenient_event(event, fields);
    }
    if (cut_off && read.end >= event.size()) {
      // The last event of a file whose writer was killed.
      out.drop(DamageReason::truncated_event, offset);
      return {ParseOutcome::State::complete, base_offset + text.size()};
    }
    if (!read.readable) {
      out.drop(DamageReason::unreadable_event, offset);
    } else {
      if (!valid || (after_event && !comma)) {
        out.note(DamageReason::repaired_event, offset);
      }
      out.accept(fields, offset);
    }
    at = cut_off ? at + read.end : end;
    after_event = true;
  }
}

}  // namespace kino
