import { isDeepStrictEqual } from "node:util";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import type { ChangeFeed } from "../../kernel/coordination/change-feed.ts";

export interface PolicyIndexOptions extends Uses<"storage" | "logger"> {
	readonly changes: Pick<ChangeFeed, "onChange">;
	/** Seconds for which another node's change may go unnoticed when its event is lost. */
	readonly pollInterval: number;
}

/** Which actions have which policies, so that the others, which are most, cost nothing. What a policy says is read where it matters. */
export class PolicyIndex {
	readonly #parts: PolicyIndexOptions;
	readonly #listeners: (() => void)[] = [];
	/** Types by action. */
	#known: ReadonlyMap<string, ReadonlySet<string>> = new Map();
	/** The last of the reads that follow each other, so that an older one never has the last word. */
	#reading: Promise<unknown> = Promise.resolve();
	#timer: NodeJS.Timeout | undefined;
	#state: "new" | "started" | "stopped" = "new";

	constructor(parts: PolicyIndexOptions) {
		this.#parts = parts;
		parts.changes.onChange(() => {
			if (this.#state === "started") void this.#follow(true);
		});
	}

	/** Whether the action has an enabled policy of one of these types, as far as this node knows. */
	has(actionRef: string, types: readonly string[]): boolean {
		const found = this.#known.get(actionRef);
		return found !== undefined && types.some((type) => found.has(type));
	}

	/** The actions that have. */
	actionsWith(types: readonly string[]): readonly string[] {
		return [...this.#known.keys()].filter((ref) => this.has(ref, types));
	}

	/** Know all that is stored when the call is made; whether anything is new. */
	refresh(): Promise<boolean> {
		const next = this.#reading.then(() => this.#read());
		this.#reading = next.catch(() => undefined);
		return next;
	}

	/** Call `listener` after a change, once it is known here. */
	onChange(listener: () => void): void {
		this.#listeners.push(listener);
	}

	async start(): Promise<void> {
		await this.refresh();
		if (this.#state !== "new") return;
		this.#state = "started";
		// Nobody else can change what only one process uses.
		if (this.#parts.storage.capabilities.shared === true) this.#plan();
	}

	async stop(): Promise<void> {
		this.#state = "stopped";
		clearTimeout(this.#timer);
		await this.#reading;
	}

	/** What is known stays in force while the storage is away. */
	async #follow(isTold: boolean): Promise<void> {
		try {
			const isNew = await this.refresh();
			if (isTold || isNew) for (const listener of this.#listeners) listener();
		} catch (error) {
			this.#parts.logger.warn("policies could not be read", { error });
		}
	}

	#plan(): void {
		if (this.#state === "stopped") return;
		this.#timer = setTimeout(() => void this.#follow(false).then(() => this.#plan()), this.#parts.pollInterval * 1_000);
	}

	async #read(): Promise<boolean> {
		const enabled = await this.#parts.storage.find("policy", { where: { enabled: true }, fields: ["resource_ref", "policy_type"] });
		const current = new Map<string, Set<string>>();
		for (const { resource_ref, policy_type } of enabled) {
			current.set(resource_ref, (current.get(resource_ref) ?? new Set()).add(policy_type));
		}
		const isNew = !isDeepStrictEqual(current, this.#known);
		this.#known = current;
		return isNew;
	}
}
