import type { ExecutionEntity, Storage } from "../../../contract/index.ts";

/** The executions whose children a run may read: its own, the one that it takes up, the one that took up, and so on. */
export class TakenUpChain {
	readonly #storage: Pick<Storage, "find">;
	readonly #known: Set<string>;
	/** The next one to be looked at; null: all are known. */
	#next: string | null;

	constructor(storage: Pick<Storage, "find">, { id, takes_up }: Pick<ExecutionEntity, "id" | "takes_up">) {
		this.#storage = storage;
		this.#known = new Set([id]);
		this.#next = takes_up;
	}

	async has(id: string | null): Promise<boolean> {
		if (id === null) return false;
		while (!this.#known.has(id) && this.#next !== null && !this.#known.has(this.#next)) {
			const asked = this.#next;
			const [found] = await this.#storage.find("execution", { where: { id: asked }, fields: ["takes_up"] });
			this.#known.add(asked);
			this.#next = found?.takes_up ?? null;
		}
		return this.#known.has(id);
	}
}
