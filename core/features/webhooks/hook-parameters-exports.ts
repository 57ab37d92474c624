import type { JsonObject } from "../../contract/index.ts";
import { toHookUrl } from "../triggers/trigger-type-refs-exports.ts";

export const signatureSchemes = ["standard", "github", "gitlab", "slack", "stripe", "hmac"] as const;
export type SignatureScheme = (typeof signatureSchemes)[number];

export const hmacAlgorithms = ["sha1", "sha256", "sha512"] as const;
export const hmacEncodings = ["hex", "base64"] as const;

/** Settings by which a hook authenticates its sender. */
export interface SignatureSettings {
	readonly scheme: SignatureScheme;
	/** Names of system items of the datastore. A signature made with any of them is valid, so that secrets can be rotated. */
	readonly secret_keys: readonly string[];
	/** Maximum seconds between the signed time and now, if the scheme signs a time. Default 300. */
	readonly tolerance?: number;
	/** Header that contains the signature, for `hmac`. Default `X-Signature`. */
	readonly header?: string;
	/** Hash algorithm for `hmac`. Default sha256. */
	readonly algorithm?: (typeof hmacAlgorithms)[number];
	/** Encoding of the signature for `hmac`. Default hex. */
	readonly encoding?: (typeof hmacEncodings)[number];
	/** String before the signature in the header, such as `sha256=`, for `hmac`. Default: none. */
	readonly prefix?: string;
}

/** Settings by which a hook detects repeated deliveries. */
export interface DeduplicationSettings {
	/** Header with the delivery's id. Default: that of the scheme; `Idempotency-Key` for `hmac` and for hooks without a signature. */
	readonly header?: string;
	/** Dotted path of the member of a JSON body that contains the id, instead of a header. */
	readonly body?: string;
	/** Seconds in which a second delivery with the same id counts as a repetition. Default 86400 (one day). */
	readonly window?: number;
}

/** Source of the challenge in a handshake: exactly one of `query`, `header` and `body`. */
export interface ChallengeSettings {
	/** Query parameter of a GET, or of a POST without a body. */
	readonly query?: string;
	/** Header of a GET, or of a POST without a body. */
	readonly header?: string;
	/** Member of the JSON body of a POST. */
	readonly body?: string;
	/** Member of a JSON response that contains the challenge. Default: the response is the challenge as plain text. */
	readonly answer_json?: string;
}

/** Seconds in which a second delivery with the same id counts as a repetition, unless the hook sets `window`. */
export const defaultWindow = 86_400;

/** Parameters of a trigger of type `core.svc.webhook`. */
export interface HookParameters {
	readonly url: string;
	readonly signature?: SignatureSettings;
	readonly deduplicate?: DeduplicationSettings;
	/** True to store every delivery. Default false: only accepted deliveries to a hook with `deduplicate` are stored. */
	readonly ledger?: boolean;
	/** Handshake by which a sender verifies that the URL belongs to its receiver. Default: challenges are not answered. */
	readonly challenge?: ChallengeSettings;
}

const text = { type: "string", minLength: 1 };
const name = { ...text, maxLength: 100 };

/** JSON schema of `HookParameters`. Rules on a webhook are checked against it. */
export const hookParametersSchema: JsonObject = {
	type: "object",
	properties: {
		url: { ...text, pattern: "[^/]" },
		signature: {
			type: "object",
			properties: {
				scheme: { type: "string", enum: [...signatureSchemes] },
				secret_keys: { type: "array", items: text, minItems: 1, maxItems: 2 },
				tolerance: { type: "integer", minimum: 1, maximum: 86_400 },
				header: text,
				algorithm: { type: "string", enum: [...hmacAlgorithms] },
				encoding: { type: "string", enum: [...hmacEncodings] },
				prefix: { type: "string" },
			},
			required: ["scheme", "secret_keys"],
			additionalProperties: false,
		},
		deduplicate: {
			type: "object",
			properties: { header: text, body: text, window: { type: "integer", minimum: 1, maximum: 31_536_000 } },
			additionalProperties: false,
		},
		ledger: { type: "boolean" },
		challenge: {
			type: "object",
			properties: { query: name, header: name, body: name, answer_json: name },
			oneOf: [{ required: ["query"] }, { required: ["header"] }, { required: ["body"] }],
			additionalProperties: false,
		},
	},
	required: ["url"],
	additionalProperties: false,
};

/** URL of the generic hook, which always exists: the body of a request names the trigger to dispatch. */
export const genericHookUrl = "svc";
/** Maximum length of a URL, percent-encoded. The request line and the headers together may have 16 KiB. */
const maxUrlLength = 8_000;

/** Returns the reason why a rule cannot register this URL. Returns undefined if it can. */
export function findUrlProblem(given: string): string | undefined {
	const url = toHookUrl(given);
	if (url === genericHookUrl) return `"${genericHookUrl}" is reserved for the webhook that dispatches any trigger`;
	const segments = url.split("/");
	if (segments.includes("")) return 'must be the part of the URL after "/v1/webhooks/", without empty segments ("//")';
	if (segments.includes(".") || segments.includes("..")) return 'must not have "." or ".." as a segment, which clients remove from URLs';
	const length = encodedLength(url);
	if (length === undefined) return "must be well-formed Unicode";
	return length > maxUrlLength ? `must be at most ${maxUrlLength} characters when encoded, got ${length}` : undefined;
}

/** Returns the length of the percent-encoded URL. Returns undefined for a string with a lone surrogate, which cannot be encoded. */
function encodedLength(url: string): number | undefined {
	try {
		return encodeURI(url).length;
	} catch {
		return undefined;
	}
}
