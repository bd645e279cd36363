#include "loaders/formats/capsule/snapshot_capsule.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/parallel.hpp"
#include "loaders/bytes/file_kind.hpp"
#include "loaders/bytes/zstd_frame.hpp"
#include "loaders/formats/capsule/capsule_reader.hpp"
#include "loaders/formats/capsule/capsule_writer.hpp"
#include "loaders/formats/capsule/output_file.hpp"
#include "loaders/formats/capsule/snapshot_redaction.hpp"
#include "loaders/formats/snapshot/snapshot_formats.hpp"

namespace kino {
namespace {

struct Form {
  std::string_view name;
  SnapshotSource source{};
  Result<OpenedFile> (*open)(const FormatInput& input) = nullptr;
};
constexpr std::array kForms{Form{"pickle", SnapshotSource::pickle, open_pickled_snapshot},
                            Form{"json", SnapshotSource::json, open_json_snapshot},
                            Form{"page", SnapshotSource::html, open_snapshot_page},
                            Form{"timeline", SnapshotSource::memory_timeline, open_memory_timeline}};

std::string_view form_of(SnapshotSource source) {
  const auto found = std::ranges::find(kForms, source, &Form::source);
  return found != kForms.end() ? found->name : std::string_view();
}

/// Cuts the content into parts of kMostContentPart bytes (the last one may be shorter), and packs them in
/// parallel, one per thread.
class ContentPacker {
 public:
  ContentPacker(CapsuleParts& parts, unsigned threads, const std::stop_token& stop)
      : parts_(parts), threads_(thread_count_or_default(threads)), stop_(stop) {}

  /// Appends bytes. Returns false after an error or a stop request.
  bool add(std::string_view bytes) {
    while (!bytes.empty()) {
      if (waiting_.empty() || waiting_.back().size() == kMostContentPart) {
        if (waiting_.size() == threads_ && !pack()) return false;
        waiting_.emplace_back();
      }
      std::string& last = waiting_.back();
      const std::size_t size = std::min<std::size_t>(bytes.size(), kMostContentPart - last.size());
      last.append(bytes.substr(0, size));
      bytes.remove_prefix(size);
    }
    return true;
  }
  bool finish() { return pack(); }

  std::vector<CapsulePart> take() { return std::move(content_); }

 private:
  bool pack() {
    std::vector<std::string> frames(waiting_.size());
    parallel_for(threads_, waiting_.size(), stop_,
                 [&](std::size_t i, unsigned) { frames[i] = zstd_packed(waiting_[i], kCapsuleLevel); });
    if (stop_.stop_requested()) return false;
    for (std::size_t i = 0; i < frames.size(); ++i)
      content_.push_back(parts_.append(frames[i], waiting_[i].size()));
    waiting_.clear();
    return !parts_.error();
  }

  CapsuleParts& parts_;
  unsigned threads_;
  const std::stop_token& stop_;
  std::vector<std::string> waiting_;
  std::vector<CapsulePart> content_;
};

/// Adds a whole text in pieces.
std::optional<Error> add_whole(const TextSource& text, ContentPacker& packer, std::atomic<double>& done) {
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  std::string piece(kPiece, '\0');
  for (std::uint64_t at = 0; at < text.size_bytes();) {
    const Result<std::size_t> got = text.read(at, piece);
    if (!got.ok()) return got.error();
    if (got.value() == 0) break;
    if (!packer.add(std::string_view(piece).substr(0, got.value())))
      return std::nullopt;  // the caller reports the error or the stop request
    at += got.value();
    done = static_cast<double>(at) / static_cast<double>(text.size_bytes());
  }
  return std::nullopt;
}

std::optional<Error> add_redacted(const OpenedSnapshot& opened, Redactor& redactor, ContentPacker& packer,
                                  const std::stop_token& stop) {
  GrowingText text(opened.text);
  text.grow_to(opened.text->size_bytes());
  text.finish();
  return redact_snapshot(
      text, opened.snapshot->source, redactor, [&](std::string_view bytes) { return packer.add(bytes); },
      stop);
}

Result<PackReport> pack_snapshot_into(int fd, const OpenedSnapshot& opened, const PackOptions& options,
                                      std::atomic<double>& done, const std::stop_token& stop) {
  SnapshotCapsuleFacts facts;
  facts.title = options.title;
  facts.form = form_of(opened.snapshot->source);
  if (opened.text == nullptr || facts.form.empty())
    return Error{Error::Kind::unknown_format, "this snapshot has no file that can be packed"};
  PackReport report;
  for (const SnapshotDevice& device : opened.snapshot->devices) report.events += device.entries.entry_count();
  report.text_bytes = opened.text->size_bytes();
  CapsuleParts parts(fd, 0);
  parts.write(std::string(kSnapshotCapsuleMagic) + std::to_string(kSnapshotCapsuleVersion) + "\n");
  ContentPacker packer(parts, options.threads, stop);
  std::optional<Error> error;
  if (options.redaction) {
    Redactor redactor(options.redaction->key, options.redaction->words, options.redaction->libraries);
    error = add_redacted(opened, redactor, packer, stop);
    facts.title = redactor.text(facts.title);
    report.replaced = redactor.counts();
    report.host_like.assign(redactor.host_like().begin(), redactor.host_like().end());
    facts.redacted = true;
    facts.replaced.assign(report.replaced.begin(), report.replaced.end());
    if (facts.form != form_of(SnapshotSource::memory_timeline)) facts.form = form_of(SnapshotSource::pickle);
  } else {
    error = add_whole(*opened.text, packer, done);
  }
  if (stop.stop_requested()) return cancelled("Packing");
  if (parts.error()) return *parts.error();
  if (error) return std::move(*error);
  if (!packer.finish()) return parts.error() ? *parts.error() : cancelled("Packing");
  facts.content = packer.take();
  if (auto why = write_capsule_end(parts, facts, stop)) return std::move(*why);
  if (!opened.text->unchanged()) {
    return Error{Error::Kind::corrupt, "the snapshot changed while it was packed; open it again"};
  }
  report.bytes = parts.end();
  done = 1;
  return report;
}

/// Reads the content of a capsule; holds one part in memory.
class CapsuleContent : public TextSource {
 public:
  CapsuleContent(std::shared_ptr<const TextSource> file, std::vector<CapsulePart> parts)
      : file_(std::move(file)), parts_(std::move(parts)) {
    std::uint64_t end = 0;
    for (const CapsulePart& part : parts_) ends_.push_back(end += part.bytes);
    set_size_bytes(end);
  }

