#include "loaders/formats/json_import/json_event_writer.hpp"

#include <span>
#include <utility>

namespace kino {

JsonEventWriter::JsonEventWriter(SpoolWriter& out, EventSink& events)
    : out_(out), events_(events), thread_([this] { run(); }) {}

JsonEventWriter::~JsonEventWriter() { end(false); }

void JsonEventWriter::finish() {
  end(true);
  if (failure_) std::rethrow_exception(failure_);
}

void JsonEventWriter::end(bool closed) {
  if (!thread_.joinable()) return;
  closed_ = closed;
  pieces_.end();
  thread_.join();
}

void JsonEventWriter::run() {
  while (auto piece = pieces_.next_full()) {
    try {
      if (good()) tell(*piece);
      piece->clear();
    } catch (...) {
      failure_ = std::current_exception();
      good_ = false;
    }
    pieces_.emptied(std::move(piece));
  }
  events_.finish(closed_ && good());
}

void JsonEventWriter::tell(const TranscriptPiece& piece) {
  if (piece.head > 0) events_.begin(piece.text().substr(0, piece.head));
  for (const PieceEvent& event : piece.events) {
    EventFields& fields = events_.fields();
    fields.phase = {&event.phase, 1};
    fields.category = piece.view(event.category);
    fields.name = piece.view(event.name);
    fields.name_index = event.name_index;
    fields.pid = piece.view(event.pid);
    fields.tid = piece.view(event.tid);
    fields.time = piece.view(event.time);
    fields.id = piece.view(event.id);
    if (event.phase == 'f') fields.binding = "e";
    fields.any = fields.timed = true;
    fields.time_ns = event.time_ns;
    fields.duration_ns = event.duration_ns;
    if (fields.wants_args()) {
      ArgumentReceiver intake(fields);
      const std::span arguments(piece.arguments);
      for (const PieceArgument& argument : arguments.subspan(event.first_argument, event.argument_count)) {
        if (!intake.take(piece.view(argument.key), piece.view(argument.json))) break;
      }
    }
    events_.accept(written_ + event.begin);
  }
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(piece.text().data());
  good_ = out_.write({bytes, piece.text().size()});
  written_ += piece.text().size();
  if (good()) events_.keep(written_);
}

}  // namespace kino
