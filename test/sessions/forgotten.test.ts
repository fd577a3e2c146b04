// Checks that sessions which hold nothing do not pile up in a supervisor that is asked for one per conversation.
import { describe, expect, it } from 'vitest';
import { delegateTaskTool } from '#src/dialects/delegate-task/index.js';
import { scopeRuntime } from '#src/dialects/scope/index.js';
import { superviseInManualTime, within } from '../supervisor/support.ts';

const halfAnHour = 1_800_000;

function chats() {
  const { supervisor, clock } = superviseInManualTime({
    default: [{ text: 'done', repeat: true }],
  });
  const known = (...ids: string[]) => ids.filter((id) => supervisor.hasSession(id));
  return { supervisor, clock, known };
}

describe('an unused session', () => {
  it('is forgotten after half an hour when it holds nothing, as soon as another one is asked for (A75)', async () => {
    const { supervisor, clock, known } = chats();
    supervisor.session('used').tools(delegateTaskTool());
    supervisor.session('unused').tools(delegateTaskTool());

    await clock.advance(halfAnHour);
    await within(supervisor.session('used').run({ goal: 'a' }), 'the run');
    supervisor.session('second');
    expect(known('used', 'unused', 'second')).toEqual(['used', 'unused', 'second']);
    await clock.advance(1);
    supervisor.session('third');

    expect(known('used', 'unused', 'second', 'third')).toEqual(['used', 'second', 'third']);
  });

  it('is kept with its environment, its board, and an unacknowledged end (A75, X5)', async () => {
    const { supervisor, clock, known } = chats();
    scopeRuntime(supervisor.session('environment')).environment = 'a ship';
    supervisor.session('board').board.turnOn();
    const background = supervisor.session('background');
    await within(background.start({ goal: 'a' }).result(), 'the end');

    await clock.advance(halfAnHour + 1);
    supervisor.session('next');
    expect(known('environment', 'board', 'background')).toHaveLength(3);
    for (const { id } of background.completions()) background.acknowledge(id);
    supervisor.session('last');

    expect(known('environment', 'board', 'background')).toEqual(['environment', 'board']);
  });

  it('goes on for whoever has it in hand, and is known again', async () => {
    const { supervisor, clock, known } = chats();
    const session = supervisor.session('chat');
    await clock.advance(halfAnHour + 1);
    supervisor.session('other');
    expect(known('chat')).toEqual([]);

    const { text } = await within(session.run({ goal: 'a' }), 'the run');

    expect([text, known('chat'), supervisor.session('chat') === session]).toEqual([
      'done',
      ['chat'],
      true,
    ]);
  });
});
