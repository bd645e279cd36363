#include "loaders/formats/contained_traces.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <iterator>
#include <set>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "core/base/platform/descriptor.hpp"
#include "core/base/platform/file_facts.hpp"
#include "core/base/platform/file_io.hpp"
#include "core/base/platform/folder_files.hpp"
#include "core/base/platform/folder_names.hpp"
#include "core/base/saturating.hpp"
#include "loaders/bytes/archive.hpp"
#include "loaders/bytes/file_kind.hpp"
#include "loaders/bytes/trace_path.hpp"
#include "loaders/bytes/utf16.hpp"
#include "loaders/cache/ranks/rank_file.hpp"
#include "loaders/cache/trace_cache.hpp"
#include "loaders/formats/databases/database_format.hpp"
#include "loaders/formats/databases/nsight_report.hpp"
#include "loaders/formats/formats.hpp"

namespace kino {
namespace {

// Bytes of text that are read to find the rank, which follows the properties of all devices.
constexpr std::size_t kHeaderBytes = 64 << 10;
constexpr std::int64_t kUs = 1000;

/// Returns the integer after `"key":`; -1 if there is none.
std::int64_t number_behind(std::string_view text, std::string_view key) {
  const std::size_t at = text.find(key);
  if (at == std::string_view::npos) return -1;
  const std::size_t begin = text.find_first_not_of(" \t\r\n:", at + key.size());
  std::int64_t number = -1;
  if (begin != std::string_view::npos)
    std::from_chars(text.data() + begin, text.data() + text.size(), number);
  return number;
}

/// Returns the Unix time of the first complete event in ns: its time in us, plus the base time of the file.
/// -1 if the header contains no such event. Times of metadata events are not used, because some profilers
/// write 0.
std::int64_t early_time(std::string_view header) {
  std::size_t event = header.find(R"("ph": "X")");
  if (event == std::string_view::npos) event = header.find(R"("ph":"X")");
  if (event == std::string_view::npos) return -1;
  const std::int64_t us = number_behind(header.substr(event), "\"ts\"");
  if (us < 0 || us > INT64_MAX / kUs) return -1;
  return saturating_add(us * kUs,
                        std::max<std::int64_t>(0, number_behind(header, "\"baseTimeNanoseconds\"")));
}

/// Sets the rank from the header, or from the name if the header has none.
void read_rank(std::string_view header, ContainedTrace& trace) {
  const std::size_t info = header.find("\"distributedInfo\"");
  if (info != std::string_view::npos) {
    const std::string_view distributed = header.substr(info);
    trace.rank = number_behind(distributed, "\"rank\"");
    trace.world_size = number_behind(distributed, "\"world_size\"");
  }
  if (trace.rank < 0) trace.rank = rank_in_name(trace.name);
  trace.begin_ns = early_time(header);
}

// Detects the format of a file by its first bytes, and sets the kind and the rank of `trace`.
FormatMatch likeness_of(ByteStream& in, ContainedTrace& trace) {
  const std::string head = read_head(in, kHeadBytes);
  const FileKind kind = kind_of(head);
  if (kind == FileKind::archive) return FormatMatch::none;
  ResumedStream whole(head, in);
  const bool text = kind == FileKind::text || kind == FileKind::utf16;
  const std::string header =
      as_utf8(text ? read_head(whole, kHeaderBytes) : decompressed_head(whole, kHeaderBytes));
  FormatGuess guess = detect_format(all_formats(), std::string_view(header).substr(0, kHeadBytes));
  if (guess.likeness == FormatMatch::maybe) {
    // A longer text is examined: other members, such as a list of packages, may precede the events.
    const FormatGuess by_header = detect_format(all_formats(), header);
    if (by_header.format == guess.format) guess = by_header;
  }
  if (guess.format != nullptr && guess.format->name == kDatabase.name && names_recorded_tables(header))
    guess.likeness = FormatMatch::surely;
  if (guess.likeness == FormatMatch::surely) {
    trace.snapshot = guess.format->holds == Format::Holds::snapshot;
    trace.dump = guess.format->holds == Format::Holds::hang;
    trace.report = guess.format->name == kNsightReport.name;
    if (trace.snapshot) trace.rank = rank_in_name(trace.name);
    if (guess.format->holds == Format::Holds::trace) read_rank(header, trace);
  }
  return guess.likeness;
}

/// Returns the first few names.
std::string first_of(std::vector<std::string> names) {
  constexpr std::size_t kNamed = 8;
  std::ranges::sort(names);
  std::string text;
  for (std::size_t i = 0; i < std::min(kNamed, names.size()); ++i) text += (i == 0 ? "" : ", ") + names[i];
  return text + (names.size() > kNamed ? ", ..." : "");
}

/// Returns the folders within the container that contain some of the files, excluding the container itself.
std::vector<std::string> folders_of(const std::vector<ContainedTrace>& traces) {
  std::set<std::string> folders;
  for (const ContainedTrace& trace : traces) {
    if (const std::filesystem::path parent = std::filesystem::path(trace.name).parent_path(); !parent.empty())
      folders.insert(parent.string());
  }
  return {folders.begin(), folders.end()};
}

bool is_called_snapshot(const std::filesystem::path& path) {
  const std::filesystem::path ending = path.extension();
  return ending == ".pickle" || ending == ".pkl";
}

// Collects traces and snapshots, and files that may be recordings as a fallback.
class Collector {
 public:
  bool full() const { return looked_at_ >= ContainedTraces::kMostFiles; }
  void add(ContainedTrace found, ByteStream& in) {
    ++looked_at_;
    const FormatMatch likeness = likeness_of(in, found);
    if (likeness < FormatMatch::maybe) {
      if (is_called_snapshot(found.name)) no_snapshots_.push_back(std::move(found.name));
      return;
    }
    auto& alike = found.dump                        ? dumps_
                  : found.report                    ? reports_
                  : likeness == FormatMatch::surely ? traces_
                                                    : other_json_;
    alike.push_back(std::move(found));
  }
  /// Adds a trace described by the digest beside it; the trace itself may be missing.
  void add(ContainedTrace found, const RankFileHead& digest) {
    ++looked_at_;
    found.rank = digest.rank >= 0 ? digest.rank : rank_in_name(found.name);
    found.world_size = digest.world_size;
    traces_.push_back(std::move(found));
  }
  /// Makes the name of an entry unique: the second `name` becomes NAME#2.
  std::string unlike_others(const std::string& name) {
    const std::size_t count = ++names_[name];
    return count == 1 ? name : numbered_entry(name, count);
  }
  void leave_out_link() { ++links_; }
  void leave_out_dead_links(std::size_t count) { dead_links_ += count; }
  void leave_out_digest() { ++digests_; }
  void leave_out_encrypted() { ++encrypted_; }
  void end_early(std::string why) { why_ended_ = std::move(why); }

