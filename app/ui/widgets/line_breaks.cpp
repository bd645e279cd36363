#include "app/ui/widgets/line_breaks.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include <imgui.h>

#include "core/base/ascii.hpp"

namespace kino {
namespace {

struct Character {
  char32_t code = 0;
  std::size_t bytes = 1;
};

Character character_at(std::string_view text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  if (lead < 0xC2) return {lead, 1};
  const std::size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  char32_t code = lead & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if (at + i >= text.size() || !continues_character(text[at + i])) return {0xFFFD, i};
    code = (code << 6U) | (static_cast<unsigned char>(text[at + i]) & 0x3FU);
  }
  return {code, length};
}

/// Whether lines may be broken on both sides of the character: kana, ideographs and their punctuation.
bool breaks_beside(char32_t code) { return code >= 0x2E80 && code != 0xFFFD; }

bool may_end_line(char32_t code) {
  constexpr std::u32string_view kOpening = U"(（「『【《〈［｛“‘";
  return kOpening.find(code) == std::u32string_view::npos;
}

bool may_begin_line(char32_t code) {
  constexpr std::u32string_view kClosing =
      U").,:;!?%、。，．：；！？）」』】》〉］｝”’…ー々ぁぃぅぇぉっゃゅょァィゥェォッャュョ";
  return kClosing.find(code) == std::u32string_view::npos;
}

/// Whether the text continues a number: with a group of three digits, a unit, or a Chinese or Japanese word.
bool continues_number(std::string_view rest) {
  constexpr std::array<std::string_view, 29> kUnits{
      "%",   "×",    "ns",   "us",   "µs",     "μs",  "ms",  "s",   "min", "h",
      "d",   "B",    "kB",   "KB",   "MB",     "GB",  "TB",  "KiB", "MiB", "GiB",
      "TiB", "MB/s", "GB/s", "TB/s", "GFLOPs", "kHz", "MHz", "GHz", "W"};
  if (rest.size() >= 3 && std::ranges::all_of(rest.substr(0, 3), is_digit))
    return rest.size() == 3 || !is_digit(rest[3]);
  if (breaks_beside(character_at(rest, 0).code)) return true;
  std::string_view word = rest.substr(0, rest.find_first_of(" \n"));
  while (!word.empty() && std::string_view(".,:;)").find(word.back()) != std::string_view::npos)
    word.remove_suffix(1);
  return std::ranges::find(kUnits, word) != kUnits.end() || word.ends_with("FLOP/s") ||
         word.ends_with("FLOPs");
}

bool is_blank(char32_t code) { return code == ' ' || code == '\t'; }

/// Position in the text, and the width of the paragraph before it.
struct Place {
  std::size_t at = 0;
  double width = 0;
};

/// Breaks one paragraph, character by character.
class Breaker {
 public:
  Breaker(std::string_view text, float width, const std::function<float(char32_t)>& advance_of,
          std::string& broken)
      : text_(text), width_(width), advance_of_(advance_of), broken_(broken) {}

  void run() {
    char32_t previous = 0;
    while (now_.at < text_.size()) {
      const Character next = character_at(text_, now_.at);
      note_break_before(next.code, previous);
      const double advance = std::max(0.0F, advance_of_(next.code));
      while (!is_blank(next.code) && now_.at > line_.at && now_.width + advance - line_.width > width_)
        end_line();
      now_.at += next.bytes;
      now_.width += advance;
      if (!is_blank(next.code)) content_end_ = now_.at;
      previous = next.code;
    }
    broken_ += text_.substr(line_.at);
  }

 private:
  /// Notes that the line may be broken before the current character, if so.
  void note_break_before(char32_t next, char32_t previous) {
    if (previous == 0 || is_blank(next) || content_end_ <= line_.at) return;
    if (is_blank(previous)) {
      const bool number = is_digit(text_[content_end_ - 1]);
      if (number && continues_number(text_.substr(now_.at))) return;
    } else if (!breaks_beside(next) && !breaks_beside(previous)) {
      constexpr std::u32string_view kSoft = U"(,=/_;&|";
      if (kSoft.find(previous) != std::u32string_view::npos) soft_ = now_;
      return;
    } else if (!may_end_line(previous) || !may_begin_line(next)) {
      return;
    }
    break_ = now_;
    break_end_ = content_end_;
  }

  void end_line() {
    Place from = now_;
    std::size_t end = now_.at;
    if (break_.at > line_.at) {
      from = break_;
      end = break_end_;
    } else if (soft_.at > line_.at) {
      from = soft_;
      end = soft_.at;
    }
    broken_ += text_.substr(line_.at, end - line_.at);
    broken_ += '\n';
    line_ = from;
  }

  std::string_view text_;
  double width_;
  const std::function<float(char32_t)>& advance_of_;
  std::string& broken_;
  Place now_;
  Place line_;                   // start of the line
  Place break_;                  // last place between words
  Place soft_;                   // last place after punctuation inside a word
  std::size_t break_end_ = 0;    // end of the text before break_, without spaces
  std::size_t content_end_ = 0;  // end of the last character that is not a space
};

}  // namespace

std::string with_line_breaks(std::string_view text, float width,
                             const std::function<float(char32_t)>& advance_of) {
  std::string broken;
  broken.reserve(text.size() + text.size() / 16);
  while (true) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    Breaker(text.substr(0, end), width, advance_of, broken).run();
    if (end == text.size()) return broken;
    broken += '\n';
    text.remove_prefix(end + 1);
  }
}

std::string with_line_breaks(std::string_view text, float width) {
  const ImFont& font = *ImGui::GetFont();
  const float scale = ImGui::GetFontSize() / font.FontSize;
  return with_line_breaks(text, width, [&](char32_t code) {
    return code <= 0xFFFF ? font.GetCharAdvance(static_cast<ImWchar>(code)) * scale
                          : font.FallbackAdvanceX * scale;
  });
}

}  // namespace kino
