import { createHmac, timingSafeEqual } from "node:crypto";
import type { SignatureScheme, SignatureSettings } from "./hook-parameters-exports.ts";

/** The signed bytes of a request, and the headers with the sender's signature. */
export interface SignedRequest {
	/** Names in lower case. */
	readonly headers: Readonly<Record<string, string>>;
	/** The body exactly as received, byte for byte. */
	readonly bytes: Uint8Array;
}

/** Reason why a signature is invalid; undefined if it is valid. Never contains a secret or a signature. */
export type SignatureProblem = string | undefined;

type Check = (request: SignedRequest, secrets: readonly string[], settings: SignatureSettings, now: number) => SignatureProblem;

const defaultTolerance = 300;
/** Maximum number of signatures from one header that are compared. */
const maxSignatures = 20;
/** Minimum length of a key in bytes. */
const minSecretLength = 8;

const checks: { readonly [S in SignatureScheme]: Check } = {
	standard({ headers, bytes }, secrets, settings, now) {
		const { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature } = headers;
		if (id === undefined) return missing("webhook-id");
		if (timestamp === undefined) return missing("webhook-timestamp");
		if (signature === undefined) return missing("webhook-signature");
		const given = [...signature.matchAll(/(?<![^\s,])v1,([\w+/=-]+)/g)].slice(0, maxSignatures).map(([, value = ""]) => value);
		const expected = secrets.map((secret) => hmac("sha256", toStandardKey(secret), `${id}.${timestamp}.`, bytes, "base64"));
		return findTimeProblem(timestamp, settings, now) ?? compare(given, expected);
	},

	github({ headers, bytes }, secrets) {
		const signature = headers["x-hub-signature-256"];
		if (signature === undefined) return missing("X-Hub-Signature-256");
		return compareHex(
			toSignatures(signature),
			secrets.map((secret) => `sha256=${hmac("sha256", secret, "", bytes, "hex")}`),
		);
	},

	gitlab({ headers }, secrets) {
		const token = headers["x-gitlab-token"];
		return token === undefined ? missing("X-Gitlab-Token") : compare([token], secrets);
	},

	slack({ headers, bytes }, secrets, settings, now) {
		const { "x-slack-signature": signature, "x-slack-request-timestamp": timestamp } = headers;
		if (signature === undefined) return missing("X-Slack-Signature");
		if (timestamp === undefined) return missing("X-Slack-Request-Timestamp");
		const expected = secrets.map((secret) => `v0=${hmac("sha256", secret, `v0:${timestamp}:`, bytes, "hex")}`);
		return findTimeProblem(timestamp, settings, now) ?? compareHex(toSignatures(signature), expected);
	},

	stripe({ headers, bytes }, secrets, settings, now) {
		const header = headers["stripe-signature"];
		if (header === undefined) return missing("Stripe-Signature");
		const entries = toParts(header, ",").map((entry) => entry.trim().split("=", 2));
		const timestamp = entries.find(([name]) => name === "t")?.[1];
		if (timestamp === undefined) return "header Stripe-Signature: the time is missing";
		const given = entries.flatMap(([name, value]) => (name === "v1" && value !== undefined ? [value] : []));
		const expected = secrets.map((secret) => hmac("sha256", secret, `${timestamp}.`, bytes, "hex"));
		return findTimeProblem(timestamp, settings, now) ?? compareHex(given, expected);
	},

	hmac({ headers, bytes }, secrets, { header = "X-Signature", algorithm = "sha256", encoding = "hex", prefix = "" }) {
		const signature = headers[header.toLowerCase()];
		if (signature === undefined) return missing(header);
		const expected = secrets.map((secret) => prefix + hmac(algorithm, secret, "", bytes, encoding));
		return (encoding === "hex" ? compareHex : compare)(toSignatures(signature), expected);
	},
};

/** Returns the header whose value is the secret itself, so that callers neither store nor forward it. */
export function findSecretHeader(settings: SignatureSettings | undefined): string | undefined {
	return settings?.scheme === "gitlab" ? "x-gitlab-token" : undefined;
}

/**
 * Checks a delivery's signature against every secret that is long enough. The duration does not depend on which secret matches.
 *
 * @param now seconds since 1970
 */
export function findSignatureProblem(
	request: SignedRequest,
	settings: SignatureSettings,
	secrets: readonly string[],
	now: number,
): SignatureProblem {
	if (secrets.length === 0) return "none of the webhook's secrets exists in the datastore";
	const strong = secrets.filter((secret) => isStrong(secret, settings.scheme));
	if (strong.length === 0) return `the webhook's secret is empty or shorter than ${minSecretLength} bytes`;
	return checks[settings.scheme](request, strong, settings, now);
}

function missing(header: string): string {
	return `header ${header}: is missing`;
}

/** Returns true if the secret is long enough and not all zero bytes. HMAC accepts an empty key, and `whsec_` may be followed by nothing. */
function isStrong(secret: string, scheme: SignatureScheme): boolean {
	const bytes = scheme === "standard" ? toStandardKey(secret) : Buffer.from(secret);
	return secret.trim().length >= minSecretLength && bytes.length >= minSecretLength && bytes.some((byte) => byte !== 0);
}

/** Decodes the base64 after `whsec_`. A secret without that prefix is used unchanged. */
function toStandardKey(secret: string): Buffer {
	return secret.startsWith("whsec_") ? Buffer.from(secret.slice("whsec_".length), "base64") : Buffer.from(secret);
}

function hmac(algorithm: string, key: string | Buffer, prefix: string, bytes: Uint8Array, encoding: "hex" | "base64"): string {
	return createHmac(algorithm, key).update(prefix).update(bytes).digest(encoding);
}

function findTimeProblem(timestamp: string, { tolerance = defaultTolerance }: SignatureSettings, now: number): SignatureProblem {
	if (!/^\d{1,12}$/.test(timestamp)) return "the signed time is not a number of seconds";
	return Math.abs(now - Number(timestamp)) <= tolerance
		? undefined
		: `the signed time differs from the current time by more than ${tolerance} seconds`;
}

/** Splits a header. Returns at most `maxSignatures` parts, because the sender could otherwise cause any number of comparisons. */
function toParts(header: string, separator: string | RegExp): readonly string[] {
	return header.split(separator).slice(0, maxSignatures);
}

/**
 * Returns the possible signatures in a header: the whole header, because a prefix may contain a space, and each of its parts.
 * Senders that rotate their secret send several signatures.
 */
function toSignatures(header: string): readonly string[] {
	return [header, ...toParts(header, /[\s,;]+/)];
}

/** Compares like `compare`, but ignores case, because some senders use upper-case letters. */
function compareHex(given: readonly string[], expected: readonly string[]): SignatureProblem {
	const lower = (texts: readonly string[]) => texts.map((text) => text.toLowerCase());
	return compare(lower(given), lower(expected));
}

/** Compares every pair, so that the time taken reveals neither a match nor its position. */
function compare(given: readonly string[], expected: readonly string[]): SignatureProblem {
	let isGood = false;
	for (const one of given) for (const other of expected) isGood = areEqual(one, other) || isGood;
	return isGood ? undefined : "the signature does not match the body and the webhook's secrets";
}

/** Compares two strings in constant time. Compares their digests, because `timingSafeEqual` requires equal lengths. */
function areEqual(one: string, other: string): boolean {
	const digest = (text: string) => createHmac("sha256", "compare").update(text).digest();
	return timingSafeEqual(digest(one), digest(other));
}
