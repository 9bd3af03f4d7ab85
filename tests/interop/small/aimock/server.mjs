// The AG-UI mock of @copilotkit/aimock.
import { AGUIMock } from '@copilotkit/aimock';

const mock = new AGUIMock({ port: 0 });
mock.onToolResult('call-pick', [
  { type: 'RUN_STARTED', threadId: 't', runId: 'r' },
  { type: 'TEXT_MESSAGE_START', messageId: 'm9', role: 'assistant' },
  { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm9', delta: 'You picked.' },
  { type: 'TEXT_MESSAGE_END', messageId: 'm9' },
  { type: 'RUN_FINISHED', threadId: 't', runId: 'r' },
]);
mock.onMessage(/hello/i, 'Hello from the mock.');
mock.onToolCall(/weather/i, 'get_weather', '{"city":"Oslo"}', { result: '{"celsius":7}' });
mock.onReasoning(/think/i, 'secret thoughts');
mock.onRun(/pick/i, [
  { type: 'RUN_STARTED', threadId: 't', runId: 'r' },
  { type: 'TOOL_CALL_START', toolCallId: 'call-pick', toolCallName: 'pick' },
  { type: 'TOOL_CALL_ARGS', toolCallId: 'call-pick', delta: '{"of":3}' },
  { type: 'TOOL_CALL_END', toolCallId: 'call-pick' },
  { type: 'RUN_FINISHED', threadId: 't', runId: 'r' },
]);
mock.onRun(/fail/i, [{ type: 'RUN_STARTED', threadId: 't', runId: 'r' }, { type: 'RUN_ERROR', message: 'The mock failed' }]);
mock.onStateKey('basket', { basket: ['apple', 'pear'] });
console.log(`listening on ${await mock.start()}`);
