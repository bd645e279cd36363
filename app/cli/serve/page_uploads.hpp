// Receives the files that the user drops on the page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/serve/session_channel.hpp"
#include "app/cli/serve/session_folder.hpp"
#include "core/base/platform/descriptor.hpp"

namespace kino {

/// A file that the page wants to upload.
struct UploadRequest {
  std::string name;
  std::uint64_t bytes = 0;
  bool last = true;  ///< whether no more files of the same drop follow
};

/// Receives one file at a time, in pieces. The answers to the page are {"t":"upload","state":STATE}: "send"
/// if the file may be sent, "taken" after each piece, "done" after the file, "limit" and "failed". Files
/// remain until the end of the session. UI thread only.
class PageUploads {
 public:
  /// Accepts `most_bytes` in total. Both other arguments must outlive the object.
  PageUploads(SessionChannel& channel, SessionFolder& folder, std::uint64_t most_bytes)
      : channel_(channel), folder_(folder), left_bytes_(most_bytes) {}

  /// Begins a file. An incomplete file is removed.
  void begin(const UploadRequest& request);
  /// Writes the next piece of the file. Ignored if no file is being received.
  void take(std::string_view piece);
  /// Removes an incomplete file, and the others of the same drop.
  void cancel();
  /// Returns the files of a drop, once, when all are complete.
  std::vector<std::filesystem::path> take_complete();

 private:
  void answer(std::string_view state);
  void fail(std::string_view state);
  void complete();
  void remove_incomplete();

  SessionChannel& channel_;
  SessionFolder& folder_;
  std::uint64_t left_bytes_;           // that the session still accepts
  std::filesystem::path drop_folder_;  // of the files that are dropped together; empty: none
  std::filesystem::path path_;         // of the file that is being received; empty: none
  Descriptor file_;
  std::uint64_t size_ = 0;
  std::uint64_t received_ = 0;
  std::uint64_t drop_bytes_ = 0;  // of the complete files of the drop
  bool last_ = true;
  std::vector<std::filesystem::path> complete_;
  bool all_complete_ = false;
};

}  // namespace kino
