import type { KeyValueEntity } from "../../contract/index.ts";
import { SvcError } from "../../contract/index.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import type { Resource } from "../../kernel/basics/refs.ts";

export type ItemScope = KeyValueEntity["scope"];

/** How requests name an item, or the items of a list. */
export interface ItemWhere {
	/** `svckv.system`, `svckv.user` or their last word. Default system; `all` means system where one item is meant. */
	readonly scope?: string | undefined;
	/** Whose items; implies user scope. Default: the principal's own. */
	readonly user?: string | null | undefined;
}

/** Where an item is kept. */
export interface ItemAddress {
	readonly scope: ItemScope;
	/** In user scope `<user>:<name>`. */
	readonly name: string;
	readonly user: string | null;
}

/** Longest stored name; indexes of databases have limits. */
const longestName = 500;
const scopes: ReadonlyMap<string, ItemScope | "all"> = new Map([
	["system", "svckv.system"],
	["svckv.system", "svckv.system"],
	["user", "svckv.user"],
	["svckv.user", "svckv.user"],
	["all", "all"],
]);

/** The scope of a word; system when there is none. `SVC_INVALID` names the words. */
export function parseScope(word: string | undefined): ItemScope | "all" {
	const scope = scopes.get(word || "system");
	if (scope === undefined) throw new SvcError("SVC_INVALID", `scope: must be one of ${[...scopes.keys()].join(", ")}`);
	return scope;
}

/**
 * The address of an item somebody asks for. `SVC_FORBIDDEN` when it is another user's and the principal is no administrator, or
 * access control is off, where everybody would be one.
 */
export function toAddress(name: string, where: ItemWhere, principal: Principal, access: { readonly enabled: boolean }): ItemAddress {
	const user = toOwner(where, principal, access);
	const stored = user === null ? name : `${user}:${name}`;
	if (!isAllowed(name) || stored.length > longestName) {
		throw new SvcError("SVC_INVALID", `name: must be 1 to ${longestName} characters, of which none is a control character`);
	}
	return { scope: user === null ? "svckv.system" : "svckv.user", name: stored, user };
}

/** Whose items are meant; null for those of the system. */
export function toOwner({ scope, user }: ItemWhere, principal: Principal, access: { readonly enabled: boolean }): string | null {
	const parsed = parseScope(scope);
	if (!user && parsed !== "svckv.user") return null;
	const owner = user || principal.username;
	if (owner !== principal.username && !(principal.isAdmin && access.enabled)) {
		throw new SvcError(
			"SVC_FORBIDDEN",
			`user: only administrators may name another user than "${principal.username}", and only with rbac.enable`,
		);
	}
	if (owner.includes(":")) throw new SvcError("SVC_INVALID", "user: a name with a colon cannot have items of its own");
	return owner;
}

/** What permissions on an item are asked for: one's own items need no grant. */
export function toItemResource({ scope, name, user }: ItemAddress): Resource {
	return { uid: `key_value_pair:${scope}:${name}`, ...(user !== null && { owner: user }) };
}

/** The name as users know it. */
export function toVisibleName({ name, user }: Pick<KeyValueEntity, "name" | "user">): string {
	return user === null ? name : name.slice(user.length + 1);
}

function isAllowed(name: string): boolean {
	return name !== "" && !/[\p{Cc}\p{Cs}]/u.test(name);
}
