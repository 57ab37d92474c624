import { SvcError } from "../../contract/index.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import { type Authority, type Principal, withScopes } from "../../kernel/basics/principal.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import type { Dialects } from "../../language/dialects.ts";
import type { DatastoreAccess, DatastoreScope } from "../../language/templates/datastore.ts";
import { parseCiphertext } from "../../secrets/encryption/ciphertext.ts";
import type { Access } from "../access/access-exports.ts";
import { withoutObserver } from "../access/required-permissions-exports.ts";
import { type ItemAddress, toItemResource } from "./item-address.ts";
import type { ItemStore } from "./item-store.ts";

export interface TemplateAccessDependencies extends Uses<"logger">, Pick<Kernel, "keys"> {
	readonly store: ItemStore;
	readonly access: Access;
	readonly dialects: Pick<Dialects, "datastoreNames">;
	/** Returns the principal of a user, with the permissions that the user has now. */
	readonly authority: Pick<Authority, "principalOf">;
}

interface TemplateReader {
	/** User whose items `svckv.user` contains. */
	readonly username: string;
	/** User whose permissions apply. Default: `username`. */
	readonly author?: string | null | undefined;
	/** True if the role `observer` does not suffice to use a secret. Default false. */
	readonly isGiven?: boolean;
	/** Scopes of the API key with which the templates were written. Default: no limit. */
	readonly scopes?: readonly string[] | null | undefined;
	/** Purpose that is logged. If it is set, secret items are returned decrypted. */
	readonly purpose?: string;
}

/** Datastore access for templates of a user. Secret items are returned as ciphertext, or decrypted if `purpose` is set. */
export class TemplateAccess implements DatastoreAccess {
	readonly #parts: TemplateAccessDependencies;
	readonly #reader: TemplateReader;
	/** Addresses of secret items that were read, by their ciphertext. */
	readonly #read = new Map<string, ItemAddress>();
	#principal: Promise<Principal> | undefined;

	constructor(parts: TemplateAccessDependencies, reader: TemplateReader) {
		this.#parts = parts;
		this.#reader = reader;
	}

	get names(): readonly string[] {
		return this.#parts.dialects.datastoreNames;
	}

	async lookup(scope: DatastoreScope, name: string): Promise<string | undefined> {
		const address = toAddress(scope, name, this.#reader.username);
		if (address === undefined) return undefined;
		// Check the permission even if the item does not exist: otherwise a user without it could find out which items exist.
		this.#assertMayView(await this.#toPrincipal(), address);
		const item = await this.#parts.store.find(address);
		if (item === undefined || !item.secret) return item?.value;
		if (this.#reader.purpose !== undefined) {
			this.#assertMayUse(await this.#toPrincipal(), address);
			return this.#toClear(item.value, item);
		}
		this.#read.set(item.value, item);
		return item.value;
	}

	/** Decrypts a ciphertext. Its item is read from the ciphertext itself, not from its source: any user may have copied it there. */
	async decrypt(cipherText: string): Promise<string> {
		const parsed = parseCiphertext(cipherText);
		if (parsed === undefined) throw new SvcError("SVC_INVALID", "value: not a ciphertext created by this service");
		// Older ciphertexts do not name their item. They are accepted only if these templates have read them as the value of a secret item.
		const address = parsed.address ?? this.#read.get(cipherText);
		if (address === undefined || (address.user !== null && address.user !== this.#reader.username)) {
			throw new SvcError("SVC_FORBIDDEN", "value: not the ciphertext of a datastore item that may be read here");
		}
		this.#assertMayUse(await this.#toPrincipal(), address);
		return this.#toClear(cipherText, address);
	}

	/** Throws `SVC_FORBIDDEN` unless the templates may use a secret. Observers see secrets masked, so they need a grant to use one. */
	#assertMayUse(principal: Principal, address: ItemAddress): void {
		this.#assertMayView(this.#reader.isGiven === true ? withoutObserver(principal) : principal, address);
	}

	#assertMayView(principal: Principal, address: ItemAddress): void {
		this.#parts.access.assert(principal, "key_value_pair_view", toItemResource(address));
	}

	#toClear(cipherText: string, address: ItemAddress): string {
		const { username, purpose = "template" } = this.#reader;
		const clear = this.#parts.keys.decrypt(cipherText, address);
		this.#parts.logger.info("datastore item decrypted", { user: username, key: address.name, scope: address.scope, for: purpose });
		return clear;
	}

	#toPrincipal(): Promise<Principal> {
		const { username, author, scopes } = this.#reader;
		return (this.#principal ??= this.#parts.authority.principalOf(author ?? username).then((principal) => withScopes(principal, scopes)));
	}
}

/** Returns the address of an item; undefined for users with a colon in their name, as the stored name could be another user's item. */
function toAddress(scope: DatastoreScope, name: string, user: string): ItemAddress | undefined {
	if (scope === "user" && user.includes(":")) return undefined;
	return scope === "system" ? { scope: "svckv.system", name, user: null } : { scope: "svckv.user", name: `${user}:${name}`, user };
}
