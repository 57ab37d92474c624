import type { Child, RunContext } from "../../../core/contract/index.ts";

/** What is known of the executions of a chain. Goes on when the run is asked to end, as what is canceled then is waited for. */
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

	/** Until `stop` is called. */
	start(): void {
		for (const signal of [this.#context.signal, this.#context.pausing]) {
			signal.addEventListener("abort", () => this.#tell(), { signal: this.#end.signal });
		}
		void this.#follow();
	}

	stop(): void {
		this.#end.abort();
	}

	/** Undefined: nothing has been heard of it yet. */
	find(id: string): Child | undefined {
		return this.#known.get(id);
	}

	/** Nobody will ask for it again. */
	forget(id: string): void {
		this.#known.delete(id);
	}

	/** Resolves when there is news: of a child, a wish to pause, a wish to end. At once for news since it was last called. */
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
