// Options for the appearance of the window, or of a picture of it.
#pragma once

#include <optional>
#include <string>

#include "app/ui/text/texts.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): the library has this name
class App;
}

namespace kino {

struct PixelSize {
  int width = 1600;
  int height = 900;
  bool operator==(const PixelSize&) const = default;
};

/// --size, --scale, --language and --theme.
struct PictureOptions {
  std::optional<PixelSize> size;
  std::optional<float> scale;  ///< 1 is 96 dpi
  std::optional<Language> language;
  std::optional<bool> dark;

  void add_to(CLI::App& app, const std::string& size_about);
};

}  // namespace kino