  ContainedTraces take() {
    ContainedTraces contained;
    const std::size_t dumps = traces_.empty() ? 0 : dumps_.size();
    if (traces_.empty()) traces_ = std::move(dumps_);
    const std::size_t reports = traces_.empty() ? 0 : reports_.size();
    if (traces_.empty()) traces_ = std::move(reports_);
    contained.guessed = traces_.empty();
    contained.traces = std::move(contained.guessed ? other_json_ : traces_);
    std::ranges::sort(contained.traces, {}, &ContainedTrace::name);
    // If one file is actually called NAME#2 and two files are called NAME, two entries get the name NAME#2.
    // Only one of them is listed.
    const auto doubled = std::unique(contained.traces.begin(), contained.traces.end(),
                                     [](const auto& a, const auto& b) { return a.name == b.name; });
    const auto unnamed = static_cast<std::size_t>(contained.traces.end() - doubled);
    contained.traces.erase(doubled, contained.traces.end());
    const auto say = [&](const std::string& sentence) {
      if (!contained.left_out.empty()) contained.left_out += "; ";
      contained.left_out += sentence;
    };
    if (dumps > 0) {
      const std::vector<std::string> folders = folders_of(dumps_);
      say("skipped flight recorder dumps: " + std::to_string(dumps) +
          (folders.empty()       ? ""
           : folders.size() == 1 ? " (open their folder, " + first_of(folders) + ")"
                                 : " (open one of their folders: " + first_of(folders) + ")"));
    }
    if (!contained.guessed && !other_json_.empty()) {
      std::vector<std::string> names;
      names.reserve(other_json_.size());
      for (const ContainedTrace& other : other_json_) names.push_back(other.name);
      say(std::to_string(names.size()) +
          (names.size() == 1 ? " file was skipped because its" : " files were skipped because their") +
          " first " + std::to_string(kHeaderBytes >> 10) + " KB contain no events: " + first_of(names));
    }
    if (reports > 0) say("skipped reports of Nsight Systems (.nsys-rep): " + std::to_string(reports));
    if (digests_ > 0) {
      say("skipped digests that are damaged or of another version: " + std::to_string(digests_) +
          "; `kinetoscope index` writes them again");
    }
    if (encrypted_ > 0) say("skipped encrypted files: " + std::to_string(encrypted_));
    if (unnamed > 0) say("skipped files with the name of another file: " + std::to_string(unnamed));
    if (!no_snapshots_.empty()) say("not snapshots, despite their names: " + first_of(no_snapshots_));
    if (links_ > 0) say("skipped links and devices: " + std::to_string(links_));
    if (dead_links_ > 0) say("skipped links to missing files: " + std::to_string(dead_links_));
    if (full()) say("only the first " + std::to_string(ContainedTraces::kMostFiles) + " files were examined");
    if (!why_ended_.empty()) say(why_ended_);
    return contained;
  }

