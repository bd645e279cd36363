// Texts, file patterns and result of a file dialog that another program shows.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace kino {

/// Names of the files that open_file() supports, as shell patterns with one "*" at the start or the end.
inline constexpr std::array<std::string_view, 22> kRecordingPatterns = {"*.json",
                                                                        "*.trace",
                                                                        "*.html",
                                                                        "*.pickle",
                                                                        "*.pkl",
                                                                        "*.pftrace",
                                                                        "*.perfetto-trace",
                                                                        "*.sqlite",
                                                                        "*.db",
                                                                        "*.nsys-rep",
                                                                        "*.qdrep",
                                                                        "*.kino",
                                                                        "*.gz",
                                                                        "*.zst",
                                                                        "*.xz",
                                                                        "*.bz2",
                                                                        "*.lz4",
                                                                        "*.tar",
                                                                        "*.tgz",
                                                                        "*.zip",
                                                                        "*.7z",
                                                                        "nccl_trace_rank_*"};

/// Texts of a dialog. Made on the UI thread: dialogs run on other threads, which must not read the window's
/// texts.
struct DialogTexts {
  std::string title;
  std::string traces;     ///< name of the filter for supported files
  std::string all_files;  ///< name of the filter for all files
  std::string save_as{};  ///< name suggested for a file to save; empty: open files
  bool folder = false;    ///< whether to choose a folder instead of files
};

struct DialogResult {
  enum class Kind { chosen, cancelled, unavailable };
  Kind kind = Kind::unavailable;
  std::vector<std::filesystem::path> files;  ///< if chosen: at least one
};

}  // namespace kino
