// The state of the window for UI tests: a small JSON file replaced after each frame.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "app/shell/documents/session.hpp"
#include "app/shell/ui.hpp"

namespace kino {

/// State of the window's main loop after a frame.
struct DrawnFrame {
  std::uint64_t number = 0;
  std::uint64_t rendered = 0;  ///< number of the frames that were rendered; see Presentation
  double cpu_ms = 0;
  bool fonts_complete = true;
  bool resting = true;  ///< no further frame is due
};

/// Returns a JSON object with, among others, these members:
/// {"frame","rendered","documents":[{"file","state","error","slices","damage"}],"active","view":{...}|null,
/// "bookmarks":{"list":[{"number","text","color","begin_ns","end_ns","slice","match","inside"}],"message",
/// "editing"}|null,"split":{"mode","link","panes":[{"file","active","origin_unix_ns","view"}]},"complete",
/// "settled","help","box","debug","theme","frame_cpu_ms"}. "slices" and "damage" are present only for
/// traces.
/// "settled" is true if nothing moves without input and no frame is due. "view" belongs to the active trace:
/// {"from_ns","to_ns","scroll_px","area":[left,top,width,height],"drawer","tab","search","marked","selection",
/// "selected_name","hovered_name","lanes":[{"row","track","top","height"}]}; "lanes" are the visible ones.
/// "snapshot" is null unless the active document is a snapshot:
/// {"devices","device","axis":"events"|"time"|"steps","steps":{"count","region","units"}|null,"from","to",
/// "bytes":[low,high],"area","peak":{"event","bytes"},"cursor","selected","hovered":{"address","size","place"},
/// "drawer","tab","ooms","live":{"count","bytes","event","rows","first_bytes"}}; "from" and "to" are in units
/// of the axis. Lengths are in window units; positions are relative to the window's corner.
std::string state_json(const Session& session, const Ui& ui, const DrawnFrame& frame);

}  // namespace kino
