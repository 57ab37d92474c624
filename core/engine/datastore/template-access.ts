import type { JsonObject, KeyValueEntity, Logger } from "../../contract/index.ts";
import { type Access, hasAdminRole } from "../access/access.ts";
import type { Principal } from "../principal.ts";
import type { DatastoreAccess, DatastoreScope } from "../templates/datastore.ts";
import { type ItemAddress, toItemResource } from "./item-address.ts";
import type { ItemStore } from "./item-store.ts";
import type { KeyRing } from "./key-ring.ts";

export interface TemplateAccessParts {
	readonly store: ItemStore;
	readonly keys: KeyRing;
	readonly access: Access;
	readonly logger: Logger;
	/** What rules and timers act as; it may view all items of the system. */
	readonly systemUser: string;
}

/** Whose items `svckv.user` stands for in the templates of an execution. Only administrators may set `api_user` for others. */
export function toItemUser(context: JsonObject, systemUser: string): string {
	const { api_user, user } = context;
	if (typeof api_user === "string" && api_user !== "") return api_user;
	return typeof user === "string" && user !== "" ? user : systemUser;
}

interface TemplateReader {
	/** Whose items `svckv.user` stands for. */
	readonly username: string;
	/** Whose permissions count; default the same. */
	readonly author?: string | undefined;
	/** For the log. */
	readonly purpose?: string;
}

/** What the templates of a user read. Secret items come as cipher text, or in clear for a `purpose` that is a secret itself. */
export function createTemplateAccess(
	parts: TemplateAccessParts,
	{ username, author = username, purpose }: TemplateReader,
): DatastoreAccess {
	const { store, keys, access, logger } = parts;
	let principal: Promise<Principal> | undefined;

	async function find(scope: DatastoreScope, name: string): Promise<KeyValueEntity | undefined> {
		const address = toAddress(scope, name, username);
		// Asked for in any case, or whoever may not view items could find out which there are.
		access.assert(await (principal ??= toPrincipal(parts, author)), "key_value_pair_view", toItemResource(address));
		return store.find(address);
	}

	return {
		async lookup(scope, name) {
			const item = await find(scope, name);
			if (item === undefined || !item.secret || purpose === undefined) return item?.value;
			const clear = keys.decrypt(item.value);
			logger.info("datastore item decrypted", { user: username, key: item.name, scope: item.scope, for: purpose });
			return clear;
		},
		async decrypt(cipherText) {
			const clear = keys.decrypt(cipherText);
			logger.info("datastore value decrypted", { user: username, for: "template" });
			return clear;
		},
	};
}

function toAddress(scope: DatastoreScope, name: string, user: string): ItemAddress {
	return scope === "system" ? { scope: "svckv.system", name, user: null } : { scope: "svckv.user", name: `${user}:${name}`, user };
}

async function toPrincipal({ access, systemUser }: TemplateAccessParts, username: string): Promise<Principal> {
	const authentication = { method: "none" } as const;
	if (!access.enabled || username === systemUser) return { username, isAdmin: true, authentication };
	const roles = await access.rolesOf(username);
	return { username, isAdmin: hasAdminRole(roles), roles, authentication };
}
