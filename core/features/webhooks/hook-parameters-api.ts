import type { JsonObject } from "../../contract/index.ts";
import { toHookUrl } from "../triggers/trigger-refs-api.ts";

export const signatureSchemes = ["standard", "github", "gitlab", "slack", "stripe", "hmac"] as const;
export type SignatureScheme = (typeof signatureSchemes)[number];

export const hmacAlgorithms = ["sha1", "sha256", "sha512"] as const;
export const hmacEncodings = ["hex", "base64"] as const;

/** How a hook tells its sender from others. */
export interface SignatureSettings {
	readonly scheme: SignatureScheme;
	/** Names of system items of the datastore; a delivery signed with any of them is good, so that secrets can be exchanged. */
	readonly secret_keys: readonly string[];
	/** Most seconds between the signed time and now, where the scheme signs a time. Default 300. */
	readonly tolerance?: number;
	/** For `hmac`: the header with the signature. Default `X-Signature`. */
	readonly header?: string;
	/** For `hmac`. Default sha256. */
	readonly algorithm?: (typeof hmacAlgorithms)[number];
	/** For `hmac`. Default hex. */
	readonly encoding?: (typeof hmacEncodings)[number];
	/** For `hmac`: what stands in front of the signature, such as `sha256=`. Default nothing. */
	readonly prefix?: string;
}

/** How repetitions of a delivery are known. */
export interface DeduplicationSettings {
	/** Header with the delivery's id. Default: the scheme's. */
	readonly header?: string;
	/** Member of a JSON body with the id, dotted, in place of a header. */
	readonly body?: string;
	/** Seconds in which a second delivery with the id is a repetition. Default one day. */
	readonly window?: number;
}

/** Where the challenge of a handshake is: one of `query`, `header` and `body`. */
export interface ChallengeSettings {
	/** Query parameter of a GET, or of a POST without a body. */
	readonly query?: string;
	/** Header of a GET, or of a POST without a body. */
	readonly header?: string;
	/** Member of the JSON body of a POST. */
	readonly body?: string;
	/** Member of a JSON answer that holds the challenge. Default: the answer is the challenge as plain text. */
	readonly answer_json?: string;
}

/** Seconds in which a second delivery with the same id is a repetition, where the hook does not say. */
export const defaultWindow = 86_400;

/** Parameters of a trigger of type `core.svc.webhook`. */
export interface HookParameters {
	readonly url: string;
	readonly signature?: SignatureSettings;
	readonly deduplicate?: DeduplicationSettings;
	/** Whether deliveries are kept with their verdict. */
	readonly ledger?: boolean;
	/** How a sender proves that the url is its receiver's. Default: it cannot. */
	readonly challenge?: ChallengeSettings;
}

const text = { type: "string", minLength: 1 };
const name = { ...text, maxLength: 100 };

/** JSON schema of `HookParameters`: what rules on a webhook are checked against. */
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

/** The hook that is always there: its body names the trigger (specification, Webhook). */
export const genericHookUrl = "svc";
/** Longest url, encoded as in an address. Addresses and headers together may have 16 KiB. */
const maxUrlLength = 8_000;

/** Returns why nothing that is posted can reach a hook of this url; undefined if something can. */
export function findUrlProblem(given: string): string | undefined {
	const url = toHookUrl(given);
	if (url === genericHookUrl) return `"${genericHookUrl}" is the webhook that dispatches any trigger, and cannot be used by a rule`;
	const segments = url.split("/");
	if (segments.includes("")) return 'must be the part of the address after "/v1/webhooks/", without empty segments ("//")';
	if (segments.includes(".") || segments.includes(".."))
		return 'must not have "." or ".." as a segment, which clients remove from addresses';
	const length = encodedLength(url);
	if (length === undefined) return "must be well-formed Unicode";
	return length > maxUrlLength ? `must be at most ${maxUrlLength} characters when encoded, got ${length}` : undefined;
}

/** Undefined for a text with a lone surrogate, which has no encoding. */
function encodedLength(url: string): number | undefined {
	try {
		return encodeURI(url).length;
	} catch {
		return undefined;
	}
}
