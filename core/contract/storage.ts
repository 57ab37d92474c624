import type { EntityKind, EntityMap } from "./entities/index.ts";
import type { JsonValue } from "./json.ts";
import type { Lifecycle, Plugin, PluginContext } from "./plugin.ts";

/**
 * Condition on a field: a value for equality (null is a value), or one of the comparisons. Strings compare by code point.
 *
 * - `in`: the field equals one of the values.
 * - `not`: the field differs from the value.
 * - `gt`, `gte`, `lt`, `lte`: the field is greater than, at least, less than, or at most the value.
 * - `prefix`: the string begins with the prefix.
 * - `member`: the value of a `json` field contains the member.
 */
export type Condition<V> =
	| V
	| { readonly in: readonly V[] }
	| { readonly not: V }
	| { readonly gt?: V; readonly gte?: V; readonly lt?: V; readonly lte?: V }
	| { readonly prefix: string }
	| { readonly member: JsonMemberCondition };

/** Condition on a `json` field: an object at any depth of the value has this member with this string as its value. */
export type JsonMemberCondition = readonly [name: string, text: string];

/**
 * Conditions by field. All of them must hold.
 *
 * A `json` field supports only `member`; all other fields support everything else. Any other combination is `SVC_INVALID`. Null
 * satisfies no comparison except `not`, and no `in`, even if the list contains null. A condition that is undefined is a `TypeError`, so
 * that a missing value never selects all entities.
 */
export type Where<E> = { readonly [F in keyof E]?: Condition<E[F]> };

/** A field to sort by, and the direction. */
export type Order<E> = readonly [field: keyof E & string, direction: "asc" | "desc"];

/** Selects entities and their order. `limit` and `offset` select a range in this order. */
export interface Query<E> {
	/** Conditions that the entities satisfy. Default: all entities. */
	readonly where?: Where<E>;
	/** Sort fields; later ones break ties. Null sorts first ascending and last descending. Default: `id` ascending. */
	readonly orderBy?: readonly Order<E>[];
	/** Maximum number of entities. Default: no limit. */
	readonly limit?: number;
	/** Number of entities to skip. Default 0. */
	readonly offset?: number;
	/** Fields to read; `id` is always read, and all others are absent. Default: all fields. */
	readonly fields?: readonly (keyof E & string)[];
}

const appendKey: unique symbol = Symbol.for("svc.storage.append");

/** Patch value that atomically appends `value` to a `json` field with an array. A field that is not an array stays unchanged. */
export interface Append {
	readonly [appendKey]: JsonValue;
}

/** Returns a patch value that appends to a `json` field with an array. */
export function append(value: JsonValue): Append {
	return { [appendKey]: value };
}

/** Returns the value to append. Returns undefined if `value` is not an `Append`. */
export function appendedValueOf(value: unknown): JsonValue | undefined {
	return typeof value === "object" && value !== null && appendKey in value ? (value as Append)[appendKey] : undefined;
}

const bytesKey: unique symbol = Symbol.for("svc.storage.bytes");

/**
 * Attaches the value of the bulky field (`bulky` in `entityKinds`) as bytes to an entity, and returns the entity.
 *
 * Each byte must be an ASCII character. A storage can write the bytes without creating a large string. The bytes must stay valid until the
 * write has settled.
 */
export function attachBulkyBytes<E extends object>(entity: E, toBytes: () => Uint8Array): E {
	return Object.defineProperty(entity, bytesKey, { get: toBytes });
}

/** Returns the bytes that `attachBulkyBytes` has attached. Returns undefined if the entity has only the string. */
export function bulkyBytesOf(entity: object): Uint8Array | undefined {
	return (entity as { readonly [bytesKey]?: Uint8Array })[bytesKey];
}

/** New values for some fields. */
export type Patch<E> = { readonly [F in keyof E]?: E[F] | Append };

