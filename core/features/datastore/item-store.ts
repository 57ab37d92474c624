import {
	type Clock,
	isSvcError,
	type JsonObject,
	KeyedMutex,
	type KeyValueEntity,
	SvcError,
	type WriteOperation,
} from "../../contract/index.ts";
import { fromTimestamp, toTimestamp } from "../../kernel/basics/clock.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import { createId } from "../../kernel/basics/ids.ts";
import type { Dispatcher, EventDraft, IncomingEvent } from "../../kernel/events/event-dispatcher-api.ts";
import type { ItemAddress } from "./item-address.ts";
import { toMaskedItem } from "./item-presentation.ts";
import { itemTriggerTypeRefs } from "./item-trigger-types-exports.ts";
import type { UserQuota } from "./user-quota.ts";

export type ItemContent = Pick<KeyValueEntity, "value" | "secret" | "description" | "expire_timestamp">;

export interface ItemStoreDependencies extends Uses<"storage" | "clock" | "logger"> {
	/** Drafts an event so that it can be stored together with the change that it describes. */
	readonly draft: Dispatcher["draft"];
	readonly quota: UserQuota;
}

/** Returns the new content of an item. It is called again if a concurrent write has changed the item. */
type ToContent = (before: KeyValueEntity | undefined) => ItemContent;

/** Maximum number of attempts to write an item that other nodes change concurrently. */
const maxConflicts = 100;

/** Stored items. Each change is written in one transaction with its events. */
export class ItemStore {
	readonly #parts: ItemStoreDependencies;
	/** Serializes the writes of each item on this node, so that they do not conflict and need no retries. */
	readonly #turns = new KeyedMutex();

	constructor(parts: ItemStoreDependencies) {
		this.#parts = parts;
	}

	/** Returns an item; undefined if it does not exist or has expired. */
	async find(address: ItemAddress): Promise<KeyValueEntity | undefined> {
		const found = await this.#read(address);
		return found !== undefined && this.isLive(found) ? found : undefined;
	}

	isLive({ expire_timestamp: expiry }: KeyValueEntity): boolean {
		return expiry === null || expiry > toTimestamp(this.#parts.clock.now());
	}

	set(address: ItemAddress, toContent: ToContent): Promise<KeyValueEntity> {
		return this.#turns.runExclusive(toKey(address), () => untilDone(() => this.#trySet(address, toContent)));
	}

	/** Removes an item. Resolves with false if it does not exist or has expired. */
	remove(address: ItemAddress): Promise<boolean> {
		return this.#turns.runExclusive(toKey(address), () => untilDone(() => this.#tryRemove(address)));
	}

	/** Resolves when all running writes have ended. */
	settled(): Promise<void> {
		return this.#turns.whenIdle();
	}

	async #read({ scope, name }: ItemAddress): Promise<KeyValueEntity | undefined> {
		const [found] = await this.#parts.storage.find("key_value", { where: { scope, name }, limit: 1 });
		return found;
	}

	async #trySet(address: ItemAddress, toContent: ToContent): Promise<KeyValueEntity | undefined> {
		const { clock } = this.#parts;
		const stored = await this.#read(address);
		const before = stored !== undefined && this.isLive(stored) ? stored : undefined;
		const after = { ...toContent(before), ...address, id: stored?.id ?? createId(clock), updated_at: toNext(stored, clock) };
		const operation: WriteOperation = stored === undefined ? { insert: "key_value", entities: [after] } : replace(stored, after);
		const isDone = await this.#withinQuota({ stored, after }, () => this.#commit([operation], toEvents(before, after)));
		return isDone ? after : undefined;
	}

	async #tryRemove(address: ItemAddress): Promise<boolean | undefined> {
		const stored = await this.#read(address);
		if (stored === undefined || !this.isLive(stored)) return false;
		// Update the item in the write that removes it. The update fails if another caller has changed or removed the item. So the event
		// describes the removed version, and only one caller removes it.
		const touch = replace(stored, { ...stored, updated_at: toNext(stored, this.#parts.clock) });
		const operations: WriteOperation[] = [touch, { remove: "key_value", where: { id: stored.id } }];
		return (await this.#withinQuota({ stored }, () => this.#commit(operations, [toEvent("delete", stored)]))) ? true : undefined;
	}

	/** Writes a change of a user's item and counts it for the quota of the user. A failed write is not counted. */
	async #withinQuota(
		{ stored, after }: { readonly stored: KeyValueEntity | undefined; readonly after?: KeyValueEntity },
		write: () => Promise<boolean>,
	): Promise<boolean> {
		const user = (after ?? stored)?.user ?? null;
		const giveBack = user === null ? undefined : await this.#parts.quota.reserve(user, stored, after);
		let isDone = false;
		try {
			isDone = await write();
			return isDone;
		} finally {
			if (!isDone) giveBack?.();
		}
	}

	/** Writes operations and events in one transaction. Resolves with false if the item was changed concurrently. */
	async #commit(operations: readonly WriteOperation[], events: readonly IncomingEvent[]): Promise<boolean> {
		const drafts: EventDraft[] = [];
		for (const event of events) {
			const drafted = await this.#parts.draft(event);
			if (drafted !== undefined) drafts.push(drafted);
		}
		try {
			await this.#parts.storage.write([...operations, ...drafts.flatMap((drafted) => drafted.operations)]);
		} catch (error) {
			if (isSvcError(error, "SVC_CONFLICT")) return false;
			throw error;
		}
		for (const drafted of drafts) drafted.announce();
		return true;
	}
}

async function untilDone<T>(attempt: () => Promise<T | undefined>): Promise<T> {
	for (let count = 0; count < maxConflicts; count += 1) {
		const done = await attempt();
		if (done !== undefined) return done;
	}
	throw new SvcError("SVC_CONFLICT", "too many concurrent requests change the datastore item; try again");
}

/** Returns a compare-and-set operation. It compares the time of the last change, which increases with each change. */
function replace(before: KeyValueEntity, after: KeyValueEntity): WriteOperation {
	const { id, ...patch } = after;
	return { update: "key_value", id, patch, expected: { updated_at: before.updated_at } };
}

function toNext(before: KeyValueEntity | undefined, clock: Clock): string {
	const now = clock.now();
	return toTimestamp(before === undefined ? now : Math.max(now, fromTimestamp(before.updated_at) + 1));
}

function toKey({ scope, name }: ItemAddress): string {
	return `${scope}:${name}`;
}

function toEvent(change: "create" | "update" | "delete", item: KeyValueEntity): IncomingEvent {
	return { trigger: itemTriggerTypeRefs[change], payload: { object: toPayload(item) } };
}

/** Returns the events of a new or changed item. Setting a secret again counts as a change of its value, because the ciphertext differs. */
function toEvents(before: KeyValueEntity | undefined, after: KeyValueEntity): readonly IncomingEvent[] {
	if (before === undefined) return [toEvent("create", after)];
	const update = toEvent("update", after);
	if (before.value === after.value) return [update];
	return [update, { trigger: itemTriggerTypeRefs.valueChange, payload: { old_object: toPayload(before), new_object: toPayload(after) } }];
}

/** Returns the payload of an event. Secret values are masked, because payloads are stored and shown to clients. */
function toPayload(item: KeyValueEntity): JsonObject {
	return { ...toMaskedItem(item) };
}
