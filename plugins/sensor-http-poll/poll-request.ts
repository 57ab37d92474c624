import { createHash } from "node:crypto";
import { type JsonValue, maxLargeNumbers, parseJson, SvcError, toErrorMessage } from "../../core/contract/index.ts";

export interface PollResponse {
	readonly status_code: number;
	/** Response headers with lower-case names, without cookies. */
	readonly headers: Readonly<Record<string, string>>;
	/** The parsed body of a JSON response; otherwise the body as a string. */
	readonly body: JsonValue;
	/** SHA-256 of the read part of the body, in hex. */
	readonly body_hash: string;
	/** True if the body was longer than the maximum. */
	readonly truncated: boolean;
}

export interface PollRequest {
	readonly url: URL;
	readonly headers: Readonly<Record<string, string>>;
	/** Maximum seconds of the complete exchange. */
	readonly timeout: number;
	readonly allowRedirects: boolean;
	/** Maximum bytes of the body. */
	readonly maxBody: number;
	readonly signal: AbortSignal;
}

/** Sends one request. Returns undefined for 304 (not modified). Throws `SVC_UNAVAILABLE` if there is no response. */
export async function sendPollRequest({
	url,
	headers,
	timeout,
	allowRedirects,
	maxBody,
	signal,
}: PollRequest): Promise<PollResponse | undefined> {
	try {
		const response = await fetch(url, {
			headers,
			redirect: allowRedirects ? "follow" : "manual",
			signal: AbortSignal.any([signal, AbortSignal.timeout(timeout * 1_000)]),
		});
		const { bytes, truncated } = await readBody(response, maxBody);
		if (response.status === 304) return undefined;
		const named = [...response.headers].filter(([name]) => name !== "set-cookie");
		return {
			status_code: response.status,
			headers: Object.fromEntries(named),
			body: toValue(bytes.toString("utf8"), truncated ? "" : (response.headers.get("content-type") ?? "")),
			body_hash: createHash("sha256").update(bytes).digest("hex"),
			truncated,
		};
	} catch (error) {
		signal.throwIfAborted();
		// The error of `fetch` is uninformative; its cause contains the reason.
		const reason = error instanceof Error && error.cause !== undefined ? error.cause : error;
		throw new SvcError("SVC_UNAVAILABLE", `${url.host} did not answer: ${toErrorMessage(reason)}`, { cause: error });
	}
}

async function readBody(response: Response, limit: number): Promise<{ readonly bytes: Buffer; readonly truncated: boolean }> {
	const chunks: Uint8Array[] = [];
	let length = 0;
	// Leaving the loop cancels the transfer of the rest.
	for await (const chunk of response.body ?? []) {
		chunks.push(chunk);
		length += chunk.length;
		if (length > limit) break;
	}
	return { bytes: Buffer.concat(chunks).subarray(0, limit), truncated: length > limit };
}

function toValue(text: string, contentType: string): JsonValue {
	if (!/^(?:application\/(?:[\w.-]+\+)?|text\/)json\b/i.test(contentType)) return text;
	try {
		return parseJson(text, maxLargeNumbers);
	} catch {
		return text;
	}
}