/**
 * One write of a batch that is applied atomically.
 *
 * - `insert`: adds entities.
 * - `update`: patches the entity with this id if it satisfies `expected`.
 * - `remove`: removes all entities that match `where`.
 *
 * An update with an empty patch changes nothing. It asserts that the entity satisfies `expected` until the whole batch is applied.
 */
export type WriteOperation = {
	[K in EntityKind]:
		| { readonly insert: K; readonly entities: readonly EntityMap[K][] }
		| { readonly update: K; readonly id: string; readonly patch: Patch<EntityMap[K]>; readonly expected?: Where<EntityMap[K]> }
		| { readonly remove: K; readonly where: Where<EntityMap[K]> };
}[EntityKind];

/** Capabilities of a storage. */
export interface StorageCapabilities {
	/** True if several processes may use the storage concurrently. Default false. */
	readonly shared?: boolean;
	/** True if written entities survive a restart. Default false. */
	readonly durable?: boolean;
}

/** Result of `Storage.inspect`, which changes nothing. */
export interface StorageInspection {
	/** Location of the data for humans: the path of a file, or an address. Never contains a password. */
	readonly place: string;
	/**
	 * - `new`: nothing has been stored yet.
	 * - `older`: the schema must be migrated first.
	 * - `ready`: records can be read.
	 */
	readonly state: "new" | "older" | "ready";
	/** Names of the schema migrations that `start` would apply, in order. */
	readonly changes: readonly string[];
	/** True if another process uses the storage and prevents this process from starting. Absent if this is unknown. */
	readonly in_use?: boolean;
}

/**
 * Stores entities. Every method is atomic: it is applied completely or not at all, and no caller sees a partial result.
 *
 * **Durability.** When the promise of a writing method resolves, the write is durable if `capabilities.durable` is true. Kinds marked
 * `relaxed` in `entityKinds` are the exception: their writes survive a crash of the process, and become durable with the next other
 * write at the latest.
 *
 * **Isolation.** Entities that are passed in or returned are never shared: neither side sees later changes by the other.
 *
 * **Unavailability.** Methods reject with `SVC_UNAVAILABLE` while the storage is unreachable. A rejected write may have been applied,
 * because only the response may be lost. If `facts.refused` is true, the storage itself has refused to serve any client. Otherwise only
 * this node may be disconnected, and other nodes take over the work that it holds.
 *
 * **Start.** If `start` of a shared storage rejects with `SVC_UNAVAILABLE`, the host always retries it with a new instance until it
 * succeeds. For any other storage the host retries only if the error has `facts.retry_after`, which marks the cause as temporary.
 */
