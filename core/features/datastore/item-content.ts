import { type Clock, type JsonValue, type KeyValueEntity, type Storage, SvcError, stringifyJson } from "../../contract/index.ts";
import { secretMask } from "../../contract/secret-mask.ts";
import { toTimestamp } from "../../kernel/basics/clock.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import { parseCiphertext } from "../../secrets/encryption/ciphertext.ts";
import type { KeyRing } from "../../secrets/encryption/key-ring.ts";
import { type ItemAddress, toOwner } from "./item-address.ts";
import type { ItemContent } from "./item-store.ts";
import type { ItemInput } from "./items-api.ts";

/** Longest life of an item, 100 years in seconds. */
const longestTtl = 3_153_600_000;

/** Where an item is to be kept, and what it holds until now. */
interface Place {
	readonly address: ItemAddress;
	readonly before: KeyValueEntity | undefined;
}

/** The text that is kept: a text as it is, another value as its JSON text. */
export function toValueText(value: JsonValue): string {
	if (value === null) throw new SvcError("SVC_INVALID", "value: must not be null; delete the item instead");
	return typeof value === "string" ? value : stringifyJson(value);
}

/** What an item is to hold, secrets encrypted. */
export function toItemContent(
	input: ItemInput & { readonly value: string },
	{ address, before }: Place,
	{ keys, clock }: { readonly keys: KeyRing; readonly clock: Clock },
): ItemContent {
	const { value, description = null, ttl } = input;
	const secret = input.secret === true || input.encrypted === true;
	if (value === secretMask && (secret || before?.secret === true)) {
		throw new SvcError("SVC_INVALID", `value: "${secretMask}" stands for a hidden value; give the value itself`);
	}
	// Verified, and kept with the key that is used for new ones, for this item.
	const clear = input.encrypted === true ? keys.decrypt(value, parseCiphertext(value)?.address ?? address) : value;
	const expiry = ttl === undefined || ttl === null ? null : toTimestamp(clock.now() + checkTtl(ttl) * 1_000_000);
	return { value: secret ? keys.encrypt(clear, address) : clear, secret, description, expire_timestamp: expiry };
}

/** Before it becomes the value of another item: whoever gives cipher text must be allowed what it was made of. */
export async function assertMayImport(
	value: string,
	principal: Principal,
	{ storage, access }: { readonly storage: Storage; readonly access: { readonly enabled: boolean } },
): Promise<void> {
	if (!principal.isAdmin) {
		throw new SvcError("SVC_FORBIDDEN", "encrypted: only administrators may give values that are encrypted already");
	}
	const bound = parseCiphertext(value)?.address;
	// Older cipher texts name no item; of those that are kept here it is known whose they are.
	const sources = bound === undefined ? await storage.find("key_value", { where: { value, secret: true } }) : [bound];
	for (const { user } of sources) toOwner({ user }, principal, access);
}

function checkTtl(ttl: number): number {
	if (Number.isInteger(ttl) && ttl >= 1 && ttl <= longestTtl) return ttl;
	throw new SvcError("SVC_INVALID", `ttl: must be a whole number of seconds from 1 to ${longestTtl}`);
}
