#include "app/ui/widgets/fonts.hpp"

#include <atomic>
#include <new>
#include <thread>
#include <utility>

#include <imgui.h>

namespace kino {

ImFont* ui_font() { return ImGui::GetIO().Fonts->Fonts[0]; }

namespace {

/// Returns the font at this index of the atlas, or the interface's font if there is none.
ImFont* font_at(int index) {
  const ImVector<ImFont*>& fonts = ImGui::GetIO().Fonts->Fonts;
  return fonts[fonts.Size > index ? index : 0];
}

}  // namespace

ImFont* mono_font() { return font_at(1); }
ImFont* heading_font() { return font_at(2); }

void Fonts::want(const GlyphSet& glyphs) {
  if (wanted_.text.includes(glyphs)) return;
  wanted_.text.add(glyphs);
  stale_ = true;
}

void Fonts::want_in_headings(const GlyphSet& glyphs) {
  if (wanted_.headings.includes(glyphs)) return;
  wanted_.headings.add(glyphs);
  stale_ = true;
}

void Fonts::prefer(const char* language) {
  if (wanted_.language == language) return;
  wanted_.language = language;
  stale_ = true;
}

struct Fonts::Making {
  std::unique_ptr<ImFontAtlas> atlas = std::make_unique<ImFontAtlas>();
  float scale = 1;
  WantedGlyphs wanted;
  std::atomic<bool> done = false;
  std::jthread thread;  // last: joined before the members it uses are destroyed

  void run(const std::function<void()>& wake) {
    try {
      build_font_atlas(*atlas, wanted, scale);
    } catch (const std::bad_alloc&) {
      atlas.reset();  // the previous one remains valid
    }
    done.store(true, std::memory_order_release);
    if (wake) wake();
  }
};

Fonts::Fonts(std::function<void()> wake) : wake_(std::move(wake)), atlas_(std::make_unique<ImFontAtlas>()) {}

Fonts::~Fonts() = default;

void Fonts::start(float scale) {
  making_ = std::make_unique<Making>();
  making_->scale = scale;
  making_->wanted.text.add(wanted_.text);
  making_->wanted.headings.add(wanted_.headings);
  making_->wanted.language = wanted_.language;
  making_->thread = std::jthread([making = making_.get(), wake = wake_] { making->run(wake); });
  stale_ = false;
}

bool Fonts::take() {
  making_->thread.join();
  const std::unique_ptr<Making> made = std::move(making_);
  scale_ = made->scale;
  if (!made->atlas) return false;
  if (!before_) before_ = std::move(atlas_);
  atlas_ = std::move(made->atlas);
  return true;
}

void Fonts::stop() { making_.reset(); }

bool Fonts::update(float scale) {
  before_.reset();
  bool changed = making_ && making_->done.load(std::memory_order_acquire) && take();
  if (!making_ && (stale_ || scale != scale_)) start(scale);
  const bool wait = !wake_ || scale != scale_;
  while (making_ && wait) {
    changed = take() || changed;
    if (stale_ || scale != scale_) start(scale);
  }
  return changed;
}

}  // namespace kino