  bool unchanged() const override { return file_->unchanged(); }
  Result<std::size_t> read(std::uint64_t offset, std::span<char> out) const override {
    const std::lock_guard lock(mutex_);
    std::size_t done = 0;
    auto part = static_cast<std::size_t>(std::ranges::upper_bound(ends_, offset) - ends_.begin());
    for (; part < parts_.size() && done < out.size(); ++part) {
      if (part != in_memory_) {
        in_memory_ = parts_.size();
        if (auto error = read_part(*file_, parts_[part], buffers_)) {
          failure_ = error;
          return std::move(*error);
        }
        in_memory_ = part;
      }
      const std::uint64_t from = offset + done - (ends_[part] - parts_[part].bytes);
      const std::size_t size = std::min<std::size_t>(out.size() - done, parts_[part].bytes - from);
      std::memcpy(out.data() + done, buffers_.bytes.data() + from, size);
      done += size;
    }
    return done;
  }
  /// Returns the error of the last part that could not be read.
  std::optional<Error> failure() const {
    const std::lock_guard lock(mutex_);
    return failure_;
  }

 private:
  std::shared_ptr<const TextSource> file_;
  std::vector<CapsulePart> parts_;
  std::vector<std::uint64_t> ends_;
  mutable std::mutex mutex_;
  // Guarded by mutex_:
  mutable PartBuffers buffers_;
  mutable std::size_t in_memory_ = static_cast<std::size_t>(-1);  // index of the part in buffers_
  mutable std::optional<Error> failure_;
};

}  // namespace

Result<PackReport> pack_snapshot(const OpenedSnapshot& opened, const PackOptions& options,
                                 const std::filesystem::path& out, std::atomic<double>& done,
                                 const std::stop_token& stop) {
  return write_output_file<PackReport>(
      out, [&](int fd) { return pack_snapshot_into(fd, opened, options, done, stop); },
      "There is not enough memory to pack the snapshot");
}

FormatMatch snapshot_capsule_match(std::string_view head) {
  return is_snapshot_capsule(head) ? FormatMatch::surely : FormatMatch::none;
}

Result<OpenedFile> open_snapshot_capsule(const FormatInput& input) {
  input.content.wait_for(GrowingText::kWhole, input.stop);
  if (input.stop.stop_requested()) return cancelled("Loading");
  if (const auto error = input.content.error()) return *error;
  Result<SnapshotCapsuleFacts> facts = read_snapshot_capsule(*input.content.source());
  if (!facts.ok()) return facts.error();
  const auto form = std::ranges::find(kForms, facts->form, &Form::name);
  if (form == kForms.end()) {
    return unknown_format("The capsule contains a snapshot in a format of a newer Kinetoscope: \"" +
                          facts->form.substr(0, 40) + "\"");
  }
  const auto content = std::make_shared<CapsuleContent>(input.content.source(), std::move(facts->content));
  GrowingText text(content);
  text.grow_to(content->size_bytes());
  text.finish();
  Result<OpenedFile> opened =
      form->open({text, input.options, input.progress, input.stop, input.source_damage, input.file});
  if (const auto failure = content->failure()) return *failure;
  if (!opened.ok()) return opened;
  std::get<OpenedSnapshot>(*opened).capsule = std::make_shared<const CapsuleNotes>(
      CapsuleNotes{std::move(facts->title), {}, 0, facts->redacted, std::move(facts->replaced)});
  return opened;
}

}  // namespace kino
