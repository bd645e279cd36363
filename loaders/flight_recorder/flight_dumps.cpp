#include "loaders/flight_recorder/flight_dumps.hpp"

#include <algorithm>
#include <utility>

#include "core/platform/file_facts.hpp"
#include "core/platform/file_io.hpp"
#include "core/platform/folder_names.hpp"
#include "loaders/bytes/byte_stream.hpp"
#include "loaders/bytes/file_kind.hpp"
#include "loaders/flight_recorder/flight_dump_reader.hpp"

namespace kino {

std::optional<FlightDumps> dumps_in_folder(const std::filesystem::path& folder, const std::stop_token& stop) {
  FlightDumps found;
  FolderNames names(folder);
  std::size_t looked_at = 0;
  while (const char* const name = names.next()) {
    if (stop.stop_requested()) return std::nullopt;
    if (++looked_at > FlightDumps::kMostFiles) {
      found.problems.emplace_back("Only the first " + std::to_string(FlightDumps::kMostFiles) +
                                  " files were looked at");
      break;
    }
    const std::filesystem::path path = folder / name;
    const Result<FileFacts> facts = link_facts(path);
    if (!facts || facts.value().type != FileType::regular) continue;
    const Result<Descriptor> file = open_to_read(path, Links::refused);
    if (!file) continue;
    FileStream in(file.value().fd);
    if (!looks_like_flight_dump(read_head(in, kHeadBytes))) {
      // A folder of something else: so much that is no dump stands beside none.
      constexpr std::size_t kOthers = 64;
      if (found.dumps.empty() && looked_at > kOthers) return std::nullopt;
      continue;
    }
    const auto size = static_cast<std::size_t>(facts.value().stamp.size_bytes);
    if (size > FlightDumps::kMostFileBytes) {
      found.problems.emplace_back("The file is larger than dumps are: " + std::string(name));
      continue;
    }
    FileStream whole(file.value().fd);
    std::string content = read_head(whole, size);
    Result<FlightDump> dump = read_flight_dump(content, name, stop);
    if (!dump) {
      found.problems.emplace_back(dump.error().what + ": " + name);
    } else {
      found.dumps.push_back(std::move(*dump));
    }
  }
  if (found.dumps.empty()) return std::nullopt;
  std::ranges::stable_sort(found.dumps, {}, &FlightDump::rank);
  // Of two dumps of a rank the last one by name counts.
  for (std::size_t i = 1; i < found.dumps.size();) {
    if (found.dumps[i].rank != found.dumps[i - 1].rank) {
      ++i;
      continue;
    }
    const auto older = static_cast<std::ptrdiff_t>(found.dumps[i].file < found.dumps[i - 1].file ? i : i - 1);
    found.problems.emplace_back("There are two dumps of rank " + std::to_string(found.dumps[i].rank) +
                                "; left out: " + found.dumps[static_cast<std::size_t>(older)].file);
    found.dumps.erase(found.dumps.begin() + older);
  }
  return found;
}

}  // namespace kino
