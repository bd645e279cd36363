// Copies a text that takes a while to make, or saves it to a file that the user chooses.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "app/system/background_result.hpp"
#include "app/system/file_downloads.hpp"
#include "core/base/result.hpp"
#include "core/base/worker_pool.hpp"

namespace kino {

/// Duration for which the result of an export is shown.
inline constexpr std::chrono::seconds kMessageTime{6};

/// Runs one export at a time; a new export replaces a running one. UI thread only.
class TextExport {
 public:
  /// Makes the text. Called on the pool; owns its input.
  using Make = std::function<Result<std::string>(const std::stop_token&)>;

  TextExport(std::filesystem::path file, WorkerPool& pool, std::function<void()> wake)
      : file_(std::move(file)), pool_(pool), wake_(std::move(wake)) {}

  void copy(Make make);
  /// Lets the user choose a path, suggesting "<file's name><middle><extension>", then makes and saves the
  /// text.
  void save(Make make, std::string_view middle, std::string_view extension);
  /// For a window in a browser: downloads a PNG file of the frame that is being rendered, as it is at the
  /// next Gpu::mark_pixels().
  void download_picture(const PictureArea& area, std::string_view middle);
  /// Called once per frame. When a copy has ended, puts its text on the clipboard. Reports the result of an
  /// export (the saved path, or the problem) in message(). Returns true if there is a new result.
  bool update();
  bool running() const { return export_.running(); }
  /// Result of the last export as a sentence.
  const std::string& message() const { return message_; }
  /// Whether message() is recent enough to show.
  bool tells() const;
  /// Ends the display of message(), which belongs to content that is no longer shown.
  void hide_message() { shown_until_ = {}; }
  /// Whether the last export failed.
  bool failed() const { return failed_; }

 private:
  // ImGui's clock does not count the time between frames in full.
  using Clock = std::chrono::steady_clock;

  struct Exported {
    bool saved = false;
    std::string text;  // text to copy, or path of the saved file
    Message problem;   // reason why the export failed
  };

  void save_as(const std::filesystem::path& chosen, Make make);

  std::filesystem::path file_;
  WorkerPool& pool_;
  std::function<void()> wake_;
  BackgroundResult<Exported> export_;
  std::string message_;
  bool failed_ = false;
  Clock::time_point shown_until_;
  std::shared_ptr<const bool> asker_ = std::make_shared<const bool>(true);  // expires with this object
};

}  // namespace kino
