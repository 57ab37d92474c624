import type { Api, Waiting } from "../../client/api.ts";
import type { ListPage, ListQuery } from "../../client/page.ts";
import { readJson } from "../../client/request.ts";
import { type Password, requestToken, type TokenRecord } from "../../client/sign-in.ts";
import type { JsonObject } from "../../contract/index.ts";

/** Who a credential belongs to. */
export interface UserRecord {
	readonly username: string;
	readonly authentication: { readonly method: string; readonly location?: string; readonly token_expire?: string };
	readonly rbac: {
		readonly enabled: boolean;
		readonly roles: readonly string[];
		readonly is_admin: boolean;
		/** Where they were asked for: by permission, the uids of the records it is given for; `*` for all. What is not given is not in it. */
		readonly permissions?: Readonly<Record<string, readonly string[]>>;
	};
}

/** An API key without the key. `uid` and `key_hash` are masked unless an administrator asks for secrets. */
export interface ApiKeyRecord {
	readonly id: string;
	readonly uid: string;
	readonly user: string;
	readonly key_hash: string;
	readonly metadata: JsonObject;
	readonly created_at: string;
	readonly enabled: boolean;
	readonly last_used_at: string | null;
	readonly expires_at: string | null;
	readonly scopes: readonly string[] | null;
}

/** The answer to a new key: the only time that the key is shown. Null when a key was loaded by its hash. */
export type NewApiKeyRecord = Omit<ApiKeyRecord, "key_hash"> & { readonly key: string | null };

/** What may be said of a key. With `key_hash` it is one from another instance. */
export type ApiKeyInput = { readonly [F in keyof ApiKeyRecord]?: ApiKeyRecord[F] | undefined };

/** A role as the API shows it. */
export interface RoleRecord {
	readonly id: string;
	readonly name: string;
	readonly description: string;
	readonly system: boolean;
	/** Ids of the grants, as the next member has them too. */
	readonly permission_grants: readonly string[];
	readonly permission_grant_ids: readonly string[];
	readonly permission_grant_objects: readonly {
		readonly id: string;
		readonly resource_uid: string | null;
		readonly resource_type: string | null;
		readonly permission_types: readonly string[];
	}[];
}

/** Who has a role. */
export interface RoleAssignmentRecord {
	readonly id: string;
	readonly user: string;
	readonly role: string;
	readonly description: string;
	readonly is_remote: boolean;
	readonly source: string;
}

/** A sign-in with another device that has begun: somebody opens `verification_uri` there, and enters `user_code`. */
export interface DeviceSignInRecord {
	readonly device_code: string;
	readonly user_code: string;
	readonly verification_uri: string;
	readonly verification_uri_complete?: string;
	/** Seconds. */
	readonly expires_in: number;
	/** Seconds between two questions. */
	readonly interval: number;
}

/** Nobody has decided yet. */
export interface DevicePendingRecord {
	/** Whether to wait five seconds longer from now on. */
	readonly slow_down: boolean;
}

/** Sign-in with the provider that the service knows. */
export interface SingleSignOnClient {
	/** Begin in a browser, which goes to the address that is answered. `place`: of the web page, where it comes back to. */
	begin(place: string, options?: Waiting): Promise<string>;
	/** Where a browser signs out of the provider; null where there is no such place. */
	signOutUrl(options?: Waiting): Promise<string | null>;
	beginDevice(options?: Waiting): Promise<DeviceSignInRecord>;
	/** A token, once somebody has said yes. `SVC_UNAUTHORIZED` when they have said no, or it is too late. */
	pollDevice(deviceCode: string, options?: { readonly ttl?: number | undefined } & Waiting): Promise<TokenRecord | DevicePendingRecord>;
}

/** Who somebody is to a service, by which credentials, and what for roles there are. */
export interface AccessClient {
	/** Exchange a password for a token. Give it to a new client; this one stays as it is. */
	signIn(credentials: Password, options?: { readonly ttl?: number | undefined } & Waiting): Promise<TokenRecord>;
	/** Exchange what a proxy in front of the service says of whoever comes for a token, where `auth.mode` is `proxy`. */
	signInByProxy(options?: Waiting): Promise<TokenRecord>;
	readonly singleSignOn: SingleSignOnClient;
	/** End the token that this client is known by, also one that a browser keeps as a cookie. */
	signOut(options?: Waiting): Promise<void>;
	/** Who the credential belongs to; with `permissions`, also what it may be used for. */
	user(options?: { readonly permissions?: boolean } & Waiting): Promise<UserRecord>;
	readonly apiKeys: {
		/** By id, or by the key itself. */
		get(idOrKey: string, options?: Waiting): Promise<ApiKeyRecord>;
		list(query?: ListQuery, options?: Waiting): Promise<ListPage<ApiKeyRecord>>;
		create(input: ApiKeyInput, options?: Waiting): Promise<NewApiKeyRecord>;
		/** What is not given stays. */
		update(idOrKey: string, input: ApiKeyInput, options?: Waiting): Promise<ApiKeyRecord>;
		remove(idOrKey: string, options?: Waiting): Promise<void>;
	};
	readonly roles: {
		list(query?: ListQuery, options?: Waiting): Promise<ListPage<RoleRecord>>;
	};
	readonly roleAssignments: {
		get(id: string, options?: Waiting): Promise<RoleAssignmentRecord>;
		list(query?: ListQuery, options?: Waiting): Promise<ListPage<RoleAssignmentRecord>>;
	};
}

export function createAccessClient(api: Api): AccessClient {
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

function createSingleSignOnClient({ callAuth }: Api): SingleSignOnClient {
	return {
		async begin(place, waiting) {
			const { url } = await readJson<{ readonly url: string }>(
				await callAuth("/sso/request", { method: "POST", body: { place }, ...waiting }),
			);
			return url;
		},
		async signOutUrl(waiting) {
			const { url } = await readJson<{ readonly url: string | null }>(await callAuth("/sso/sign-out", waiting));
			return url;
		},
		beginDevice: async (waiting) => readJson(await callAuth("/sso/device", { method: "POST", body: {}, ...waiting })),
		pollDevice: async (device_code, { ttl, signal } = {}) =>
			readJson(await callAuth("/sso/device/token", { method: "POST", body: { device_code, ...(ttl !== undefined && { ttl }) }, signal })),
	};
}
