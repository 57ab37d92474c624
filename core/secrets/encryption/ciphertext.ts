import type { KeyValueEntity } from "../../contract/index.ts";

/** What an encrypted text belongs to, and is worth nothing without. */
export interface SealedPlace extends Pick<KeyValueEntity, "scope" | "name" | "user"> {}

/** The value of a secret item as it is kept. */
export interface CipherText {
	readonly keyId: string;
	/** Everything before the data. It is authenticated with them, so that neither key nor item can be exchanged. */
	readonly header: string;
	/** Nonce, tag and encrypted text in base64url. */
	readonly data: string;
	/** The item it was made for; undefined in those of earlier versions, which name none. */
	readonly address: SealedPlace | undefined;
}

const bound = /^(svc2\.([0-9a-f]{8})\.([A-Za-z0-9_-]+)\.)([A-Za-z0-9_-]+)$/;
const unbound = /^(svc1\.([0-9a-f]{8})\.)([A-Za-z0-9_-]+)$/;

/** Beginning of a new cipher text. */
export function toHeader(keyId: string, { scope, name }: SealedPlace): string {
	return `svc2.${keyId}.${Buffer.from(`${scope}:${name}`).toString("base64url")}.`;
}

/** The parts of a cipher text; undefined for any other text. */
export function parseCipherText(text: string): CipherText | undefined {
	const older = unbound.exec(text);
	if (older !== null) {
		const [, header = "", keyId = "", data = ""] = older;
		return { keyId, header, data, address: undefined };
	}
	const [, header = "", keyId = "", item = "", data = ""] = bound.exec(text) ?? [];
	const address = toAddress(Buffer.from(item, "base64url").toString());
	return address === undefined ? undefined : { keyId, header, data, address };
}

function toAddress(text: string): SealedPlace | undefined {
	const [, scope, name = ""] = /^(svckv\.system|svckv\.user):(.+)$/s.exec(text) ?? [];
	if (scope === "svckv.system") return { scope, name, user: null };
	const colon = name.indexOf(":");
	return scope === "svckv.user" && colon > 0 ? { scope, name, user: name.slice(0, colon) } : undefined;
}
