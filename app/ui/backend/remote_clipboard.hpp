// The clipboard of a browser's page, as Dear ImGui uses it.
#pragma once

#include <functional>
#include <string>
#include <utility>

namespace kino {

/// Replaces the clipboard of the current ImGui context, which must not use it after the object is destroyed.
/// UI thread only. A page can only read the browser's clipboard when the user pastes, so it passes the text
/// then.
class RemoteClipboard {
 public:
  /// `copied` receives each text that the interface copies.
  explicit RemoteClipboard(std::function<void(const std::string&)> copied);
  RemoteClipboard(const RemoteClipboard&) = delete;
  RemoteClipboard& operator=(const RemoteClipboard&) = delete;
  ~RemoteClipboard() = default;

  void set(std::string text) { text_ = std::move(text); }

 private:
  static const char* read(void* clipboard);
  static void write(void* clipboard, const char* text);

  std::string text_;
  std::function<void(const std::string&)> copied_;
};

}  // namespace kino
