#include "loaders/formats/capsule/pack.hpp"

#include <algorithm>
#include <mutex>
#include <random>
#include <span>
#include <string_view>
#include <utility>

#include "core/base/parallel.hpp"
#include "loaders/bytes/json_members.hpp"
#include "loaders/bytes/json_scan.hpp"
#include "loaders/bytes/zstd_frame.hpp"
#include "loaders/formats/capsule/argument_block.hpp"
#include "loaders/formats/capsule/capsule_writer.hpp"
#include "loaders/formats/capsule/output_file.hpp"
#include "loaders/formats/chrome_trace/argument_search.hpp"
#include "loaders/formats/chrome_trace/event_walk.hpp"
#include "loaders/formats/chrome_trace/recording_settings.hpp"
#include "loaders/formats/json_import/import_writer.hpp"

namespace kino {
namespace {

constexpr std::uint64_t kMostRead = std::uint64_t{64} << 20;
constexpr std::uint64_t kReadBehind =
    std::uint64_t{64}
    << 10;  // bytes to read from the start of a block's last event, so that the event is complete
constexpr std::size_t kBlocksAtOnce = 8;  // per thread

bool is_work(SliceKind kind) { return kind != SliceKind::python && kind != SliceKind::other; }

std::string settings_document(const TextSource* text) {
  std::string json = "{\"schemaVersion\":1,";
  if (text != nullptr) {
    for (const auto& [name, value] : recording_settings(*text)) {
      json.append("\"").append(name).append("\":\"").append(value).append("\",");  // both are escaped
    }
  }
  return json + "\"traceEvents\":[]}\n";
}

std::string head_of(const JobInfo& job) {
  return std::string(kCapsuleMagic) + std::to_string(kCapsuleVersion) +
         "\n{\"distributedInfo\":{\"rank\":" + std::to_string(job.rank) +
         ",\"world_size\":" + std::to_string(job.world_size) + "}}\n";
}

/// Packs the arguments of events in text order.
class ArgumentPacker {
 public:
  ArgumentPacker(const OpenedTrace& opened, const PackOptions& options, Redactor* redactor,
                 CapsuleParts& parts, PackReport& report, std::atomic<double>& done,
                 const std::stop_token& stop)
      : opened_(opened),
        options_(options),
        redactor_(redactor),
        parts_(parts),
        report_(report),
        done_(done),
        stop_(stop),
        threads_(thread_count_or_default(options.threads)) {}

  /// Packs all events in order, and returns the parts of their blocks.
  std::vector<CapsulePart> pack(const std::vector<EventRef>& events) {
    std::vector<CapsulePart> blocks;
    const std::size_t count = (events.size() + kBlockEvents - 1) / kBlockEvents;
    const std::size_t at_once = kBlocksAtOnce * threads_;
    for (std::size_t first = 0; first < count; first += at_once) {
      std::vector<Packed> packed(std::min(at_once, count - first));
      parallel_for(threads_, packed.size(), stop_, [&](std::size_t i, unsigned) {
        const std::size_t begin = (first + i) * kBlockEvents;
        packed[i] =
            packed_block(std::span(events).subspan(begin, std::min(kBlockEvents, events.size() - begin)));
        packed_events_ += kBlockEvents;
        done_ =
            std::min(1.0, static_cast<double>(packed_events_.load()) / static_cast<double>(report_.events));
      });
      if (stop_.stop_requested() || error_ || parts_.error()) break;
      for (const Packed& block : packed) {
        blocks.push_back(parts_.append(block.frame, block.bytes));
        report_.left_out += block.left_out;
        report_.unreadable += block.unreadable;
      }
    }
    return blocks;
  }

  const std::optional<Error>& error() const { return error_; }

 private:
  struct Packed {
    std::string frame;
    std::uint64_t bytes = 0;
    std::uint64_t left_out = 0;
    std::uint64_t unreadable = 0;
  };

  bool wanted(EventRef event) const {
    if (options_.arguments == PackedArguments::all) return true;
    return options_.arguments == PackedArguments::work &&
           (event.slice == kNoSlice || is_work(opened_.trace->kind(event.slice)));
  }

