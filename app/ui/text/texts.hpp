// Every text of the window in every language: the rows of texts_*.def.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/messages/message.hpp"

namespace kino {

enum class Text : std::uint16_t {
#define KINO_TEXT(name, english, japanese, chinese) name,
#include "app/ui/text/texts.def"
#undef KINO_TEXT
};

/// The text in the language in use, null-terminated. Slots are {0}, {1}: see filled().
const char* tr(Text text);
const char* tr(Text text, Language language);
/// The text with its slots filled. Their order depends on the language.
std::string filled(Text text, std::initializer_list<std::string_view> slots);
/// `one` or `several` with the number in slot 0: "1 track", "2 345 tracks".
std::string counted(Text one, Text several, std::uint64_t count);

/// The message in the language in use. UI thread only. The deleted overloads prevent passing names, which are
/// not translated.
std::string in_language(const Message& message);
std::string in_language(const std::string&) = delete;
std::string in_language(std::string_view) = delete;
std::string in_language(const char*) = delete;

std::size_t text_count();
const char* name_of(Text text);

/// UI thread only.
Language language();
void set_language(Language language);
/// Language of the system's locale: the first supported language of LANGUAGE, else of LC_ALL, LC_MESSAGES or
/// LANG; English otherwise.
Language system_language();
/// Parses "en", "ja" or "zh", as in the settings; nullopt otherwise.
std::optional<Language> language_from_code(std::string_view code);
const char* code_of(Language language);
/// Language for fontconfig, which has several fonts for the same characters: "en", "ja", "zh-cn".
const char* font_language_of(Language language);

}  // namespace kino