 private:
  std::vector<ContainedTrace> traces_;
  std::vector<ContainedTrace> other_json_;
  std::vector<ContainedTrace> dumps_;                   // flight recorder dumps
  std::vector<ContainedTrace> reports_;                 // Nsight Systems reports
  std::vector<std::string> no_snapshots_;               // snapshots by extension, not by content
  std::unordered_map<std::string, std::size_t> names_;  // number of files per name
  std::size_t looked_at_ = 0;
  std::size_t links_ = 0;  // in archives
  std::size_t dead_links_ = 0;
  std::size_t digests_ = 0;  // number of unreadable digests that have no trace
  std::size_t encrypted_ = 0;
  std::string why_ended_;
};

/// Adds a digest whose trace is missing. If the trace exists, its digest is read with the trace.
void collect_digest(const FolderFile& file, Collector& collector) {
  const std::filesystem::path trace = file.path.parent_path() / file.path.stem();
  if (link_facts(trace)) return;
  if (const std::optional<RankFileHead> digest = read_rank_file_head(file.path)) {
    collector.add(
        {trace, std::filesystem::path(file.name).replace_extension().string(), digest->source.size_bytes},
        *digest);
  } else {
    collector.leave_out_digest();
  }
}

void collect(const FolderFile& file, Collector& collector) {
  if (file.path.extension() == kIndexExtension) return;
  if (file.path.extension() == kRankFileExtension) {
    collect_digest(file, collector);
    return;
  }
  const std::uint64_t size = file.facts.stamp.size_bytes;
  if (const auto digest = read_rank_file_head(rank_file_beside(file.path));
      digest && digest->source == rank_source(file.path)) {
    collector.add({file.path, file.name.string(), size}, *digest);
    return;
  }
  const Result<Descriptor> opened = open_to_read(file.path);
  if (!opened) return;
  FileStream in(opened.value().fd);
  collector.add({file.path, file.name.string(), size}, in);
}

}  // namespace

std::int64_t rank_in_name(std::string_view name) {
  for (const std::string_view word : {"rank", "worker"}) {
    for (std::size_t at = name.find(word); at != std::string_view::npos; at = name.find(word, at + 1)) {
      const std::size_t begin = name.find_first_not_of("_-.", at + word.size());
      std::int64_t rank = -1;
      if (begin != std::string_view::npos)
        std::from_chars(name.data() + begin, name.data() + name.size(), rank);
      if (rank >= 0) return rank;
    }
  }
  return -1;
}

Result<ContainedTraces> traces_in_archive(int fd, const std::filesystem::path& file,
                                          const std::stop_token& stop) {
  auto reader = ArchiveReader::open(fd, stop);
  if (!reader) return reader.error();
  Collector collector;
  bool torch_save = false;
  std::size_t entries = 0;
  while (!collector.full()) {
    Result<std::optional<ArchiveEntry>> next = (*reader)->next();
    if (stop.stop_requested()) return cancelled("Loading");
    if (!next) {
      if (entries == 0) return next.error();
      collector.end_early(next.error().what.str());
      break;
    }
    if (!*next) break;
    ++entries;
    const ArchiveEntry& entry = **next;
    const std::string name = entry.file ? collector.unlike_others(entry.name) : std::string();
    torch_save = torch_save || entry.name.ends_with("/data.pkl");
    if (!entry.file) {
      if (!entry.name.ends_with("/")) collector.leave_out_link();
    } else if (entry.encrypted) {
      collector.leave_out_encrypted();
    } else if (!entry.name.empty()) {
      collector.add({join_trace_path(file, name), name, entry.size_bytes}, **reader);
      if (stop.stop_requested()) return cancelled("Loading");
    }
  }
  ContainedTraces contained = collector.take();
  if (contained.traces.empty() && torch_save) {
    return unknown_format("This file was written by torch.save(), and may be a model");
  }
  return contained;
}

Result<ContainedTraces> traces_in_folder(const std::filesystem::path& folder, const std::stop_token& stop) {
  if (FolderNames names(folder); names.error() != 0) {
    const bool forbidden = names.error() == EACCES;
    return Error{forbidden ? Error::Kind::no_permission : Error::Kind::system,
                 forbidden ? "No permission to read the folder"
                           : "The folder cannot be read: " + std::generic_category().message(names.error())};
  }
  Collector collector;
  collector.leave_out_dead_links(
      visit_files(folder, ContainedTraces::kMostFolders, stop, [&](const FolderFile& file) {
        collect(file, collector);
        return !collector.full();
      }));
  if (stop.stop_requested()) return cancelled("Loading");
  return collector.take();
}

bool are_ranks(const ContainedTraces& contained) {
  std::int64_t world_size = -1;
  std::set<std::int64_t> ranks;
  for (const ContainedTrace& trace : contained.traces) {
    if (trace.rank < 0 || (trace.world_size > 0 && world_size > 0 && trace.world_size != world_size))
      return false;
    world_size = std::max(world_size, trace.world_size);
    if (!trace.snapshot) ranks.insert(trace.rank);
  }
  return ranks.size() > 1;
}

bool are_snapshots(const ContainedTraces& contained) {
  return contained.traces.size() > 1 && std::ranges::all_of(contained.traces, &ContainedTrace::snapshot);
}

namespace {

struct GivenFile {
  ContainedTrace found;
  bool surely = false;  ///< certainly a recording
};

/// Reads the kind of a file. Returns nullopt for unreadable and special files.
std::optional<GivenFile> given_file(const std::filesystem::path& path) {
  const Result<Descriptor> file = open_to_read(path);
  if (!file) return std::nullopt;
  const Result<FileFacts> facts = file_facts(file.value().fd);
  if (!facts || facts.value().type != FileType::regular) return std::nullopt;
  GivenFile given{{path, path.filename().string(), facts.value().stamp.size_bytes}};
  FileStream in(file.value().fd);
  given.surely = likeness_of(in, given.found) == FormatMatch::surely;
  return given;
}

}  // namespace

std::optional<ContainedTrace> recording_at(const std::filesystem::path& path) {
  std::optional<GivenFile> given = given_file(path);
  if (!given || !given->surely) return std::nullopt;
  return std::move(given->found);
}

std::optional<ContainedTraces> as_snapshots(std::span<const std::filesystem::path> files) {
  ContainedTraces contained;
  bool any = false;
  for (const std::filesystem::path& path : files) {
    std::optional<GivenFile> given = given_file(path);
    if (!given) return std::nullopt;
    ContainedTrace& found = given->found;
    if (!found.snapshot && (given->surely || !is_called_snapshot(path))) return std::nullopt;
    any = any || found.snapshot;
    found.snapshot = true;
    found.rank = rank_in_name(found.name);
    contained.traces.push_back(std::move(found));
  }
  if (!any || contained.traces.size() < 2) return std::nullopt;
  std::ranges::stable_sort(contained.traces, {}, &ContainedTrace::name);
  return contained;
}

std::optional<ContainedTraces> ranks_of_one_job(std::span<const std::filesystem::path> files) {
  ContainedTraces contained;
  std::vector<ContainedTrace> snapshots;
  std::set<std::int64_t> ranks;
  for (const std::filesystem::path& path : files) {
    std::optional<ContainedTrace> read = recording_at(path);
    if (!read || read->rank < 0) return std::nullopt;
    ContainedTrace& found = *read;
    if (found.snapshot) {
      snapshots.push_back(std::move(found));
      continue;
    }
    // Ranks in names do not count here: a user may select two files to compare them.
    if (found.world_size <= 0 || !ranks.insert(found.rank).second ||
        (!contained.traces.empty() && contained.traces.front().world_size != found.world_size))
      return std::nullopt;
    contained.traces.push_back(std::move(found));
  }
  if (ranks.size() < 2) return std::nullopt;
  std::ranges::sort(contained.traces, {}, &ContainedTrace::rank);
  std::ranges::move(snapshots, std::back_inserter(contained.traces));
  return contained;
}

namespace {

/// Describes the content of `container` and the commands that open it.
std::string several_sentence(const ContainedTraces& contained, const char* container) {
  const std::string in = std::string(" in this ") + container;
  const std::string count = std::to_string(contained.traces.size());
  const bool is_folder = std::string_view(container) == "folder";
  if (std::ranges::all_of(contained.traces, &ContainedTrace::dump)) {
    const std::string dumps = "There are " + count + " flight recorder dumps";
    const std::string tables =
        ", or use that folder with the command info or the tables outstanding and hang-groups";
    if (!is_folder) return dumps + in + "; unpack it and open the folder of one job" + tables;
    const std::vector<std::string> folders = folders_of(contained.traces);
    if (folders.size() > 1) {
      return dumps + " in " + std::to_string(folders.size()) +
             " folders, each of one job: " + first_of(folders) +
             "; open one of these folders, or use one with the command info or the tables outstanding and "
             "hang-groups";
    }
    if (!folders.empty()) return dumps + " in " + folders.front() + "; open that folder" + tables;
    return dumps + " of a job" + in +
           "; the command info and the tables outstanding and hang-groups cover all of them";
  }
  const std::string one = is_folder ? "open one of them" : "open one of them as FILE#NAME";
  if (are_snapshots(contained)) {
    return "There are " + count + " allocator snapshots" + in + "; " + one +
           ", or use the command info, which covers all of them";
  }
  const bool world_known = std::ranges::any_of(
      contained.traces, [](std::int64_t size) { return size > 1; }, &ContainedTrace::world_size);
  if (world_known && are_ranks(contained)) {
    return "There are " + count + " ranks of a job" + in + "; " + one +
           ", or use the command info or a table of jobs, such as ranks, late or collectives";
  }
  const bool only_traces = std::ranges::none_of(
      contained.traces, [](const ContainedTrace& trace) { return trace.dump || trace.snapshot; });
  return "There are " + count + (only_traces ? " traces" : " recordings") + in +
         ", which the command info lists; " + one;
}

}  // namespace

Error none_of(const ContainedTraces& contained, const char* container) {
  if (contained.traces.size() > 1)
    return {Error::Kind::several_traces, several_sentence(contained, container)};
  const std::string note = contained.left_out.empty() ? "" : " (" + contained.left_out + ")";
  return unknown_format(std::string("There is no trace in this ") + container + note);
}

}  // namespace kino
