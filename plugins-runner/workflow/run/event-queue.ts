import type { WorkflowEvent } from "../steps.ts";

/** What has happened and has not been dealt with yet, from several sources. */
export class EventQueue {
	#events: WorkflowEvent[] = [];
	#failure: { readonly error: unknown } | undefined;
	#wake: () => void = () => {};

	push(...events: readonly WorkflowEvent[]): void {
		this.#events.push(...events);
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

	/** Everything so far; waits until there is something. */
	async take(): Promise<readonly WorkflowEvent[]> {
		while (this.#events.length === 0 && this.#failure === undefined) {
			await new Promise<void>((resolve) => {
				this.#wake = resolve;
			});
		}
		if (this.#failure !== undefined) throw this.#failure.error;
		const events = this.#events;
		this.#events = [];
		return events;
	}
}
