#include "app/pages/what_if/what_if_work.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/base/parallel.hpp"

namespace kino {
namespace {

WhatIfCurve curve_of(const AllocatorTrace& trace, const WhatIfSetting& setting, std::size_t device,
                     const std::stop_token& stop) {
  ReservedCurve made = reserved_curve(trace, setting.rules, stop);
  WhatIfCurve curve;
  curve.device = device;
  curve.setting = setting.conf;
  for (std::size_t i = 0; i < made.bytes.size(); ++i) {
    if (made.bytes[i] > curve.peak.bytes) curve.peak = {made.bytes[i], made.events[i]};
  }
  curve.events = std::move(made.events);
  curve.bytes = std::move(made.bytes);
  curve.end = made.end;
  return curve;
}

}  // namespace

WhatIfWork::WhatIfWork(std::shared_ptr<const Snapshot> snapshot, std::function<void()> wake)
    : snapshot_(std::move(snapshot)), wake_(std::move(wake)), workers_(thread_count_or_default(0)) {}

WhatIfWork::~WhatIfWork() = default;

bool WhatIfWork::show(std::size_t device) {
  if (device_ == device) return false;
  device_ = device;
  proved_.reset();
  known_proof_.reset();
  rows_.clear();
  order_.clear();
  known_ = 0;
  best_.reset();
  least_.reset();
  chosen_.reset();
  curve_.reset();
  bounds_ = {};
  own_.clear();
  searched_ = false;
  cancelled_ = false;
  proved_.start(workers_, wake_, [snapshot = snapshot_, device](const std::stop_token& stop) {
    return proved_allocator(*snapshot, device, stop);
  });
  return true;
}

const ProvedAllocator* WhatIfWork::proved() const { return known_proof_.get(); }

void WhatIfWork::add_row(WhatIfSetting setting) {
  Row& row = rows_.emplace_back();
  row.setting = std::move(setting);
  start(row);
}

void WhatIfWork::start(Row& row) {
  cancelled_ = false;
  row.answer.start(
      workers_, wake_,
      [proved = known_proof_, bounds = bounds_, setting = row.setting](const std::stop_token& stop) {
        return answer_setting(proved->trace, bounds, setting, stop);
      });
}

// Recreates all rows and starts them with the current capacity.
void WhatIfWork::start_rows() {
  const std::string chosen = chosen_ ? rows_[*chosen_].setting.conf : std::string();
  const bool had_choice = std::exchange(chosen_, std::nullopt).has_value();
  rows_.clear();
  least_.reset();
  least_asked_ = false;
  curve_.reset();
  AllocatorRules baseline = known_proof_->trace.rules;
  if (capacity_) baseline.capacity = *capacity_;
  add_row({{}, baseline});
  const auto add = [&](WhatIfSetting setting) {
    const bool known =
        std::ranges::any_of(rows_, [&](const Row& row) { return row.setting.rules == setting.rules; });
    if (!known) add_row(std::move(setting));
  };
  if (!own_.empty()) {
    if (Result<WhatIfSetting> own = setting_of(baseline, own_); own.ok()) add(std::move(own).value());
  }
  for (WhatIfSetting& setting : usual_settings(baseline)) add(std::move(setting));
  if (searched_) {
    for (WhatIfSetting& setting : searched_settings(baseline)) add(std::move(setting));
  }
  sort();
  if (!had_choice) return;
  for (std::size_t i = 0; i < rows_.size() && !chosen_; ++i) {
    if (rows_[i].setting.conf == chosen) choose(i);
  }
}

void WhatIfWork::poll() {
  if (proved_.poll() != nullptr) {
    known_proof_ = *proved_.value();
    if (known_proof_->refused().empty()) {
      bounds_ = capacity_bounds(*snapshot_, *device_, known_proof_->trace);
      start_rows();
    }
  }
  bool news = false;
  for (Row& row : rows_) news = row.answer.poll() != nullptr || news;
  if (news) sort();
  least_.poll();
  curve_.poll();
  if (!rows_.empty() && known_ == rows_.size() && !capacity_ && !least_asked_ && !cancelled_) {
    least_asked_ = true;
    least_.start(workers_, wake_, [proved = known_proof_](const std::stop_token& stop) {
      return kino::least_capacity(proved->trace, proved->trace.rules,
                                  {WhatIfStart::fresh, proved->trace.downwards, nullptr}, stop);
    });
  }
}

void WhatIfWork::sort() {
  order_.clear();
  known_ = 0;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    order_.push_back(i);
    if (rows_[i].answer.value() != nullptr) ++known_;
  }
  const auto key = [&](std::size_t i) {
    const WhatIfReport* const answer = rows_[i].answer.value();
    const bool out = answer != nullptr && answer->result.oom.has_value();
    // Settings that run out of memory are sorted by the event at which they do, latest first.
    return std::tuple(i != 0, answer == nullptr, out, out ? -std::int64_t{answer->result.oom->event} : 0,
                      answer != nullptr ? answer->result.peak_reserved : 0, i);
  };
  std::ranges::sort(order_, {}, key);
  best_.reset();
  if (known_ < rows_.size()) return;
  std::vector<WhatIfReport> answers;
  answers.reserve(rows_.size());
  for (const Row& row : rows_) answers.push_back(*row.answer.value());
  best_ = best_answer(answers);
}

