import { describe, expect, test } from 'vitest'
import { greeting } from '../../../src/engine/detectors/greeting.ts'
import { situationFor } from '../situation.ts'

const task = 'The function in sum.js is wrong. Fix it and run `node check.js` to prove it.'

const judge = (text: string, { prompt = task, usedTools = true } = {}) =>
  greeting({ text, calls: [] }, situationFor(prompt, { usedTools }))?.detector

describe('in the middle of the work these are no answers', () => {
  test.each([
    'Hello! How can I help you today?',
    'Hi there! What would you like me to do?',
    'Hello! I am Qwen, created by Alibaba Cloud. How can I assist you today?',
    "Hello! I'm an AI assistant. Feel free to ask me anything.",
    'Sure! What do you want to work on?',
    "I'm here to help! Please let me know what you need.",
    'How can I assist you with your project?',
    'Hallo! Wie kann ich Ihnen heute helfen?',
    'Bonjour ! Comment puis-je vous aider ?',
    '¡Hola! ¿En qué puedo ayudarte?',
    '你好！有什么可以帮助你的吗？',
  ])('%s', (text) => {
    expect(judge(text)).toBe('greeting')
  })
})

test('as a first reply to a task it counts too', () => {
  expect(judge('Hello! How can I help you today?', { usedTools: false })).toBe('greeting')
  expect(
    judge('Hello! How can I help you today?', { usedTools: false, prompt: 'Hi, please rename a.js to b.js' }),
  ).toBe('greeting')
})

test.each([
  'Can you help me fix the bug in sum.js?',
  'Thanks! Now rename a.js to b.js.',
  'What can you tell me about sum.js?',
])('a polite task is a task: %s', (prompt) => {
  expect(judge('Hello! How can I help you today?', { prompt, usedTools: false })).toBe('greeting')
})

test('a task about greetings is a task all the same', () => {
  const prompt =
    'Create src/greet.js that exports greet(name) returning "Hello, NAME!", then run `node try.js`.'

  expect(judge('Hello! How can I help you today?', { prompt, usedTools: false })).toBe('greeting')
})

describe('small talk is answered by small talk', () => {
  test.each([
    'hi',
    'Hello there!',
    'hey, how are you?',
    'Who are you?',
    'What can you do?',
    'thanks',
    'Can you help me?',
  ])('%s', (prompt) => {
    expect(judge('Hello! How can I help you today?', { prompt, usedTools: false })).toBeUndefined()
  })
})

describe('these are answers', () => {
  test.each([
    'Hello! The bug was a minus sign; sum.js is fixed and the check prints PASS.',
    'The port is 9090 now. How can I help you further?',
    'Done. Let me know if you need anything else!',
    'Is there anything else I can help you with?',
    'Let me know if you need anything else.',
    'Fixed.',
    'Hello, the bug is fixed.',
    'What would you like me to name the module?',
    'Please tell me which port you mean.',
    'What do you want the port to be?',
    'Yes.',
    '42',
    'I could not find settleInvoice. What would you like me to search for?',
    'Which of the two files do you mean, a.js or b.js?',
    'welcome.html now greets the user by name.',
  ])('%s', (text) => {
    expect(judge(text)).toBeUndefined()
  })
})

test('a greeting that was asked for is an answer', () => {
  const prompt = 'Write a friendly greeting for a support chat.'

  expect(judge('Hello! How can I help you today?', { prompt, usedTools: false })).toBeUndefined()
})

test('a reply with calls is never a greeting', () => {
  const call = { id: '1', name: 'read_file', input: '{"path":"sum.js"}' }
  const situation = situationFor(task, { usedTools: true })

  expect(greeting({ text: 'Hello! How can I help you?', calls: [call] }, situation)).toBeUndefined()
})
