/** Options of the OpenID Connect backend. Null counts as missing. */
export interface OpenidConnectOptions {
	/** URL of the provider, equal to `issuer` in its discovery document: `https:`, or `http:` on the loopback interface. */
	readonly issuer: string;
	/** Client ID of the service at the provider. */
	readonly client_id: string;
	/** Client secret. Default: none, for a public client. */
	readonly client_secret?: string | null;
	/** Absolute path of a file that contains the secret, optionally followed by a line break. Read at each start. */
	readonly client_secret_file?: string | null;
	/**
	 * Method of sending the secret: in the header or in the body. Default `auto`: a method that the provider supports. If it supports both,
	 * the header is used only if client ID and secret consist of letters and digits, because some providers decode other characters
	 * incorrectly.
	 */
	readonly client_auth?: "auto" | "client_secret_basic" | "client_secret_post" | null;
	/** Name of the provider for users: "Sign in with …". Default: the host of `issuer`. */
	readonly label?: string | null;
	/** Requested scopes. Default `openid`, `profile`, `email`; `openid` is required. */
	readonly scopes?: readonly string[] | null;
	/** Claim that contains the username. Default `preferred_username`. */
	readonly username_claim?: string | null;
	/** Prefix of every username, so that names cannot equal those of other backends. Default: none. */
	readonly username_prefix?: string | null;
	/**
	 * Claim that contains the groups, as a string or a list of strings; `a.b` is `b` in the object `a`. Default: none; a sign-in then does not
	 * change roles that depend on groups.
	 */
	readonly groups_claim?: string | null;
	/** True if the provider must have verified the email address. Default: true if `username_claim` is `email`, otherwise false. */
	readonly require_verified_email?: boolean | null;
	/**
	 * Required values of further claims, by name: a value, or several of which one must match. `hd` and `tid` identify a tenant. Default:
	 * none.
	 */
	readonly required_claims?: Readonly<Record<string, string | readonly string[]>> | null;
	/**
	 * True if a user of the provider takes over an existing user of the same name from another backend. Default false: the sign-in is
	 * refused.
	 */
	readonly link_existing_users?: boolean | null;
	/** Maximum difference in seconds between the clocks of provider and service, at most 300. Default 30. */
	readonly clock_tolerance?: number | null;
	/** Seconds to wait for each response of the provider. Default 10. */
	readonly network_timeout?: number | null;
}
