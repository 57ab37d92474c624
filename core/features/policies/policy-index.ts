import { isDeepStrictEqual } from "node:util";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import type { Kernel } from "../../kernel/kernel.ts";

type PolicyIndexDependencies = Uses<"storage" | "logger" | "options"> & Pick<Kernel, "changes">;

/** Index of the policy types of each action, without parameters. It saves queries for actions without policies, which are most. */
export class PolicyIndex {
	readonly #parts: PolicyIndexDependencies;
	readonly #listeners: (() => void)[] = [];
	/** Policy types by action. */
	#known: ReadonlyMap<string, ReadonlySet<string>> = new Map();
	/** Last read. Reads run one after another, so that an older result never replaces a newer one. */
	#reading: Promise<unknown> = Promise.resolve();
	#timer: NodeJS.Timeout | undefined;
	#state: "new" | "started" | "stopped" = "new";

	constructor(parts: PolicyIndexDependencies) {
		this.#parts = parts;
		parts.changes.onChange(() => {
			if (this.#state === "started") void this.#follow(true);
		});
	}

	/** Returns true if the action has an enabled policy of one of these types, as of the last read of this node. */
	has(actionRef: string, types: readonly string[]): boolean {
		const found = this.#known.get(actionRef);
		return found !== undefined && types.some((type) => found.has(type));
	}

	/** Returns the actions that have an enabled policy of one of these types. */
	actionsWith(types: readonly string[]): readonly string[] {
		return [...this.#known.keys()].filter((ref) => this.has(ref, types));
	}

	/** Reads the policies that are stored at the time of the call. Resolves with true if the index has changed. */
	refresh(): Promise<boolean> {
		const next = this.#reading.then(() => this.#read());
		this.#reading = next.catch(() => undefined);
		return next;
	}

	/** Registers a listener that is called after policies have changed and the index has been refreshed. */
	onChange(listener: () => void): void {
		this.#listeners.push(listener);
	}

	async start(): Promise<void> {
		await this.refresh();
		if (this.#state !== "new") return;
		this.#state = "started";
		// Polling finds changes by other processes whose events were lost.
		if (this.#parts.storage.capabilities.shared === true) this.#plan();
	}

	async stop(): Promise<void> {
		this.#state = "stopped";
		clearTimeout(this.#timer);
		await this.#reading;
	}

	/** Refreshes the index and calls the listeners. While the storage is unavailable, the index remains in use. */
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
		const pollInterval = this.#parts.options.scheduler.poll_interval * 1_000;
		this.#timer = setTimeout(() => void this.#follow(false).then(() => this.#plan()), pollInterval);
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
