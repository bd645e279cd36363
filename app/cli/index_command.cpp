#include "app/cli/index_command.hpp"

#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "app/cli/command_line/command_output.hpp"
#include "app/cli/slurm_script.hpp"
#include "app/shell/settings/kernel_categories.hpp"
#include "core/base/platform/file_io.hpp"
#include "core/base/terminal_text.hpp"
#include "core/job/tables/each_rank_tables.hpp"
#include "loaders/bytes/byte_stream.hpp"
#include "loaders/bytes/file_kind.hpp"
#include "loaders/cache/format.hpp"
#include "loaders/cache/ranks/rank_file.hpp"
#include "loaders/formats/contained_traces.hpp"
#include "loaders/formats/formats.hpp"
#include "loaders/formats/open.hpp"

namespace kino {
namespace {

using Json = nlohmann::ordered_json;

/// Returns the traces of files and folders. If a folder contains none, prints an error and returns nullopt.
std::optional<std::vector<ContainedTrace>> traces_of(const std::vector<std::filesystem::path>& files) {
  std::vector<ContainedTrace> traces;
  for (const std::filesystem::path& path : files) {
    std::error_code code;
    if (!std::filesystem::is_directory(path, code)) {
      const std::uintmax_t size = std::filesystem::file_size(path, code);
      traces.push_back({path, path.filename().string(),
                        code ? std::optional<std::uint64_t>() : std::optional<std::uint64_t>(size)});
      continue;
    }
    Result<ContainedTraces> contained = traces_in_folder(path, {});
    if (!contained || contained->traces.empty()) {
      complain(error_sentence(contained ? none_of(*contained, "folder") : contained.error(), path.string()));
      return std::nullopt;
    }
    if (!contained->left_out.empty()) complain(escaped(path.string() + ": " + contained->left_out));
    for (ContainedTrace& trace : contained->traces) traces.push_back(std::move(trace));
  }
  return traces;
}

struct Places {
  std::filesystem::path index;
  std::filesystem::path digest;
};

Places places_of(const IndexCommand& command, const std::filesystem::path& trace) {
  const std::filesystem::path beside = command.folder.empty() ? trace : command.folder / trace.filename();
  return {beside.native() + kIndexExtension, rank_file_beside(beside)};
}

/// Adds the counts of a rank's digest to the printed line.
void add_counts(Json& line, const CachedRank& rank) {
  line["rank"] = rank.digest.rank < 0 ? Json() : Json(rank.digest.rank);
  line["world_size"] = rank.digest.world_size < 0 ? Json() : Json(rank.digest.world_size);
  line["slices"] = rank.slices;
  line["communication_kernels"] = rank.digest.kernels.size();
  line["steps"] = rank.digest.steps.size();
  Json damage = Json::object();
  for (const Damage& entry : rank.damage.entries()) {
    if (!is_reading_note(entry.reason)) damage[std::string(english(text_of(entry.reason)))] = entry.count;
  }
  line["damage"] = std::move(damage);
}

/// Whether an index can be written for a trace. False for compressed texts that cannot be read from the
/// middle, and for formats that open fast. True for unreadable files.
bool can_have_index(const std::filesystem::path& trace) {
  const Result<Descriptor> file = open_to_read(trace);
  if (!file) return true;
  FileStream in(file.value().fd);
  const std::string head = read_head(in, kHeadBytes);
  const FileKind kind = kind_of(head);
  if (kind != FileKind::text) return kind != FileKind::compressed;
  const FormatGuess guess = detect_format(all_formats(), head);
  return guess.format == nullptr || guess.format->kept;
}

/// Returns the digest if it is up to date with the trace and, if `with_index`, so is the index. Otherwise
/// returns nullopt.
std::optional<CachedRank> done_before(const Places& places, const RankSource& source, bool with_index) {
  const std::optional<RankFileHead> head = read_rank_file_head(places.digest);
  if (!head || !(head->source == source)) return std::nullopt;
  if (with_index && !is_index_of(places.index, source.size_bytes, source.hash)) return std::nullopt;
  return read_rank_file(places.digest);
}

/// Indexes a trace and fills the printed line. Returns nullopt on success.
std::optional<Error> index_trace(const IndexCommand& command, const std::filesystem::path& trace,
                                 Json& line) {
  const Places places = places_of(command, trace);
  line["digest"] = places.digest.string();
  const std::optional<RankSource> source = rank_source(trace);
  const bool wants_index = !command.digest_only && can_have_index(trace);
  if (const auto done = source ? done_before(places, *source, wants_index) : std::nullopt) {
    add_counts(line, *done);
    line["skipped"] = true;
    return std::nullopt;
  }
  LoadProgress progress;
  OpenOptions options = command.opening.open_options();
  // A callback must be set: without one, the source of the trace is not computed.
  options.cache.keep = [](const OpenedTrace& /*opened*/) {};
  const Result<OpenedTrace> read = open_trace(trace, options, progress, {});
  if (!read.ok()) return read.error();
  const OpenedTrace& opened = read.value();
  CachedRank rank{
      .digest = digest_with_tables(*opened.trace, kernel_categories(), RankDetails::ledger_and_layers),
      .damage = opened.trace->damage,
      .slices = opened.trace->slice_count()};
  add_counts(line, rank);
  // Uses the file state at opening: the file may have changed since.
  const RankSource of_opened{opened.source.size_bytes, opened.source.hash};
  const bool has_index = opened.format == nullptr || opened.format->kept;
  if (!command.digest_only && has_index && opened.text->spool() == nullptr) {
    line["index"] = places.index.string();
    if (auto error = store_opened_as(opened, places.index, {})) return error;
  }
  if (auto error = write_rank_file(places.digest, of_opened, rank)) return error;
  line["seconds"] = opened.stats.seconds;
  line["skipped"] = false;
  return std::nullopt;
}

}  // namespace

void IndexCommand::declare(CLI::App& app) {
  input.add_to(app, "Traces, or folders of them");
  app.add_option("--out", folder, "The folder to write to (default: the folder of each trace)")
      ->type_name("DIR");
  app.add_flag("--digest-only", digest_only,
               "Write only the small digest FILE.kinorank, not the index FILE.kinoindex of the whole trace");
  app.add_flag("--slurm", slurm, "Print a Slurm array job, one trace per task, for sbatch");
  opening.add_to(app);
  app.footer(
      "A digest contains the data that the analysis of a job needs. kinetoscope DIR reads digests instead of "
      "traces. One line of JSON is printed per trace. Traces with an up-to-date index are skipped. Files "
      "are written completely or not at all, and several processes may write to the same folder. The exit "
      "code is 1 if at least one trace could not be indexed.");
}

int IndexCommand::run() const {
  const std::optional<std::vector<ContainedTrace>> traces = traces_of(input.files);
  if (!traces) return 1;
  if (slurm) {
    std::vector<std::string> options;
    if (digest_only) options.emplace_back("--digest-only");
    if (!folder.empty()) {
      options.emplace_back("--out");
      options.push_back(std::filesystem::absolute(folder).native());
    }
    std::fputs(slurm_script(*traces, options).c_str(), stdout);
    return 0;
  }
  std::error_code code;
  if (!folder.empty() && !std::filesystem::is_directory(folder, code)) {
    complain(error_sentence({Error::Kind::not_found, "There is no such folder"}, folder.string()));
    return 1;
  }
  std::map<std::filesystem::path, std::filesystem::path> written;  // digest file -> its trace
  bool failed = false;
  for (const ContainedTrace& trace : *traces) {
    Json line = {{"file", trace.path.string()}};
    std::optional<Error> error;
    const auto [place, fresh] = written.try_emplace(places_of(*this, trace.path).digest, trace.path);
    if (fresh) {
      error = index_trace(*this, trace.path, line);
    } else {
      error = Error{Error::Kind::not_a_file,
                    "The digest of this trace would overwrite the digest of " + place->second.string()};
    }
    if (error) {
      complain(error_sentence(*error, trace.path.string()));
      line["error"] = error->what.str();
      failed = true;
    }
    std::puts(line.dump(-1, ' ', true, Json::error_handler_t::replace).c_str());
    std::fflush(stdout);
  }
  return failed || std::ferror(stdout) != 0 ? 1 : 0;
}

}  // namespace kino
