import type { WorkflowEvent } from "../steps.ts";

/** Events that are dealt with in one step. */
const maxTaken = 1_000;

/** What has happened and has not been dealt with yet, from several sources. */
export class EventQueue {
	readonly #events: WorkflowEvent[] = [];
	#failure: { readonly error: unknown } | undefined;
	#wake: () => void = () => {};

	push(...events: readonly WorkflowEvent[]): void {
		this.pushAll(events);
	}

	/** For lists of any length: a call may have so many arguments only. */
	pushAll(events: readonly WorkflowEvent[]): void {
		for (const event of events) this.#events.push(event);
		this.#wake();
	}

	/** Nothing more can be heard: whoever takes is told why. */
	fail(error: unknown): void {
		this.#failure ??= { error };
		this.#wake();
	}

	/** Whether there is something of this type that nobody has taken yet. */
	holds(matches: (event: WorkflowEvent) => boolean): boolean {
		return this.#events.some(matches);
	}

	/** Returns the queued events, at most a thousand, so that other requests are served in between; waits for the first one. */
	async take(): Promise<readonly WorkflowEvent[]> {
		while (this.#events.length === 0 && this.#failure === undefined) {
			await new Promise<void>((resolve) => {
				this.#wake = resolve;
			});
		}
		if (this.#failure !== undefined) throw this.#failure.error;
		return this.#events.splice(0, maxTaken);
	}
}
