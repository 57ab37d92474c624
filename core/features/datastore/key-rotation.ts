import type { KeyValueEntity } from "../../contract/index.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import { parseCiphertext } from "../../secrets/encryption/ciphertext.ts";
import { type KeyRing, keyIdOf } from "../../secrets/encryption/key-ring.ts";
import type { ItemStore } from "./item-store.ts";

/** Report on a key rotation. */
export interface RotationReport {
	/** Id of the key with which secrets are encrypted now. */
	readonly key_id: string;
	/** True if the key is new; false if the call completed an earlier rotation. */
	readonly added: boolean;
	/** Number of items that were re-encrypted. */
	readonly reencrypted: number;
	/** Number of items that no key of the key file can decrypt; they are left unchanged. */
	readonly unreadable: number;
	/** Ids of keys that were removed from the key file. */
	readonly forgotten: readonly string[];
}

export interface KeyRotationDependencies extends Uses<"storage" | "logger">, Pick<Kernel, "keys"> {
	readonly store: ItemStore;
	/** Aborts the rotation. The next rotation completes it. */
	readonly signal: AbortSignal;
}

const batch = 200;
/** Maximum number of passes over all secrets. Items that other nodes write with an old key after that are left to the next rotation. */
const maxPasses = 20;

/**
 * Encrypts every secret with a new key while the service is running. Old keys stay in the file, so that every item can be read at any time.
 * An item that is written concurrently keeps the new value. If the rotation is interrupted, the next call completes it.
 *
 * With `forget`, old keys that no item used at the start of the rotation are removed from the file. Keys that were used then are kept until
 * a later rotation, because another node may be about to write with one.
 */
export async function rotateKeys(
	parts: KeyRotationDependencies,
	{ forget = false }: { readonly forget?: boolean },
): Promise<RotationReport> {
	const { store, keys, logger } = parts;
	const before = await countSecrets(parts);
	const kept = new Set([...before.used, keys.currentId]);
	const added = before.outdated === 0;
	if (added) logger.info("encryption key of the datastore added", { key_id: keys.addKey() });
	// Running writes of this node may still contain values encrypted with the old key.
	await store.settled();
	let reencrypted = 0;
	let after = await countSecrets(parts);
	for (let pass = 0; pass < maxPasses && after.outdated + after.unbound > 0; pass += 1) {
		reencrypted += await reencryptAll(parts);
		after = await countSecrets(parts);
	}
	const forgotten = forget ? keys.removeUnusedKeys((id) => !kept.has(id) && !after.used.has(id)) : [];
	const report = { key_id: keys.currentId ?? "", added, reencrypted, unreadable: after.unreadable, forgotten };
	logger.info("encryption key of the datastore rotated", report);
	return report;
}

/**
 * Returns the ids of the keys in use, and numbers of secret items: `outdated` ones need the current key, `unbound` ones of earlier versions
 * do not contain their address, and no key can decrypt `unreadable` ones.
 */
async function countSecrets(parts: KeyRotationDependencies) {
	const { keys } = parts;
	const used = new Set<string>();
	const counts = { outdated: 0, unbound: 0, unreadable: 0 };
	for await (const item of secrets(parts)) {
		used.add(keyIdOf(item.value));
		const isCurrent = keys.usesCurrentKey(item.value);
		if (isCurrent && isBound(item.value)) continue;
		if (tryDecrypt(keys, item) === undefined) counts.unreadable += 1;
		else counts[isCurrent ? "unbound" : "outdated"] += 1;
	}
	return { used, ...counts };
}

async function reencryptAll(parts: KeyRotationDependencies): Promise<number> {
	const { storage, keys, signal } = parts;
	let count = 0;
	for await (const item of secrets(parts)) {
		signal.throwIfAborted();
		const { id, value, updated_at } = item;
		const clear = keys.usesCurrentKey(value) && isBound(value) ? undefined : tryDecrypt(keys, item);
		if (clear === undefined) continue;
		const changed = await storage.update("key_value", id, { value: keys.encrypt(clear, item) }, { updated_at, value });
		if (changed !== undefined) count += 1;
	}
	return count;
}

async function* secrets({ storage, signal }: KeyRotationDependencies): AsyncGenerator<KeyValueEntity> {
	let last: KeyValueEntity | undefined;
	do {
		signal.throwIfAborted();
		const where = { secret: true, id: { gt: last?.id ?? "" } };
		const read = await storage.find("key_value", { where, orderBy: [["id", "asc"]], limit: batch });
		yield* read;
		last = read.at(-1);
	} while (last !== undefined);
}

function tryDecrypt(keys: KeyRing, item: KeyValueEntity): string | undefined {
	try {
		return keys.decrypt(item.value, item);
	} catch {
		return undefined;
	}
}

function isBound(value: string): boolean {
	return parseCiphertext(value)?.address !== undefined;
}
