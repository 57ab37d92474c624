import { isDeepStrictEqual } from "node:util";
import type { Logger, Storage } from "../../contract/index.ts";
import type { ChangeFeed } from "../../kernel/work/change-feed.ts";

export interface PolicyIndexParts {
	readonly storage: Storage;
	readonly logger: Logger;
	readonly changes: Pick<ChangeFeed, "onChange">;
	/** Seconds for which another node's change may go unnoticed when its event is lost. */
	readonly pollInterval: number;
}

/** Which actions have which policies, so that the others, which are most, cost nothing. What a policy says is read where it matters. */
export interface PolicyIndex {
	/** Whether the action has an enabled policy of one of these types, as far as this node knows. */
	has(actionRef: string, types: readonly string[]): boolean;
	/** The actions that have. */
	actionsWith(types: readonly string[]): readonly string[];
	/** Know all that is stored when the call is made. */
	refresh(): Promise<void>;
	/** Call `listener` after a change, once it is known here. */
	onChange(listener: () => void): void;
	start(): Promise<void>;
	stop(): Promise<void>;
}

export function createPolicyIndex({ storage, logger, changes, pollInterval }: PolicyIndexParts): PolicyIndex {
	/** Types by action. */
	let known: ReadonlyMap<string, ReadonlySet<string>> = new Map();
	const listeners: (() => void)[] = [];
	/** The last of the reads that follow each other, so that an older one never has the last word. */
	let reading: Promise<unknown> = Promise.resolve();
	let timer: NodeJS.Timeout | undefined;
	let state: "new" | "started" | "stopped" = "new";

	async function read(): Promise<boolean> {
		const enabled = await storage.find("policy", { where: { enabled: true }, fields: ["resource_ref", "policy_type"] });
		const current = new Map<string, Set<string>>();
		for (const { resource_ref, policy_type } of enabled) {
			current.set(resource_ref, (current.get(resource_ref) ?? new Set()).add(policy_type));
		}
		const isNew = !isDeepStrictEqual(current, known);
		known = current;
		return isNew;
	}

	/** Whether anything is new. */
	function refresh(): Promise<boolean> {
		const next = reading.then(read);
		reading = next.catch(() => undefined);
		return next;
	}

	/** What is known stays in force while the storage is away. */
	async function follow(isTold: boolean): Promise<void> {
		try {
			const isNew = await refresh();
			if (isTold || isNew) for (const listener of listeners) listener();
		} catch (error) {
			logger.warn("policies could not be read", { error });
		}
	}

	function plan(): void {
		if (state === "stopped") return;
		timer = setTimeout(() => void follow(false).then(plan), pollInterval * 1_000);
	}

	changes.onChange(() => {
		if (state === "started") void follow(true);
	});

	const has = (ref: string, types: readonly string[]) => {
		const found = known.get(ref);
		return found !== undefined && types.some((type) => found.has(type));
	};

	return {
		has,
		actionsWith: (types) => [...known.keys()].filter((ref) => has(ref, types)),
		async refresh() {
			await refresh();
		},
		onChange(listener) {
			listeners.push(listener);
		},
		async start() {
			await refresh();
			if (state !== "new") return;
			state = "started";
			// Nobody else can change what only one process uses.
			if (storage.capabilities.shared === true) plan();
		},
		async stop() {
			state = "stopped";
			clearTimeout(timer);
			await reading;
		},
	};
}
