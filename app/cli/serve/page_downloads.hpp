// Sends the files that the user saves to the page, which offers them as downloads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <string>

#include "app/cli/serve/session_channel.hpp"
#include "app/cli/serve/session_folder.hpp"
#include "app/system/file_downloads.hpp"
#include "core/base/platform/descriptor.hpp"

namespace kino {

/// Sends one file at a time, in pieces that the page acknowledges, so that frames are sent between them.
/// Each file is removed when the page has received it. If the connection is lost, the next page receives the
/// whole file. UI thread only.
class PageDownloads final : public FileDownloads {
 public:
  static constexpr std::size_t kPieceBytes = std::size_t{64} << 10;
  static constexpr int kMostPiecesOnTheWay = 4;  // a larger number would delay frames
  /// The page needs the memory for the whole file.
  static constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;

  /// Until its destruction, the object receives the files of the process, which are written to `folder`. Both
  /// arguments must outlive it.
  PageDownloads(SessionChannel& channel, SessionFolder& folder);
  PageDownloads(const PageDownloads&) = delete;
  PageDownloads& operator=(const PageDownloads&) = delete;
  ~PageDownloads() override;

  std::filesystem::path path_for(const std::string& name) override { return folder_.path_for(name); }
  /// Shows a toast if the file is too large or cannot be read.
  void add(const std::filesystem::path& path) override;
  void add_picture(const std::string& name, const PictureArea& area) override;

  /// The page has acknowledged a piece.
  void acknowledged();
  /// The page has gone.
  void detach() { attached_ = false; }
  /// There is another page.
  void attach();

 private:
  struct Download {
    std::filesystem::path path;
    Descriptor file;
    std::uint64_t size = 0;
  };

  void begin();
  void send_pieces();
  void finish();

  SessionChannel& channel_;
  SessionFolder& folder_;
  std::deque<Download> downloads_;  // the first is being sent
  std::uint64_t offset_ = 0;        // of the next piece
  int on_the_way_ = 0;              // pieces that the page has not acknowledged
  bool attached_ = true;
};

}  // namespace kino
