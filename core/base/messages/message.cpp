#include "core/base/messages/message.hpp"

#include <array>
#include <cstring>
#include <iterator>
#include <ostream>

namespace kino {
namespace {

using Forms = std::array<std::string_view, kLanguageCount>;

// Literals of std::string_view have a known length. Measuring all texts would exceed clang's limit of
// constexpr steps.
using std::string_view_literals::operator""sv;
constexpr Forms kForms[] = {
#define KINO_MESSAGE(id, english, japanese, chinese) {english ""sv, japanese ""sv, chinese ""sv},
#include "core/base/messages/catalogue.def"
#undef KINO_MESSAGE
};

/// Calls `text` for each run of characters between slots, and `slot` with the number and the text of each
/// slot.
template <class OnText, class OnSlot>
void walk_form(std::string_view form, OnText&& text, OnSlot&& slot) {
  std::size_t begin = 0;
  for (std::size_t i = 0; i + 2 < form.size(); ++i) {
    if (form[i] != '{' || form[i + 1] < '0' || form[i + 1] > '9' || form[i + 2] != '}') continue;
    text(form.substr(begin, i - begin));
    slot(static_cast<std::size_t>(form[i + 1] - '0'), form.substr(i, 3));
    begin = i + 3;
    i += 2;
  }
  text(form.substr(begin));
}

// A packed message is a node: a tag, the length of its payload, and the payload. The payload of verbatim text
// is the text. The payload of a message is its id and one node per argument. The payload of a sequence is one
// node per sentence.
enum class Tag : char { verbatim = 'v', message = 'm', row = 'r' };

struct Node {
  Tag tag = Tag::verbatim;
  msg::Id id = msg::nothing;
  std::string_view payload;  // without the id
  std::string_view whole;
};

void append_node(std::string& out, Tag tag, std::string_view payload) {
  const auto length = static_cast<std::uint32_t>(payload.size());
  std::array<char, sizeof(length)> bytes{};
  std::memcpy(bytes.data(), &length, sizeof(length));
  out += static_cast<char>(tag);
  out.append(bytes.data(), bytes.size()).append(payload);
}

/// Removes the node at the front of `rest` and returns it. nullopt at the end and for malformed nodes.
std::optional<Node> take_node(std::string_view& rest) {
  constexpr std::size_t kHead = 1 + sizeof(std::uint32_t);
  if (rest.size() < kHead) return std::nullopt;
  std::uint32_t length = 0;
  std::memcpy(&length, rest.data() + 1, sizeof(length));
  if (length > rest.size() - kHead) return std::nullopt;
  Node node{static_cast<Tag>(rest[0]), msg::nothing, rest.substr(kHead, length),
            rest.substr(0, kHead + length)};
  rest.remove_prefix(kHead + length);
  if (node.tag == Tag::message) {
    if (node.payload.size() < sizeof(node.id)) return std::nullopt;
    std::memcpy(&node.id, node.payload.data(), sizeof(node.id));
    if (static_cast<std::size_t>(node.id) >= std::size(kForms)) return std::nullopt;
    node.payload.remove_prefix(sizeof(node.id));
  } else if (node.tag != Tag::verbatim && node.tag != Tag::row) {
    return std::nullopt;
  }
  return node;
}

std::optional<Node> first_node(std::string_view packed) { return take_node(packed); }

void append_text(std::string& out, const Node& node, Language language, int depth) {
  constexpr int kDeepest = 64;
  if (depth > kDeepest) return;
  std::string_view rest = node.payload;
  if (node.tag == Tag::verbatim) {
    out += node.payload;
  } else if (node.tag == Tag::message) {
    std::vector<Node> arguments;
    while (const std::optional<Node> argument = take_node(rest)) arguments.push_back(*argument);
    walk_form(
        message_form(node.id, language), [&](std::string_view text) { out += text; },
        [&](std::size_t slot, std::string_view as_written) {
          if (slot < arguments.size()) {
            append_text(out, arguments[slot], language, depth + 1);
          } else {
            out += as_written;
          }
        });
  } else {
    for (bool first = true; const std::optional<Node> sentence = take_node(rest); first = false) {
      if (!first && language == Language::english) out += ' ';
      append_text(out, *sentence, language, depth + 1);
    }
  }
}

constexpr std::uint64_t kVersion = [] {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  const auto add = [&](std::string_view id) {
    for (const char c : id) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    hash *= 0x100000001b3;
  };
#define KINO_MESSAGE(id, english, japanese, chinese) add(#id);
#include "core/base/messages/catalogue.def"
#undef KINO_MESSAGE
  return hash;
}();

}  // namespace

std::uint64_t catalogue_version() { return kVersion; }

std::size_t message_count() { return std::size(kForms); }

std::string_view message_form(msg::Id id, Language language) {
  const Forms& forms = kForms[static_cast<std::size_t>(id)];
  const std::string_view form = forms[static_cast<std::size_t>(language)];
  return form.empty() ? forms[static_cast<std::size_t>(Language::english)] : form;
}

std::string filled_form(std::string_view form, std::initializer_list<std::string_view> slots) {
  std::string out;
  walk_form(
      form, [&](std::string_view text) { out += text; },
      [&](std::size_t slot, std::string_view as_written) {
        out += slot < slots.size() ? std::data(slots)[slot] : as_written;
      });
  return out;
}

Message::Message(std::string_view verbatim) {
  if (!verbatim.empty()) append_node(packed_, Tag::verbatim, verbatim);
}

Message Message::filled(msg::Id id, std::span<const Message> arguments) {
  Message message;
  if (id == msg::nothing) return message;
  std::string payload(sizeof(id), '\0');
  std::memcpy(payload.data(), &id, sizeof(id));
  for (const Message& argument : arguments) {
    if (argument.empty()) {
      append_node(payload, Tag::verbatim, {});
    } else {
      payload += argument.packed_;
    }
  }
  append_node(message.packed_, Tag::message, payload);
  return message;
}

bool Message::is_verbatim() const {
  const std::optional<Node> node = first_node(packed_);
  return !node || node->tag == Tag::verbatim;
}

std::optional<msg::Id> Message::id() const {
  const std::optional<Node> node = first_node(packed_);
  return node && node->tag == Tag::message ? std::optional(node->id) : std::nullopt;
}

std::vector<Message> Message::parts() const {
  std::vector<Message> parts;
  const std::optional<Node> whole = first_node(packed_);
  if (!whole || whole->tag == Tag::verbatim) return parts;
  std::string_view rest = whole->payload;
  while (const std::optional<Node> node = take_node(rest)) {
    parts.emplace_back();
    parts.back().packed_ = node->whole;
  }
  return parts;
}

std::string Message::str(Language language) const {
  std::string out;
  if (const std::optional<Node> node = first_node(packed_)) append_text(out, *node, language, 0);
  return out;
}

Message& Message::then(const Message& sentence) {
  if (sentence.empty()) return *this;
  if (empty()) return *this = sentence;
  const std::optional<Node> node = first_node(packed_);
  std::string payload(node && node->tag == Tag::row ? node->payload : std::string_view(packed_));
  payload += sentence.packed_;
  packed_.clear();
  append_node(packed_, Tag::row, payload);
  return *this;
}

std::ostream& operator<<(std::ostream& out, const Message& message) { return out << message.str(); }

Message read_back(std::string_view english, std::span<const msg::Id> ids) {
  for (const msg::Id id : ids) {
    std::vector<std::string_view> pieces;  // texts around the slots, one more than there are slots
    walk_form(
        message_form(id, Language::english), [&](std::string_view text) { pieces.push_back(text); },
        [](std::size_t, std::string_view) {});
    if (!english.starts_with(pieces.front())) continue;
    std::string_view rest = english.substr(pieces.front().size());
    std::vector<Message> arguments;
    for (std::size_t i = 1; i < pieces.size(); ++i) {
      const bool last = i + 1 == pieces.size();
      const std::size_t end = last && rest.ends_with(pieces[i]) ? rest.size() - pieces[i].size()
                              : last                            ? std::string_view::npos
                                                                : rest.find(pieces[i], 1);
      if (end == std::string_view::npos || end == 0) break;
      arguments.emplace_back(rest.substr(0, end));
      rest.remove_prefix(end + pieces[i].size());
    }
    if (arguments.size() + 1 == pieces.size() && rest.empty()) return Message::filled(id, arguments);
  }
  return english;
}

std::vector<std::string> english_texts(std::span<const Message> messages) {
  std::vector<std::string> texts;
  texts.reserve(messages.size());
  for (const Message& message : messages) texts.push_back(message.str());
  return texts;
}

Message joined_sentences(const std::vector<Message>& sentences) {
  Message all;
  for (const Message& sentence : sentences) all.then(sentence);
  return all;
}

Message comma_list(const std::vector<Message>& items) {
  Message all;
  for (const Message& item : items) all = all.empty() ? item : Message(msg::comma_pair, all, item);
  return all;
}

}  // namespace kino
