import { type AuthBackend, type Clock, type Logger, type Options, type Storage, SvcError, type TokenEntity } from "../contract/index.ts";
import type { Credentials, OfferedCredentials, Principal } from "./engine-api.ts";
import { verifyIdentity } from "./sign-in.ts";
import { createTokens } from "./tokens.ts";
import { ensureUser } from "./users.ts";

export interface CredentialParts {
	readonly storage: Storage;
	readonly clock: Clock;
	readonly options: Options;
	/** May be undefined while authentication is off. */
	readonly authBackend: AuthBackend | undefined;
	readonly logger: Logger;
	/** Seconds a backend may take to verify a password. */
	readonly backendTimeout?: number;
}

export type StartedCredentials = Credentials & {
	/** Begin to remove expired tokens. The storage must have been started. */
	start(): Promise<void>;
	stop(): Promise<void>;
};

export function createCredentials({ storage, clock, options, authBackend, logger, backendTimeout }: CredentialParts): StartedCredentials {
	const { auth } = options;
	const tokens = createTokens({ storage, clock, logger });
	const signInParts = { backend: authBackend, logger, ...(backendTimeout !== undefined && { timeout: backendTimeout }) };
	const systemUser: Principal = { username: options.system_user.user, isAdmin: true, authentication: { method: "none" } };

	return {
		async signIn({ username, password }, { ttl, signal, remoteAddress }) {
			const lifetime = toLifetime(ttl, auth.token_ttl);
			const identity = await verifyIdentity({ username, password, signal, remoteAddress }, signInParts);
			await ensureUser(identity.username, { storage, clock, logger });
			const issued = await tokens.issue({ user: identity.username, ttl: lifetime, service: false, metadata: {} });
			const origin = remoteAddress === undefined ? {} : { remote_address: remoteAddress };
			logger.info("token granted", { user: issued.user, token_id: issued.id, expiry: issued.expiry, ...origin });
			return issued;
		},
		async authenticate(offered) {
			if (!auth.enable) return systemUser;
			const token = toOfferedToken(offered);
			const entity = await tokens.find(token);
			if (entity === undefined) throw unauthorized("the token is unknown or has expired");
			return toPrincipal(entity, offered?.location ?? "header");
		},
		async issueServiceToken(user, metadata) {
			const issued = await tokens.issue({ user, ttl: auth.service_token_ttl, service: true, metadata });
			// One for every run: too many for the log of an ordinary day.
			logger.debug("service token granted", { user, token_id: issued.id, expiry: issued.expiry });
			return issued;
		},
		revoke: (tokenId) => tokens.revoke(tokenId),
		validate: async (token) => (await tokens.find(token)) !== undefined,
		start: async () => tokens.start(),
		stop: () => tokens.stop(),
	};
}

/** Seconds a token is to live. */
function toLifetime(ttl: number | null | undefined, maximum: number): number {
	if (ttl === null || ttl === undefined) return maximum;
	if (!Number.isInteger(ttl) || ttl < 1) throw new SvcError("SVC_INVALID", "ttl: must be a whole number of seconds, at least 1");
	if (ttl > maximum) throw new SvcError("SVC_INVALID", `ttl: ${ttl} seconds asked for, at most ${maximum} are allowed (auth.token_ttl)`);
	return ttl;
}

function toOfferedToken({ token, apiKey }: Partial<OfferedCredentials> = {}): string {
	if (token && apiKey) throw unauthorized("only one of token and API key may be given, not both");
	if (apiKey) throw unauthorized("the API key is not known");
	if (!token) throw unauthorized("a token or an API key is needed");
	return token;
}

function toPrincipal({ user, expiry }: TokenEntity, location: OfferedCredentials["location"]): Principal {
	const expire = `${expiry.slice(0, 19)}Z`;
	// Without access control every authenticated user counts as an administrator.
	return { username: user, isAdmin: true, authentication: { method: "authentication token", location, token_expire: expire } };
}

function unauthorized(reason: string): SvcError {
	return new SvcError("SVC_UNAUTHORIZED", `Unauthorized - ${reason}`);
}
