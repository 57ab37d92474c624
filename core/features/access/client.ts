import type { ApiClient, CallOptions } from "../../client/api-client.ts";
import type { ListPage, ListQuery } from "../../client/page.ts";
import { type PasswordCredentials, requestToken, type TokenRecord } from "../../client/password-sign-in.ts";
import { readJson } from "../../client/request.ts";
import type { ApiKeyEntity, RoleAssignmentEntity } from "../../contract/index.ts";

/** User to whom a credential belongs. */
export interface UserRecord {
	readonly username: string;
	readonly authentication: { readonly method: string; readonly location?: string; readonly token_expire?: string };
	readonly rbac: {
		readonly enabled: boolean;
		readonly roles: readonly string[];
		readonly is_admin: boolean;
		/**
		 * Uids of the records on which each permission is granted; `*` means all. Present only if requested. Contains only granted
		 * permissions.
		 */
		readonly permissions?: Readonly<Record<string, readonly string[]>>;
	};
	/** Entries of features in the web page that the user may see. Present only if permissions are requested. */
	readonly page_entries?: readonly PageEntryRecord[];
}

/** Entry of a feature in the web page: a list of records. */
export interface PageEntryRecord {
	readonly title: string;
	/** Section of the navigation: `Watch`, `Automate` or `Manage`. */
	readonly group: string;
	/** Path of the route that lists the records, such as `/notes`. */
	readonly path: string;
	/** True if the route accepts `limit` and `offset`. */
	readonly is_paged: boolean;
	/** Members of the records that the columns show. */
	readonly columns: readonly { readonly member: string; readonly title: string }[];
}

/** An API key without the key itself. `uid` and `key_hash` are masked unless an administrator requests secrets. */
export interface ApiKeyRecord extends ApiKeyEntity {
	readonly uid: string;
}

/** A new API key. The key is returned only in this response; it is null if the key was loaded by its hash. */
export type NewApiKeyRecord = Omit<ApiKeyRecord, "key_hash"> & { readonly key: string | null };

/** Members of an API key to create or change. With `key_hash`, a key of another instance is loaded. */
export type ApiKeyInput = { readonly [F in keyof ApiKeyRecord]?: ApiKeyRecord[F] | undefined };

/** A role as the API returns it. */
export interface RoleRecord {
	readonly id: string;
	readonly name: string;
	readonly description: string;
	readonly system: boolean;
	/** Ids of the grants, equal to `permission_grant_ids`. */
	readonly permission_grants: readonly string[];
	readonly permission_grant_ids: readonly string[];
	readonly permission_grant_objects: readonly {
		readonly id: string;
		readonly resource_uid: string | null;
		readonly resource_type: string | null;
		readonly permission_types: readonly string[];
	}[];
}

/** A role of a user. */
export interface RoleAssignmentRecord extends RoleAssignmentEntity {
	readonly is_remote: boolean;
}

/** A started sign-in with another device, on which the user opens `verification_uri` and enters `user_code`. */
export interface DeviceSignInRecord {
	readonly device_code: string;
	readonly user_code: string;
	readonly verification_uri: string;
	readonly verification_uri_complete?: string;
	/** Seconds until the sign-in expires. */
	readonly expires_in: number;
	/** Seconds between polls. */
	readonly interval: number;
}

/** State of a device sign-in that the user has neither confirmed nor refused. */
export interface DevicePendingRecord {
	/** True if the client must add five seconds to its poll interval. */
	readonly slow_down: boolean;
}

/** Client for single sign-on with the identity provider of the service. */
export interface SingleSignOnClient {
	/** Starts a sign-in in a browser and returns the address to open. `place` is the path in the web page that opens after the sign-in. */
	begin(place: string, options?: CallOptions): Promise<string>;
	/** Returns the address at which a browser signs out of the provider; null if the provider has none. */
	signOutUrl(options?: CallOptions): Promise<string | null>;
	beginDevice(options?: CallOptions): Promise<DeviceSignInRecord>;
	/** Returns a token once the user has confirmed the sign-in. Throws `SVC_UNAUTHORIZED` if the user refused or the sign-in expired. */
	pollDevice(deviceCode: string, options?: { readonly ttl?: number | undefined } & CallOptions): Promise<TokenRecord | DevicePendingRecord>;
}