export interface Storage extends Lifecycle {
	/** Capabilities of the storage. They are available before `start` and never change. */
	readonly capabilities: StorageCapabilities;
	/**
	 * Inserts all entities or none. Throws `SVC_CONFLICT` if an id or unique key is taken, with `facts.conflict_id` if the storage can
	 * determine it.
	 */
	insert<K extends EntityKind>(kind: K, entities: readonly EntityMap[K][]): Promise<void>;
	/** Returns the entity with this id. Resolves with undefined if it does not exist. */
	get<K extends EntityKind>(kind: K, id: string): Promise<EntityMap[K] | undefined>;
	/** Returns the entities that match the query, in its order. */
	find<K extends EntityKind>(kind: K, query: Query<EntityMap[K]>): Promise<EntityMap[K][]>;
	/** Counts matching entities up to `limit`, so that a storage never counts millions of entities in vain. Default: no limit. */
	count<K extends EntityKind>(kind: K, where: Where<EntityMap[K]>, limit?: number): Promise<number>;
	/** Returns the distinct values of a field in ascending order, without null. The field must not be a `json` field. */
	distinct<K extends EntityKind, F extends keyof EntityMap[K] & string>(
		kind: K,
		field: F,
		where?: Where<EntityMap[K]>,
	): Promise<NonNullable<EntityMap[K][F]>[]>;
	/**
	 * Patches an entity if it satisfies `expected` (compare-and-set).
	 *
	 * Resolves with the patched entity. Resolves with undefined if the entity does not exist or does not match. Of any number of
	 * concurrent callers with equal `expected`, exactly one succeeds.
	 */
	update<K extends EntityKind>(
		kind: K,
		id: string,
		patch: Patch<EntityMap[K]>,
		expected?: Where<EntityMap[K]>,
	): Promise<EntityMap[K] | undefined>;
	/**
	 * Atomically patches up to `limit` matching entities, the first ones by `orderBy`. Resolves with the patched entities in that
	 * order.
	 *
	 * The order of equal entities is undefined. Two callers never claim one entity, provided that it no longer matches after the patch.
	 * A claim may skip entities that a concurrent write holds, instead of waiting for that write.
	 */
	claim<K extends EntityKind>(
		kind: K,
		query: { readonly where: Where<EntityMap[K]>; readonly orderBy?: readonly Order<EntityMap[K]>[]; readonly limit: number },
		patch: Patch<EntityMap[K]>,
	): Promise<EntityMap[K][]>;
	/** Removes matching entities, at most `limit`. Resolves with the number of removed entities. Default: no limit. */
	remove<K extends EntityKind>(kind: K, query: { readonly where: Where<EntityMap[K]>; readonly limit?: number }): Promise<number>;
	/**
	 * Applies several writes atomically. Throws `SVC_CONFLICT` if a key is taken or an entity of an update does not satisfy `expected`.
	 */
	write(operations: readonly WriteOperation[]): Promise<void>;
	/**
	 * Returns the time of the storage's clock, in microseconds since 1970.
	 *
	 * Nodes that share a storage grant and expire leases by this clock, because their own clocks may differ. A shared storage should
	 * therefore implement it. Without it, each node uses its own clock.
	 */
	now?(): Promise<number>;
	/**
	 * Returns the names of the schema migrations that `start` would apply, in order, without applying them.
	 *
	 * Called instead of `start`; `stop` follows.
	 */
	plan?(context: PluginContext): Promise<readonly string[]>;
	/**
	 * Reports the state of the storage and, if possible, opens it for reading. Changes neither records nor schema nor files.
	 *
	 * Called instead of `start`; `stop` follows. If the state is `ready`, only `get`, `find`, `count` and `distinct` are called.
	 */
	inspect?(context: PluginContext): Promise<StorageInspection>;
	/**
	 * Writes a consistent copy of all data to a new file that only its owner can read, while other processes continue to use the
	 * storage.
	 *
	 * Called instead of `start`. Throws `SVC_CONFLICT` if the file exists. Throws `SVC_CONFIG` with a remedy if the storage is backed
	 * up by other means.
	 */
	backup?(context: PluginContext, file: string): Promise<void>;
	/**
	 * Replaces the stored data with a file that `backup` has written, and keeps the previous data next to it.
	 *
	 * Called instead of `start`. Resolves with the location of the previous data, or undefined if there was none. Throws `SVC_CONFIG`
	 * if the file is damaged or is not a backup, and `SVC_UNAVAILABLE` while another process uses the storage. Nothing has changed
	 * then.
	 */
	restore?(context: PluginContext, file: string): Promise<string | undefined>;
	/**
	 * Returns the space of removed entities to the operating system in small steps, so that other operations are not delayed.
	 *
	 * Called on one node after removals, until it resolves with false. Resolves with true if there is more space to return.
	 */
	compact?(): Promise<boolean>;
}

/** A storage plugin, as a configuration refers to it. */
export interface StoragePlugin extends Plugin<"storage", Storage> {
	/**
	 * Returns a plugin for a storage of this type at another address, such as `postgres://…`. Throws `SVC_CONFIG` for an unusable
	 * address.
	 */
	at?(url: string): StoragePlugin;
}
