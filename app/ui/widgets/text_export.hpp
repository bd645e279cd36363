// Puts a text that takes a while to make on the clipboard, or into a file where the person says.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "app/system/background_result.hpp"
#include "core/base/result.hpp"
#include "core/base/worker_pool.hpp"

namespace kino {

/// How long a message about what became of an export is shown.
inline constexpr double kToldSeconds = 6;

/// One at a time; the newest wins. UI thread only, but for what makes the text.
class TextExport {
 public:
  /// Called on the pool; owns what it reads.
  using Make = std::function<Result<std::string>(const std::stop_token&)>;

  /// `pool` must outlive it; `wake` is called from a worker when there is news.
  TextExport(std::filesystem::path file, WorkerPool& pool, std::function<void()> wake)
      : file_(std::move(file)), pool_(pool), wake_(std::move(wake)) {}

  void copy(Make make);
  /// Asks where, suggesting "<file's name><middle><extension>", and makes the text then.
  void save(Make make, std::string_view middle, std::string_view extension);
  /// Once a frame: puts what is ready on the clipboard, or tells in message() where it is. True when there is
  /// news.
  bool update();
  bool running() const { return export_.running(); }
  /// What became of the last one, and whether that is news.
  const std::string& message() const { return message_; }
  bool tells() const;
  /// Whether the last one could not be saved.
  bool failed() const { return failed_; }

 private:
  struct Exported {
    bool saved = false;
    std::string text;  // to be copied, or the path
    Message problem;   // why it is not saved
  };

  void save_as(const std::filesystem::path& chosen, Make make);

  std::filesystem::path file_;
  WorkerPool& pool_;
  std::function<void()> wake_;
  BackgroundResult<Exported> export_;
  std::string message_;
  bool failed_ = false;
  double told_at_ = -10;
  std::shared_ptr<const bool> asker_ = std::make_shared<const bool>(true);  // gone with this
};

}  // namespace kino
