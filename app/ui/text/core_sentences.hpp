// What core says in tables (titles, definitions, notes, findings), in the language of the interface.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "app/ui/text/texts.hpp"
#include "core/base/messages/message.hpp"
#include "core/tables/table.hpp"

namespace kino {

/// A text of core in another language: as core_sentences.def has it, with its slots filled; what stands in a
/// slot is translated, too, if it is such a text. Several sentences in a row are translated one by one.
/// nullopt when the list does not have it. O(sentences), O(1) for those without slots.
std::optional<std::string> core_sentence(std::string_view english, Language language);
/// The sentence in the language of the interface; English where it is not known. UI thread only.
std::string in_language(const Message& message);

/// Whether cells of a column may be words of core; the others are names of the file.
bool says_words(const TableColumn& column);
/// The text of a cell as people read it: in their language when it is core's. UI thread only.
std::string shown_cell(const TableColumn& column, std::string_view english);

/// For tests, and for the fonts that must have their characters.
std::size_t core_sentence_count();
std::string_view core_sentence_text(std::size_t index, Language language);

}  // namespace kino
