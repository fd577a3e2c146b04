// Owns the part for agents that work without a user: no questions, and no calls once the work is done (B16).

export const nonInteractivePart = [
  '# Working Alone',
  '',
  '- You work without a user. Ask no questions: decide with what you know, and say in your answer what you assumed.',
  '- Call no more tools once your task is done.',
].join('\n');
