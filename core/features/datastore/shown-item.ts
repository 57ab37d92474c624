import type { KeyValueEntity } from "../../contract/index.ts";
import { secretMask } from "../../contract/secret-mask.ts";
import { type ItemScope, toItemResource, toVisibleName } from "./item-address.ts";

/** A datastore item as answers, events and the command client have it. */
export type ShownItem = {
	readonly id: string;
	/** `key_value_pair:<scope>:<stored name>`. */
	readonly uid: string;
	readonly name: string;
	readonly value: string;
	readonly secret: boolean;
	/** Whether `value` is not the plain one. */
	readonly encrypted: boolean;
	readonly scope: ItemScope;
	/** In user scope. */
	readonly user?: string;
	readonly description?: string;
	readonly expire_timestamp?: string;
};

/** With the mask for a secret. */
export function toMasked(item: KeyValueEntity): ShownItem {
	return toShown(item, item.secret ? secretMask : item.value);
}

/** With the value given, which is the plain one or stands for a secret. */
export function toShown(item: KeyValueEntity, value: string, isPlain = !item.secret): ShownItem {
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
