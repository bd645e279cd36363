// Files that the user saves in a window that a browser shows. They are downloaded by the browser.
#pragma once

#include <filesystem>
#include <string>

namespace kino {

/// Part of a window's picture, in pixels. The origin is the lower left corner.
struct PictureArea {
  int left = 0;
  int bottom = 0;
  int width = 0;
  int height = 0;
};

/// Receives the files instead of a dialog for their path. UI thread only.
class FileDownloads {
 public:
  FileDownloads() = default;
  FileDownloads(const FileDownloads&) = delete;
  FileDownloads& operator=(const FileDownloads&) = delete;
  virtual ~FileDownloads() = default;
  /// Returns an unused path for a file of this name; empty if no file can be written.
  virtual std::filesystem::path path_for(const std::string& name) = 0;
  /// Downloads a complete file. `path` is from path_for().
  virtual void add(const std::filesystem::path& path) = 0;
  /// Downloads a PNG file of the frame that is being rendered, as it is at the next Gpu::mark_pixels().
  virtual void add_picture(const std::string& name, const PictureArea& area) = 0;
};

/// Null, which is the default, if the window is on this machine. `downloads` must outlive its use.
void set_file_downloads(FileDownloads* downloads);
FileDownloads* file_downloads();

/// Reports that the file of a SaveRequest is complete, so that it can be downloaded. Returns its name for
/// messages: the path, or the file name if it is downloaded.
std::string report_saved(const std::filesystem::path& path);

}  // namespace kino
