#include "app/system/file_downloads.hpp"

namespace kino {
namespace {

// Global like the requests of window_talk.hpp: any panel may save files, and there is only one window.
FileDownloads*& current_downloads() {
  static FileDownloads* current = nullptr;
  return current;
}

}  // namespace

void set_file_downloads(FileDownloads* downloads) { current_downloads() = downloads; }
FileDownloads* file_downloads() { return current_downloads(); }

std::string report_saved(const std::filesystem::path& path) {
  FileDownloads* const downloads = file_downloads();
  if (downloads == nullptr) return path.string();
  downloads->add(path);
  return path.filename().string();
}

}  // namespace kino
