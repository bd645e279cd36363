#include "app/cli/named_jobs.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "app/cli/command_line/command_output.hpp"
#include "app/cli/command_line/cut_file.hpp"
#include "app/pages/job/job_loader.hpp"
#include "core/base/terminal_text.hpp"

namespace kino {

namespace {

/// Returns whether the recording contains communication, but neither its header nor its file name contains a
/// rank.
bool states_no_rank(const FiledJob& filed) {
  const RankDigest& digest = *filed.job.recordings.front().digest();
  return digest.rank < 0 && !digest.kernels.empty() &&
         rank_in_name(filed.files.front().filename().string()) < 0;
}

/// Returns whether the recording overlaps in time with a rank of the job.
bool overlaps_job(const RankDigest& digest, const JobAnalysis& job) {
  return std::ranges::any_of(job.ranks, [&](const auto& rank) {
    return digest.first_ns <= rank->last_ns && rank->first_ns <= digest.last_ns;
  });
}

/// Returns a sentence that explains why a recording belongs to none of the jobs with several ranks.
std::string left_out_sentence(const FiledJob& filed, const std::vector<NamedJob>& jobs) {
  const RankDigest& digest = *filed.job.recordings.front().digest();
  const std::string file = filed.files.front().string();
  std::string other;  // file with this rank, recorded at another time
  for (const NamedJob& job : jobs) {
    const JobAnalysis& analysis = *job.analysis;
    for (std::size_t i = 0; i < analysis.ranks.size(); ++i) {
      if (digest.rank < 0 || analysis.ranks[i]->rank != digest.rank ||
          analysis.world_size != digest.world_size)
        continue;
      const std::string name = job.files[i].filename().string();
      if (overlaps_job(digest, analysis)) {
        std::string sentence = file;
        sentence.append(" is excluded: rank ").append(std::to_string(digest.rank));
        return sentence.append(" is already in ").append(name);
      }
      if (other.empty()) other = name;
    }
  }
  if (!other.empty()) {
    return file + " is excluded: its times show that it belongs to a different job than rank " +
           std::to_string(digest.rank) + " in " + other;
  }
  if (states_no_rank(filed))
    return file + " is excluded: it has no rank number, and none of its collectives match a job here";
  if (digest.world_size == 1) return file + " is excluded: its job has only one rank";
  const bool named = digest.rank < 0 && rank_in_name(filed.files.front().filename().string()) >= 0;
  if ((digest.rank >= 0 || named) && digest.kernels.empty()) {
    return file + " is excluded: " + (named ? "its name" : "it") +
           " has a rank number, but no communication kernels show its job";
  }
  return file + " is excluded: it does not belong to a job of several ranks here";
}

}  // namespace

NamedJobs read_jobs(OpenOptions options, const ContainedTraces& contained, RankDetails details) {
  options.cache.least_text_bytes = 0;
  JobLoader loader(contained.traces, options, {}, details);
  loader.wait();
  const std::vector<RankFile> files = loader.ranks();
  NamedJobs named;
  for (const RankFile& file : files) {
    if (file.state == RankFile::State::failed)
      named.problems.push_back(error_sentence(file.error, file.path.string()));
    for (const Damage& entry : file.damage.entries()) {
      if (!drops_event(entry.reason) && !ends_early(entry.reason)) continue;
      named.problems.push_back(file.path.string() + ": " + std::to_string(entry.count) + " " +
                               std::string(english(text_of(entry.reason))));
    }
    named.incomplete =
        named.incomplete || file.state == RankFile::State::failed || file.damage.drops_events();
  }
  if (!contained.left_out.empty()) named.problems.push_back(contained.left_out);
  std::vector<FiledJob> filed_jobs = jobs_of(files);
  for (const std::filesystem::path& snapshot : unassigned_snapshots(files, filed_jobs)) {
    named.problems.push_back(snapshot.filename().string() +
                             " is excluded: no trace here has its rank, or the rank has another snapshot");
    named.incomplete = true;
  }
  for (FiledJob& filed : filed_jobs) {
    if (filed.files.size() < 2) {
      if (!named.jobs.empty()) named.problems.push_back(left_out_sentence(filed, named.jobs));
      named.unproved += states_no_rank(filed) ? 1 : 0;
      named.incomplete = true;
      continue;
    }
    const NamedJob& job = named.jobs.emplace_back(
        NamedJob{std::make_shared<const JobAnalysis>(analyze_job(filed.job)), std::move(filed.files)});
    named.incomplete =
        named.incomplete || !job.analysis->missing.empty() || !job.analysis->matched.alone.empty();
  }
  return named;
}

std::string separate_sentence(const NamedJobs& named) {
  return std::to_string(named.unproved) +
         " recordings have collectives but no rank number, and nothing shows that they belong to one job, so "
         "each is treated as a separate job";
}

const NamedJob* chosen_job(const NamedJobs& named, const std::filesystem::path& container,
                           std::size_t number) {
  for (const std::string& problem : named.problems) complain(escaped(problem));
  if (named.jobs.size() > 1 || number > named.jobs.size()) {
    std::string list;
    for (std::size_t i = 0; i < named.jobs.size(); ++i) {
      list += (i > 0 ? "; " : "") + std::to_string(i + 1) + ": " +
              std::to_string(named.jobs[i].files.size()) + " ranks, first " +
              escaped(named.jobs[i].files.front().filename().string());
    }
    std::fprintf(stderr, "kinetoscope: jobs in %s: %s; %s %zu\n", escaped(container.string()).c_str(),
                 list.c_str(), number > named.jobs.size() ? "there is no job" : "the output is for job",
                 number);
  }
  return number > named.jobs.size() ? nullptr : &named.jobs[number - 1];
}

}  // namespace kino
