#include "app/pages/job/job_loader.hpp"

#include <algorithm>
#include <exception>
#include <map>
#include <new>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "app/pages/job/job_texts.hpp"
#include "app/shell/settings/kernel_categories.hpp"
#include "core/base/messages/message.hpp"
#include "core/job/job_grouping.hpp"
#include "core/job/tables/each_rank_tables.hpp"
#include "loaders/cache/ranks/cached_ranks.hpp"
#include "loaders/formats/open.hpp"

namespace kino {
namespace {

// Typical compression ratio of traces, to estimate the uncompressed size. Reading a trace needs about as much
// memory as its uncompressed text.
constexpr std::uint64_t kTextOfCompressed = 14;

RankFile failed(Error error) { return {.state = RankFile::State::failed, .error = std::move(error)}; }

}  // namespace

bool same_content(const FiledJob& a, const FiledJob& b) {
  return a.job.snapshots == b.job.snapshots &&
         std::ranges::equal(a.job.recordings, b.job.recordings, {}, &Recording::content, &Recording::content);
}

std::uint64_t text_bytes_of(const ContainedTrace& file) {
  const bool plain = file.path.extension() == ".json";
  return file.size_bytes.value_or(0) * (plain ? 1 : kTextOfCompressed);
}

JobLoader::JobLoader(const std::vector<ContainedTrace>& files, OpenOptions options,
                     std::function<void()> wake, RankDetails details)
    : options_(std::move(options)), wake_(std::move(wake)), details_(details) {
  // Only digests are cached, because whole traces would occupy memory while waiting for the disk.
  keeps_ = options_.cache.keep != nullptr;
  if (keeps_) options_.cache.keep = [](const OpenedTrace& /*opened*/) {};
  std::vector<std::uint64_t> need_bytes;  // estimate per file
  for (const ContainedTrace& file : files) {
    RankFile& rank = ranks_.emplace_back();
    rank.path = file.path;
    rank.named_rank = file.rank;
    need_bytes.push_back(text_bytes_of(file));
  }
  if (options_.threads == 0) options_.threads = BoundedJobs::threads_within(files.size());
  jobs_.emplace(std::move(need_bytes), half_of_memory(),
                [this](std::size_t index, const std::stop_token& stop) { run(index, stop); });
}

JobLoader::~JobLoader() { request_stop(); }

void JobLoader::request_stop() { jobs_->request_stop(); }

void JobLoader::run(std::size_t index, const std::stop_token& stop) {
  {
    const std::lock_guard lock(mutex_);
    ranks_[index].state = RankFile::State::loading;
    ++generation_;
  }
  try {
    read(index, stop);
  } catch (const std::bad_alloc&) {
    finish(index, failed({Error::Kind::out_of_memory, msg::not_enough_memory_for_this_file}));
  } catch (const std::exception& error) {
    finish(index, failed({Error::Kind::system, error.what()}));
  }
}

void JobLoader::read(std::size_t index, const std::stop_token& stop) {
  if (std::optional<CachedRank> kept = find_cached_rank(ranks_[index].path, options_);
      kept && (details_ == RankDetails::none || has_ledger_and_layers(kept->digest))) {
    finish(index, {.state = RankFile::State::ready,
                   .digest = std::make_shared<const RankDigest>(std::move(kept->digest)),
                   .damage = std::move(kept->damage),
                   .indexed = true});
    return;
  }
  LoadProgress progress;
  Result<OpenedFile> opened = open_file(ranks_[index].path, options_, progress, stop);
  if (!opened.ok()) {
    finish(index, failed(opened.error()));
    return;
  }
  if (const auto* const snapshot = std::get_if<OpenedSnapshot>(&opened.value())) {
    finish(index, {.state = RankFile::State::ready,
                   .memory = std::make_shared<const RankSnapshot>(rank_snapshot(*snapshot->snapshot, stop)),
                   .damage = snapshot->snapshot->damage});
    return;
  }
  const auto* const trace = &std::get<OpenedTrace>(opened.value());
  CachedRank rank{.digest = digest_with_tables(*trace->trace, kernel_categories(), details_, stop),
                  .damage = trace->trace->damage,
                  .slices = trace->trace->slice_count()};
  if (keeps_ && !stop.stop_requested() && trace->stats.text_bytes >= options_.cache.least_text_bytes)
    store_rank(*trace, rank, options_);  // if storing fails, the file is read again next time
  finish(index, {.state = RankFile::State::ready,
                 .digest = std::make_shared<const RankDigest>(std::move(rank.digest)),
                 .damage = std::move(rank.damage)});
}

void JobLoader::finish(std::size_t index, RankFile result) {
  {
    const std::lock_guard lock(mutex_);
    result.path = ranks_[index].path;
    result.named_rank = ranks_[index].named_rank;
    ranks_[index] = std::move(result);
    ++finished_;
    ++generation_;
  }
  if (wake_) wake_();
}

std::vector<RankFile> JobLoader::ranks() const {
  const std::lock_guard lock(mutex_);
  return ranks_;
}

std::uint64_t JobLoader::generation() const {
  const std::lock_guard lock(mutex_);
  return generation_;
}

bool JobLoader::done() const {
  const std::lock_guard lock(mutex_);
  return finished_ == ranks_.size();
}

void JobLoader::look_at(std::size_t index) { jobs_->look_at(index); }

void JobLoader::wait() { jobs_->wait(); }

void RankDetailReader::want(std::span<const std::shared_ptr<const RankDigest>> ranks,
                            std::span<const std::filesystem::path> files) {
  if (loader_ != nullptr) return;
  std::vector<ContainedTrace> lacking;
  for (std::size_t i = 0; i < ranks.size() && i < files.size(); ++i) {
    if (has_ledger_and_layers(*ranks[i]) || digests_->contains(files[i]) || failed_.contains(files[i]))
      continue;
    std::error_code code;
    const std::uintmax_t size = std::filesystem::file_size(files[i], code);
    lacking.push_back(
        {.path = files[i],
         .name = files[i].filename().string(),
         .size_bytes = code ? std::optional<std::uint64_t>() : std::optional<std::uint64_t>(size),
         .rank = ranks[i]->rank});
  }
  if (lacking.empty()) return;
  seen_ = 0;
  taken_ = 0;
  loader_ = std::make_unique<JobLoader>(lacking, options_, wake_, RankDetails::ledger_and_layers);
}

bool RankDetailReader::update() {
  if (loader_ == nullptr) return false;
  const bool done = loader_->done();
  const std::uint64_t now = loader_->generation();
  if (now == seen_ && !done) return false;
  seen_ = now;
  const std::vector<RankFile> read = loader_->ranks();
  const auto ready =
      static_cast<std::size_t>(std::ranges::count(read, RankFile::State::ready, &RankFile::state));
  if (!done && ready < taken_ + std::max<std::size_t>(1, taken_ / 2)) return false;
  auto digests = std::make_shared<Digests>(*digests_);
  for (const RankFile& file : read) {
    if (file.digest != nullptr) digests->insert_or_assign(file.path, file.digest);
    if (done && file.digest == nullptr) failed_.insert(file.path);
  }
  const bool changed = ready > taken_;
  taken_ = ready;
  digests_ = std::move(digests);
  if (done) loader_.reset();
  return changed;
}

std::pair<std::size_t, std::size_t> RankDetailReader::progress() const {
  if (loader_ == nullptr) return {0, 0};
  const std::vector<RankFile> read = loader_->ranks();
  const auto finished = static_cast<std::size_t>(std::ranges::count_if(read, [](const RankFile& file) {
    return file.state == RankFile::State::ready || file.state == RankFile::State::failed;
  }));
  return {finished, read.size()};
}

JobAnalysis with_details(const JobAnalysis& job, std::span<const std::filesystem::path> files,
                         const RankDetailReader::Digests& digests) {
  JobAnalysis detailed = job;
  for (std::size_t i = 0; i < detailed.ranks.size() && i < files.size(); ++i) {
    const auto found = digests.find(files[i]);
    if (found == digests.end()) continue;
    // Results of the analysis are indices into the kernels of the digest.
    const RankDigest& old = *detailed.ranks[i];
    const RankDigest& read = *found->second;
    if (read.kernels.size() == old.kernels.size() && read.first_ns == old.first_ns &&
        read.last_ns == old.last_ns)
      detailed.ranks[i] = found->second;
  }
  return detailed;
}

namespace {

bool has_rank(const FiledJob& filed, std::int64_t rank) {
  return std::ranges::any_of(filed.job.recordings,
                             [rank](const Recording& recording) { return recording.digest()->rank == rank; });
}

/// Returns the file names. If some names are equal, all names are preceded by their folders.
std::vector<std::string> different_names(const std::vector<std::filesystem::path>& files) {
  std::vector<std::string> names;
  names.reserve(files.size());
  for (const std::filesystem::path& file : files) names.push_back(file.filename().string());
  if (std::set<std::string>(names.begin(), names.end()).size() == names.size()) return names;
  for (std::size_t i = 0; i < files.size(); ++i)
    names[i] = (files[i].parent_path().filename() / files[i].filename()).string();
  return names;
}

bool overlaps(const FiledJob& filed, const RankMemory& memory) {
  return std::ranges::any_of(filed.job.recordings, [&](const Recording& recording) {
    return !memory.curve.empty() && recording.digest()->first_ns <= memory.curve.back().time_ns &&
           recording.digest()->last_ns >= memory.curve.front().time_ns;
  });
}

void add_snapshots(const std::vector<RankFile>& files, std::vector<FiledJob>& jobs) {
  for (const RankFile& file : files) {
    const std::int64_t rank = file.named_rank;
    if (file.memory == nullptr || rank < 0) continue;
    auto found = std::ranges::find_if(jobs, [&](const FiledJob& filed) {
      return has_rank(filed, rank) && overlaps(filed, file.memory->memory);
    });
    if (found == jobs.end()) {
      found =
          std::ranges::find_if(jobs, [&](const FiledJob& filed_job) { return has_rank(filed_job, rank); });
    }
    if (found != jobs.end()) found->job.snapshots.try_emplace(rank, file.memory);
  }
}

}  // namespace

std::vector<FiledJob> jobs_of(const std::vector<RankFile>& ranks) {
  std::vector<Recording> recordings;
  std::vector<std::string> hosts;
  std::vector<std::int64_t> named_ranks;
  std::map<RecordingId, std::filesystem::path> file_of;
  for (const RankFile& rank : ranks) {
    if (rank.digest == nullptr) continue;
    file_of[recordings.emplace_back(new_recording(rank.digest)).id] = rank.path;
    hosts.push_back(host_of(rank.path).value_or(""));
    named_ranks.push_back(rank.named_rank);
  }
  std::vector<FiledJob> jobs;
  for (Job& job : jobs_of(recordings, hosts, named_ranks)) {
    FiledJob& filed = jobs.emplace_back();
    for (const Recording& recording : job.recordings) filed.files.push_back(file_of[recording.id]);
    filed.job = std::move(job);
    filed.job.names = different_names(filed.files);
  }
  std::ranges::stable_sort(jobs, std::ranges::greater{},
                           [](const FiledJob& filed_job) { return filed_job.files.size(); });
  add_snapshots(ranks, jobs);
  return jobs;
}

std::vector<std::filesystem::path> unassigned_snapshots(const std::vector<RankFile>& ranks,
                                                        const std::vector<FiledJob>& jobs) {
  std::vector<std::filesystem::path> left_out;
  for (const RankFile& file : ranks) {
    const auto has_it = [&](const FiledJob& filed) {
      const auto found = filed.job.snapshots.find(file.named_rank);
      return found != filed.job.snapshots.end() && found->second == file.memory;
    };
    if (file.memory != nullptr && std::ranges::none_of(jobs, has_it)) left_out.push_back(file.path);
  }
  return left_out;
}

}  // namespace kino
