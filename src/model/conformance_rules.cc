#include "model/conformance_rules.h"

#include <algorithm>
#include <array>

namespace assay {
namespace {

constexpr auto kError = Severity::kError;
constexpr auto kWarning = Severity::kWarning;

constexpr auto kRules = std::to_array<ConformanceRule>({
    {"not-json", kError, "an event is not JSON", "1.4"},
    {"not-object", kError, "an event is not a JSON object", "1.4"},
    {"no-type", kError, "an event has no type", "1.3"},
    {"schema", kError, "a field is missing or not as the schema says", "1.3"},
    {"first-event", kError, "the first event is neither RUN_STARTED nor RUN_ERROR", "R3"},
    {"nested-run", kError, "RUN_STARTED while a run is active", "R4"},
    {"after-error", kError, "an event other than RUN_STARTED follows RUN_ERROR", "R1"},
    {"after-finished", kError, "an event other than RUN_STARTED or RUN_ERROR follows RUN_FINISHED", "R2"},
    {"open-at-finish", kError, "RUN_FINISHED while something is still open", "R13"},
    {"text-dup-start", kError, "TEXT_MESSAGE_START for a message that is open", "R5"},
    {"text-content-unopened", kError, "TEXT_MESSAGE_CONTENT for a message that is not open", "R6"},
    {"text-end-unopened", kError, "TEXT_MESSAGE_END for a message that is not open", "R7"},
    {"tool-dup-start", kError, "TOOL_CALL_START for a call that is open", "R8"},
    {"tool-args-unopened", kError, "TOOL_CALL_ARGS for a call that is not open", "R9"},
    {"tool-end-unopened", kError, "TOOL_CALL_END for a call that is not open", "R10"},
    {"step-dup-start", kError, "STEP_STARTED for a step that is open", "R11"},
    {"step-finish-unopened", kError, "STEP_FINISHED for a step that is not open", "R12"},
    {"reasoning-dup-start", kError, "reasoning is started that is open", "R14"},
    {"reasoning-unopened", kError, "reasoning goes on or ends that is not open", "R15"},
    {"subagent-lifecycle", kError, "a subagent starts twice, or ends without having started", "R17"},
    {"subagent-mismatch", kError, "an event names another subagent than the one that owns the item", "R18"},
    {"first-chunk-missing-id", kError, "the first chunk of an item lacks its id or its name", "2.2"},
    {"chunk-conflict", kError, "a later chunk says something else about the item than the first", "2.2"},
    {"truncated", kError, "the stream ended without RUN_FINISHED or RUN_ERROR", "S1"},
    {"empty-stream", kError, "the stream holds no event", "S1"},
    {"not-event-stream", kError, "the content type is not text/event-stream", "1.4"},
    {"run-id-mismatch", kError, "runId is not the one of the run, or not the requested one", "S2"},
    {"thread-id-mismatch", kError, "threadId is not the one of the run, or not the requested one", "S2"},
    {"pending-mismatch", kError, "pendingToolCallIds are not the calls that nobody answered", "S3"},
    {"frontend-tool-answered", kError, "the agent answered a call of a client-side tool itself", "S4"},
    {"interrupt-dup-id", kError, "two interrupts of a run have the same id", "S8"},
    {"crlf-framing", kWarning, "lines end with CR or CRLF instead of LF", "S7"},
    {"unterminated-last-event", kWarning, "the last event is not followed by a blank line", "4"},
    {"unknown-event", kWarning, "the type of an event is unknown", "S10"},
    {"unknown-field", kWarning, "an event has a field that the protocol does not know", "1.3"},
    {"legacy-null", kWarning, "an optional field is null instead of absent", "1.3"},
    {"deprecated-thinking", kWarning, "THINKING_* events are deprecated: use REASONING_*", "1.3"},
    {"patch-not-applied", kWarning, "a STATE_DELTA or ACTIVITY_DELTA could not be applied", "2.4"},
    {"delta-without-baseline", kWarning, "an ACTIVITY_DELTA has no snapshot before it", "S6"},
    {"args-not-json", kWarning, "the arguments of a call are not JSON", "2.4"},
    {"result-unknown-call", kWarning, "a result for a call that nobody started", "2.3"},
    {"duplicate-result", kWarning, "a second result for the same call", "2.3"},
    {"usage-total", kWarning, "totalTokens is not the sum of inputTokens and outputTokens", "S9"},
});

}  // namespace

std::span<const ConformanceRule> conformance_rules() { return kRules; }

const ConformanceRule* find_conformance_rule(std::string_view name) {
  auto found = std::find_if(kRules.begin(), kRules.end(), [&](const auto& rule) { return rule.name == name; });
  return found == kRules.end() ? nullptr : &*found;
}

}  // namespace assay
