// A model that is none: aimock as an OpenAI server. The last user message says what the model answers.
import { LLMock } from '@copilotkit/aimock';

const textOf = (content) => (Array.isArray(content) ? content.map((part) => part.text ?? '').join('') : content ?? '');

function answer({ messages }) {
  const from = messages.findLastIndex(({ role }) => role === 'user');
  const word = textOf(messages[from]?.content);
  const results = messages.slice(from + 1).filter(({ role }) => role === 'tool').map(({ content }) => textOf(content));
  const call = (name, args) => ({ toolCalls: [{ name, arguments: JSON.stringify(args), id: `call_${messages.length}_${name}` }] });
  if (results.length) return { content: `The tool says ${results.at(-1)}` };
  if (/weather/.test(word)) return call('get_weather', { city: 'Oslo' });
  if (/client tool/.test(word)) return call('confirm', { total: 12.5 });
  if (/approve/.test(word)) return call('ask_approval', { what: 'payment' });
  if (/broken tool/.test(word)) return call('break', {});
  if (/fail/.test(word)) return { error: { message: 'The model is gone', type: 'invalid_request_error' }, status: 400 };
  if (/remember/.test(word)) return { content: `You said ${messages.filter(({ role }) => role === 'user').map(({ content }) => textOf(content)).join(', ')}` };
  return { content: 'Hello from the model.' };
}

export async function startModel() {
  const mock = new LLMock({ port: 0, logLevel: 'error' });
  mock.on({ predicate: () => true }, answer);
  await mock.start();
  return `${mock.url}/v1`;
}
