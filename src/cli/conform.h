#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/env.h"
#include "model/case.h"
#include "model/transcript.h"
#include "report/console_text.h"
#include "run/probes.h"

namespace assay {

// What `conform` was asked to do.
struct ConformFlags {
  AgentSpec agent;
  std::string message = "Hello! Please answer in one short sentence.";
  std::string format;  // of a file: sse or jsonl; empty: by its name
  bool json = false;
  bool rules = false;
  std::string color = "auto";
};

// Judges a recorded stream: a file, or standard input for "-". Answers the exit code.
int judge_file(Env& env, const ConformFlags& flags, const std::string& path);
// Probes the endpoint of `flags.agent`. Answers the exit code.
int probe_url(Env& env, const ConformFlags& flags);

std::string_view grade_name(Grade grade);

// "PASS ", in colour where there are colours.
std::string grade_label(Grade grade, const ConsoleText& text);
// One line for each: rule, severity, event, sentence.
std::string violation_lines(const std::vector<Violation>& violations, const ConsoleText& text);
// How often each rule was broken, in the order of the catalogue.
std::string broken_rules(const std::vector<Violation>& violations);
Json violations_json(const std::vector<Violation>& violations);
Json broken_rules_json(const std::vector<Violation>& violations);

// The record of a turn as reports have it: outcome, text, tool_calls, state, violations, and error where there is one.
Json judged_json(const Turn& turn, const Redactor& secrets);

}  // namespace assay
