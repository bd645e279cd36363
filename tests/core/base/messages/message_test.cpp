// Covers: message
#include "core/base/messages/message.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

using kino::Language;
using kino::Message;
using std::string_literals::operator""s;
namespace msg = kino::msg;

namespace {

constexpr std::array kLanguages{Language::english, Language::japanese, Language::chinese};

struct CatalogueRow {
  std::string_view id;
  std::array<std::string_view, 3> texts;  // by Language
};

constexpr CatalogueRow kRows[] = {
#define KINO_MESSAGE(id, english, japanese, chinese) {#id, {english, japanese, chinese}},
#include "core/base/messages/catalogue.def"
#undef KINO_MESSAGE
};

constexpr std::string_view kTerminalIds[] = {
#define KINO_TERMINAL_MESSAGE(id, english) #id,
#include "core/base/messages/terminal.def"
#undef KINO_TERMINAL_MESSAGE
};

std::multiset<char> slots_of(std::string_view text) {
  std::multiset<char> slots;
  for (std::size_t i = 0; i + 2 < text.size(); ++i) {
    if (text[i] == '{' && text[i + 1] >= '0' && text[i + 1] <= '9' && text[i + 2] == '}')
      slots.insert(text[i + 1]);
  }
  return slots;
}

/// Calls every member of a message with this stored form. Returns its English.
std::string read_all(std::string packed) {
  Message message;
  message.packed() = std::move(packed);
  for (const Language language : kLanguages) static_cast<void>(message.str(language));
  for (const Message& part : message.parts()) static_cast<void>(part.str());
  static_cast<void>(message.id());
  static_cast<void>(message.is_verbatim());
  std::string text = message.str();
  const Message outer(msg::with_colon, message, "x");
  static_cast<void>(outer.str());
  static_cast<void>(message.then("more").str());
  return text;
}

/// A sequence of sentences with nested arguments.
Message sentence_row() {
  Message message(msg::with_parentheses, Message(msg::the_mean_of_of_steps, "4", "6"), "#1");
  message.then(msg::record_longer);
  return message.then("verbatim");
}

}  // namespace

TEST_CASE("slots take arguments in the order of the language") {
  const Message mean(msg::the_mean_of_of_steps, "4", "6");
  CHECK(mean.str() == "the mean of 4 of 6 steps");
  CHECK(mean.str(Language::japanese) == "6 ステップ中 4 ステップの平均");
  CHECK(mean.str(Language::chinese) == "6 个步骤中 4 个的平均");
  CHECK(mean.id() == msg::the_mean_of_of_steps);
  CHECK_FALSE(mean.is_verbatim());
  CHECK(mean.parts() == std::vector<Message>{"4", "6"});
}

TEST_CASE("arguments that are messages are translated, others are not") {
  const Message cause(msg::with_parentheses, msg::word_data_loading, "data loading");
  CHECK(cause.str() == "data loading (data loading)");
  CHECK(cause.str(Language::japanese) == "データ読み込み（data loading）");
  CHECK(cause.str(Language::chinese) == "数据加载（data loading）");
  const Message deeper(msg::with_colon, cause, Message(msg::step_named, "3"));
  CHECK(deeper.str() == "data loading (data loading): step 3");
  CHECK(deeper.str(Language::chinese) == "数据加载（data loading）：第 3 步");
}

TEST_CASE("a slot without an argument remains, and arguments without a slot are left out") {
  CHECK(Message(msg::with_colon, "a").str() == "a: {1}");
  CHECK(Message(msg::step_named, "a", "b").str() == "step a");
  CHECK(Message(msg::with_parentheses, "", "b").str() == " (b)");
  CHECK(kino::filled_form("{1} {0} {2}", {"a", "b"}) == "b a {2}");
}

TEST_CASE("consecutive sentences have spaces between them in English only") {
  Message row = msg::record_longer;
  row.then(msg::look_at_the_worst_example);
  CHECK(row.str() == "Record longer. Check the worst example.");
  CHECK(row.str(Language::japanese) == "もっと長く記録してください。最も悪い例を確認してください。");
  CHECK(row.str(Language::chinese) == "请记录更长时间。请查看最严重的示例。");
  CHECK(row.parts() == std::vector<Message>{msg::record_longer, msg::look_at_the_worst_example});
  CHECK_FALSE(row.id().has_value());
  CHECK_FALSE(row.is_verbatim());
  CHECK(kino::joined_sentences({msg::record_longer, {}, msg::look_at_the_worst_example}) == row);
  const Message twice = Message(row).then(row);
  CHECK(twice == row.str() + " " + row.str());
}

TEST_CASE("empty messages have no text, and appending them changes nothing") {
  CHECK(Message().empty());
  CHECK(Message("").empty());
  CHECK(Message(msg::nothing).empty());
  CHECK(Message().str().empty());
  CHECK(Message().is_verbatim());
  CHECK(Message().parts().empty());
  CHECK(Message().then({}).empty());
  const Message one = msg::record_longer;
  CHECK(Message(one).then({}).packed() == one.packed());
  CHECK(Message().then(one).packed() == one.packed());
  CHECK(kino::comma_list({}).empty());
}

TEST_CASE("verbatim text is unchanged, whatever it contains") {
  const std::string text = "a\n\t\x1b[31m{0} {1} \xff\0 v\x01\0\0\0m"s;
  const Message name(text);
  CHECK(name.is_verbatim());
  CHECK_FALSE(name.id().has_value());
  CHECK(name.parts().empty());
  for (const Language language : kLanguages) CHECK(name.str(language) == text);
  CHECK(Message(msg::with_colon, text, "{0}").str() == text + ": {0}");
  CHECK(Message(msg::with_colon, text, "{0}").parts() == std::vector<Message>{text, "{0}"});
}

