import { type KeyValueEntity, SvcError } from "../../contract/index.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import type { Resource } from "../../kernel/basics/refs.ts";

export type ItemScope = KeyValueEntity["scope"];

/** Scope and user by which requests address an item or a list of items. */
export interface ItemWhere {
	/** `svckv.system`, `svckv.user`, or `system`, `user` or `all`. Default: system. For a single item, `all` means system. */
	readonly scope?: string | undefined;
	/** Owner of the items; implies user scope. Default in user scope: the principal. */
	readonly user?: string | null | undefined;
}

export interface ItemAddress {
	readonly scope: ItemScope;
	/** Stored name: `<user>:<name>` in user scope. */
	readonly name: string;
	readonly user: string | null;
}

/** Maximum number of characters in a stored name. Database indexes limit the length of their keys. */
const maxNameLength = 500;
const scopes: ReadonlyMap<string, ItemScope | "all"> = new Map([
	["system", "svckv.system"],
	["svckv.system", "svckv.system"],
	["user", "svckv.user"],
	["svckv.user", "svckv.user"],
	["all", "all"],
]);

/** Returns the scope that a request names; system by default. Throws `SVC_INVALID` with the allowed names if it is unknown. */
export function parseScope(word: string | undefined): ItemScope | "all" {
	const scope = scopes.get(word || "system");
	if (scope === undefined) throw new SvcError("SVC_INVALID", `scope: must be one of ${[...scopes.keys()].join(", ")}`);
	return scope;
}

/**
 * Returns the address of a requested item. Throws `SVC_FORBIDDEN` for an item of another user unless the principal is an administrator and
 * access control is on. Without access control every user would be an administrator.
 */
export function toAddress(name: string, where: ItemWhere, principal: Principal, access: { readonly enabled: boolean }): ItemAddress {
	const user = toOwner(where, principal, access);
	const stored = user === null ? name : `${user}:${name}`;
	if (!isAllowed(name) || stored.length > maxNameLength) {
		throw new SvcError("SVC_INVALID", `name: must be 1 to ${maxNameLength} characters without control characters`);
	}
	return { scope: user === null ? "svckv.system" : "svckv.user", name: stored, user };
}

/** Returns the owner of the requested items; null for system items. Throws the same errors as `toAddress`. */
export function toOwner({ scope, user }: ItemWhere, principal: Principal, access: { readonly enabled: boolean }): string | null {
	const parsed = parseScope(scope);
	if (!user && parsed !== "svckv.user") return null;
	const owner = user || principal.username;
	if (owner !== principal.username && !(principal.isAdmin && access.enabled)) {
		throw new SvcError(
			"SVC_FORBIDDEN",
			`user: only administrators may name a user other than "${principal.username}", and only with rbac.enable`,
		);
	}
	if (owner.includes(":")) throw new SvcError("SVC_INVALID", "user: a user whose name contains a colon cannot have own items");
	return owner;
}

/** Returns the resource for permission checks of an item. Its owner needs no grant. */
export function toItemResource({ scope, name, user }: ItemAddress): Resource {
	return { uid: `key_value_pair:${scope}:${name}`, ...(user !== null && { owner: user }) };
}

/** Returns the name of an item without the prefix of its user. */
export function toVisibleName({ name, user }: Pick<KeyValueEntity, "name" | "user">): string {
	return user === null ? name : name.slice(user.length + 1);
}

function isAllowed(name: string): boolean {
	return name !== "" && !/[\p{Cc}\p{Cs}]/u.test(name);
}
