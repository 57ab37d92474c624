import type { ApiClient } from "../../client/api-client.ts";
import type { ListPage, ListQuery } from "../../client/page.ts";
import type { JsonValue } from "../../contract/index.ts";

/** A datastore item. A secret value is masked, unless the client requests it decrypted, or an administrator requests the ciphertext. */
export interface KeyRecord {
	readonly id: string;
	readonly uid: string;
	readonly name: string;
	readonly value: string;
	readonly secret: boolean;
	/** True if `value` is masked or ciphertext. */
	readonly encrypted: boolean;
	readonly scope: string;
	readonly user?: string;
	readonly description?: string;
	readonly expire_timestamp?: string;
}

/** Request to set a datastore item. */
export interface KeyInput {
	/** Value of the item. A value that is not a string is stored as JSON. */
	readonly value: JsonValue;
	readonly description?: string | undefined;
	readonly scope?: string | undefined;
	readonly user?: string | undefined;
	/** True to store the value encrypted. */
	readonly secret?: boolean | undefined;
	/** True if the value is ciphertext of the service. */
	readonly encrypted?: boolean | undefined;
	/** Seconds until the item expires. */
	readonly ttl?: number | undefined;
}

/** Report on a rotation of the datastore key. */
export interface RotationRecord {
	readonly key_id: string;
	readonly added: boolean;
	readonly reencrypted: number;
	readonly unreadable: number;
	readonly forgotten: readonly string[];
}

/** Client for the datastore of a service. */
export interface KeyClient {
	list(query?: ListQuery): Promise<ListPage<KeyRecord>>;
	get(name: string, query?: ListQuery): Promise<KeyRecord>;
	set(name: string, input: KeyInput): Promise<KeyRecord>;
	remove(name: string, query?: ListQuery): Promise<void>;
	rotate(input: { readonly forget?: boolean | undefined }): Promise<RotationRecord>;
}

const at = encodeURIComponent;

export function createKeyClient({ read, list, call }: ApiClient): KeyClient {
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
