import { SvcError } from "../../core/contract/index.ts";

/** What became of a question to the provider. */
export type Failure =
	| { readonly kind: "refused"; readonly reason: string }
	| { readonly kind: "pending"; readonly slowDown: boolean }
	| { readonly kind: "unavailable"; readonly error: SvcError };

/** Of an answer to the browser or of the token endpoint: it is about this sign-in, and the answer is no. */
const refusals = new Set([
	"access_denied",
	"expired_token",
	"invalid_grant",
	"interaction_required",
	"login_required",
	"account_selection_required",
	"consent_required",
]);

/** Of the package: what has come is not good. Everything else means that nothing good or bad could be found out. */
const badAnswers = new Set([
	"OAUTH_INVALID_RESPONSE",
	"OAUTH_JWT_CLAIM_COMPARISON_FAILED",
	"OAUTH_JWT_TIMESTAMP_CHECK_FAILED",
	"OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED",
	"OAUTH_KEY_SELECTION_FAILED",
	"OAUTH_UNSUPPORTED_OPERATION",
]);

/** An answer of 401 with a header, as to a client that the provider does not know. */
const challenge = "OAUTH_WWW_AUTHENTICATE_CHALLENGE";

/**
 * What an error of the package means. Of it a code and a phrase are taken, and nothing else: what hangs on these errors are answers, tokens
 * and codes.
 */
export function toFailure(error: unknown): Failure {
	const { code, error: word, message } = toFacts(error);
	if (word === "authorization_pending") return { kind: "pending", slowDown: false };
	if (word === "slow_down") return { kind: "pending", slowDown: true };
	if (word !== undefined && refusals.has(word)) return { kind: "refused", reason: word };
	if (word !== undefined) return unavailable(`it answers "${word}"`);
	if (code === challenge) return unavailable("it does not take client_id and client_secret, or not as client_auth sends them");
	if (code !== undefined && badAnswers.has(code)) return { kind: "refused", reason: message };
	return unavailable(message);
}

/** The same for what must not fail, such as finding out what the provider can do. */
export function toUnavailable(error: unknown): SvcError {
	const { error: word, message } = toFacts(error);
	return unavailable(word === undefined ? message : `it answers "${word}"`).error;
}

function unavailable(reason: string): { readonly kind: "unavailable"; readonly error: SvcError } {
	return { kind: "unavailable", error: new SvcError("SVC_UNAVAILABLE", `the provider of single sign-on cannot be asked: ${reason}`) };
}

interface ErrorFacts {
	readonly code: string | undefined;
	/** As the provider calls it. */
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