  std::uint64_t offset_of(EventRef event) const {
    return event.slice != kNoSlice ? opened_.trace->source_offset(event.slice)
                                   : opened_.trace->instants.source_offset[event.instant];
  }

  /// If the events of a block are close together, returns the text that contains them; otherwise an empty
  /// text. The last event may be cut off.
  std::string text_of_block(std::span<const EventRef> events) const {
    // A trace from a capsule has no text of events.
    if (opened_.capsule != nullptr || opened_.text == nullptr || events.empty()) return {};
    const std::uint64_t begin = offset_of(events.front());
    const std::uint64_t end = offset_of(events.back());
    if (end < begin || end - begin > kMostRead) return {};
    Result<std::string> text =
        opened_.text->read_text(begin, static_cast<std::size_t>(end - begin + kReadBehind));
    return text.ok() ? std::move(text).value() : std::string();
  }

  Packed packed_block(std::span<const EventRef> events) {
    Packed packed;
    const std::string text = text_of_block(events);
    std::vector<std::string> arguments;
    arguments.reserve(events.size());
    for (const EventRef event : events) {
      std::string& packed_json = arguments.emplace_back();
      if (!wanted(event)) {
        ++packed.left_out;
        continue;
      }
      Result<std::string> json = arguments_of(event, text, offset_of(events.front()));
      if (!json.ok() && json.error().kind != Error::Kind::corrupt &&
          json.error().kind != Error::Kind::too_large) {
        const std::lock_guard lock(mutex_);
        error_ = json.error();
        return packed;
      }
      if (!json.ok()) {
        ++packed.unreadable;
      } else {
        packed_json = std::move(json).value();
      }
    }
    if (redactor_ != nullptr) {
      const std::lock_guard lock(mutex_);
      for (std::string& json : arguments) json = redactor_->json(json);
    }
    const std::string bytes = packed_arguments(arguments);
    packed.bytes = bytes.size();
    packed.frame = zstd_packed(bytes, kCapsuleLevel);
    return packed;
  }

  Result<std::string> arguments_of(EventRef event, std::string_view text, std::uint64_t begin) const {
    const std::uint64_t at = offset_of(event) - begin;
    if (at < text.size()) {
      const std::string_view from = text.substr(at);
      const std::size_t end = from.starts_with('{') ? value_end(from, 0) : kIncomplete;
      if (end != kIncomplete) return std::string(args_of_event(from.substr(0, end)));
    }
    return opened_.details->arguments_json(event);
  }

