import { SvcError } from "../../core/contract/index.ts";

/** Outcome of a failed request to the provider. */
export type SignOnFailure =
	| { readonly kind: "refused"; readonly reason: string }
	| { readonly kind: "pending"; readonly slowDown: boolean }
	| { readonly kind: "unavailable"; readonly error: SvcError };

/** Error codes of the authorization response or the token endpoint that refuse this sign-in. */
const refusals = new Set([
	"access_denied",
	"expired_token",
	"invalid_grant",
	"interaction_required",
	"login_required",
	"account_selection_required",
	"consent_required",
]);

/** Error codes of the package for invalid responses. After any other error, the result of the sign-in is unknown. */
const badAnswers = new Set([
	"OAUTH_INVALID_RESPONSE",
	"OAUTH_JWT_CLAIM_COMPARISON_FAILED",
	"OAUTH_JWT_TIMESTAMP_CHECK_FAILED",
	"OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED",
	"OAUTH_KEY_SELECTION_FAILED",
	"OAUTH_UNSUPPORTED_OPERATION",
]);

/** Error code of a 401 response with a challenge header, such as for an unknown client. */
const challenge = "OAUTH_WWW_AUTHENTICATE_CHALLENGE";

/**
 * Classifies an error of the package. Only its code and message are used, because these errors also contain responses, tokens and codes,
 * which must not be logged.
 */
export function toSignOnFailure(error: unknown): SignOnFailure {
	const { code, error: word, message } = toFacts(error);
	if (word === "authorization_pending") return { kind: "pending", slowDown: false };
	if (word === "slow_down") return { kind: "pending", slowDown: true };
	if (word !== undefined && refusals.has(word)) return { kind: "refused", reason: word };
	if (word !== undefined) return unavailable(`it answers "${word}"`);
	if (code === challenge)
		return unavailable("it does not accept client_id and client_secret, or not in the way that client_auth sends them");
	if (code !== undefined && badAnswers.has(code)) return { kind: "refused", reason: message };
	return unavailable(message);
}

/** Converts an error to `SVC_UNAVAILABLE`, for requests that must succeed, such as reading the provider's metadata. */
export function toUnavailable(error: unknown): SvcError {
	const { error: word, message } = toFacts(error);
	return unavailable(word === undefined ? message : `it answers "${word}"`).error;
}

function unavailable(reason: string): { readonly kind: "unavailable"; readonly error: SvcError } {
	return { kind: "unavailable", error: new SvcError("SVC_UNAVAILABLE", `the single sign-on provider is not available: ${reason}`) };
}

interface ErrorFacts {
	readonly code: string | undefined;
	/** Error code from the provider. */
	readonly error: string | undefined;
	readonly message: string;
}

function toFacts(error: unknown): ErrorFacts {
	if (!(error instanceof Error)) return { code: undefined, error: undefined, message: "it has failed" };
	const { code, error: word } = error as { readonly code?: unknown; readonly error?: unknown };
	const { cause } = error;
	const detail = cause instanceof Error && cause.message !== error.message ? `${error.message}: ${cause.message}` : error.message;
	return {
		code: typeof code === "string" ? code : undefined,
		error: typeof word === "string" && /^[\w-]{1,100}$/.test(word) ? word : undefined,
		message: detail.slice(0, 300),
	};
}
