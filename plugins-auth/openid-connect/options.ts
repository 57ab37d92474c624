/** Options of the OpenID Connect backend. Null counts as not given. */
export interface OpenidConnectOptions {
	/** Address of the provider, as its discovery document says it: `https:`, or `http:` on the machine itself. */
	readonly issuer: string;
	/** Name of the service at the provider. */
	readonly client_id: string;
	/** Default: none, for a client that the provider calls public. */
	readonly client_secret?: string | null;
	/** Absolute path of a file that holds the secret, and may end with a line break. Read at each start. */
	readonly client_secret_file?: string | null;
	/**
	 * How the secret is sent. Default `auto`: as the provider says that it takes it. Where it takes both: in a header, or in the body where id or
	 * secret are more than letters and digits, which some providers read wrongly in the header.
	 */
	readonly client_auth?: "auto" | "client_secret_basic" | "client_secret_post" | null;
	/** What people call the provider: "Sign in with …". Default: the host of `issuer`. */
	readonly label?: string | null;
	/** What is asked for. Default `openid`, `profile`, `email`; `openid` must be among them. */
	readonly scopes?: readonly string[] | null;
	/** Claim that is the user name. Default `preferred_username`. */
	readonly username_claim?: string | null;
	/** Stands in front of every user name, so that none is like a name of elsewhere. Default: nothing. */
	readonly username_prefix?: string | null;
	/** Claim with the groups, a text or a list of texts; `a.b` is `b` in the object `a`. Default: no groups, and roles by group stay as they are. */
	readonly groups_claim?: string | null;
	/** Whether the provider must have verified the mail address. Default: true where `username_claim` is `email`, else false. */
	readonly require_verified_email?: boolean | null;
	/** What further claims must be: by name the value, or several of which one must be there. `hd` and `tid` name a tenant. Default: nothing. */
	readonly required_claims?: Readonly<Record<string, string | readonly string[]>> | null;
	/** Whether a name that somebody has signed in by with another backend is taken over by whoever has it at the provider. Default false: it is refused. */
	readonly link_existing_users?: boolean | null;
	/** Seconds by which the clocks of provider and service may differ, at most 300. Default 30. */
	readonly clock_tolerance?: number | null;
	/** Seconds to wait for each answer of the provider. Default 10. */
	readonly network_timeout?: number | null;
}
