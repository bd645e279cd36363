// Covers: texts
#include "app/ui/text/texts.hpp"

#include <cstdlib>
#include <set>
#include <string>

#include <doctest/doctest.h>

#include "app/ui/text/model_texts.hpp"
#include "core/tables/gpu/time_base.hpp"

using namespace kino;

namespace {

constexpr Language kLanguages[] = {Language::english, Language::japanese, Language::chinese};

std::multiset<char> slots_of(std::string_view text) {
  std::multiset<char> slots;
  for (std::size_t i = 0; i + 2 < text.size(); ++i) {
    if (text[i] == '{' && text[i + 2] == '}') slots.insert(text[i + 1]);
  }
  return slots;
}

bool has_other_script(std::string_view text) {
  for (const char c : text) {
    if (static_cast<unsigned char>(c) >= 0xE3) return true;  // lead bytes of kana and Han in UTF-8
  }
  return false;
}

/// Sets the locale of the environment for one test.
class Locale {
 public:
  Locale(const char* list, const char* all, const char* lang) {
    set("LANGUAGE", list);
    set("LC_ALL", all);
    set("LC_MESSAGES", nullptr);
    set("LANG", lang);
  }
  Locale(const Locale&) = delete;
  Locale& operator=(const Locale&) = delete;
  ~Locale() {
    for (const char* name : {"LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"}) ::unsetenv(name);
  }

 private:
  static void set(const char* name, const char* value) {
    if (value == nullptr) {
      ::unsetenv(name);
    } else {
      ::setenv(name, value, 1);
    }
  }
};

}  // namespace

TEST_CASE("no text is missing in any language, and all languages use the same slots") {
  for (std::size_t i = 0; i < text_count(); ++i) {
    const auto text = static_cast<Text>(i);
    CAPTURE(name_of(text));
    const auto slots = slots_of(tr(text, Language::english));
    for (const Language language : kLanguages) {
      CHECK(!std::string_view(tr(text, language)).empty());
      CHECK(slots_of(tr(text, language)) == slots);
    }
    // English uses only characters of Latin fonts, so that no other font is needed.
    CHECK_FALSE(has_other_script(tr(text, Language::english)));
  }
}

TEST_CASE("slots are filled by number, in any order") {
  set_language(Language::english);
  CHECK(filled(Text::language_english, {"unused"}) == tr(Text::language_english));
  set_language(Language::japanese);
  CHECK(language() == Language::japanese);
  CHECK(std::string(tr(Text::language_english)) == tr(Text::language_english, Language::japanese));
  set_language(Language::english);
}

TEST_CASE("numbers select between singular and plural texts") {
  CHECK(counted(Text::header_track, Text::header_tracks, 1) == "1 track");
  CHECK(counted(Text::header_track, Text::header_tracks, 0) == "0 tracks");
  CHECK(counted(Text::header_track, Text::header_tracks, 12'345) == "12 345 tracks");
}

TEST_CASE("every kind and every damage has a text") {
  std::set<kino::msg::Id> kinds;
  for (int i = 0; i < kSliceKindCount; ++i) CHECK(kinds.insert(shown_name(static_cast<SliceKind>(i))).second);
  std::set<kino::msg::Id> reasons;
  for (int i = 0; i < kDamageReasonCount; ++i) {
    const auto reason = static_cast<DamageReason>(i);
    CHECK(reasons.insert(text_of(reason)).second);
  }
}

TEST_CASE("the window's sentence on events contains parts that add up to the total") {
  Trace trace;
  trace.counts[EventType::complete] = 1234;
  trace.counts[EventType::metadata] = 2;
  trace.counts[EventType::dropped] = 1;
  CHECK(events_text(trace) == "Events: 1 237 (slices: 1 234, metadata: 2, skipped: 1)");
}

TEST_CASE("texts about GPUs support other devices, and the lines of a TPU, in each language") {
  CHECK(with_device_word("GPU work of its stream", "TPU") == "TPU work of its line");
  CHECK(with_device_word("GPU work of its stream", "NPU") == "NPU work of its stream");
  for (const Language language : kLanguages) {
    for (const msg::Id id :
         {msg::pieces_of_gpu_work_that_overlap, msg::a_stream_runs_in_order_or_streams_share}) {
      const std::string words = with_device_word(Message(id).str(language), "TPU");
      CAPTURE(words);
      for (const char* stream : {"GPU", "stream", "ストリーム", "流"})
        CHECK(words.find(stream) == std::string::npos);
    }
  }
}

TEST_CASE("the system's locale selects the language") {
  const auto chosen = [](const char* list, const char* all, const char* lang) {
    const Locale locale(list, all, lang);
    return system_language();
  };
  CHECK(chosen(nullptr, nullptr, nullptr) == Language::english);
  CHECK(chosen(nullptr, nullptr, "ja_JP.UTF-8") == Language::japanese);
  CHECK(chosen(nullptr, "zh_CN.UTF-8", "ja_JP.UTF-8") == Language::chinese);
  CHECK(chosen(nullptr, "C.UTF-8", "ja_JP.UTF-8") == Language::english);
  CHECK(chosen("de:ja:en", nullptr, "de_DE.UTF-8") == Language::japanese);
  CHECK(chosen(nullptr, nullptr, "java_XX") == Language::english);
  CHECK(language_from_code("zh") == Language::chinese);
  CHECK_FALSE(language_from_code("").has_value());
  for (const Language language : kLanguages) CHECK(language_from_code(code_of(language)) == language);
}
