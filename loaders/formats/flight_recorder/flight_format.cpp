#include "loaders/formats/flight_recorder/flight_format.hpp"

#include <memory>
#include <string>
#include <utility>

#include "core/base/platform/file_stamp.hpp"
#include "core/job/flight/hang.hpp"
#include "loaders/bytes/file_kind.hpp"
#include "loaders/formats/flight_recorder/flight_dump_reader.hpp"
#include "loaders/formats/flight_recorder/flight_dumps.hpp"

namespace kino {
namespace {

OpenedHang hang_of(FlightDumps found) {
  auto hang = std::make_shared<HangRecording>();
  hang->dumps = std::move(found.dumps);
  hang->problems = std::move(found.problems);
  hang->analysis = analyze_hang(hang->dumps);
  return {.hang = std::move(hang), .stamp = {}, .stats = {}};
}

}  // namespace

FormatMatch flight_dump_match(std::string_view head) {
  return looks_like_flight_dump(head) ? FormatMatch::surely : FormatMatch::none;
}

Result<OpenedFile> open_flight_dump(const FormatInput& input) {
  const auto available = input.content.wait_for(GrowingText::kWhole, input.stop);
  if (input.stop.stop_requested()) return cancelled("Loading");
  if (const auto error = input.content.error()) return *error;
  if (available.size > FlightDumps::kMostFileBytes) {
    return Error{Error::Kind::too_large, "The file is too large for a dump of the flight recorder"};
  }
  Result<std::string> content = input.content.source()->read_text(0, available.size);
  if (!content) return content.error();
  Result<FlightDump> dump = read_flight_dump(*content, input.file.filename().string(), input.stop);
  if (!dump) return dump.error();
  if (const std::optional<FileStamp> stamp = stamp_of(input.file)) dump->written_ns = stamp->modified_ns;
  FlightDumps alone;
  alone.dumps.push_back(std::move(*dump));
  OpenedHang opened = hang_of(std::move(alone));
  opened.stats.text_bytes = available.size;
  return OpenedFile(std::move(opened));
}

std::optional<OpenedHang> open_hang_folder(
    const std::filesystem::path& folder, const std::stop_token& stop,
    const std::function<bool(const std::filesystem::path&)>& may_open) {
  std::optional<FlightDumps> found = dumps_in_folder(folder, stop, may_open);
  if (!found) return std::nullopt;
  return hang_of(std::move(*found));
}

}  // namespace kino
