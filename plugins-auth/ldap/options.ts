/** Options of the LDAP backend. Null counts as missing. */
export interface LdapOptions {
	/** Distinguished name of the service account that looks up users and groups. */
	readonly bind_dn: string;
	readonly bind_password: string;
	/** Base of the search for users. */
	readonly base_ou: string;
	/** Base of the search for groups. Default: `base_ou`. */
	readonly base_ou_group?: string | null;
	/** Groups that users must belong to: full distinguished names, or only the first part (`cn=users`). */
	readonly group_dns: readonly string[];
	/** `and`: member of all of them; `or`: of at least one. Default `and`. */
	readonly group_dns_check?: "and" | "or" | null;
	/** Host name of the server, or several separated by commas, which are tried in this order. */
	readonly host: string;
	/** Port of all servers. Default 389, or 636 with `use_ssl`; 0 also means the default. */
	readonly port?: number | null;
	/** True for LDAPS. Default false. */
	readonly use_ssl?: boolean | null;
	/** True for StartTLS. Default false. */
	readonly use_tls?: boolean | null;
	/** File with the certificates (PEM) that verify server certificates. Without it they are not verified. */
	readonly cacert?: string | null;
	/** Attribute that contains the username. Default `uid`. Not used for the search if `account_pattern` is given. */
	readonly id_attr?: string | null;
	/** Filter that finds a user, with `{username}`. Default: `id_attr` equals the username. */
	readonly account_pattern?: string | null;
	/**
	 * Filter that finds a user's groups, with `{user_dn}` or `{username}`. Default: the user is in `member`, `uniqueMember` or `memberUid`.
	 */
	readonly group_pattern?: string | null;
	/** Depth of the searches for users and groups. Default `subtree`. */
	readonly scope?: "base" | "onelevel" | "subtree" | null;
	/** Seconds to wait for each response of a server. Default 10. */
	readonly network_timeout?: number | null;
	/** True to follow referrals to other servers, with the same service account. Default false: referrals are ignored. */
	readonly chase_referrals?: boolean | null;
	/** True to include groups that contain one of a user's groups, recursively. Default false. */
	readonly nested_groups?: boolean | null;
	/** True to log every LDAP call and its result, but never a password. Default false. */
	readonly debug?: boolean | null;
	/** Further options by their libldap number. */
	readonly client_options?: Readonly<Record<string, unknown>> | null;
	/** True to cache the groups of users in memory. Default true. */
	readonly cache_user_groups_response?: boolean | null;
	/** Seconds for which groups are cached. Default 120. */
	readonly cache_user_groups_ttl?: number | null;
	/** Alias of `cache_user_groups_ttl`. */
	readonly cache_user_groups_cache_ttl?: number | null;
	/** Maximum number of users whose groups are cached. Default 100. */
	readonly cache_user_groups_cache_max_size?: number | null;
}
