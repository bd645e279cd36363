#include "loaders/formats/capsule/capsule_format.hpp"

#include <chrono>
#include <memory>
#include <utility>

#include "loaders/formats/capsule/capsule_details.hpp"
#include "loaders/formats/capsule/capsule_reader.hpp"
#include "loaders/formats/capsule/text_in_memory.hpp"

namespace kino {

FormatMatch capsule_match(std::string_view head) {
  return is_capsule(head) ? FormatMatch::surely : FormatMatch::none;
}

Result<OpenedFile> open_capsule(const FormatInput& input) {
  using Clock = std::chrono::steady_clock;
  input.content.wait_for(GrowingText::kWhole, input.stop);
  if (input.stop.stop_requested()) return cancelled("Loading");
  if (const auto error = input.content.error()) return *error;
  const Clock::time_point start = Clock::now();
  const std::shared_ptr<TextSource>& file = input.content.source();
  input.progress.stage = LoadStage::arranging;
  Result<ReadCapsule> read = read_capsule(*file, input.options.threads, input.stop);
  if (!read.ok()) return read.error();
  file->settle();
  OpenedTrace opened;
  opened.trace = read->trace;
  opened.details = capsule_details(read->trace, file, read->facts);
  opened.text = std::make_shared<TextInMemory>(read->facts.settings);
  opened.stats.text_bytes = file->size_bytes();
  opened.stats.build_seconds = std::chrono::duration<double>(Clock::now() - start).count();
  opened.capsule = std::make_shared<const CapsuleNotes>(
      CapsuleNotes{std::move(read->facts.title), std::move(read->facts.note), read->facts.left_out,
                   read->facts.redacted, std::move(read->facts.replaced)});
  input.progress.text_bytes = file->size_bytes();
  input.progress.events = opened.trace->counts.total();
  return OpenedFile(std::move(opened));
}

}  // namespace kino
