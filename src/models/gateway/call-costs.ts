// Owns what a call costs and may cost, by the price of the model that it is made to. Pure but for the price table.
import type { BudgetAccount } from '../../protocol/budget.ts';
import type { TokenCounts } from '../../protocol/history.ts';
import type { SpentTokens } from '../../protocol/model-messages.ts';
import type { TakenTokens } from '../budget/call-usage.ts';
import { bareName, costOf, type PriceLookup } from '../budget/model-price.ts';
import { boundInputTokens, type Conversation } from '../conversation.ts';
import type { ModelRequest } from '../model.ts';
import type { BoundModel } from './binding.ts';
import { boundNoteTokens } from './budget-note.ts';
import { boundsOf, type CallBound, isMetered, oneTurn } from './call-bounds.ts';

/** For a budget, of a model that names no limit of its own. */
const defaultMaxOutputTokens = 4_096;

export class CallCosts {
  readonly #lookUp: PriceLookup;

  constructor(lookUp: PriceLookup) {
    this.#lookUp = lookUp;
  }

  /** What a call is to be reserved with, the full output limit first. */
  bounds(
    asked: BoundModel,
    facts: {
      readonly request: ModelRequest;
      readonly conversation: Conversation;
      readonly accounts: readonly BudgetAccount[];
    },
  ): readonly [CallBound, ...CallBound[]] {
    const { request, conversation, accounts } = facts;
    if (!accounts.some(({ limits }) => isMetered(limits))) return oneTurn;
    return boundsOf({
      inputTokens: boundInputTokens(conversation) + boundNoteTokens(accounts),
      maxOutputTokens:
        request.maxOutputTokens ?? asked.model.maxOutputTokens ?? defaultMaxOutputTokens,
      cost: (usage) => this.of(asked, usage),
    });
  }

  /** Null where no price is known. */
  of(
    { model, price }: BoundModel,
    usage: TokenCounts,
    answeredBy = bareName(model.id),
  ): number | null {
    return price === undefined ? null : costOf(price, usage, { lookUp: this.#lookUp, answeredBy });
  }

  priced(asked: BoundModel, taken: TakenTokens | null): SpentTokens | null {
    return taken === null ? null : { ...taken, costUsd: this.of(asked, taken.usage) };
  }
}
