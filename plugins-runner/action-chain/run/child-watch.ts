import type { Child, RunContext } from "../../../core/contract/index.ts";

/**
 * Latest states of the child executions of a chain. They are followed even after the run is aborted, because the run waits for its canceled
 * children.
 */
export class ChildWatch {
	readonly #context: Pick<RunContext, "children" | "signal" | "pausing">;
	readonly #end = new AbortController();
	readonly #known = new Map<string, Child>();
	#failure: { readonly error: unknown } | undefined;
	#hasChanged = false;
	#wake: () => void = () => {};

	constructor(context: Pick<RunContext, "children" | "signal" | "pausing">) {
		this.#context = context;
	}

	/** Starts to follow the children, until `stop` is called. */
	start(): void {
		for (const signal of [this.#context.signal, this.#context.pausing]) {
			signal.addEventListener("abort", () => this.#tell(), { signal: this.#end.signal });
		}
		void this.#follow();
	}

	stop(): void {
		this.#end.abort();
	}

	/** Returns the latest state of a child; undefined if none was reported yet. */
	find(id: string): Child | undefined {
		return this.#known.get(id);
	}

	/** Removes the state of a child that is no longer needed. */
	forget(id: string): void {
		this.#known.delete(id);
	}

	/** Resolves when a child has changed, or when the run is aborted or must pause. Resolves at once if that happened since the last call. */
	async news(): Promise<void> {
		if (!this.#hasChanged && this.#failure === undefined) {
			await new Promise<void>((resolve) => {
				this.#wake = resolve;
			});
		}
		this.#hasChanged = false;
		if (this.#failure !== undefined) throw this.#failure.error;
	}

	async #follow(): Promise<void> {
		try {
			for await (const child of this.#context.children.changes({ signal: this.#end.signal })) {
				this.#known.set(child.id, child);
				this.#tell();
			}
		} catch (error) {
			this.#failure = { error };
			this.#tell();
		}
	}

	#tell(): void {
		this.#hasChanged = true;
		this.#wake();
	}
}
