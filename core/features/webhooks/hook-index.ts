import type { TriggerEntity } from "../../contract/index.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import { toHookUrl, triggerRefs } from "../triggers/trigger-type-refs-exports.ts";
import type { HookParameters } from "./hook-parameters-exports.ts";

/** A registered webhook: the trigger created by a rule on `core.svc.webhook`. */
export interface Hook {
	readonly trigger: TriggerEntity;
	readonly parameters: HookParameters;
	/** URL without leading and trailing slashes. */
	readonly url: string;
}

/** Finds the webhooks of a URL. */
export interface HookIndex {
	/** Returns the hooks of a URL. There are several if rules use the same URL with different parameters. */
	find(url: string): Promise<readonly Hook[]>;
	/** Returns all hooks, ordered by URL. */
	list(): Promise<readonly Hook[]>;
}

/** Maximum age of the cache in milliseconds, so that a removed hook is not served for long if the change event is lost. */
const maximumAge = 1_000;

export function createHookIndex({ storage, changes }: Pick<Kernel, "storage" | "changes">): HookIndex {
	let known: { readonly hooks: ReadonlyMap<string, readonly Hook[]>; readonly readAt: number } | undefined;
	/** Number of changes so far. A result that was read before a change must not be cached after it. */
	let version = 0;
	changes.onChange(() => {
		known = undefined;
		version += 1;
	});

	async function read(): Promise<ReadonlyMap<string, readonly Hook[]>> {
		const readAt = performance.now();
		const before = version;
		const hooks = groupByUrl((await storage.find("trigger", { where: { type: triggerRefs.webhook } })).map(toHook));
		if (version === before) known = { hooks, readAt };
		return hooks;
	}

	return {
		async find(given) {
			const url = toHookUrl(given);
			const isFresh = known !== undefined && (storage.capabilities.shared !== true || performance.now() - known.readAt <= maximumAge);
			// A hook missing from the cache may have been registered on another node a moment ago, so read again.
			return (isFresh ? known?.hooks.get(url) : undefined) ?? (await read()).get(url) ?? [];
		},
		async list() {
			return [...(await read()).values()].flat().sort((one, other) => (one.url < other.url ? -1 : 1));
		},
	};
}

function toHook(trigger: TriggerEntity): Hook {
	// Rules on the type are checked against its schema, so that the stored parameters have this shape.
	const parameters = trigger.parameters as unknown as HookParameters;
	return { trigger, parameters, url: toHookUrl(parameters.url) };
}

function groupByUrl(hooks: readonly Hook[]): ReadonlyMap<string, readonly Hook[]> {
	const groups = new Map<string, Hook[]>();
	for (const hook of hooks) groups.set(hook.url, [...(groups.get(hook.url) ?? []), hook]);
	return groups;
}
