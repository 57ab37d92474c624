import type { JsonValue } from "../../contract/index.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import type { Resource } from "../../kernel/basics/refs.ts";
import type { TemplateRights } from "../../kernel/submission/parameter-rendering.ts";
import type { DatastoreAccess } from "../../language/templates/datastore.ts";
import type { ItemWhere } from "./item-address.ts";
import type { ShownItem } from "./item-presentation.ts";
import type { RotationReport } from "./key-rotation.ts";

/** Form in which the values of secret items are returned: masked, as the stored ciphertext, or decrypted. */
export type ValueForm = "masked" | "stored" | "decrypted";

/** Body of a request that sets an item. */
export interface ItemInput extends ItemWhere {
	/** Value of the item. A value that is not a string is stored as JSON. */
	readonly value: JsonValue;
	readonly description?: string | null | undefined;
	/** True to store the value encrypted. */
	readonly secret?: boolean | undefined;
	/** True if the value is ciphertext of this service; implies `secret`. Administrators only. */
	readonly encrypted?: boolean | undefined;
	/** Seconds until the item expires. Default: it does not expire. */
	readonly ttl?: number | null | undefined;
}

export interface ItemListQuery extends ItemWhere {
	/** Prefix of the names, which do not contain the user. */
	readonly prefix?: string | undefined;
	readonly names?: readonly string[] | undefined;
	readonly ids?: readonly string[] | undefined;
	readonly orderBy?: readonly (readonly ["id" | "name" | "scope" | "user", "asc" | "desc"])[];
	/** Maximum number of items. Default: no limit. With scope `all` it applies to each of the two scopes. */
	readonly limit?: number | undefined;
	readonly offset?: number | undefined;
	readonly form?: ValueForm | undefined;
}

/**
 * Items of the datastore. The caller must check the permission on a single item. The methods check if the principal may access items of
 * another user, and decrypt values.
 */
export interface DatastoreItems {
	/** Returns the items that the principal may view. With scope `all`, system items come first, then those of the principal. */
	list(query: ItemListQuery, principal: Principal): Promise<readonly ShownItem[]>;
	/**
	 * Returns an item. Throws `SVC_NOT_FOUND` if it does not exist or has expired. Throws `SVC_FORBIDDEN` if a system item must be
	 * decrypted and the principal is not an administrator.
	 */
	get(name: string, options: ItemWhere & { readonly form?: ValueForm | undefined }, principal: Principal): Promise<ShownItem>;
	/** Creates or replaces an item and stores the events of the change. Both are on disk when the promise resolves. */
	set(name: string, input: ItemInput, principal: Principal): Promise<ShownItem>;
	remove(name: string, where: ItemWhere, principal: Principal): Promise<void>;
	/** Returns the resource for permission checks of an item, which need not exist. Throws `SVC_FORBIDDEN` and `SVC_INVALID` like `get`. */
	resource(name: string, where: ItemWhere, principal: Principal): Resource;
	/**
	 * Encrypts all secrets with a new key; continues an interrupted rotation. With `forget`, unused keys are removed from the key file.
	 * Administrators only.
	 */
	rotate(options: { readonly forget?: boolean }, principal: Principal): Promise<RotationReport>;
	/**
	 * Returns datastore access for rendering templates of a user: system items that the user may view, and the user's own items. For an
	 * execution the user is `toDatastoreUser(context)`. `rights` contains the author whose permissions apply, and the scopes of an API key
	 * that limit them.
	 */
	accessFor(username: string, rights?: TemplateRights): DatastoreAccess;
	/**
	 * Like `accessFor`, returns datastore access, but for users who are not administrators. Decrypting a system item needs a grant; the role
	 * `observer` is not sufficient.
	 */
	accessForGiven(username: string, rights: TemplateRights): DatastoreAccess;
	/** Returns datastore access like `accessForGiven`, but decrypts secret items. For values that are secret themselves. Logs `purpose`. */
	clearAccessFor(username: string, purpose: string, rights?: TemplateRights): DatastoreAccess;
	start(): Promise<void>;
	stop(): Promise<void>;
}
