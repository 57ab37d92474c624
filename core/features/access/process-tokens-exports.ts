/** Token of a process of the service that is not an execution, such as a sensor. */
export interface ProcessToken {
	readonly token: string;
	/** Restarts the lifetime of the token. */
	renew(): Promise<void>;
	/** Revokes the token. */
	end(): Promise<void>;
}

export interface ProcessTokens {
	/** Issues a token of a user, valid for `auth.service_token_ttl` seconds. Returns undefined if authentication is off. */
	open(user: string, metadata: Readonly<Record<string, string>>): Promise<ProcessToken | undefined>;
}
