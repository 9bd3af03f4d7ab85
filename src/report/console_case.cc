#include "report/console_case.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace assay {
namespace {

constexpr size_t kCallsShown = 20;

struct Label {
  std::string_view word;
  Tint tint;
};

Label label_of(Status status) {
  switch (status) {
    case Status::kPassed: return {"PASS", Tint::kGood};
    case Status::kFailed: return {"FAIL", Tint::kBad};
    case Status::kError: return {"ERROR", Tint::kBad};
    case Status::kTimeout: return {"TIME", Tint::kBad};
    case Status::kSkipped: return {"SKIP", Tint::kWarn};
  }
  return {"", Tint::kDim};
}

std::string since(Time from, Time to) { return from == kNoTime || to == kNoTime ? "" : " (" + format_duration(to - from) + ")"; }

// Writes the lines below a case's own.
class Details {
 public:
  Details(const CaseResult& result, const ConsoleText& text, Verbosity verbosity)
      : result_(result), text_(text), verbose_(verbosity >= Verbosity::kVerbose), debug_(verbosity >= Verbosity::kDebug) {}

  std::string write() {
    if (!result_.passed() && result_.status != Status::kSkipped) write_why();
    for (const CheckResult& check : result_.checks)
      if (!check.passed) write_check(check);
    for (const HookReport& hook : result_.hooks)
      if (!hook.ok || verbose_) write_hook(hook);
    for (const Turn& turn : result_.transcript.turns)
      if (concerned(turn)) write_turn(turn);
    if (debug_ && !result_.log.empty()) out_ += "  log:\n" + text_.block(result_.log, "    | ");
    return std::move(out_);
  }

 private:
  // The error of a failed case is the messages of its checks, which follow with their places.
  void write_why() {
    out_ += fmt::format("  {}:{}\n", text_.line(result_.file), result_.line);
    bool said_by_checks = result_.status == Status::kFailed && std::ranges::any_of(result_.checks, fails);
    if (!result_.error.empty() && !said_by_checks) out_ += "  " + text_.tinted(Tint::kBad, text_.line(result_.error)) + "\n";
  }

  static bool fails(const CheckResult& check) { return !check.passed && !check.optional; }

  void write_check(const CheckResult& check) {
    std::string head = check.optional ? "optional, failed: " : "";
    if (check.turn > 0) head += fmt::format("[turn {}] ", check.turn);
    head += text_.line(check.name.empty() ? check.type : check.type + " (" + check.name + ")");
    out_ += fmt::format("  {}: {}\n", text_.tinted(check.optional ? Tint::kWarn : Tint::kBad, head), text_.line(check.message));
    if (check.optional && result_.passed() && !verbose_) return;
    write_place(check.source);
    if (!check.expected.is_null()) out_ += "    expected: " + text_.value(check.expected) + "\n";
    if (!check.actual.is_null()) out_ += "    actual:   " + text_.value(check.actual) + "\n";
  }

  void write_place(Place place) {
    if (place.file.empty()) return;
    out_ += fmt::format("    {}:{}:{}\n", text_.line(place.file), place.line, std::max(place.column, 1));
    place.text = text_.redactor().apply(place.text);
    out_ += render_source(place, "    ");
  }

  // Without -v: the turns a failing check speaks about, and the one in which an agent broke.
  bool concerned(const Turn& turn) const {
    if (verbose_) return true;
    if (result_.passed() || result_.status == Status::kSkipped) return false;
    bool last = &turn == &result_.transcript.turns.back();
    if (result_.status != Status::kFailed && last) return true;
    return std::ranges::any_of(result_.checks, [&](const auto& c) { return fails(c) && (c.turn == 0 || c.turn == turn.number); });
  }

  void write_turn(const Turn& turn) {
    out_ += fmt::format("  turn {}: {}{}\n", turn.number, outcome_name(turn.outcome), since(turn.start, turn.end));
    for (const auto& interrupt : turn.interrupts)
      out_ += "    interrupt: " + text_.value(interrupt, ConsoleText::kShort) + "\n";
    if (verbose_ && !turn.input.is_null()) out_ += "    input: " + text_.value(turn.input, ConsoleText::kShort) + "\n";
    for (size_t i = 0; i < turn.tool_calls.size() && (verbose_ || i < kCallsShown); ++i)
      write_call(turn.tool_calls[i]);
    if (!verbose_ && turn.tool_calls.size() > kCallsShown)
      out_ += fmt::format("    … {} more (-v shows them)\n",
                          plural(static_cast<long long>(turn.tool_calls.size() - kCallsShown), "tool call"));
    std::string said = turn.text();
    if (!said.empty()) out_ += "    text: " + text_.line(said, verbose_ ? ConsoleText::kLine : ConsoleText::kShort) + "\n";
    if (!turn.error.empty()) out_ += "    error: " + text_.line(turn.error) + "\n";
    write_violations(turn);
  }

  void write_call(const ToolCall& call) {
    std::string arguments = call.arguments_text ? text_.line(*call.arguments_text, ConsoleText::kShort)
                                                : text_.value(call.arguments, ConsoleText::kShort);
    out_ += fmt::format("    {} {}", text_.line(call.name, ConsoleText::kShort), arguments);
    if (call.error)
      out_ += " → error: " + text_.line(*call.error, ConsoleText::kShort);
    else if (call.result)
      out_ += " → " + text_.value(*call.result, ConsoleText::kShort);
    else
      out_ += " → no result";
    out_ += since(call.start, call.timestamp()) + "\n";
  }

  void write_violations(const Turn& turn) {
    if (turn.violations.empty()) return;
    std::string count = plural(static_cast<long long>(turn.violations.size()), "protocol violation");
    out_ += fmt::format("    {}{}\n", text_.tinted(Tint::kWarn, count), verbose_ ? ":" : "");
    for (size_t i = 0; verbose_ && i < turn.violations.size(); ++i) {
      const Violation& v = turn.violations[i];
      out_ += fmt::format("      {} {} at event {}: {}\n", v.severity == Severity::kError ? "error" : "warning",
                          text_.line(v.rule), v.event, text_.line(v.message));
    }
  }

  void write_hook(const HookReport& hook) {
    out_ += fmt::format("  {}{}: {} ({})\n", hook.teardown ? "teardown" : "hook", hook.ok ? "" : " failed",
                        text_.line(hook.command, ConsoleText::kShort), format_duration(hook.duration));
    if (!hook.error.empty()) out_ += text_.block(hook.error, "    ");
  }

  const CaseResult& result_;
  const ConsoleText& text_;
  bool verbose_;
  bool debug_;
  std::string out_;
};

}  // namespace

std::string console_case_line(const CaseResult& result, const ConsoleText& text) {
  auto [word, tint] = label_of(result.status);
  std::string line = text.tinted(tint, fmt::format("{:<5}", word)) + " " + text.line(result.name);
  if (result.status == Status::kSkipped) return line + (result.error.empty() ? "" : ": " + text.line(result.error)) + "\n";
  return line + " (" + format_duration(result.duration) + ")\n";
}

std::string console_case_details(const CaseResult& result, const ConsoleText& text, Verbosity verbosity) {
  return Details(result, text, verbosity).write();
}

}  // namespace assay
