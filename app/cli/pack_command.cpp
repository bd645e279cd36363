#include "app/cli/pack_command.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <optional>
#include <string_view>
#include <system_error>
#include <variant>

#include <CLI/CLI.hpp>

#include "app/cli/command_line/choices.hpp"
#include "app/cli/command_line/command_output.hpp"
#include "app/cli/command_line/cut_file.hpp"
#include "app/ui/bookmarks/note.hpp"
#include "app/ui/text/columns_of_text.hpp"
#include "app/ui/text/shown_bytes.hpp"
#include "core/base/platform/who.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"
#include "loaders/bytes/load_progress.hpp"
#include "loaders/bytes/trace_path.hpp"
#include "loaders/formats/capsule/capsule.hpp"
#include "loaders/formats/capsule/capsule_bundle.hpp"
#include "loaders/formats/capsule/snapshot_capsule.hpp"
#include "loaders/formats/open.hpp"

namespace kino {
namespace {

/// Prints how many names were replaced, and `staying`: the texts that remain.
void print_redaction(const PackReport& report, const char* staying) {
  constexpr std::array<std::array<std::string_view, 2>, kRedactedCount> kWords{
      {{"frame", "frames"}, {"path", "paths"}, {"file name", "file names"}, {"host name", "host names"}}};
  std::string text;
  for (std::size_t i = 0; i < kRedactedCount; ++i) {
    if (!text.empty()) text += ", ";
    text += counted_noun(report.replaced[i], kWords[i][0], kWords[i][1]);
  }
  std::printf("Replaced everywhere, each counted once: %s\nNot replaced: %s\n", text.c_str(), staying);
  if (report.host_like.empty()) return;
  constexpr std::size_t kMostShown = 10;
  std::string words;
  for (std::size_t i = 0; i < std::min(kMostShown, report.host_like.size()); ++i)
    words += (i > 0 ? ", " : "") + escaped(report.host_like[i]);
  if (report.host_like.size() > kMostShown) words += ", ...";
  std::printf("%s look like host names and were not replaced: %s\n",
              counted_noun(report.host_like.size(), "word", "words").c_str(), words.c_str());
}

/// Prints the size of the capsule. `content` describes what was packed; `source` names the size that the
/// share refers to.
void print_report(const PackReport& report, const std::string& content, const char* source) {
  std::string text = content + ", " + text_from_bytes(report.bytes);
  if (report.text_bytes > 0) {
    const double share = static_cast<double>(report.bytes) / static_cast<double>(report.text_bytes);
    text += ", " + fixed(100 * share, 1) + " % of " + source;
  }
  if (report.left_out > 0) text += ", " + grouped(report.left_out) + " events without arguments";
  std::printf("%s\n", text.c_str());
}

/// Returns the text of a note; empty if no `file` is given.
Result<std::string> note_text(const std::filesystem::path& file) {
  if (file.empty()) return std::string();
  const std::optional<ReadNote> read = read_note(file);
  if (!read) return Error{Error::Kind::unknown_format, "this is not a note"};
  return note_json(read->note);
}

/// Packs a snapshot. Returns nullopt on success, otherwise the exit code.
std::optional<int> pack_one_snapshot(const PackCommand& command, const OpenedSnapshot& opened,
                                     const std::filesystem::path& path, const std::filesystem::path& out,
                                     const PackOptions& options) {
  if (rejects_truncated(opened.snapshot->damage, path.string(), command.strict.on)) return 1;
  if (command.range.range || !options.note.empty()) {
    return fail_with(
        {Error::Kind::unknown_format, "--range and --note are for traces; snapshots are packed completely"},
        path);
  }
  std::atomic<double> done{0};
  const Result<PackReport> written = pack_snapshot(opened, options, out, done, {});
  if (!written.ok()) return fail_with(written.error(), options.redaction ? path : out);
  std::size_t segments = 0;
  for (const SnapshotDevice& device : opened.snapshot->devices) segments += device.segments.size();
  const std::uint64_t events = written.value().events;
  print_report(written.value(),
               events > 0 ? counted_noun(events, "event", "events")
                          : counted_noun(segments, "segment", "segments") + " without a history",
               "the snapshot");
  if (options.redaction) print_redaction(written.value(), "annotations, user metadata and settings");
  return std::nullopt;
}

/// Packs one trace or snapshot. Returns nullopt on success, otherwise the exit code.
std::optional<int> pack_one(const PackCommand& command, const std::filesystem::path& path,
                            const std::filesystem::path& out, PackOptions options) {
  LoadProgress progress;
  OpenOptions opening = command.opening.open_options();
  opening.keep_text = true;
  opening.dumps = false;
  const Result<OpenedFile> file = open_file(path, opening, progress, {});
  if (!file.ok()) return fail_with(file.error(), path);
  options.title = path.filename().string();
  if (const auto* const snapshot = std::get_if<OpenedSnapshot>(&file.value()))
    return pack_one_snapshot(command, *snapshot, path, out, options);
  if (std::holds_alternative<OpenedHang>(file.value())) {
    return fail_with({Error::Kind::unknown_format, "flight recorder dumps cannot be packed"}, path);
  }
  const auto& opened = std::get<OpenedTrace>(file.value());
  const Trace& trace = *opened.trace;
  if (rejects_truncated(trace.damage, path.string(), command.strict.on)) return 1;
  if (command.range.range) {
    if (const auto error = outside_trace(*command.range.range, trace.range)) return fail_with(*error, path);
  }
  std::atomic<double> done{0};
  const Result<PackReport> written = pack_part(opened, command.range.range, options, out, done, {});
  if (!written.ok()) return fail_with(written.error(), out);
  print_report(written.value(), counted_noun(written.value().events, "event", "events"), "the text");
  if (options.redaction) print_redaction(written.value(), "names of kernels, operators and annotations");
  if (written.value().unreadable > 0) {
    std::fprintf(stderr, "kinetoscope: %s cannot be read and were excluded: %s\n",
                 counted_noun(written.value().unreadable, "event's arguments", "events' arguments").c_str(),
                 escaped(path.string()).c_str());
  }
  return std::nullopt;
}

}  // namespace

void PackCommand::declare(CLI::App& app) {
  input.add_to(app, "The traces and snapshots to pack, and last the file to write: OUT.kino")
      ->expected(2, -1);
  range.add_to(app, "For traces: pack only this time range since the start, such as 10ms..1.5s");
  add_choice(
      app, "--arguments", arguments,
      {{"all", PackedArguments::all}, {"work", PackedArguments::work}, {"none", PackedArguments::none}},
      "Events whose arguments are kept: all; only GPU work, launches, operators, annotations and instants "
      "(work); or none");
  app.add_flag(
      "--redact", redact,
      "Replace paths, file names, host names, user names and the traced program's frames with hashes");
  app.add_option("--note", note, "For traces: a note to show first, as saved by the window")
      ->type_name("FILE");
  strict.add_to(app);
  opening.add_to(app);
  app.footer(
      "A capsule opens like its trace or snapshot, also in later versions. Unless options omit or replace "
      "data, it has the same tables. Several files become an archive of capsules. Redaction keeps names of "
      "kernels, operators and annotations, except for words in them that look like a path, file or host, and "
      "keeps line numbers. The hashes cannot be reversed.");
}

std::string PackCommand::finish() {
  output = input.files.back();
  input.files.pop_back();
  return {};
}

int PackCommand::run() const {
  if (folder_missing(output)) return 1;
  // Prevents overwriting the last trace if the output was forgotten.
  if (output.extension() != kCapsuleExtension) {
    return fail_with(
        {Error::Kind::not_a_file, "the last argument is the file to write and must end in .kino"}, output);
  }
  for (const std::filesystem::path& path : input.files) {
    std::error_code code;
    if (std::filesystem::equivalent(split_trace_path(path).file, output, code)) {
      return fail_with({Error::Kind::not_a_file, "the capsule cannot replace its own input"}, output);
    }
  }
  PackOptions options;
  options.arguments = arguments;
  Result<std::string> text = note_text(note);
  if (!text.ok()) return fail_with(text.error(), note);
  options.note = std::move(text).value();
  if (redact) options.redaction = PackOptions::Redaction{random_redaction_key(), machine_and_user_names()};
  if (input.files.size() == 1) return pack_one(*this, input.files.front(), output, options).value_or(0);
  CapsuleBundle bundle(output);
  for (const std::filesystem::path& path : input.files) {
    const std::filesystem::path one = bundle.next(redact ? "recording" : path.filename().string());
    if (const auto code = pack_one(*this, path, one, options)) return *code;
  }
  const Result<std::uint64_t> bytes = bundle.finish();
  if (!bytes.ok()) return fail_with(bytes.error(), output);
  std::printf("%s capsules, %s\n", grouped(input.files.size()).c_str(),
              text_from_bytes(bytes.value()).c_str());
  return 0;
}

}  // namespace kino
