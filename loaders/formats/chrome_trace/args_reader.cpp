#include "loaders/formats/chrome_trace/args_reader.hpp"

#include <string>
#include <utility>

#include "core/base/byte_text.hpp"
#include "loaders/bytes/json_scan.hpp"

namespace kino {
namespace {

constexpr std::size_t kFirstRead = std::size_t{4} << 10;
constexpr int kDeepest = 64;
constexpr std::size_t kMostNodes = 200'000;

/// Builds the tree of an event. Accepts unquoted texts, like the parsers.
class TreeReader {
 public:
  explicit TreeReader(std::string_view text) : text_(text) {}

  bool read(ArgNode& out) { return value(out, 0); }

 private:
  bool value(ArgNode& out, int depth) {
    if (at_ >= text_.size() || depth > kDeepest || ++nodes_ > kMostNodes) return false;
    switch (text_[at_]) {
      case '{':
        return members(out, ArgNode::Kind::object, depth);
      case '[':
        return members(out, ArgNode::Kind::array, depth);
      case '"': {
        const std::size_t end = string_end(text_, at_);
        if (end == kIncomplete) return false;
        out.kind = ArgNode::Kind::string;
        out.text = unescape(text_.substr(at_ + 1, end - at_ - 2));
        at_ = end;
        return true;
      }
      default: {
        std::size_t end = member_value_end(text_, at_);
        if (end == kIncomplete) end = text_.size();
        if (end == at_) return false;
        out.text = text_.substr(at_, end - at_);
        const bool number = is_json_word(out.text) && out.text.find_first_of("0123456789") < 2;
        out.kind = number ? ArgNode::Kind::number : ArgNode::Kind::literal;
        at_ = end;
        return true;
      }
    }
  }

  bool members(ArgNode& out, ArgNode::Kind kind, int depth) {
    out.kind = kind;
    const char close = kind == ArgNode::Kind::object ? '}' : ']';
    ++at_;
    while (true) {
      at_ = skip_space(text_, at_);
      while (at_ < text_.size() && text_[at_] == ',') at_ = skip_space(text_, at_ + 1);
      if (at_ >= text_.size()) return false;
      if (text_[at_] == close) {
        ++at_;
        return true;
      }
      ArgNode child;
      if (kind == ArgNode::Kind::object) {
        if (text_[at_] != '"') return false;
        const std::size_t end = string_end(text_, at_);
        if (end == kIncomplete) return false;
        child.key = unescape(text_.substr(at_ + 1, end - at_ - 2));
        at_ = skip_space(text_, end);
        if (at_ >= text_.size() || text_[at_] != ':') return false;
        at_ = skip_space(text_, at_ + 1);
      }
      if (!value(child, depth + 1)) return false;
      out.children.push_back(std::move(child));
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t nodes_ = 0;
};

std::optional<ArgNode> parse_tree(std::string_view event) {
  ArgNode root;
  if (!TreeReader(event).read(root)) return std::nullopt;
  return root;
}

Result<ArgNode> read_event_at(const TextSource& text, std::uint64_t offset) {
  for (std::size_t length = kFirstRead;; length *= 8) {
    Result<std::string> piece = text.read_text(offset, length);
    if (!piece) return piece.error();
    if (piece->empty() || (*piece)[0] != '{') {
      return Error{Error::Kind::corrupt, "The event is no longer at its place because the file has changed",
                   offset};
    }
    const std::size_t end = value_end(*piece, 0);
    if (end == kIncomplete && piece->size() == length && length < kLargestEvent) continue;
    if (end == kIncomplete && piece->size() == length) {
      return Error{Error::Kind::too_large,
                   "The event is larger than " +
                       text_from_bytes(static_cast<double>(kLargestEvent), ByteUnits::decimal),
                   offset};
    }
    if (std::optional<ArgNode> root = parse_tree(std::string_view(*piece).substr(0, end)))
      return std::move(*root);
    if (end == kIncomplete) {
      return Error{Error::Kind::corrupt, "The event's text is truncated, or its quotes do not match", offset};
    }
    return Error{Error::Kind::corrupt,
                 "The event's text is not valid JSON, or is too deep or too large to show", offset};
  }
}

}  // namespace

std::optional<ArgNode> read_event(std::string_view event) {
  if (!event.starts_with('{') || event.size() > kLargestEvent) return std::nullopt;
  return parse_tree(event);
}

Result<std::string> read_event_text(const TextSource& text, std::uint64_t offset) {
  for (std::size_t length = kFirstRead;; length *= 8) {
    Result<std::string> piece = text.read_text(offset, length);
    if (!piece) return piece.error();
    if (piece->empty() || (*piece)[0] != '{' || !text.unchanged()) {
      return Error{Error::Kind::corrupt, "The event is no longer at its place because the file has changed",
                   offset};
    }
    const std::size_t end = value_end(*piece, 0);
    if (end == kIncomplete && piece->size() == length && length < kLargestEvent) continue;
    if (end != kIncomplete) piece->resize(end);
    return piece;
  }
}

Result<ArgNode> read_event(const TextSource& text, std::uint64_t offset) {
  Result<ArgNode> event = read_event_at(text, offset);
  // Checked after reading, so that a change of the file during the read is detected.
  if (!text.unchanged()) {
    return Error{
        Error::Kind::corrupt,
        "The file has changed on disk since it was read, so its arguments cannot be shown; reload it",
        offset};
  }
  return event;
}

}  // namespace kino
