import { createHash } from "node:crypto";
import {
	type JsonObject,
	type JsonValue,
	type Storage,
	SvcError,
	stringifyJson,
	type TriggerEntity,
	type TriggerReference,
	type TriggerTypeEntity,
} from "../../contract/index.ts";
import type { Dialects } from "../../language/dialects.ts";
import type { ChangeFeed } from "../coordination/change-feed.ts";

/** A trigger with its type. */
export interface ResolvedTrigger {
	readonly trigger: TriggerEntity;
	readonly type: TriggerTypeEntity;
}

/** Finds triggers by what dispatchers and rules call them, also by names of dialects; keeps what is asked for often. */
export interface TriggerCatalog {
	type(ref: string): Promise<TriggerTypeEntity | undefined>;
	/** `SVC_INVALID` when there is no such trigger. */
	resolve(reference: TriggerReference): Promise<ResolvedTrigger>;
	/** The trigger of a type with these parameters. */
	find(type: string, parameters: JsonObject): Promise<TriggerEntity | undefined>;
}

/** Names kept; dispatchers choose them among those that exist. */
const limit = 10_000;
/** Milliseconds for which another node's change may go unnoticed when its event is lost. */
const maximumAge = 1_000;

interface TriggerCatalogParts {
	readonly storage: Storage;
	readonly changes: ChangeFeed;
	readonly dialects: Pick<Dialects, "triggerType">;
}

export function createTriggerCatalog({ storage, changes, dialects }: TriggerCatalogParts): TriggerCatalog {
	const known = new Map<string, { readonly found: ResolvedTrigger; readonly readAt: number }>();
	/** Counts changes: what was read before one must not be kept after it. */
	let version = 0;
	changes.onChange(() => {
		known.clear();
		version += 1;
	});

	async function type(given: string): Promise<TriggerTypeEntity | undefined> {
		const ref = dialects.triggerType(given);
		const [found] = await storage.find("trigger_type", { where: { ref }, limit: 1 });
		return found;
	}

	async function find(type: string, parameters: JsonObject): Promise<TriggerEntity | undefined> {
		const where = { type: dialects.triggerType(type), parameters_hash: hashParameters(parameters) };
		const [found] = await storage.find("trigger", { where, limit: 1 });
		return found;
	}

	async function read(reference: TriggerReference): Promise<ResolvedTrigger> {
		const trigger = typeof reference === "string" ? await byRef(reference) : await find(reference.type, reference.parameters);
		const found = trigger && (await type(trigger.type));
		if (trigger === undefined || found === undefined)
			throw new SvcError("SVC_INVALID", toProblem(reference, await type(typeof reference === "string" ? reference : reference.type)));
		return { trigger, type: found };
	}

	async function byRef(given: string): Promise<TriggerEntity | undefined> {
		const ref = dialects.triggerType(given);
		const [found] = await storage.find("trigger", { where: { ref }, limit: 1 });
		return found;
	}

	return {
		type,
		find,
		async resolve(reference) {
			const key = typeof reference === "string" ? reference : `${reference.type} ${hashParameters(reference.parameters)}`;
			const kept = known.get(key);
			const isFresh = storage.capabilities.shared !== true || (kept !== undefined && performance.now() - kept.readAt < maximumAge);
			if (kept !== undefined && isFresh) return kept.found;
			const before = version;
			const readAt = performance.now();
			const found = await read(reference);
			if (version === before) {
				if (known.size >= limit) known.clear();
				known.set(key, { found, readAt });
			}
			return found;
		},
	};
}

/** Returns what is wrong with a reference that leads to no trigger. */
function toProblem(reference: TriggerReference, type: TriggerTypeEntity | undefined): string {
	const ref = typeof reference === "string" ? reference : reference.type;
	if (type === undefined) return `trigger: there is no trigger or trigger type "${ref}"`;
	if (typeof reference === "string") return `trigger: trigger type "${ref}" has parameters; give them, or the ref of one of its triggers`;
	return `trigger: no rule uses the trigger type "${ref}" with these parameters`;
}

/** Parameters as JSON with their keys in order, so that equal ones have equal texts. */
export function toCanonicalJson(value: JsonValue): string {
	if (Array.isArray(value)) return `[${value.map((item: JsonValue) => toCanonicalJson(item)).join(",")}]`;
	if (typeof value !== "object" || value === null) return stringifyJson(value);
	const members = Object.entries(value as JsonObject).sort(([a], [b]) => (a < b ? -1 : 1));
	return `{${members.map(([key, member]) => `${stringifyJson(key)}:${toCanonicalJson(member)}`).join(",")}}`;
}

/** What tells the triggers of one type apart. */
export function hashParameters(parameters: JsonObject): string {
	return createHash("sha256").update(toCanonicalJson(parameters)).digest("hex");
}
