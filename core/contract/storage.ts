import type { EntityKind, EntityMap } from "./entities/index.ts";
import type { JsonValue } from "./json.ts";
import type { Lifecycle, Plugin, PluginContext } from "./plugin.ts";

/** What a field must be: a value (null is a value), or one of the comparisons. Text compares by code point. */
export type Condition<V> =
	| V
	| { readonly in: readonly V[] }
	| { readonly not: V }
	| { readonly gt?: V; readonly gte?: V; readonly lt?: V; readonly lte?: V }
	| { readonly prefix: string }
	| { readonly member: Member };

/** Of a `json` field: somewhere in its value, at whatever depth, is an object that has this member with this text. */
export type Member = readonly [name: string, text: string];

/**
 * All conditions must hold. Of `json` fields only `member` can be asked for, and of all others everything else; else it is `SVC_INVALID`. Null satisfies no
 * comparison but `not`, and no `in`, even one that lists null. A condition that is undefined is a `TypeError`, so that a value
 * gone missing never means "all of them".
 */
export type Where<E> = { readonly [F in keyof E]?: Condition<E[F]> };

/** A field to sort by, and the direction. */
export type Order<E> = readonly [field: keyof E & string, direction: "asc" | "desc"];

/** Which entities to read, in which order, and how much of them. */
export interface Query<E> {
	readonly where?: Where<E>;
	/** Later ones decide among equals. Without any the order is by `id` ascending. Null sorts first ascending, last descending. */
	readonly orderBy?: readonly Order<E>[];
	/** Default: no limit. */
	readonly limit?: number;
	/** Default 0. */
	readonly offset?: number;
	/** Read only these fields (`id` is always read); the others are absent. Default: all. */
	readonly fields?: readonly (keyof E & string)[];
}

const appendKey: unique symbol = Symbol.for("svc.storage.append");

/** In a patch: put `value` at the end of a `json` field that holds an array, atomically. What is no array stays as it is. */
export interface Append {
	readonly [appendKey]: JsonValue;
}

/** Patch value that appends to a JSON array field. */
export function append(value: JsonValue): Append {
	return { [appendKey]: value };
}

/** The appended value, or undefined when `value` is not an `Append`. */
export function toAppended(value: unknown): JsonValue | undefined {
	return typeof value === "object" && value !== null && appendKey in value ? (value as Append)[appendKey] : undefined;
}

const bytesKey: unique symbol = Symbol.for("svc.storage.bytes");

/**
 * The entity with the text of its bulky field (`entityKinds`) as bytes besides, each of them a character of ASCII: what is large need not
 * become a string to be stored. They are there until the write has settled.
 */
export function withBulkyBytes<E extends object>(entity: E, toBytes: () => Uint8Array): E {
	return Object.defineProperty(entity, bytesKey, { get: toBytes });
}

/** The bytes of the bulky field of an entity; undefined where there is only the text. */
export function toBulkyBytes(entity: object): Uint8Array | undefined {
	return (entity as { readonly [bytesKey]?: Uint8Array })[bytesKey];
}

/** New values for some fields. */
export type Patch<E> = { readonly [F in keyof E]?: E[F] | Append };

/**
 * One write among several that happen together or not at all. An update with an empty patch changes nothing: it asks whether the
 * entity is as expected, and keeps it so until the others have happened.
 */
export type WriteOperation = {
	[K in EntityKind]:
		| { readonly insert: K; readonly entities: readonly EntityMap[K][] }
		| { readonly update: K; readonly id: string; readonly patch: Patch<EntityMap[K]>; readonly expected?: Where<EntityMap[K]> }
		| { readonly remove: K; readonly where: Where<EntityMap[K]> };
}[EntityKind];

/** What a storage can do. */
export interface StorageCapabilities {
	/** Whether several processes may use it at once. Default false. */
	readonly shared?: boolean;
	/** Whether what was written is there after a restart. Default false. */
	readonly durable?: boolean;
}

/** What a storage finds when it looks without changing anything. */
export interface StorageInspection {
	/** Where it keeps things, for people to read: the path of a file, or an address. Never a password. */
	readonly place: string;
	/** `new`: nothing has been kept there yet. `older`: the schema has to be changed first. `ready`: records can be read. */
	readonly state: "new" | "older" | "ready";
	/** Names of the changes to its schema that `start` would make, in order. */
	readonly changes: readonly string[];
	/** Whether another process works on it now, beside which this one could not start. Absent where that cannot be told. */
	readonly in_use?: boolean;
}

/**
 * Keeps entities. Every method is atomic: it happens whole or not at all, and two callers never see half of it.
 *
 * When a promise of a writing method resolves, the write is durable (where `capabilities.durable`), except for kinds marked
 * `relaxed` in `entityKinds`: those survive the death of the process, and are durable at the latest with the next other write.
 * Entities given and returned are never shared: neither side sees the other's later changes. Rejects with `SVC_UNAVAILABLE`
 * while the store cannot be reached: a write may have happened all the same, when only its answer was lost. With `facts.refused` true
 * the store has said itself that it serves nobody now. Without that it may be this node alone that is cut off, and what it holds is
 * taken over by others.
 *
 * A `start` that rejects with `SVC_UNAVAILABLE` is tried again with a new instance until it succeeds: of a shared storage always, of any
 * other where `facts.retry_after` says that what is in the way passes.
 */
