import { AsyncLocalStorage } from "node:async_hooks";
import type { EntityKind } from "../../contract/index.ts";

/** Who is answered now, as entries tell it, and how many entries that has made. */
export interface ChangeScope {
	readonly user: string;
	readonly credential: string;
	readonly address: string | null;
	readonly request_id: string | null;
	/** Method and path of the route, or the action. */
	readonly request: string;
	/** Kinds of what is recorded. Absent: all that are audited. */
	readonly kinds?: readonly EntityKind[];
	/** What is said with each entry that has nothing to say of itself. */
	readonly detail?: string | null;
	entries: number;
	/** What goes on after the answer is no part of it. */
	hasEnded: boolean;
}

/**
 * Tells what is written on behalf of a request, however deep below its handler. Following that costs every promise of the process a
 * little, so it is on only while such a request is answered: runs and events never pay for it.
 */
export class ChangeScopes {
	readonly #storage = new AsyncLocalStorage<ChangeScope>();
	#open = 0;

	/** Undefined where nobody has asked for what is written now. */
	current(): ChangeScope | undefined {
		if (this.#open === 0) return undefined;
		const scope = this.#storage.getStore();
		return scope?.hasEnded === false ? scope : undefined;
	}

	async run<T>(scope: ChangeScope, work: () => Promise<T> | T): Promise<T> {
		this.#open += 1;
		try {
			return await this.#storage.run(scope, async () => work());
		} finally {
			scope.hasEnded = true;
			this.#open -= 1;
			if (this.#open === 0) this.#storage.disable();
		}
	}
}
