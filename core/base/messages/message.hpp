// Text that core and loaders return: a message id with arguments, which can be shown in any language later.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/messages/language.hpp"

namespace kino {

/// The ids of all messages; catalogue.def lists the files that contain their texts.
namespace msg {
enum class Id : std::uint16_t {
#define KINO_MESSAGE(id, english, japanese, chinese) id,
#include "core/base/messages/catalogue.def"
#undef KINO_MESSAGE
};
using enum Id;
/// Deleted, because JSON libraries would write an id as a number. Write english() instead.
template <class Json>
void to_json(Json&, Id) = delete;
}  // namespace msg

/// Number of messages in the catalogue.
std::size_t message_count();
/// Returns a hash of all ids in order. Stored messages are valid only for the catalogue with the same hash.
std::uint64_t catalogue_version();
/// Returns the text of a message with its slots ({0}, {1}) not filled; English if there is no translation.
/// The text has static storage.
std::string_view message_form(msg::Id id, Language language);

inline std::string_view english(msg::Id id) { return message_form(id, Language::english); }

/// Fills the slots of `form`; a slot without an argument remains as it is. O(length).
std::string filled_form(std::string_view form, std::initializer_list<std::string_view> slots);

/// A message of the catalogue with its arguments, verbatim text (a name, a figure), or a sequence of
/// messages. Names and figures are the same in every language; arguments that are messages are translated.
/// Packed into one string, so that tables with messages can be stored.
class Message {
 public:
  Message() = default;
  // NOLINTBEGIN(google-explicit-constructor): ids, names and figures convert to messages implicitly.
  Message(msg::Id id) : Message(filled(id, {})) {}
  Message(std::string_view verbatim);
  Message(const std::string& verbatim) : Message(std::string_view(verbatim)) {}
  Message(const char* verbatim) : Message(std::string_view(verbatim)) {}
  // NOLINTEND(google-explicit-constructor)
  /// Fills the slots of a message in order.
  template <class... Arguments>
  requires(sizeof...(Arguments) > 0) && (std::convertible_to<Arguments, Message> && ...)
                                            Message(msg::Id id, const Arguments&... arguments)
      : Message(filled(id, std::initializer_list<Message>{Message(arguments)...})) {}

  /// Takes the arguments as a list.
  static Message filled(msg::Id id, std::span<const Message> arguments);

  bool empty() const { return packed_.empty(); }
  /// Whether the message is empty or verbatim text, such as a name or figure, which is the same in every
  /// language.
  bool is_verbatim() const;
  /// Returns the id of a message of the catalogue; nullopt for verbatim text and sequences.
  std::optional<msg::Id> id() const;
  /// Returns the arguments of a message, or the sentences of a sequence; empty for verbatim text.
  std::vector<Message> parts() const;

  /// Returns the text in English, as printed on the command line and in JSON and CSV.
  std::string str() const { return str(Language::english); }
  std::string str(Language language) const;

  /// Appends a sentence. An empty sentence adds nothing.
  Message& then(const Message& sentence);

  /// The form in which messages are stored. If it is damaged, the text is read as far as possible.
  std::string& packed() { return packed_; }
  const std::string& packed() const { return packed_; }

  /// Whether both are equal in English.
  friend bool operator==(const Message& a, const Message& b) {
    return a.packed_ == b.packed_ || a.str() == b.str();
  }
  friend bool operator==(const Message& a, std::string_view english) { return a.str() == english; }
  friend bool operator==(const Message& a, const std::string& english) { return a.str() == english; }
  friend bool operator==(const Message& a, const char* english) { return a.str() == english; }
  friend std::ostream& operator<<(std::ostream& out, const Message& message);

 private:
  std::string packed_;  // one node: see message.cpp
};

/// Recognizes a message that was recorded as English text. Returns the message of the first of `ids` whose
/// English text matches, with verbatim arguments. If none matches, returns `english` as verbatim text.
Message read_back(std::string_view english, std::span<const msg::Id> ids);
/// Returns each message in English.
std::vector<std::string> english_texts(std::span<const Message> messages);
/// Joins the messages in order into a sequence; empty messages are omitted.
Message joined_sentences(const std::vector<Message>& sentences);
/// Joins the items with the comma of the language: "a, b, c".
Message comma_list(const std::vector<Message>& items);

}  // namespace kino
