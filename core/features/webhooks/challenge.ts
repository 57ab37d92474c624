import { isJsonObject, type JsonObject, type JsonValue, SvcError } from "../../contract/index.ts";
import { noStoreHeaders, type Reply, replyContent, replyJson } from "../../http/replies.ts";
import type { Hook } from "./hook-index.ts";
import { credentialHeaders } from "./payload-headers.ts";

/** A request that may be a handshake, by which a sender verifies that the URL belongs to its receiver. */
export interface Handshake {
	readonly query: JsonObject;
	/** Names in lower case. */
	readonly headers: Readonly<Record<string, string>>;
	/** Parsed body of a POST. Undefined if the body is empty, and for other methods. */
	readonly body?: JsonValue | undefined;
}

/** The challenge of a request, and the hook that answers it. */
export interface Challenge {
	readonly hook: Hook;
	readonly value: JsonValue;
}

const maxLength = 1_024;

/** Returns the challenge that one of the hooks answers. Returns undefined for any other request, such as a delivery. */
export function findChallenge(hooks: readonly Hook[], handshake: Handshake): Challenge | undefined {
	for (const hook of hooks) {
		const value = findValue(hook, handshake);
		if (value !== undefined) return { hook, value };
	}
	return undefined;
}

/**
 * Returns the challenge of a request for this hook.
 * A request with a body is a delivery, unless the hook expects its challenge in the body.
 */
function findValue({ parameters: { challenge } }: Hook, { query, headers, body }: Handshake): JsonValue | undefined {
	if (challenge === undefined) return undefined;
	if (challenge.body !== undefined) return isJsonObject(body) && Object.hasOwn(body, challenge.body) ? body[challenge.body] : undefined;
	if (body !== undefined) return undefined;
	const header = challenge.header?.toLowerCase();
	if (header !== undefined) return credentialHeaders.has(header) ? undefined : headers[header];
	return challenge.query !== undefined && Object.hasOwn(query, challenge.query) ? query[challenge.query] : undefined;
}

/**
 * Replies to a challenge with its value as plain text, or as the member `answer_json` of an object.
 * The headers keep a browser from interpreting the reply as HTML.
 * Throws `SVC_INVALID` for a value that is not 1 to 1024 printable ASCII characters.
 */
export function replyChallenge({ hook, value }: Challenge): Reply {
	if (typeof value !== "string" || value.length > maxLength || !/^[\x20-\x7e]+$/.test(value))
		throw new SvcError("SVC_INVALID", `challenge: must be 1 to ${maxLength} printable ASCII characters, given once`);
	const member = hook.parameters.challenge?.answer_json;
	if (member !== undefined) return replyJson({ [member]: value }, 200, noStoreHeaders);
	return replyContent(value, "text/plain; charset=utf-8", { ...noStoreHeaders, "content-security-policy": "default-src 'none'; sandbox" });
}
