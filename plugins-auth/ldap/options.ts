/** Options of the LDAP backend, under the names of the specification. Null counts as not given. */
export interface LdapOptions {
	/** Distinguished name of the service account that looks up users and groups. */
	readonly bind_dn: string;
	readonly bind_password: string;
	/** Where users are searched. */
	readonly base_ou: string;
	/** Where groups are searched. Default: `base_ou`. */
	readonly base_ou_group?: string | null;
	/** Groups that users must belong to: full distinguished names, or only the first part (`cn=users`). */
	readonly group_dns: readonly string[];
	/** `and`: member of all of them; `or`: of at least one. Default `and`. */
	readonly group_dns_check?: "and" | "or" | null;
	/** Server, or several separated by commas, asked in this order. */
	readonly host: string;
	/** One for all servers. Default 389, with `use_ssl` 636; so does 0. */
	readonly port?: number | null;
	/** LDAPS. Default false. */
	readonly use_ssl?: boolean | null;
	/** StartTLS. Default false. */
	readonly use_tls?: boolean | null;
	/** File with the certificates (PEM) that server certificates are verified with. Without it they are not verified. */
	readonly cacert?: string | null;
	/** Attribute that holds the user name. Default `uid`. Not used for the search when `account_pattern` is given. */
	readonly id_attr?: string | null;
	/** Filter that finds a user, with `{username}`. Default: `id_attr` equals the user name. */
	readonly account_pattern?: string | null;
	/** Filter that finds a user's groups, with `{user_dn}` or `{username}`. Default: either in member, uniqueMember or memberUid. */
	readonly group_pattern?: string | null;
	/** How deep both searches go. Default `subtree`. */
	readonly scope?: "base" | "onelevel" | "subtree" | null;
	/** Seconds to wait for each answer of a server. Default 10. */
	readonly network_timeout?: number | null;
	/** Go on at the servers that a search is referred to, with the same service account. Default false: referrals are ignored. */
	readonly chase_referrals?: boolean | null;
	/** Count the groups that have one of a user's groups as a member, and so on. Default false. */
	readonly nested_groups?: boolean | null;
	/** Log every call and its result; never a password. Default false. */
	readonly debug?: boolean | null;
	/** Further options by the number they have in libldap. */
	readonly client_options?: Readonly<Record<string, unknown>> | null;
	/** Keep the groups of users in memory. Default true. */
	readonly cache_user_groups_response?: boolean | null;
	/** Seconds for which they are kept. Default 120. */
	readonly cache_user_groups_ttl?: number | null;
	/** The same under its other name. */
	readonly cache_user_groups_cache_ttl?: number | null;
	/** Most users whose groups are kept. Default 100. */
	readonly cache_user_groups_cache_max_size?: number | null;
}
