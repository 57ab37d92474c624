import { type Clock, type JsonValue, type KeyValueEntity, type Storage, SvcError, stringifyJson } from "../../contract/index.ts";
import { secretMask } from "../../contract/secret-mask.ts";
import { toTimestamp } from "../../kernel/basics/clock.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import { parseCiphertext } from "../../secrets/encryption/ciphertext.ts";
import type { KeyRing } from "../../secrets/encryption/key-ring.ts";
import { type ItemAddress, toOwner } from "./item-address.ts";
import type { ItemContent } from "./item-store.ts";
import type { ItemInput } from "./items-exports.ts";

/** Maximum lifetime of an item in seconds: 100 years. */
const maxTtl = 3_153_600_000;

/** Address of an item to write, and the stored item. */
interface Place {
	readonly address: ItemAddress;
	readonly before: KeyValueEntity | undefined;
}

/** Returns the stored form of a value: a string unchanged, any other value as JSON. Throws `SVC_INVALID` for null. */
export function toValueText(value: JsonValue): string {
	if (value === null) throw new SvcError("SVC_INVALID", "value: must not be null; delete the item instead");
	return typeof value === "string" ? value : stringifyJson(value);
}

/** Returns the content of an item to store. Secret values are encrypted. */
export function toItemContent(
	input: ItemInput & { readonly value: string },
	{ address, before }: Place,
	{ keys, clock }: { readonly keys: KeyRing; readonly clock: Clock },
): ItemContent {
	const { value, description = null, ttl } = input;
	const secret = input.secret === true || input.encrypted === true;
	if (value === secretMask && (secret || before?.secret === true)) {
		throw new SvcError("SVC_INVALID", `value: "${secretMask}" stands for a hidden value; give the actual value`);
	}
	// Decrypting verifies a given ciphertext. The value is then encrypted for this item with the current key.
	const clear = input.encrypted === true ? keys.decrypt(value, parseCiphertext(value)?.address ?? address) : value;
	const expiry = ttl === undefined || ttl === null ? null : toTimestamp(clock.now() + checkTtl(ttl) * 1_000_000);
	return { value: secret ? keys.encrypt(clear, address) : clear, secret, description, expire_timestamp: expiry };
}

/**
 * Throws `SVC_FORBIDDEN` unless the principal may set an item from ciphertext. It must be an administrator who may access the item for
 * which the ciphertext was created.
 */
export async function assertMayImport(
	value: string,
	principal: Principal,
	{ storage, access }: { readonly storage: Storage; readonly access: { readonly enabled: boolean } },
): Promise<void> {
	if (!principal.isAdmin) {
		throw new SvcError("SVC_FORBIDDEN", "encrypted: only administrators may set encrypted values");
	}
	const bound = parseCiphertext(value)?.address;
	// Older ciphertexts do not name their item. Its owner is known only if the same ciphertext is stored here.
	const sources = bound === undefined ? await storage.find("key_value", { where: { value, secret: true } }) : [bound];
	for (const { user } of sources) toOwner({ user }, principal, access);
}

function checkTtl(ttl: number): number {
	if (Number.isInteger(ttl) && ttl >= 1 && ttl <= maxTtl) return ttl;
	throw new SvcError("SVC_INVALID", `ttl: must be a whole number of seconds from 1 to ${maxTtl}`);
}