/** Client for sign-in, API keys, roles and the user of the credential. */
export interface AccessClient {
	/** Exchanges a password for a token. This client continues to use its credential; create a new client for the token. */
	signIn(credentials: PasswordCredentials, options?: { readonly ttl?: number | undefined } & CallOptions): Promise<TokenRecord>;
	/** Returns a token for the user that the fronting proxy has authenticated. Requires `auth.mode: "proxy"`. */
	signInByProxy(options?: CallOptions): Promise<TokenRecord>;
	readonly singleSignOn: SingleSignOnClient;
	/** Revokes the token of this client, including one that a browser stores as a cookie. */
	signOut(options?: CallOptions): Promise<void>;
	/** Returns the user to whom the credential belongs; with `permissions`, also the user's permissions. */
	user(options?: { readonly permissions?: boolean } & CallOptions): Promise<UserRecord>;
	readonly apiKeys: {
		/** Returns a key by its id or by the key itself. */
		get(idOrKey: string, options?: CallOptions): Promise<ApiKeyRecord>;
		list(query?: ListQuery, options?: CallOptions): Promise<ListPage<ApiKeyRecord>>;
		create(input: ApiKeyInput, options?: CallOptions): Promise<NewApiKeyRecord>;
		/** Changes a key. Absent members keep their values. */
		update(idOrKey: string, input: ApiKeyInput, options?: CallOptions): Promise<ApiKeyRecord>;
		remove(idOrKey: string, options?: CallOptions): Promise<void>;
	};
	readonly roles: {
		list(query?: ListQuery, options?: CallOptions): Promise<ListPage<RoleRecord>>;
	};
	readonly roleAssignments: {
		get(id: string, options?: CallOptions): Promise<RoleAssignmentRecord>;
		list(query?: ListQuery, options?: CallOptions): Promise<ListPage<RoleAssignmentRecord>>;
	};
}

export function createAccessClient(api: ApiClient): AccessClient {
	const { call, callAuth, read, list } = api;
	const at = encodeURIComponent;
	return {
		signIn: (credentials, options) => requestToken(api, credentials, options),
		signInByProxy: async (waiting) => readJson(await callAuth("/tokens", { method: "POST", body: {}, ...waiting })),
		async signOut(waiting) {
			await callAuth("/tokens/current", { method: "DELETE", ...waiting });
		},
		singleSignOn: createSingleSignOnClient(api),
		user: ({ permissions, signal } = {}) => read("/user", { query: { permissions }, signal }),
		apiKeys: {
			get: (key, waiting) => read(`/apikeys/${at(key)}`, waiting),
			list: (query, waiting) => list("/apikeys", query, waiting),
			create: (body, waiting) => read("/apikeys", { method: "POST", body, ...waiting }),
			update: (key, body, waiting) => read(`/apikeys/${at(key)}`, { method: "PUT", body, ...waiting }),
			async remove(key, waiting) {
				await call(`/apikeys/${at(key)}`, { method: "DELETE", ...waiting });
			},
		},
		roles: { list: (query, waiting) => list("/rbac/roles", query, waiting) },
		roleAssignments: {
			get: (id, waiting) => read(`/rbac/role_assignments/${at(id)}`, waiting),
			list: (query, waiting) => list("/rbac/role_assignments", query, waiting),
		},
	};
}

function createSingleSignOnClient({ callAuth }: ApiClient): SingleSignOnClient {
	const read = async <T>(path: string, options?: Parameters<typeof callAuth>[1]) => readJson<T>(await callAuth(path, options));
	return {
		begin: async (place, waiting) =>
			(await read<{ readonly url: string }>("/sso/request", { method: "POST", body: { place }, ...waiting })).url,
		signOutUrl: async (waiting) => (await read<{ readonly url: string | null }>("/sso/sign-out", waiting)).url,
		beginDevice: (waiting) => read("/sso/device", { method: "POST", body: {}, ...waiting }),
		pollDevice: (device_code, { ttl, signal } = {}) =>
			read("/sso/device/token", { method: "POST", body: { device_code, ...(ttl !== undefined && { ttl }) }, signal }),
	};
}
