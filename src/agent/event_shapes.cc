#include "agent/event_shapes.h"

namespace assay::schema {
namespace {

constexpr auto kRequired = Need::kRequired;
constexpr auto kLegacyNull = Need::kLegacyNull;

constexpr Shape kAny{Kind::kAny};
constexpr Shape kValue{Kind::kValue};
constexpr Shape kText{Kind::kText};
constexpr Shape kPointer{Kind::kPointer};
constexpr Shape kWhole{Kind::kWhole};
constexpr Shape kCount{Kind::kCount};
constexpr Shape kBoolean{Kind::kBoolean};
constexpr Shape kMap{Kind::kMap};

constexpr Shape words(std::span<const std::string_view> list) {
  Shape out{Kind::kWord};
  out.words = list;
  return out;
}
constexpr Shape object(std::span<const FieldShape> fields) {
  Shape out{Kind::kObject};
  out.fields = fields;
  return out;
}
constexpr Shape open_object(std::span<const FieldShape> fields) {
  Shape out = object(fields);
  out.open = true;
  return out;
}
constexpr Shape list(const Shape& item, size_t at_least = 0) {
  Shape out{Kind::kList};
  out.item = &item;
  out.at_least = at_least;
  return out;
}
constexpr Shape content(const Shape& part) {
  Shape out{Kind::kContent};
  out.item = &part;
  return out;
}
constexpr Shape one_of(std::string_view tag, std::span<const UnionMember> members) {
  Shape out{Kind::kUnion};
  out.tag = tag;
  out.members = members;
  return out;
}

// --- words
constexpr std::string_view kTextRoleWords[] = {"developer", "system", "assistant", "user"};
constexpr Shape kTextRole = words(kTextRoleWords);
constexpr std::string_view kReasoningRoleWords[] = {"reasoning"};
constexpr Shape kReasoningRole = words(kReasoningRoleWords);
constexpr std::string_view kToolRoleWords[] = {"tool"};
constexpr Shape kToolRole = words(kToolRoleWords);
constexpr std::string_view kFunctionWordWords[] = {"function"};
constexpr Shape kFunctionWord = words(kFunctionWordWords);
constexpr std::string_view kEncryptedSubtypeWords[] = {"tool-call", "message"};
constexpr Shape kEncryptedSubtype = words(kEncryptedSubtypeWords);
constexpr std::string_view kResumeStatusWords[] = {"resolved", "cancelled"};
constexpr Shape kResumeStatus = words(kResumeStatusWords);

// --- content parts
constexpr FieldShape kDataSourceFields[] = {
    {"type", &kText, kRequired}, {"value", &kText, kRequired}, {"mimeType", &kText, kRequired}};
constexpr Shape kDataSource = object(kDataSourceFields);
constexpr FieldShape kUrlSourceFields[] = {{"type", &kText, kRequired}, {"value", &kText, kRequired}, {"mimeType", &kText}};
constexpr Shape kUrlSource = object(kUrlSourceFields);
constexpr FieldShape kFileSourceFields[] = {
    {"type", &kText, kRequired}, {"value", &kText, kRequired}, {"provider", &kText}, {"mimeType", &kText}};
constexpr Shape kFileSource = object(kFileSourceFields);
constexpr UnionMember kSourceMembers[] = {{"data", &kDataSource}, {"url", &kUrlSource}, {"file", &kFileSource}};
constexpr Shape kSource = one_of("type", kSourceMembers);
constexpr FieldShape kTextPartFields[] = {
    {"type", &kText, kRequired}, {"id", &kText}, {"text", &kText, kRequired}, {"metadata", &kValue}};
constexpr Shape kTextPart = object(kTextPartFields);
constexpr FieldShape kMediaPartFields[] = {
    {"type", &kText, kRequired}, {"id", &kText}, {"source", &kSource, kRequired}, {"metadata", &kValue}};
constexpr Shape kMediaPart = object(kMediaPartFields);
constexpr FieldShape kOldMediaPartFields[] = {
    {"type", &kText, kRequired}, {"id", &kText}, {"source", &kSource, kRequired}, {"metadata", &kAny, kLegacyNull}};
constexpr Shape kOldMediaPart = object(kOldMediaPartFields);
constexpr UnionMember kResultPartMembers[] = {
    {"text", &kTextPart}, {"image", &kMediaPart}, {"audio", &kMediaPart}, {"video", &kMediaPart}, {"document", &kMediaPart}};
constexpr Shape kResultPart = one_of("type", kResultPartMembers);
// Inside messages two habits of 0.x are still taken: media parts with null metadata, and `binary`.
constexpr UnionMember kMessagePartMembers[] = {{"text", &kTextPart},      {"image", &kOldMediaPart},    {"audio", &kOldMediaPart},
                                               {"video", &kOldMediaPart}, {"document", &kOldMediaPart}, {"binary", &kMap}};
constexpr Shape kMessagePart = one_of("type", kMessagePartMembers);
constexpr Shape kResultContent = content(kResultPart);
constexpr Shape kMessageContent = content(kMessagePart);

// --- messages
constexpr FieldShape kFunctionFields[] = {{"name", &kText, kRequired}, {"arguments", &kText, kRequired}};
constexpr Shape kFunction = object(kFunctionFields);
constexpr FieldShape kToolCallFields[] = {{"id", &kText, kRequired},           {"type", &kFunctionWord, kRequired},
                                          {"function", &kFunction, kRequired}, {"encryptedValue", &kText},
                                          {"encryptedValueType", &kText},      {"metadata", &kMap}};
constexpr Shape kToolCall = object(kToolCallFields);
constexpr Shape kToolCalls = list(kToolCall);
constexpr FieldShape kPlainMessageFields[] = {
    {"id", &kText, kRequired}, {"role", &kText, kRequired}, {"content", &kText, kRequired},
    {"name", &kText},          {"encryptedValue", &kText},  {"encryptedValueType", &kText},
    {"metadata", &kMap},       {"subagentRunId", &kText}};
constexpr Shape kPlainMessage = object(kPlainMessageFields);
constexpr FieldShape kUserMessageFields[] = {
    {"id", &kText, kRequired}, {"role", &kText, kRequired}, {"content", &kMessageContent, kRequired},
    {"name", &kText},          {"encryptedValue", &kText},  {"encryptedValueType", &kText},
    {"metadata", &kMap},       {"subagentRunId", &kText}};
constexpr Shape kUserMessage = object(kUserMessageFields);
constexpr FieldShape kAssistantMessageFields[] = {
    {"id", &kText, kRequired},  {"role", &kText, kRequired},    {"content", &kText}, {"toolCalls", &kToolCalls}, {"name", &kText},
    {"encryptedValue", &kText}, {"encryptedValueType", &kText}, {"metadata", &kMap}, {"subagentRunId", &kText}};
constexpr Shape kAssistantMessage = object(kAssistantMessageFields);
constexpr FieldShape kToolMessageFields[] = {
    {"id", &kText, kRequired},         {"role", &kText, kRequired}, {"content", &kMessageContent, kRequired},
    {"toolCallId", &kText, kRequired}, {"error", &kText},           {"encryptedValue", &kText},
    {"encryptedValueType", &kText},    {"metadata", &kMap},         {"subagentRunId", &kText}};
constexpr Shape kToolMessage = object(kToolMessageFields);
constexpr FieldShape kActivityMessageFields[] = {
    {"id", &kText, kRequired},     {"role", &kText, kRequired}, {"activityType", &kText, kRequired},
    {"content", &kMap, kRequired}, {"metadata", &kMap},         {"subagentRunId", &kText}};
constexpr Shape kActivityMessage = object(kActivityMessageFields);
constexpr FieldShape kReasoningMessageFields[] = {
    {"id", &kText, kRequired},      {"role", &kText, kRequired}, {"content", &kText, kRequired}, {"encryptedValue", &kText},
    {"encryptedValueType", &kText}, {"metadata", &kMap},         {"subagentRunId", &kText}};
constexpr Shape kReasoningMessage = object(kReasoningMessageFields);
constexpr UnionMember kMessageMembers[] = {
    {"developer", &kPlainMessage}, {"system", &kPlainMessage},      {"assistant", &kAssistantMessage}, {"user", &kUserMessage},
    {"tool", &kToolMessage},       {"activity", &kActivityMessage}, {"reasoning", &kReasoningMessage}};
constexpr Shape kMessage = one_of("role", kMessageMembers);
constexpr Shape kMessages = list(kMessage);

// --- patches
constexpr FieldShape kSetOperationFields[] = {
    {"op", &kText, kRequired}, {"path", &kPointer, kRequired}, {"value", &kAny, kRequired}};
constexpr Shape kSetOperation = open_object(kSetOperationFields);
constexpr FieldShape kRemoveOperationFields[] = {{"op", &kText, kRequired}, {"path", &kPointer, kRequired}};
constexpr Shape kRemoveOperation = open_object(kRemoveOperationFields);
constexpr FieldShape kFromOperationFields[] = {
    {"op", &kText, kRequired}, {"path", &kPointer, kRequired}, {"from", &kPointer, kRequired}};
constexpr Shape kFromOperation = open_object(kFromOperationFields);
constexpr UnionMember kOperationMembers[] = {{"add", &kSetOperation},   {"replace", &kSetOperation},
                                             {"test", &kSetOperation},  {"remove", &kRemoveOperation},
                                             {"move", &kFromOperation}, {"copy", &kFromOperation}};
constexpr Shape kOperation = one_of("op", kOperationMembers);
constexpr Shape kPatch = list(kOperation);

// --- runs
constexpr FieldShape kToolFields[] = {
    {"name", &kText, kRequired}, {"description", &kText, kRequired}, {"parameters", &kAny, kLegacyNull}, {"metadata", &kMap}};
constexpr Shape kTool = object(kToolFields);
constexpr FieldShape kContextFields[] = {{"description", &kText, kRequired}, {"value", &kText, kRequired}};
constexpr Shape kContext = object(kContextFields);
constexpr FieldShape kResumeFields[] = {{"interruptId", &kText, kRequired},
                                        {"status", &kResumeStatus, kRequired},
                                        {"payload", &kAny, kLegacyNull},
                                        {"metadata", &kMap}};
constexpr Shape kResume = object(kResumeFields);
constexpr Shape kTools = list(kTool);
constexpr Shape kContexts = list(kContext);
constexpr Shape kResumes = list(kResume);
constexpr Shape kTexts = list(kText);
constexpr FieldShape kInputFields[] = {{"threadId", &kText, kRequired},
                                       {"runId", &kText, kRequired},
                                       {"protocolVersion", &kText},
                                       {"parentRunId", &kText},
                                       {"state", &kAny},
                                       {"messages", &kMessages, kRequired},
                                       {"tools", &kTools},
                                       {"context", &kContexts},
                                       {"forwardedProps", &kAny, kLegacyNull},
                                       {"resume", &kResumes}};
constexpr Shape kInput = object(kInputFields);
constexpr FieldShape kInterruptFields[] = {{"id", &kText, kRequired}, {"reason", &kText, kRequired}, {"message", &kText},
                                           {"toolCallId", &kText},    {"responseSchema", &kMap},     {"expiresAt", &kText},
                                           {"metadata", &kMap},       {"subagentRunId", &kText}};
constexpr Shape kInterrupt = object(kInterruptFields);
constexpr Shape kInterrupts = list(kInterrupt, 1);
constexpr FieldShape kSuccessOutcomeFields[] = {{"type", &kText, kRequired}, {"pendingToolCallIds", &kTexts}};
constexpr Shape kSuccessOutcome = object(kSuccessOutcomeFields);
constexpr FieldShape kInterruptOutcomeFields[] = {{"type", &kText, kRequired}, {"interrupts", &kInterrupts, kRequired}};
constexpr Shape kInterruptOutcome = object(kInterruptOutcomeFields);
constexpr FieldShape kBareOutcomeFields[] = {{"type", &kText, kRequired}};
constexpr Shape kBareOutcome = object(kBareOutcomeFields);
constexpr UnionMember kOutcomeMembers[] = {
    {"success", &kSuccessOutcome}, {"interrupt", &kInterruptOutcome}, {"cancelled", &kBareOutcome}};
constexpr Shape kOutcome = one_of("type", kOutcomeMembers);
constexpr FieldShape kSuspendedOutcomeFields[] = {{"type", &kText, kRequired}, {"interruptIds", &kTexts}};
constexpr Shape kSuspendedOutcome = object(kSuspendedOutcomeFields);
constexpr UnionMember kSubagentOutcomeMembers[] = {{"success", &kBareOutcome}, {"suspended", &kSuspendedOutcome}};
constexpr Shape kSubagentOutcome = one_of("type", kSubagentOutcomeMembers);
constexpr FieldShape kUsageEntryFields[] = {{"provider", &kText},           {"model", &kText},
                                            {"inputTokens", &kCount},       {"outputTokens", &kCount},
                                            {"totalTokens", &kCount},       {"reasoningTokens", &kCount},
                                            {"cachedInputTokens", &kCount}, {"cacheWriteInputTokens", &kCount}};
constexpr Shape kUsageEntry = object(kUsageEntryFields);
constexpr Shape kUsage = list(kUsageEntry);

// --- events
constexpr FieldShape kRunStartedEventFields[] = {{"threadId", &kText, kRequired},
                                                 {"runId", &kText, kRequired},
                                                 {"parentRunId", &kText},
                                                 {"input", &kInput},
                                                 {"protocolVersion", &kText}};
constexpr FieldShape kRunFinishedEventFields[] = {{"threadId", &kText, kRequired},
                                                  {"runId", &kText, kRequired},
                                                  {"result", &kAny, kLegacyNull},
                                                  {"outcome", &kOutcome, kLegacyNull},
                                                  {"usage", &kUsage}};
constexpr FieldShape kRunErrorEventFields[] = {{"message", &kText, kRequired}, {"code", &kText}, {"usage", &kUsage}};
constexpr FieldShape kStepEventFields[] = {{"stepName", &kText, kRequired}};
constexpr FieldShape kTextStartEventFields[] = {{"messageId", &kText, kRequired}, {"role", &kTextRole}, {"name", &kText}};
constexpr FieldShape kDeltaEventFields[] = {{"messageId", &kText, kRequired}, {"delta", &kText, kRequired}};
constexpr FieldShape kIdEventFields[] = {{"messageId", &kText, kRequired}};
constexpr FieldShape kTextChunkEventFields[] = {{"messageId", &kText}, {"role", &kTextRole}, {"delta", &kText}, {"name", &kText}};
constexpr FieldShape kToolStartEventFields[] = {
    {"toolCallId", &kText, kRequired}, {"toolCallName", &kText, kRequired}, {"parentMessageId", &kText, kLegacyNull}};
constexpr FieldShape kToolArgsEventFields[] = {{"toolCallId", &kText, kRequired}, {"delta", &kText, kRequired}};
constexpr FieldShape kToolEndEventFields[] = {{"toolCallId", &kText, kRequired}};
constexpr FieldShape kToolChunkEventFields[] = {
    {"toolCallId", &kText}, {"toolCallName", &kText}, {"parentMessageId", &kText, kLegacyNull}, {"delta", &kText}};
constexpr FieldShape kToolResultEventFields[] = {{"messageId", &kText, kRequired},
                                                 {"toolCallId", &kText, kRequired},
                                                 {"content", &kResultContent, kRequired},
                                                 {"role", &kToolRole}};
constexpr FieldShape kStateSnapshotEventFields[] = {{"snapshot", &kAny, kRequired}};
constexpr FieldShape kStateDeltaEventFields[] = {{"delta", &kPatch, kRequired}};
constexpr FieldShape kMessagesSnapshotEventFields[] = {{"messages", &kMessages, kRequired}};
constexpr FieldShape kActivitySnapshotEventFields[] = {
    {"messageId", &kText, kRequired}, {"activityType", &kText, kRequired}, {"content", &kMap, kRequired}, {"replace", &kBoolean}};
constexpr FieldShape kActivityDeltaEventFields[] = {
    {"messageId", &kText, kRequired}, {"activityType", &kText, kRequired}, {"patch", &kPatch, kRequired}};
constexpr FieldShape kReasoningMessageStartEventFields[] = {{"messageId", &kText, kRequired},
                                                            {"role", &kReasoningRole, kRequired}};
constexpr FieldShape kReasoningChunkEventFields[] = {{"messageId", &kText}, {"delta", &kText}};
constexpr FieldShape kEncryptedEventFields[] = {{"subtype", &kEncryptedSubtype, kRequired},
                                                {"entityId", &kText, kRequired},
                                                {"encryptedValue", &kText, kRequired},
                                                {"encryptedValueType", &kText}};
constexpr FieldShape kRawEventFields[] = {{"event", &kAny, kRequired}, {"source", &kText}};
constexpr FieldShape kCustomEventFields[] = {{"name", &kText, kRequired}, {"value", &kAny, kRequired}};
constexpr FieldShape kSubagentStartedEventFields[] = {
    {"subagentRunId", &kText, kRequired}, {"name", &kText, kRequired},  {"description", &kText},
    {"parentSubagentRunId", &kText},      {"parentToolCallId", &kText}, {"parentMessageId", &kText}};
constexpr FieldShape kSubagentFinishedEventFields[] = {
    {"subagentRunId", &kText, kRequired}, {"result", &kAny, kLegacyNull}, {"outcome", &kSubagentOutcome}};
constexpr FieldShape kSubagentErrorEventFields[] = {
    {"subagentRunId", &kText, kRequired}, {"message", &kText, kRequired}, {"code", &kText}};
constexpr FieldShape kThinkingStartEventFields[] = {{"title", &kAny}};
constexpr FieldShape kThinkingTextEventFields[] = {{"delta", &kText, kRequired}};
constexpr std::span<const FieldShape> kNone;

// In the order of the enumeration.
constexpr EventShape kEvents[] = {
    {EventType::kRunStarted, kRunStartedEventFields, false},
    {EventType::kRunFinished, kRunFinishedEventFields, false},
    {EventType::kRunError, kRunErrorEventFields, false},
    {EventType::kStepStarted, kStepEventFields},
    {EventType::kStepFinished, kStepEventFields},
    {EventType::kTextStart, kTextStartEventFields},
    {EventType::kTextContent, kDeltaEventFields},
    {EventType::kTextEnd, kIdEventFields},
    {EventType::kTextChunk, kTextChunkEventFields},
    {EventType::kToolStart, kToolStartEventFields},
    {EventType::kToolArgs, kToolArgsEventFields},
    {EventType::kToolEnd, kToolEndEventFields},
    {EventType::kToolChunk, kToolChunkEventFields},
    {EventType::kToolResult, kToolResultEventFields},
    {EventType::kStateSnapshot, kStateSnapshotEventFields},
    {EventType::kStateDelta, kStateDeltaEventFields},
    {EventType::kMessagesSnapshot, kMessagesSnapshotEventFields, false},
    {EventType::kActivitySnapshot, kActivitySnapshotEventFields},
    {EventType::kActivityDelta, kActivityDeltaEventFields},
    {EventType::kReasoningStart, kIdEventFields},
    {EventType::kReasoningEnd, kIdEventFields},
    {EventType::kReasoningMessageStart, kReasoningMessageStartEventFields},
    {EventType::kReasoningMessageContent, kDeltaEventFields},
    {EventType::kReasoningMessageEnd, kIdEventFields},
    {EventType::kReasoningMessageChunk, kReasoningChunkEventFields},
    {EventType::kReasoningEncryptedValue, kEncryptedEventFields},
    {EventType::kRaw, kRawEventFields},
    {EventType::kCustom, kCustomEventFields},
    {EventType::kSubagentStarted, kSubagentStartedEventFields},
    {EventType::kSubagentFinished, kSubagentFinishedEventFields},
    {EventType::kSubagentError, kSubagentErrorEventFields},
    {EventType::kThinkingStart, kThinkingStartEventFields},
    {EventType::kThinkingEnd, kNone},
    {EventType::kThinkingTextStart, kNone},
    {EventType::kThinkingTextContent, kThinkingTextEventFields},
    {EventType::kThinkingTextEnd, kNone},
};

constexpr FieldShape kBase[] = {
    {"type", &kText, kRequired}, {"timestamp", &kWhole}, {"rawEvent", &kAny, kLegacyNull}, {"metadata", &kMap}};
constexpr FieldShape kAttribution = {"subagentRunId", &kText};

}  // namespace

const EventShape* event_row(EventType type) {
  size_t index = static_cast<size_t>(type);
  return index < std::size(kEvents) ? &kEvents[index] : nullptr;
}

std::span<const FieldShape> base_fields() { return kBase; }
const FieldShape& attribution() { return kAttribution; }

}  // namespace assay::schema
