#include "app/cli/cache_command.hpp"

#include <chrono>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/cli/command_line/command_output.hpp"
#include "app/ui/text/columns_of_text.hpp"
#include "app/ui/text/shown_bytes.hpp"
#include "core/base/terminal_text.hpp"
#include "loaders/bytes/spool.hpp"

namespace kino {
namespace {

std::string age_text(std::int64_t age_ns) {
  constexpr std::int64_t kHourNs = 3'600'000'000'000;
  const std::int64_t hours = age_ns / kHourNs;
  if (hours < 1) return "within the hour";
  if (hours < 48) return std::to_string(hours) + " h ago";
  return std::to_string(hours / 24) + " days ago";
}

}  // namespace

std::string cache_text(const std::filesystem::path& folder, std::span<const CacheEntry> entries,
                       std::int64_t now_ns) {
  constexpr std::size_t kSizeColumns = 10;
  constexpr std::size_t kAgeColumns = 17;
  std::string text;
  std::uint64_t all = 0;
  for (const CacheEntry& entry : entries) {
    all += entry.size_bytes;
    text += padded_left(text_from_bytes(entry.size_bytes), kSizeColumns) +
            padded_left(age_text(now_ns - entry.used_ns), kAgeColumns) + "  " +
            (!entry.source.empty()                          ? escaped(entry.source)
             : entry.file.extension() == kRankFileExtension ? "(digest of a rank of a job)"
                                                            : "(from another build of the program)") +
            "\n";
  }
  text += padded_left(text_from_bytes(all), kSizeColumns) + "  in " + escaped(folder.string()) +
          "; `kinetoscope cache --clear` removes it\n";
  return text;
}

void CacheCommand::declare(CLI::App& app) {
  app.add_flag("--clear", clear, "Remove all cached traces");
  opening.add_units_to(app);
}

int CacheCommand::run() const {
  const std::filesystem::path folder = default_cache_directory();
  if (folder.empty()) {
    complain("there is no cache folder, because neither XDG_CACHE_HOME nor HOME is set");
    return 1;
  }
  if (clear) {
    const std::vector<std::filesystem::path> left = clear_cache(folder);
    for (const std::filesystem::path& file : left)
      complain("this file cannot be removed: " + escaped(file.string()));
    return left.empty() ? 0 : 1;
  }
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const std::string text = cache_text(folder, cache_entries(folder),
                                      std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
  return print_output(text, "list") ? 0 : 1;
}

}  // namespace kino
