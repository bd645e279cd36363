// Writes the HTML report of a file: runs this program's command `report` in the background.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

namespace kino {

/// Writes one report at a time. The report is made by another process, since its picture of the timeline
/// needs a second Dear ImGui context, and since its memory is released at the end. UI thread only.
class ReportExport {
 public:
  /// `wake` is called from another thread when a report is finished.
  explicit ReportExport(std::function<void()> wake) : wake_(std::move(wake)) {}
  ReportExport(const ReportExport&) = delete;
  ReportExport& operator=(const ReportExport&) = delete;
  ~ReportExport() = default;

  /// Lets the user choose a path, then writes the report of `source`: a trace, a snapshot, a flight recorder
  /// dump or a folder of a job. If another report is being written when the user has chosen, writes nothing.
  void save(const std::filesystem::path& source);
  /// Called once per frame: shows the result as a toast.
  void update();

 private:
  struct Outcome {
    bool written = false;
    std::filesystem::path out;
    std::string printed;  // messages of the command
  };

  void start(const std::filesystem::path& source, const std::filesystem::path& out);

  std::function<void()> wake_;
  bool running_ = false;
  std::mutex mutex_;
  std::optional<Outcome> outcome_;                                          // guarded by mutex_
  std::shared_ptr<const bool> asker_ = std::make_shared<const bool>(true);  // expires with this object
  std::jthread worker_;  // last: joined before the members it writes are destroyed
};

}  // namespace kino
