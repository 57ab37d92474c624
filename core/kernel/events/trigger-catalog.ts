import { createHash } from "node:crypto";
import {
	type EntityMap,
	type JsonObject,
	type JsonValue,
	SvcError,
	stringifyJson,
	type TriggerEntity,
	type TriggerReference,
	type TriggerTypeEntity,
	type Where,
} from "../../contract/index.ts";
import type { Dialects } from "../../language/dialects.ts";
import type { Uses } from "../basics/engine-parts.ts";
import type { CacheInvalidation } from "../coordination/cache-invalidation.ts";

/** A trigger with its type. */
export interface ResolvedTrigger {
	readonly trigger: TriggerEntity;
	readonly type: TriggerTypeEntity;
}

/** Finds triggers by the names that event sources and rules use, including names of dialects. Resolved triggers are cached. */
export interface TriggerCatalog {
	/** Returns the trigger type with a ref; undefined if it does not exist. */
	findType(ref: string): Promise<TriggerTypeEntity | undefined>;
	/** Returns the trigger with its type. Throws `SVC_INVALID` if the trigger does not exist. */
	resolve(reference: TriggerReference): Promise<ResolvedTrigger>;
	/** Returns the trigger of a trigger type with these parameters; undefined if it does not exist. */
	find(type: string, parameters: JsonObject): Promise<TriggerEntity | undefined>;
}

/** Maximum number of cached triggers. Only triggers that exist are cached, so event sources cannot fill the cache with invented names. */
const maxCachedTriggers = 10_000;
/** Milliseconds after which a cached trigger of a shared storage is read again, in case a change event was lost. */
const maxCacheAgeMs = 1_000;

interface TriggerCatalogDependencies extends Uses<"storage"> {
	readonly changes: CacheInvalidation;
	readonly dialects: Pick<Dialects, "triggerType">;
}

export function createTriggerCatalog({ storage, changes, dialects }: TriggerCatalogDependencies): TriggerCatalog {
	/** Resolved triggers, by ref, or by type and hash of the parameters. */
	const cache = new Map<string, { readonly resolved: ResolvedTrigger; readonly readAtMs: number }>();
	/** Number of changes so far. A trigger that was read before a change must not be cached after the change. */
	let version = 0;
	changes.onChange(() => {
		cache.clear();
		version += 1;
	});

	async function findByRef<K extends "trigger" | "trigger_type">(kind: K, name: string): Promise<EntityMap[K] | undefined> {
		const where = { ref: dialects.triggerType(name) } as Where<EntityMap[K]>;
		const [stored] = await storage.find(kind, { where, limit: 1 });
		return stored;
	}

	async function find(type: string, parameters: JsonObject): Promise<TriggerEntity | undefined> {
		const where = { type: dialects.triggerType(type), parameters_hash: hashParameters(parameters) };
		const [stored] = await storage.find("trigger", { where, limit: 1 });
		return stored;
	}

	async function read(reference: TriggerReference): Promise<ResolvedTrigger> {
		const trigger = await (typeof reference === "string" ? findByRef("trigger", reference) : find(reference.type, reference.parameters));
		const type = trigger && (await findByRef("trigger_type", trigger.type));
		if (trigger !== undefined && type !== undefined) return { trigger, type };
		const name = typeof reference === "string" ? reference : reference.type;
		throw new SvcError("SVC_INVALID", toProblem(reference, await findByRef("trigger_type", name)));
	}

	return {
		findType: (ref) => findByRef("trigger_type", ref),
		find,
		async resolve(reference) {
			const key = typeof reference === "string" ? reference : `${reference.type} ${hashParameters(reference.parameters)}`;
			const cached = cache.get(key);
			const isFresh = storage.capabilities.shared !== true || (cached !== undefined && performance.now() - cached.readAtMs < maxCacheAgeMs);
			if (cached !== undefined && isFresh) return cached.resolved;
			const versionBefore = version;
			const readAtMs = performance.now();
			const resolved = await read(reference);
			if (version === versionBefore) {
				if (cache.size >= maxCachedTriggers) cache.clear();
				cache.set(key, { resolved, readAtMs });
			}
			return resolved;
		},
	};
}

/** Returns the error message for a reference to a trigger that does not exist. */
function toProblem(reference: TriggerReference, type: TriggerTypeEntity | undefined): string {
	const ref = typeof reference === "string" ? reference : reference.type;
	if (type === undefined) return `trigger: trigger or trigger type "${ref}" does not exist`;
	if (typeof reference === "string") return `trigger: trigger type "${ref}" has parameters; give them, or the ref of one of its triggers`;
	return `trigger: no rule uses the trigger type "${ref}" with these parameters`;
}

/** Returns a value as JSON with sorted keys, so that equal values have equal strings. */
export function toCanonicalJson(value: JsonValue): string {
	if (Array.isArray(value)) return `[${value.map((item: JsonValue) => toCanonicalJson(item)).join(",")}]`;
	if (typeof value !== "object" || value === null) return stringifyJson(value);
	const members = Object.entries(value as JsonObject).sort(([a], [b]) => (a < b ? -1 : 1));
	return `{${members.map(([key, member]) => `${stringifyJson(key)}:${toCanonicalJson(member)}`).join(",")}}`;
}

/** Returns the hash of the parameters of a trigger. It distinguishes the triggers of one type. */
export function hashParameters(parameters: JsonObject): string {
	return createHash("sha256").update(toCanonicalJson(parameters)).digest("hex");
}
