#include "app/pages/critical/job_path_page.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <stop_token>
#include <utility>

#include <imgui.h>
#include <nlohmann/json.hpp>

#include "app/system/bounded_jobs.hpp"
#include "app/ui/text/shown_bytes.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/terminal_text.hpp"

namespace kino {

std::uint64_t most_path_bytes() { return half_of_memory() / 2; }

std::string path_refusal(const RankSources& sources, std::uint64_t most_bytes) {
  std::uint64_t need_bytes = 0;
  for (const std::uint64_t bytes : sources.text_bytes) need_bytes += std::min(bytes, UINT64_MAX - need_bytes);
  if (sources.files.size() <= kMostPathRanks && need_bytes <= most_bytes) return {};
  return filled(Text::critical_too_many_ranks,
                {std::to_string(sources.files.size()), text_from_bytes(static_cast<double>(need_bytes)),
                 std::to_string(kMostPathRanks), text_from_bytes(static_cast<double>(most_bytes))});
}

JobPathPage::JobPathPage(OpenOptions options, WorkerPool& pool, std::function<void()> wake,
                         std::vector<PageRequest>& requests)
    : options_(std::move(options)), wake_(wake), requests_(requests), view_(pool, std::move(wake)) {}

const char* JobPathPage::title() const { return tr(Text::view_critical); }

void JobPathPage::set_job(std::shared_ptr<const JobAnalysis> job, RankSources sources) {
  job_ = std::move(job);
  if (sources == sources_) return;
  sources_ = std::move(sources);
  refusal_ = path_refusal(sources_, most_path_bytes());
  failure_.clear();
  canceled_ = false;
  traces_.clear();
  computed_ = nullptr;
  reading_ = nullptr;
  view_.reset();
}

void JobPathPage::update(bool shown) {
  if (reading_ != nullptr && reading_->done()) {
    if (const std::optional<Error> error = reading_->error()) {
      failure_ = in_language(error->what);
    } else {
      traces_ = reading_->traces();
    }
    reading_ = nullptr;
  }
  const bool wanted = shown && offered() && refusal_.empty() && failure_.empty() && !canceled_;
  if (wanted && traces_.empty() && reading_ == nullptr)
    reading_ = std::make_unique<RankReading>(sources_.files, sources_.text_bytes, options_, wake_);
  if (wanted && !traces_.empty() && !current()) compute();
  view_.poll();
  std::ranges::move(view_.take_requests(), std::back_inserter(requests_));
}

void JobPathPage::compute() {
  computed_ = job_;
  if (traces_.size() != job_->ranks.size()) return;
  view_.start([job = CriticalJob{job_, traces_, sources_.files}](const std::stop_token& stop) {
    return critical_content(job, stop);
  });
}

void JobPathPage::cancel() {
  reading_ = nullptr;
  canceled_ = true;
}

/// Draws the progress of reading, or the reason why there is no path.
void JobPathPage::draw_state(const DrawContext& look) {
  if (reading_ != nullptr) {
    wrapped_text(look.theme.text,
                 filled(Text::critical_reading_ranks,
                        {std::to_string(reading_->count()), std::to_string(sources_.files.size())}));
    if (flat_button(tr(Text::cancel), nullptr)) cancel();
    return;
  }
  if (!offered()) {
    wrapped_text(look.theme.text_dim, tr(Text::critical_no_job));
  } else if (!refusal_.empty()) {
    wrapped_text(look.theme.text, refusal_);
  } else if (!failure_.empty()) {
    wrapped_text(look.theme.warning, escaped(failure_));
  } else {
    wrapped_text(look.theme.text_dim, tr(Text::critical_reading_stopped));
  }
  if ((canceled_ || !failure_.empty()) && flat_button(tr(Text::critical_read_ranks), nullptr)) {
    canceled_ = false;
    failure_.clear();
  }
}

void JobPathPage::draw(ImVec2 size, const DrawContext& look) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::BeginChild("path", size);
  if (current()) {
    view_.draw(look.theme, look.scale, at, size);
  } else {
    ImGui::GetWindowDrawList()->AddRectFilled(at, {at.x + size.x, at.y + size.y}, look.theme.panel);
    ImGui::SetCursorPos({14 * look.scale, 10 * look.scale});
    ImGui::BeginGroup();
    draw_state(look);
    ImGui::EndGroup();
  }
  ImGui::EndChild();
}

bool JobPathPage::complete() const { return reading_ == nullptr && !view_.computing(); }

void JobPathPage::write_test_state(nlohmann::ordered_json& panel) const {
  using Json = nlohmann::ordered_json;
  Json json;
  view_.write_test_state(json);
  json["reading"] = reading_ != nullptr;
  json["read"] = traces_.size();
  json["refusal"] = refusal_;
  json["failure"] = failure_;
  panel["critical_path"] = std::move(json);
}

}  // namespace kino
