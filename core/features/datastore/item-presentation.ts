import type { KeyValueEntity } from "../../contract/index.ts";
import { secretMask } from "../../contract/secret-mask.ts";
import { type ItemScope, toItemResource, toVisibleName } from "./item-address.ts";

/** A datastore item in responses, events and the command-line client. */
export type ShownItem = {
	readonly id: string;
	/** `key_value_pair:<scope>:<stored name>`. */
	readonly uid: string;
	readonly name: string;
	readonly value: string;
	readonly secret: boolean;
	/** True if `value` is masked or ciphertext. */
	readonly encrypted: boolean;
	readonly scope: ItemScope;
	/** Owner of the item; present only in user scope. */
	readonly user?: string;
	readonly description?: string;
	readonly expire_timestamp?: string;
};

/** Returns an item with the value masked if it is secret. */
export function toMaskedItem(item: KeyValueEntity): ShownItem {
	return toPresentedItem(item, item.secret ? secretMask : item.value);
}

/** Returns an item with the given value, which is the plain value, ciphertext or the mask. */
export function toPresentedItem(item: KeyValueEntity, value: string, isPlain = !item.secret): ShownItem {
	const { id, scope, user, secret, description, expire_timestamp } = item;
	return {
		id,
		uid: toItemResource(item).uid,
		name: toVisibleName(item),
		value,
		secret,
		encrypted: !isPlain,
		scope,
		...(user !== null && { user }),
		...(description !== null && { description }),
		...(expire_timestamp !== null && { expire_timestamp }),
	};
}
