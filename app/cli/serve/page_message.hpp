// Messages of the page. Anyone who knows the token can send them, so every value is checked.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/serve/page_uploads.hpp"
#include "app/ui/backend/remote_input.hpp"

namespace kino {

/// Size of the page's canvas in device pixels, and device pixels per CSS pixel.
struct PageSize {
  int width = 1600;
  int height = 900;
  float ratio = 1;
  bool operator==(const PageSize&) const = default;
};

/// The first message of a page.
struct PageHello {
  unsigned version = 0;  ///< kFrameVersion of the page
  std::string token;
  std::string session;  ///< id of the session to continue; empty: a new one
  PageSize size;
  int largest_texture = 2048;
  std::string language;           ///< of the browser, such as "ja-JP"
  std::vector<std::string> open;  ///< files to open; empty: those of the command line
};
/// Returns nullopt if the text is not a valid hello.
std::optional<PageHello> parse_hello(std::string_view text);

/// Any other message.
struct PageMessage {
  enum class Kind { input, size, acknowledged, visible, hidden, pasted, resend, received, upload, cancel };
  Kind kind = Kind::input;
  PageSize size;
  std::string text;       ///< pasted
  UploadRequest request;  ///< of an upload
};
/// Parses a message, and passes input to `input`. Returns nullopt if the message is invalid.
std::optional<PageMessage> parse_page_message(std::string_view text, RemoteInput& input);

}  // namespace kino
