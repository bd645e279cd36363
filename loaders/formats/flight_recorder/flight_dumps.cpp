#include "loaders/formats/flight_recorder/flight_dumps.hpp"

#include <algorithm>
#include <utility>

#include "core/base/platform/file_io.hpp"
#include "core/base/platform/folder_files.hpp"
#include "loaders/bytes/byte_stream.hpp"
#include "loaders/bytes/file_kind.hpp"
#include "loaders/formats/flight_recorder/flight_dump_reader.hpp"

namespace kino {

namespace {

/// Collects dumps file by file. take() returns false if no more files are needed.
class DumpCollector {
 public:
  explicit DumpCollector(const std::stop_token& stop) : stop_(stop) {}

  bool take(const FolderFile& file) {
    if (++looked_at_ > FlightDumps::kMostFiles) {
      found.problems.emplace_back("Only the first " + std::to_string(FlightDumps::kMostFiles) +
                                  " files were examined");
      return false;
    }
    const Result<Descriptor> opened = open_to_read(file.path);
    if (!opened) return true;
    const std::string name = file.name.string();
    FileStream in(opened.value().fd);
    if (!looks_like_flight_dump(read_head(in, kHeadBytes))) {
      // Maximum number of other files before the first dump.
      constexpr std::size_t kOthers = 64;
      return !found.dumps.empty() || looked_at_ <= kOthers;
    }
    const auto size = static_cast<std::size_t>(file.facts.stamp.size_bytes);
    if (size > FlightDumps::kMostFileBytes) {
      found.problems.emplace_back("The file is too large for a dump: " + name);
      return true;
    }
    FileStream whole(opened.value().fd);
    std::string content = read_head(whole, size);
    Result<FlightDump> dump = read_flight_dump(content, name, stop_);
    if (!dump) {
      found.problems.emplace_back(dump.error().what.str() + ": " + name);
    } else {
      dump->written_ns = file.facts.stamp.modified_ns;
      found.dumps.push_back(std::move(*dump));
    }
    return true;
  }

  FlightDumps found;

 private:
  const std::stop_token& stop_;
  std::size_t looked_at_ = 0;
};

}  // namespace

std::optional<FlightDumps> dumps_in_folder(
    const std::filesystem::path& folder, const std::stop_token& stop,
    const std::function<bool(const std::filesystem::path&)>& may_open) {
  DumpCollector reader(stop);
  visit_files(folder, 0, stop, [&](const FolderFile& file) {
    return (may_open && !may_open(file.path)) || reader.take(file);
  });
  if (stop.stop_requested()) return std::nullopt;
  FlightDumps found = std::move(reader.found);
  if (found.dumps.empty()) return std::nullopt;
  std::ranges::stable_sort(found.dumps, {}, &FlightDump::rank);
  // If a rank has two dumps, only the last one by name is used.
  for (std::size_t i = 1; i < found.dumps.size();) {
    if (found.dumps[i].rank != found.dumps[i - 1].rank) {
      ++i;
      continue;
    }
    const auto older = static_cast<std::ptrdiff_t>(found.dumps[i].file < found.dumps[i - 1].file ? i : i - 1);
    found.problems.emplace_back("There are two dumps of rank " + std::to_string(found.dumps[i].rank) +
                                "; skipped: " + found.dumps[static_cast<std::size_t>(older)].file);
    found.dumps.erase(found.dumps.begin() + older);
  }
  return found;
}

}  // namespace kino
