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

/// Returns the text in the language in use, null-terminated. filled() replaces its slots {0}, {1}.
const char* tr(Text text);
const char* tr(Text text, Language language);
/// Returns the text with slot {i} replaced by `slots[i]`. The order of slots in the text depends on the
/// language.
std::string filled(Text text, std::initializer_list<std::string_view> slots);
std::string filled(const std::string& text, std::initializer_list<std::string_view> slots);
/// Returns `one` or `several` with the number in slot 0: "1 track", "2 345 tracks".
std::string counted(Text one, Text several, std::uint64_t count);

/// Returns the message in the language in use. UI thread only. The deleted overloads reject names from files,
/// which are not translated.
std::string in_language(const Message& message);
std::string in_language(const std::string&) = delete;
std::string in_language(std::string_view) = delete;
std::string in_language(const char*) = delete;

std::size_t text_count();
const char* name_of(Text text);

/// UI thread only.
Language language();
void set_language(Language language);
/// Returns the first supported language in LANGUAGE, else the language of the first of LC_ALL, LC_MESSAGES
/// and LANG that is set. English if that language is not supported, or if no variable is set.
Language system_language();
/// Parses "en", "ja" or "zh", as in the settings; nullopt for other codes.
std::optional<Language> language_from_code(std::string_view code);
const char* code_of(Language language);
/// Returns the language for fontconfig, which selects among fonts with the same characters: "en", "ja",
/// "zh-cn".
const char* font_language_of(Language language);

}  // namespace kino