  const OpenedTrace& opened_;
  const PackOptions& options_;
  Redactor* redactor_;
  CapsuleParts& parts_;
  PackReport& report_;
  std::atomic<double>& done_;
  const std::stop_token& stop_;
  unsigned threads_;
  std::atomic<std::uint64_t> packed_events_{0};
  std::mutex mutex_;
  std::optional<Error> error_;  // guarded by mutex_ while blocks are packed
};

/// Passes the texts of the recording to the redactor: those of the model, and all events and other members in
/// the file. A capsule has no such file; the arguments of its slices and instants are passed instead.
std::optional<Error> learn_names(const OpenedTrace& opened, const PackOptions& options, Redactor& redactor,
                                 const std::stop_token& stop) {
  redactor.set_learning(true);
  redactor.text(options.title);
  redactor.json(options.note);
  learn_texts(*opened.trace, redactor);
  const bool json = opened.capsule == nullptr && opened.text != nullptr;
  std::atomic<std::uint64_t> bytes_read{0};
  if (json) {
    EventWalk walk(*opened.trace, *opened.text, bytes_read, stop);
    const auto learn = [&](const VisitedEvent& event) {
      redactor.json(event.text);
      return std::optional<Error>();
    };
    std::optional<Error> error = walk.find();
    if (!error) error = walk.visit(learn);
    for (const DocumentMember& member : walk.members())
      redactor.json('"' + member.key + "\":" + member.value);
    if (error && error->kind != Error::Kind::unknown_format) return error;
  } else if (opened.details != nullptr) {
    const auto learn = [&](EventRef event) {
      const Result<std::string> arguments = opened.details->arguments_json(event);
      if (arguments.ok()) redactor.json(arguments.value());
    };
    for (std::uint32_t i = 0; i < opened.trace->slice_count() && !stop.stop_requested(); ++i) {
      learn({SliceId{i}, kNoInstant});
    }
    for (std::uint32_t i = 0; i < opened.trace->instants.time_ns.size() && !stop.stop_requested(); ++i) {
      learn({kNoSlice, i});
    }
  }
  redactor.set_learning(false);
  return stop.stop_requested() ? std::optional<Error>(cancelled("Packing")) : std::nullopt;
}

std::vector<EventRef> all_slices(const Trace& trace, const std::stop_token& stop) {
  std::vector<EventRef> events;
  for (const std::uint32_t slice : slices_by_offset(trace, stop))
    events.push_back({SliceId{slice}, kNoInstant});
  return events;
}

std::vector<EventRef> all_instants(const Trace& trace) {
  std::vector<EventRef> events(trace.instants.time_ns.size());
  for (std::size_t i = 0; i < events.size(); ++i) events[i].instant = static_cast<std::uint32_t>(i);
  return events;
}

Result<PackReport> pack_into(int fd, const OpenedTrace& opened, const PackOptions& options,
                             std::atomic<double>& done, const std::stop_token& stop) {
  const Trace& trace = *opened.trace;
  std::optional<Redactor> redactor;
  if (options.redaction)
    redactor.emplace(options.redaction->key, options.redaction->words, options.redaction->libraries);
  Redactor* const redacting = redactor ? &*redactor : nullptr;
  if (redactor) {
    if (auto error = learn_names(opened, options, *redactor, stop)) return std::move(*error);
  }
  PackReport report;
  report.events = trace.slice_count() + trace.instants.time_ns.size();
  report.text_bytes = opened.stats.text_bytes;
  CapsuleParts parts(fd, 0);
  parts.write(head_of(trace.job));
  CapsuleFacts facts;
  facts.title = options.title;
  facts.text_bytes = report.text_bytes;
  facts.settings = settings_document(opened.text.get());
  facts.note = options.note;
  facts.redacted = redacting != nullptr;
  for (int kind = 0; kind < kSliceKindCount; ++kind) {
    facts.kinds.emplace_back(text_of(SliceKind{static_cast<std::uint8_t>(kind)}));
  }
  if (options.arguments != PackedArguments::none) {
    ArgumentPacker packer(opened, options, redacting, parts, report, done, stop);
    facts.slice_arguments = packer.pack(all_slices(trace, stop));
    facts.instant_arguments = packer.pack(all_instants(trace));
    if (stop.stop_requested()) return cancelled("Packing");
    if (packer.error()) return *packer.error();
  } else {
    report.left_out = report.events;
  }
  facts.left_out = report.left_out;
  if (auto error = write_capsule_end(parts, std::move(facts), trace, redacting, options.threads, stop))
    return std::move(*error);
  if (opened.text != nullptr && !opened.text->unchanged()) {
    return Error{Error::Kind::corrupt, "the trace changed while it was packed; open it again"};
  }
  if (redacting != nullptr) {
    report.replaced = redacting->counts();
    report.host_like.assign(redacting->host_like().begin(), redacting->host_like().end());
  }
  report.bytes = parts.end();
  done = 1;
  return report;
}

}  // namespace

RedactionKey random_redaction_key() {
  std::random_device random;
  RedactionKey key{};
  for (std::uint64_t& word : key) word = std::uint64_t{random()} << 32U | random();
  return key;
}

Result<PackReport> pack_trace(const OpenedTrace& opened, const PackOptions& options,
                              const std::filesystem::path& out, std::atomic<double>& done,
                              const std::stop_token& stop) {
  return write_output_file<PackReport>(
      out, [&](int fd) { return pack_into(fd, opened, options, done, stop); },
      "There is not enough memory to pack the trace");
}

}  // namespace kino
