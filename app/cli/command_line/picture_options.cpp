#include "app/cli/command_line/picture_options.hpp"

#include <charconv>
#include <string_view>
#include <system_error>

#include <CLI/CLI.hpp>

#include "app/cli/command_line/choices.hpp"

namespace kino {
namespace {

constexpr int kSmallestPicture = 64;
constexpr int kLargestPicture = 16384;

std::optional<PixelSize> size_from_text(std::string_view text) {
  PixelSize size;
  const char* end = text.data() + text.size();
  const auto width = std::from_chars(text.data(), end, size.width);
  if (width.ec != std::errc() || width.ptr == end || *width.ptr != 'x') return std::nullopt;
  const auto height = std::from_chars(width.ptr + 1, end, size.height);
  if (height.ec != std::errc() || height.ptr != end) return std::nullopt;
  const auto fits = [](int length) { return length >= kSmallestPicture && length <= kLargestPicture; };
  if (!fits(size.width) || !fits(size.height)) return std::nullopt;
  return size;
}

std::string size_problem(const std::string& text) {
  return size_from_text(text) ? std::string() : "needs WIDTHxHEIGHT between 64x64 and 16384x16384";
}

}  // namespace

void PictureOptions::add_to(CLI::App& app, const std::string& size_about) {
  app.add_option_function<std::string>(
         "--size", [this](const std::string& text) { size = size_from_text(text); }, size_about)
      ->type_name("WxH")
      ->check(size_problem);
  app.add_option("--scale", scale, "Scale of the interface from 0.5 to 4; 1 is 96 dpi")
      ->check(CLI::Range(0.5, 4.0).description(""))
      ->type_name("NUMBER");
  add_choice(
      app, "--language", language,
      {{"en", language_from_code("en")}, {"ja", language_from_code("ja")}, {"zh", language_from_code("zh")}},
      "Language of the interface");
  add_choice(app, "--theme", dark, {{"dark", true}, {"light", false}}, "Colors of the interface");
}

}  // namespace kino
