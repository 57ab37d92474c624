import { setTimeout as delay } from "node:timers/promises";
import type { Storage, StoragePlugin } from "svc-automation/contract";

/** What may be taken out, to see that the test notices. */
export const mechanisms = ["sweep", "compare-and-set", "claim", "retry", "time"] as const;

export type Mechanism = (typeof mechanisms)[number];

type Call = (...values: unknown[]) => Promise<unknown>;

/** A storage without some of the mechanisms that keep several nodes from harm; with none taken out it is the storage itself. */
export function weakenedStorage(plugin: StoragePlugin, without: readonly string[]): StoragePlugin {
	const wanted = mechanisms.filter((mechanism) => without.includes(mechanism));
	if (wanted.length === 0) return plugin;
	return { ...plugin, create: () => wanted.reduce((storage, mechanism) => weaken(storage, ways[mechanism]), plugin.create()) };
}

type Way = (storage: Storage, member: string, call: Call) => Call;

const ways: Readonly<Record<Mechanism, Way>> = {
	/** Nobody finds what a dead node has left. */
	sweep:
		(_storage, member, call) =>
		async (kind, query, ...rest) => {
			const { where } = (query ?? {}) as { readonly where?: object };
			const isSweep = member === "find" && kind === "execution" && where !== undefined && "lease_expires_at" in where;
			return isSweep ? [] : call(kind, query, ...rest);
		},
	/** Changes of executions happen whatever has become of them meanwhile. */
	"compare-and-set":
		(_storage, member, call) =>
		async (first, ...rest) => {
			if (member === "update" && first === "execution") return call(first, rest[0], rest[1], {});
			if (member === "write") return call((first as object[]).map((operation) => withoutExpected(operation)));
			return call(first, ...rest);
		},
	/** Claimers look first and take then. */
	claim: (storage, member, call) => async (kind, query, patch) => {
		if (member !== "claim" || kind !== "execution") return call(kind, query, patch);
		const found = await storage.find("execution", query as Parameters<Storage["find"]>[1] as never);
		// Time enough for another to look too, however idle the machine is.
		await delay(30);
		const taken = await Promise.all(found.map(({ id }) => storage.update("execution", id, patch as never, {})));
		return taken.filter((entity) => entity !== undefined);
	},
	/** An outage looks like any other error, so that nobody tries again. */
	retry:
		(_storage, _member, call) =>
		async (...values) => {
			try {
				return await call(...values);
			} catch (error) {
				if (error instanceof Error && "code" in error && error.code === "SVC_UNAVAILABLE") throw new Error(error.message);
				throw error;
			}
		},
	/** Each node goes by its own clock. */
	time:
		(_storage, member, call) =>
		async (...values) =>
			member === "now" ? Date.now() * 1_000 : call(...values),
};

function withoutExpected(operation: object): object {
	return "update" in operation && operation.update === "execution" ? { ...operation, expected: {} } : operation;
}

function weaken(storage: Storage, way: Way): Storage {
	return new Proxy(storage, {
		get(target, member) {
			const value: unknown = Reflect.get(target, member, target);
			if (typeof value !== "function" || typeof member !== "string") return value;
			const call = value.bind(target) as Call;
			// What the host calls in the life of a plugin stays as it is.
			return ["start", "stop", "plan", "compact"].includes(member) ? call : way(target, member, call);
		},
	});
}
