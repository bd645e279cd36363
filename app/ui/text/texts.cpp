#include "app/ui/text/texts.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "core/base/messages/message.hpp"
#include "core/base/time_text.hpp"

namespace kino {
namespace {

struct Entry {
  const char* name;
  std::array<const char*, kLanguageCount> texts;
};

constexpr Entry kTexts[] = {
#define KINO_TEXT(name, english, japanese, chinese) {#name, {english, japanese, chinese}},
#include "app/ui/text/texts.def"
#undef KINO_TEXT
};

// Global like ImGui's context, since every panel reads texts.
Language current = Language::english;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

struct Code {
  Language language;
  const char* code;
  const char* font;
};
constexpr std::array<Code, kLanguageCount> kCodes = {
    {{Language::english, "en", "en"}, {Language::japanese, "ja", "ja"}, {Language::chinese, "zh", "zh-cn"}}};

/// Returns the language of a locale such as "ja_JP.UTF-8" or "zh-Hans".
std::optional<Language> language_of_locale(std::string_view locale) {
  const std::string_view code = locale.substr(0, locale.find_first_of("_-.@"));
  return language_from_code(code);
}

std::string_view locale_variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : value;
}

}  // namespace

const char* tr(Text text) { return tr(text, current); }

const char* tr(Text text, Language language) {
  return kTexts[static_cast<std::size_t>(text)].texts[static_cast<std::size_t>(language)];
}

std::string filled(Text text, std::initializer_list<std::string_view> slots) {
  return filled_form(tr(text), slots);
}

std::string filled(const std::string& text, std::initializer_list<std::string_view> slots) {
  return filled_form(text, slots);
}

std::string counted(Text one, Text several, std::uint64_t count) {
  return filled(count == 1 ? one : several, {grouped(count)});
}

std::string in_language(const Message& message) { return message.str(language()); }

std::size_t text_count() { return std::size(kTexts); }

const char* name_of(Text text) { return kTexts[static_cast<std::size_t>(text)].name; }

Language language() { return current; }

void set_language(Language language) { current = language; }

Language system_language() {
  std::string_view list = locale_variable("LANGUAGE");
  while (!list.empty()) {
    const std::size_t colon = std::min(list.find(':'), list.size());
    if (const auto known = language_of_locale(list.substr(0, colon))) return *known;
    list.remove_prefix(std::min(colon + 1, list.size()));
  }
  for (const char* name : {"LC_ALL", "LC_MESSAGES", "LANG"}) {
    const std::string_view locale = locale_variable(name);
    if (!locale.empty()) return language_of_locale(locale).value_or(Language::english);
  }
  return Language::english;
}

std::optional<Language> language_from_code(std::string_view code) {
  const auto found = std::ranges::find(kCodes, code, &Code::code);
  return found == kCodes.end() ? std::nullopt : std::optional(found->language);
}

const char* code_of(Language language) { return kCodes[static_cast<std::size_t>(language)].code; }

const char* font_language_of(Language language) { return kCodes[static_cast<std::size_t>(language)].font; }

}  // namespace kino
