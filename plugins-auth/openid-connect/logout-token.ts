import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from "jose";
import type { Clock, Logger, SignOutStatement } from "../../core/contract/index.ts";
import { isIdentifier, toUnique } from "./claims.ts";
import type { Provider } from "./provider.ts";
import type { Settings } from "./settings.ts";

export interface SignOutOptions {
	readonly provider: Pick<Provider, "metadata" | "keys">;
	readonly clock: Clock;
	readonly logger: Logger;
}

const maxMessageLength = 16_384;
/** Maximum age of a message in seconds. The host remembers processed messages for longer, which prevents replays. */
const goodFor = 600;
const event = "http://schemas.openid.net/event/backchannel-logout";
/**
 * Accepted signature algorithms. Tokens that are unsigned or signed with a shared secret are refused, because other parties could create
 * them.
 */
const algorithms = new Set(["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"]);
/** Accepted values of the token header `typ`. A token without a type is recognized by its event. */
const types: readonly unknown[] = [undefined, "logout+jwt", "application/logout+jwt", "jwt"];

/** Verifies logout tokens (OpenID Connect Back-Channel Logout 1.0). */
export class LogoutTokenVerifier {
	readonly #settings: Settings;
	readonly #parts: SignOutOptions;

	constructor(settings: Settings, parts: SignOutOptions) {
		this.#settings = settings;
		this.#parts = parts;
	}

	/** Returns the sign-in that a message ends, or undefined if the message is refused. The log contains the reason. */
	async verify(message: string, signal: AbortSignal): Promise<SignOutStatement | undefined> {
		const { provider, clock, logger } = this.#parts;
		const { issuer, id_token_signing_alg_values_supported: supported = ["RS256"] } = await provider.metadata();
		signal.throwIfAborted();
		try {
			if (message.length > maxMessageLength) throw new errors.JWTInvalid("it is too long");
			const findKey: JWTVerifyGetKey = async (header, token) =>
				createLocalJWKSet((await provider.keys(signal)) as JSONWebKeySet)(header, token);
			const { payload, protectedHeader } = await jwtVerify(message, findKey, {
				issuer,
				audience: this.#settings.clientId,
				algorithms: supported.filter((name) => algorithms.has(name)),
				requiredClaims: ["iat", "jti", "events"],
				maxTokenAge: goodFor,
				clockTolerance: this.#settings.clockTolerance,
				currentDate: new Date(clock.now() / 1_000),
			});
			if (!types.includes(protectedHeader.typ?.toLowerCase())) throw new errors.JWTInvalid("its type is not that of a logout token");
			return toEnded(issuer, payload);
		} catch (error) {
			signal.throwIfAborted();
			if (!(error instanceof errors.JOSEError)) throw error;
			logger.warn("sign-out notification refused", { reason: error.message.slice(0, 300) });
			return undefined;
		}
	}
}

/** Converts a logout token. Requires its event and the absence of a nonce, which distinguish it from an ID token. */
function toEnded(issuer: string, { events, nonce, jti, sub, sid }: JWTPayload): SignOutStatement {
	const told =
		typeof events === "object" && events !== null && Object.hasOwn(events, event) ? (events as Record<string, unknown>)[event] : undefined;
	if (typeof told !== "object" || told === null) throw new errors.JWTInvalid("it is not a logout token");
	if (nonce !== undefined) throw new errors.JWTInvalid("it has a nonce, which logout tokens must not have");
	if (!isIdentifier(jti)) throw new errors.JWTInvalid("its claim jti is missing or invalid");
	const named = [sub, sid].filter((each) => each !== undefined);
	if (named.length === 0 || !named.every(isIdentifier)) throw new errors.JWTInvalid("it names neither a user nor a session");
	return {
		id: toUnique(issuer, jti),
		...(isIdentifier(sub) && { subject: toUnique(issuer, sub) }),
		...(isIdentifier(sid) && { session: toUnique(issuer, sid) }),
	};
}
