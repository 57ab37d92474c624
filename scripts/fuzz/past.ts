import type { FuzzRequest } from "./make-request.ts";

/** What has been asked of one service, and what came of it. */
export class Past {
	readonly #creators = new Map<string, FuzzRequest>();
	#changes: FuzzRequest[] = [];

	/** Begin a batch. */
	begin(): void {
		this.#changes = [];
	}

	/** Requests of this batch that changed something, in their order. */
	get changes(): readonly FuzzRequest[] {
		return this.#changes;
	}

	/** @param names of the records in the answer */
	add(request: FuzzRequest, isTaken: boolean, names: readonly string[]): void {
		if (!isTaken || request.method === "GET") return;
		this.#changes.push(request);
		for (const name of names) this.#creators.set(name, request);
	}

	/** The request, with those before it that made what it names. */
	chain(request: FuzzRequest): readonly FuzzRequest[] {
		const made = (request.names ?? []).flatMap(({ name }) => {
			const creator = this.#creators.get(name);
			return creator === undefined || creator === request ? [] : this.chain(creator);
		});
		return [...new Set([...made, request])];
	}
}
