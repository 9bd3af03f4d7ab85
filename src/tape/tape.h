#pragma once
#include <memory>
#include <string>
#include <vector>

#include "agent/stage.h"
#include "base/redact.h"

namespace assay {

// A tape is a directory of one case: turn-<i>.jsonl, one event per line as it came with `_ts` behind it (and the answers
// of client-side tools between the rounds, `_from: client`), hook-<i>.json, the variables a hook set, and meta.json.
// docs/formats/tape.md has the grammar.
struct TapeRound {
  std::string request;  // hash of what was asked
  Time start = kNoTime;
  size_t events = 0;
  RunEnd end;
};
struct TapeTurn {
  std::vector<TapeRound> rounds;
};
struct TapeHook {
  bool ok = true;
  std::string error;
  Duration duration{};
};
struct TapeMeta {
  std::string test;
  std::string name;
  Time recorded = kNoTime;
  std::vector<std::string> ids;  // in the order they were made up
  std::vector<TapeHook> hooks;
  std::vector<TapeTurn> turns;
};
Json tape_meta_json(const TapeMeta& meta);
// What is wrong with it, where it is not one of ours.
Result<TapeMeta> read_tape_meta(std::string_view json);

// The directory of a case below that of all tapes; names are made safe, nothing lies outside.
std::string tape_directory(const std::string& root, const Case& c);

// Two requests with the same hash ask for the same: messages, tools and answers to interrupts, secrets left out.
std::string request_hash(const Request& request, const Redactor& secrets);

// "1700000000000.123": Unix ms with microseconds.
std::string tape_time(Time t);
Time read_tape_time(double unix_ms);

// An event's text with its time behind it, as one line: secrets replaced, line breaks outside of strings gone.
std::string tape_line(std::string_view event, Time at, const Redactor& secrets);
// The same for what a client-side tool answered: our own word, marked as such.
std::string tape_answer_line(Json answer, Time at, const Redactor& secrets);

struct TapeFolder {
  std::string root;      // as the user wrote it, for messages
  std::string absolute;  // the same, from anywhere
};

// Passes everything through to `inner` and writes it down when the case has ended: whole files or none.
std::unique_ptr<Stage> make_recording_stage(std::unique_ptr<Stage> inner, const TapeFolder& folder, const Case& c,
                                            const Redactor& secrets);
// Plays a tape: no agent, no command, no network; times are those of the tape.
std::unique_ptr<Stage> make_replay_stage(const TapeFolder& folder, const Case& c, const Redactor& secrets);

}  // namespace assay
