import type { Api } from "../../client/api.ts";
import type { ListPage, ListQuery } from "../../client/page.ts";
import type { JsonValue } from "../../contract/index.ts";

/** A datastore item. The value of a secret one is masked unless it is decrypted, or shown as cipher text to administrators. */
export interface KeyRecord {
	readonly id: string;
	readonly uid: string;
	readonly name: string;
	readonly value: string;
	readonly secret: boolean;
	/** Whether `value` is not the plain one. */
	readonly encrypted: boolean;
	readonly scope: string;
	readonly user?: string;
	readonly description?: string;
	readonly expire_timestamp?: string;
}

/** What is stored in an item of the datastore. */
export interface KeyInput {
	/** A value other than a text is stored as its JSON text. */
	readonly value: JsonValue;
	readonly description?: string | undefined;
	readonly scope?: string | undefined;
	readonly user?: string | undefined;
	/** Keep it encrypted. */
	readonly secret?: boolean | undefined;
	/** It is cipher text already. */
	readonly encrypted?: boolean | undefined;
	/** Seconds. */
	readonly ttl?: number | undefined;
}

/** What an exchange of the datastore key has done. */
export interface RotationRecord {
	readonly key_id: string;
	readonly added: boolean;
	readonly reencrypted: number;
	readonly unreadable: number;
	readonly forgotten: readonly string[];
}

/** The datastore of a service. */
export interface KeyClient {
	list(query?: ListQuery): Promise<ListPage<KeyRecord>>;
	get(name: string, query?: ListQuery): Promise<KeyRecord>;
	set(name: string, input: KeyInput): Promise<KeyRecord>;
	remove(name: string, query?: ListQuery): Promise<void>;
	rotate(input: { readonly forget?: boolean | undefined }): Promise<RotationRecord>;
}

const at = encodeURIComponent;

export function createKeyClient({ read, list, call }: Api): KeyClient {
	return {
		list: (query) => list("/keys", query),
		get: (name, query = {}) => read(`/keys/${at(name)}`, { query }),
		set: (name, body) => read(`/keys/${at(name)}`, { method: "PUT", body }),
		async remove(name, query = {}) {
			await call(`/keys/${at(name)}`, { method: "DELETE", query });
		},
		rotate: (body) => read("/keys/rotate", { method: "POST", body }),
	};
}
