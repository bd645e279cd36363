#include "app/cli/command_line/cut_file.hpp"

#include <cstdio>

#include "core/base/terminal_text.hpp"

namespace kino {

std::optional<std::string> truncation_sentence(const DamageLog& damage) {
  const Damage* const cut = damage.cut();
  if (cut == nullptr) return std::nullopt;
  if (cut->reason == DamageReason::gzip_checksum)
    return "The file is damaged: " + std::string(english(text_of(cut->reason))) + "; the whole file is used";
  std::string sentence = "The file is truncated: " + std::string(english(text_of(cut->reason)));
  if (cut->first_offset != kNoOffset && cut->reason != DamageReason::truncated_gzip)
    sentence += ", at byte " + std::to_string(cut->first_offset);
  return sentence + "; the part before is used";
}

bool rejects_truncated(const DamageLog& damage, std::string_view file, bool strict) {
  const std::optional<std::string> sentence = truncation_sentence(damage);
  if (!sentence) return false;
  const std::string text = strict ? sentence->substr(0, sentence->rfind(';')) : *sentence;
  std::fprintf(stderr, "kinetoscope: %s%s: %s\n", strict ? "" : "warning: ", escaped(text).c_str(),
               escaped(file).c_str());
  return strict;
}

}  // namespace kino