void WhatIfWork::set_capacity(std::optional<std::uint64_t> bytes) {
  if (capacity_ == bytes) return;
  capacity_ = bytes;
  if (!rows_.empty()) start_rows();
}

void WhatIfWork::set_own(const std::string& conf) {
  if (own_ == conf) return;
  own_ = conf;
  if (rows_.empty()) return;
  const Result<WhatIfSetting> asked = setting_of(rows_.front().setting.rules, conf);
  if (conf.empty() || !asked.ok()) {
    choose(std::nullopt);
    return;
  }
  const auto known =
      std::ranges::find_if(rows_, [&](const Row& row) { return row.setting.rules == asked.value().rules; });
  const auto row = static_cast<std::size_t>(known - rows_.begin());
  if (known == rows_.end()) add_row(asked.value());
  sort();
  choose(row);
}

void WhatIfWork::search() {
  if (searched_ || rows_.empty()) return;
  searched_ = true;
  for (WhatIfSetting& setting : searched_settings(rows_.front().setting.rules)) {
    const bool known =
        std::ranges::any_of(rows_, [&](const Row& row) { return row.setting.rules == setting.rules; });
    if (!known) add_row(std::move(setting));
  }
  sort();
}

void WhatIfWork::cancel() {
  cancelled_ = true;
  for (Row& row : rows_) row.answer.cancel();
  least_.cancel();
}

void WhatIfWork::resume() {
  cancelled_ = false;
  least_asked_ = least_.value() != nullptr;
  for (Row& row : rows_) {
    if (row.answer.value() == nullptr && !row.answer.running()) start(row);
  }
}

std::optional<std::uint64_t> WhatIfWork::least_capacity() const {
  return least_.value() != nullptr && !capacity_ ? *least_.value() : std::nullopt;
}

void WhatIfWork::choose(std::optional<std::size_t> row) {
  chosen_ = row;
  curve_.reset();
  if (!row) return;
  curve_.start(
      workers_, wake_,
      [proved = known_proof_, setting = rows_[*row].setting, device = *device_](const std::stop_token& stop) {
        return std::make_shared<const WhatIfCurve>(curve_of(proved->trace, setting, device, stop));
      });
}

std::shared_ptr<const WhatIfCurve> WhatIfWork::curve() const {
  return chosen_ && curve_.value() != nullptr ? *curve_.value() : nullptr;
}

bool WhatIfWork::running() const {
  const auto runs = [](const Row& row) { return row.answer.running(); };
  return proved_.running() || least_.running() || curve_.running() || std::ranges::any_of(rows_, runs);
}

}  // namespace kino
