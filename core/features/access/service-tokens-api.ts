/** A token for something that works for the service. */
export interface ServiceToken {
	readonly token: string;
	/** Give it its whole lifetime again. */
	renew(): Promise<void>;
	/** Take it away. */
	end(): Promise<void>;
}

export interface ServiceTokens {
	/** A token in the name of a user, good for `auth.service_token_ttl` seconds; undefined while authentication is off. */
	open(user: string, metadata: Readonly<Record<string, string>>): Promise<ServiceToken | undefined>;
}
