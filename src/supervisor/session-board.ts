// Owns how the board of a session is made: as an earlier process left it, and written down as it changes.
import { Board, type BoardState } from '../sessions/board.ts';
import type { BoardEntry } from '../sessions/board-entries.ts';
import { WrittenBoard } from '../sessions/written-board.ts';
import type { StoredSession } from '../tasks/journal/stored-session.ts';
import type { SupervisorParts } from './build-supervisor.ts';

export type SessionBoard = {
  readonly board: Board;
  /** The session is over: nothing of it is kept. */
  readonly forget: () => void;
};

export function sessionBoard(
  sessionId: string,
  stored: StoredSession | null,
  { clock, events, scheduler: { earlierSessions } }: SupervisorParts,
): SessionBoard {
  const onPosted = (entry: BoardEntry): void => {
    events.emit('board_posted', { sessionId }, { entry });
  };
  if (!earlierSessions.areWritten) {
    return { board: new Board({ clock, onPosted }), forget: () => {} };
  }
  const written = new WrittenBoard(stored);
  let isKept = stored !== null;
  const onChanged = (state: BoardState): void => {
    isKept = true;
    earlierSessions.changed(sessionId, written.change(state));
  };
  return {
    board: new Board({ clock, onPosted, onChanged }, written.earlier),
    forget: () => {
      if (isKept) earlierSessions.changed(sessionId, null);
      isKept = false;
    },
  };
}