export interface Storage extends Lifecycle {
	/** Known from the beginning, before `start`. */
	readonly capabilities: StorageCapabilities;
	/** All or none; `SVC_CONFLICT` (facts `conflict_id`, when known) when an id or unique key is taken. */
	insert<K extends EntityKind>(kind: K, entities: readonly EntityMap[K][]): Promise<void>;
	get<K extends EntityKind>(kind: K, id: string): Promise<EntityMap[K] | undefined>;
	find<K extends EntityKind>(kind: K, query: Query<EntityMap[K]>): Promise<EntityMap[K][]>;
	/** How many match; not more than `limit`, so that nobody counts millions to say that there are many. Default: no limit. */
	count<K extends EntityKind>(kind: K, where: Where<EntityMap[K]>, limit?: number): Promise<number>;
	/** The different values of a field that is not `json`, null left out, ascending. */
	distinct<K extends EntityKind, F extends keyof EntityMap[K] & string>(
		kind: K,
		field: F,
		where?: Where<EntityMap[K]>,
	): Promise<NonNullable<EntityMap[K][F]>[]>;
	/**
	 * Compare-and-set: patch the entity if it still satisfies `expected`. The entity afterwards, or undefined when it does not
	 * exist or no longer matches. Of any number of concurrent callers with the same `expected`, one wins.
	 */
	update<K extends EntityKind>(
		kind: K,
		id: string,
		patch: Patch<EntityMap[K]>,
		expected?: Where<EntityMap[K]>,
	): Promise<EntityMap[K] | undefined>;
	/**
	 * Atomically patch up to `limit` entities that match, the first by `orderBy`, and return them as they are afterwards, in that
	 * order; of equal ones any may be first. Two callers never get the same one, provided the patch makes it no longer match. What another
	 * write is changing at that moment may be passed over, instead of being waited for.
	 */
	claim<K extends EntityKind>(
		kind: K,
		query: { readonly where: Where<EntityMap[K]>; readonly orderBy?: readonly Order<EntityMap[K]>[]; readonly limit: number },
		patch: Patch<EntityMap[K]>,
	): Promise<EntityMap[K][]>;
	/** How many were removed. */
	remove<K extends EntityKind>(kind: K, query: { readonly where: Where<EntityMap[K]>; readonly limit?: number }): Promise<number>;
	/** Several writes, all or none. `SVC_CONFLICT` when a key is taken or an update's entity no longer satisfies `expected`. */
	write(operations: readonly WriteOperation[]): Promise<void>;
	/**
	 * The time by the storage's own clock, in microseconds since 1970. The nodes that share a storage hold and lose their work by it, as
	 * their own clocks may differ; so one that is shared should have it. Without it they go by the clock of each node.
	 */
	now?(): Promise<number>;
	/** Names of the changes to its schema that `start` would make, in order; makes none. Called instead of `start`, and `stop` follows. */
	plan?(context: PluginContext): Promise<readonly string[]>;
	/**
	 * Say what is kept, and open it for reading where that can be done; change nothing, neither records nor schema nor files. Called
	 * instead of `start`. Where the state is `ready`, only `get`, `find`, `count` and `distinct` are called. `stop` follows.
	 */
	inspect?(context: PluginContext): Promise<StorageInspection>;
	/**
	 * Write everything that is kept at this moment into a file that is not there yet, readable for its owner alone, while others go on
	 * working with it. Called instead of `start`. `SVC_CONFLICT` when there is such a file; `SVC_CONFIG` with what to do instead where the
	 * storage is backed up by other means.
	 */
	backup?(context: PluginContext, file: string): Promise<void>;
	/**
	 * Put what `backup` has written in the place of what is kept, which is left beside it. Called instead of `start`. Resolves with where
	 * that is now; undefined when nothing had been kept. `SVC_CONFIG` for what is no backup or is damaged, `SVC_UNAVAILABLE` while somebody
	 * works on the storage; nothing has changed then.
	 */
	restore?(context: PluginContext, file: string): Promise<string | undefined>;
	/**
	 * Give the room of removed entities back to the system, a little at a time so that nobody waits for it: whether there is more.
	 * Called after removals, on one node, until it resolves with false.
	 */
	compact?(): Promise<boolean>;
}

/** A storage as a configuration holds it. */
export interface StoragePlugin extends Plugin<"storage", Storage> {
	/** The same kind of storage at another address, such as `postgres://…`. `SVC_CONFIG` for an address that it cannot use. */
	at?(url: string): StoragePlugin;
}
