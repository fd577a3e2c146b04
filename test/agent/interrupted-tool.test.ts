// Checks what an agent does after a tool that heard an interrupt ahead of the loop around it, on real threads.
import { expect, test } from 'vitest';
import { createSupervisor } from '#src/index.js';
import { scripted } from '#src/testing.js';

const spinning = new URL('../fixtures/spinning-tool.js', import.meta.url);

test.each(['interrupt', 'close'] as const)(
  'asks the model nothing more after a spinning tool heard %s (S5)',
  async (how) => {
    const model = scripted({
      default: [{ toolCalls: [{ name: 'spin', input: {} }] }, { text: 'late' }],
    });
    const supervisor = createSupervisor({ model, tools: [spinning] });
    const started = new Promise<void>((resolve) => {
      supervisor.on('tool_started', () => resolve());
    });
    const handle = supervisor.start({ goal: 'Spin.' });

    await started;
    if (how === 'interrupt') await handle.interrupt();
    else await supervisor.close();
    const outcome = await handle.result();
    await supervisor.close();

    expect(outcome).toMatchObject({
      exitReason: 'interrupted',
      turns: 1,
      partial: { toolTrace: [{ name: 'spin', status: 'completed' }] },
    });
    expect(model.requests()).toHaveLength(1);
  },
);
