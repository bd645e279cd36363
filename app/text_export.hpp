// Puts a text that takes a while to make on the clipboard, or into a new file beside the one it is of.
#pragma once

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <utility>

#include "app/background_result.hpp"
#include "core/worker_pool.hpp"

namespace kino {

/// How long a message about what became of an export is shown.
inline constexpr double kToldSeconds = 6;

/// One at a time; the newest wins. UI thread only, but for what makes the text.
class TextExport {
 public:
  /// Called on the pool; owns what it reads.
  using Make = std::function<std::string(const std::stop_token&)>;

  /// `pool` must outlive it; `wake` is called from a worker when there is news.
  TextExport(std::filesystem::path file, WorkerPool& pool, std::function<void()> wake)
      : file_(std::move(file)), pool_(pool), wake_(std::move(wake)) {}

  void copy(Make make);
  /// As "<file's name><middle><extension>"; see write_file_beside().
  void save(Make make, std::string middle, std::string extension);
  /// Once a frame: puts what is ready on the clipboard, or tells where it is.
  void update();
  bool running() const { return export_.running(); }
  /// What became of the last one, and whether that is news.
  const std::string& message() const { return message_; }
  bool tells() const;

 private:
  struct Exported {
    bool saved = false;
    std::string text;     // to be copied, or the path
    std::string problem;  // why it is not saved
  };

  std::filesystem::path file_;
  WorkerPool& pool_;
  std::function<void()> wake_;
  BackgroundResult<Exported> export_;
  std::string message_;
  double told_at_ = -10;
};

}  // namespace kino