TEST_CASE("lists are joined by the comma of the language") {
  const Message list = kino::comma_list({"a", msg::word_copies, "c"});
  CHECK(list.str() == "a, copies, c");
  CHECK(list.str(Language::japanese) == "a、コピー、c");
  CHECK(kino::comma_list({"a"}) == "a");
}

TEST_CASE("messages are equal if they read the same in English") {
  CHECK(Message(msg::word_copies) == Message("copies"));
  CHECK(Message(msg::word_copies) == "copies");
  CHECK(Message(msg::word_copies) == std::string_view("copies"));
  CHECK_FALSE(Message(msg::word_copies) == Message(msg::recompute));
  std::ostringstream out;
  out << Message(msg::word_copies);
  CHECK(out.str() == "copies");
  const std::vector<Message> both{msg::word_copies, "b"};
  CHECK(kino::english_texts(both) == std::vector<std::string>{"copies", "b"});
}

TEST_CASE("a stored form is read as the message, and one truncated at any byte as a part of it") {
  const Message whole = sentence_row();
  CHECK(read_all(whole.packed()) == "the mean of 4 of 6 steps (#1) Record longer. verbatim");
  for (std::size_t length = 0; length < whole.packed().size(); ++length)
    CHECK(read_all(whole.packed().substr(0, length)).empty());
  // The last sentence lacks its end, although the length of the sequence is correct.
  std::string cut = whole.packed();
  cut.pop_back();
  const auto length = static_cast<std::uint32_t>(cut.size() - 1 - sizeof(std::uint32_t));
  std::memcpy(cut.data() + 1, &length, sizeof(length));
  CHECK(read_all(cut) == "the mean of 4 of 6 steps (#1) Record longer.");
}

TEST_CASE("a stored form with any byte changed is read without an error") {
  const std::string packed = sentence_row().packed();
  for (std::size_t i = 0; i < packed.size(); ++i) {
    for (int byte = 0; byte < 256; ++byte) {
      std::string changed = packed;
      changed[i] = static_cast<char>(byte);
      static_cast<void>(read_all(std::move(changed)));
    }
  }
}

TEST_CASE("unknown tags, ids and lengths have no text") {
  std::string tag = Message("name").packed();
  tag[0] = 'x';
  CHECK(read_all(tag).empty());
  std::string id = Message(msg::record_longer).packed();
  const std::uint16_t beyond = std::numeric_limits<std::uint16_t>::max();
  std::memcpy(id.data() + 1 + sizeof(std::uint32_t), &beyond, sizeof(beyond));
  CHECK(read_all(id).empty());
  std::string size = Message("name").packed();
  const std::uint32_t most = std::numeric_limits<std::uint32_t>::max();
  std::memcpy(size.data() + 1, &most, sizeof(most));
  CHECK(read_all(size).empty());
}

TEST_CASE("messages that are nested too deeply are truncated") {
  constexpr int kDepth = 2000;
  Message deep("end");
  for (int i = 0; i < kDepth; ++i) deep = Message(msg::step_named, deep);
  const std::string text = read_all(deep.packed());
  CHECK(text.starts_with("step step step"));
  CHECK(text.find("end") == std::string::npos);
  CHECK(text.size() < std::size_t{kDepth});
}

TEST_CASE("ids of the catalogue are unique, and its texts have no spaces at the ends") {
  std::set<std::string_view> ids;
  for (const CatalogueRow& row : kRows) {
    CHECK_MESSAGE(ids.insert(row.id).second, row.id);
    CHECK_MESSAGE(row.texts[0].empty() == (row.id == "nothing"), row.id);
    for (const std::string_view text : row.texts)
      CHECK_MESSAGE((!text.starts_with(' ') && !text.ends_with(' ')), row.id);
  }
  CHECK(ids.size() == kino::message_count());
}

TEST_CASE("every message has a translation, unless only terminals show it") {
  const std::set<std::string_view> terminal(std::begin(kTerminalIds), std::end(kTerminalIds));
  for (std::size_t i = 0; i < kino::message_count(); ++i) {
    const CatalogueRow& row = kRows[i];
    const bool english_only = terminal.contains(row.id) || row.id == "nothing";
    for (const Language language : {Language::japanese, Language::chinese}) {
      const std::string_view text = row.texts.at(static_cast<std::size_t>(language));
      CHECK_MESSAGE(text.empty() == english_only, row.id);
      CHECK(kino::message_form(static_cast<msg::Id>(i), language) == (text.empty() ? row.texts[0] : text));
    }
  }
}

TEST_CASE("a message has the same slots in all languages, each once and from 0 on") {
  for (const CatalogueRow& row : kRows) {
    const std::multiset<char> slots = slots_of(row.texts[0]);
    char next = '0';
    for (const char slot : slots) CHECK_MESSAGE(slot == next++, row.id);
    for (const std::string_view text : row.texts)
      CHECK_MESSAGE((text.empty() || slots_of(text) == slots), row.id);
  }
}

TEST_CASE("a message that was written as English is recognized with its arguments") {
  constexpr std::array kIds{kino::msg::nvtx_ranges_without_an_end_are,
                            kino::msg::cpu_samples_typically_one_each_how};
  for (const kino::Message& message :
       {kino::Message(kIds[0], "1 234"), kino::Message(kIds[1], "7", "1.2 ms")}) {
    const kino::Message read = kino::read_back(message.str(), kIds);
    CHECK(read.id() == message.id());
    CHECK(read.packed() == message.packed());
  }
  CHECK(kino::read_back("NVTX ranges without an end were skipped.", kIds).is_verbatim());
  CHECK(kino::read_back("Something else", kIds) == "Something else");
  CHECK(kino::read_back("", kIds).empty());
}
