#include "app/pages/critical/critical_panel.hpp"

#include <stop_token>
#include <utility>

#include <imgui.h>
#include <nlohmann/json.hpp>

#include "app/pages/critical/critical_content.hpp"

namespace kino {

CriticalPanel::CriticalPanel(std::shared_ptr<const Trace> trace, WorkerPool& pool, std::function<void()> wake)
    : trace_(std::move(trace)), view_(pool, std::move(wake)) {
  view_.start([trace = trace_](const std::stop_token& stop) { return critical_content(trace, stop); });
}

std::vector<PageFact> CriticalPanel::facts() const { return trace_facts(*trace_, {}); }

void CriticalPanel::poll() { view_.poll(); }

bool CriticalPanel::complete() const { return !view_.computing(); }

std::vector<PageRequest> CriticalPanel::take_requests() { return view_.take_requests(); }

void CriticalPanel::draw_content(const PageFrame& frame, ImVec2 at, ImVec2 size) {
  if (frame.keyboard && !ImGui::GetIO().WantTextInput) view_.handle_keys();
  view_.draw(*frame.theme, frame.scale, at, size);
}

void CriticalPanel::write_test_state(nlohmann::ordered_json& json) const { view_.write_test_state(json); }

}  // namespace kino
