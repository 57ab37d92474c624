import type { JsonValue } from "../../contract/index.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import type { Resource } from "../../kernel/basics/refs.ts";
import type { TemplateRights } from "../../kernel/submission/parameter-rendering.ts";
import type { DatastoreAccess } from "../../language/templates/datastore.ts";
import type { ItemWhere } from "./item-address.ts";
import type { RotationReport } from "./rotation.ts";
import type { ShownItem } from "./shown-item.ts";

/** How the values of secret items are shown: masked, as the cipher text that is kept, or in clear. */
export type ValueForm = "masked" | "stored" | "decrypted";

/** Body of a write. */
export interface ItemInput extends ItemWhere {
	/** A value other than a text is stored as its JSON text. */
	readonly value: JsonValue;
	readonly description?: string | null | undefined;
	/** Keep the value encrypted. */
	readonly secret?: boolean | undefined;
	/** The value is cipher text of this service already; implies `secret`. Administrators only. */
	readonly encrypted?: boolean | undefined;
	/** Seconds until it counts as absent; without it the item stays. */
	readonly ttl?: number | null | undefined;
}

export interface ItemListQuery extends ItemWhere {
	/** Beginning of the names as users know them. */
	readonly prefix?: string | undefined;
	readonly names?: readonly string[] | undefined;
	readonly ids?: readonly string[] | undefined;
	readonly orderBy?: readonly (readonly ["id" | "name" | "scope" | "user", "asc" | "desc"])[];
	/** Undefined: no limit. With scope `all` it counts for each of its halves. */
	readonly limit?: number | undefined;
	readonly offset?: number | undefined;
	readonly form?: ValueForm | undefined;
}

/** Items of the datastore. Permissions on an item are asked for by whoever calls; what depends on the request is checked here. */
export interface DatastoreItems {
	/** Items the principal may view. With scope `all` those of the system, then its own. */
	list(query: ItemListQuery, principal: Principal): Promise<readonly ShownItem[]>;
	/** `SVC_NOT_FOUND`, also for an expired one. `SVC_FORBIDDEN` to decrypt items of the system for whoever is no administrator. */
	get(name: string, options: ItemWhere & { readonly form?: ValueForm | undefined }, principal: Principal): Promise<ShownItem>;
	/** Create or replace, together with the events that tell of it. On disk when the promise resolves. */
	set(name: string, input: ItemInput, principal: Principal): Promise<ShownItem>;
	remove(name: string, where: ItemWhere, principal: Principal): Promise<void>;
	/** What a permission on an item is asked for, whether or not the item exists. Errors as of `get`. */
	resource(name: string, where: ItemWhere, principal: Principal): Resource;
	/**
	 * Encrypt all secrets with a new key; goes on where an earlier rotation was interrupted. With `forget`, keys that are used no
	 * more are removed from the key file. Administrators only.
	 */
	rotate(options: { readonly forget?: boolean }, principal: Principal): Promise<RotationReport>;
	/**
	 * What templates of a user may read: items of the system that the user may view, and the user's own. For an execution that is
	 * `toItemUser(context)`. `rights` say whose permissions count, and narrow them to the scopes of an API key.
	 */
	accessFor(username: string, rights?: TemplateRights): DatastoreAccess;
	/**
	 * As `accessFor`, for templates that a caller gave who is not an administrator: of the system they decrypt what a grant names, which
	 * the role `observer` does not.
	 */
	accessForGiven(username: string, rights: TemplateRights): DatastoreAccess;
	/** As `accessForGiven`, with secret items in clear: for what is a secret itself. `purpose` goes into the log. */
	clearAccessFor(username: string, purpose: string, rights?: TemplateRights): DatastoreAccess;
	start(): Promise<void>;
	stop(): Promise<void>;
}
