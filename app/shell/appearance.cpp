#include "app/shell/appearance.hpp"

#include <array>
#include <cstddef>

#include "app/ui/text/shown_bytes.hpp"
#include "app/ui/text/texts.hpp"
#include "core/base/messages/message.hpp"

namespace kino {
namespace {

constexpr std::array kInterfaceScales = {0.5F,  0.67F, 0.8F,  0.9F, 1.0F, 1.1F,
                                         1.25F, 1.5F,  1.75F, 2.0F, 2.5F, 3.0F};

void bind_units(Commands& commands) {
  const auto bind = [&commands](CommandId command, ByteUnits units) {
    commands.bind(command, {.run = [units] { set_byte_units(units); },
                            .checked = [units] { return byte_units() == units; }});
  };
  bind(CommandId::units_decimal, ByteUnits::decimal);
  bind(CommandId::units_binary, ByteUnits::binary);
}

}  // namespace

Appearance::Appearance(const AppearanceOptions& options)
    : theme_(Theme::make(options.dark)), look_(options.look), interface_scale_(options.interface_scale) {
  choose_language(options.language);
}

void Appearance::bind(Commands& commands, const Session& session) {
  commands.bind(CommandId::toggle_theme, {[this] { toggle_theme(); }});
  bind_languages(commands);
  bind_units(commands);
  bind_scale(commands);
  bind_colors(commands, session);
}

void Appearance::choose_language(std::optional<Language> wanted) {
  language_.choose(wanted);
  for (std::size_t i = 0; i < text_count(); ++i) text_glyphs_.add(tr(static_cast<Text>(i)));
  for (std::size_t i = 0; i < message_count(); ++i)
    text_glyphs_.add(message_form(static_cast<msg::Id>(i), language()));
}

void Appearance::bind_languages(Commands& commands) {
  using Id = CommandId;
  const auto bind = [this, &commands](Id command, std::optional<Language> wanted) {
    commands.bind(command, {.run = [this, wanted] { choose_language(wanted); },
                            .checked = [this, wanted] { return language_.wanted() == wanted; }});
  };
  bind(Id::language_system, std::nullopt);
  bind(Id::language_english, Language::english);
  bind(Id::language_japanese, Language::japanese);
  bind(Id::language_chinese, Language::chinese);
}

void Appearance::bind_colors(Commands& commands, const Session& session) {
  using Id = CommandId;
  const auto ready = [&session] { return session.timeline_ready(); };
  for (std::size_t i = 0; i < kColorModeCount; ++i) {
    const auto mode = static_cast<ColorMode>(i);
    const auto command = static_cast<CommandId>(index_of(Id::color_by_name) + i);
    commands.bind(command, {[this, mode] { look_.color_mode = mode; }, ready,
                            [this, mode] { return look_.color_mode == mode; }});
  }
  commands.bind(Id::next_color_mode,
                {[this, &session] {
                   Page* const page = session.active_page();
                   if (page != nullptr && page->next_coloring()) return;
                   const std::size_t next = static_cast<std::size_t>(look_.color_mode) + 1;
                   look_.color_mode = static_cast<ColorMode>(next % kColorModeCount);
                 },
                 [&session] {
                   return session.active_page() != nullptr &&
                          (session.active_kind() != PageKind::timeline || session.timeline_ready());
                 }});
  commands.bind(Id::full_names, {[this] { look_.full_names = !look_.full_names; }, ready,
                                 [this] { return look_.full_names; }});
}

void Appearance::bind_scale(Commands& commands) {
  using Id = CommandId;
  commands.bind(Id::larger_interface,
                {[this] { step_scale(1); }, [this] { return interface_scale_ < kInterfaceScales.back(); }});
  commands.bind(Id::smaller_interface,
                {[this] { step_scale(-1); }, [this] { return interface_scale_ > kInterfaceScales.front(); }});
  commands.bind(Id::usual_interface,
                {[this] { interface_scale_ = 1; }, {}, [this] { return interface_scale_ == 1; }});
}

// Changes to the next larger scale of kInterfaceScales if `step` is positive, else to the next smaller one.
// The current scale need not be one of them.
void Appearance::step_scale(int step) {
  float next = interface_scale_;
  for (const float scale : kInterfaceScales) {
    if (step > 0 && scale > interface_scale_ && next == interface_scale_) next = scale;
    if (step < 0 && scale < interface_scale_) next = scale;
  }
  interface_scale_ = next;
}

}  // namespace kino
