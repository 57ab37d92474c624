import type { KeyValueEntity } from "../../contract/index.ts";

/** Address of the item to which a ciphertext is bound. The ciphertext is useless for another item. */
export interface ItemAddress extends Pick<KeyValueEntity, "scope" | "name" | "user"> {}

/** The parts of a stored ciphertext. */
export interface Ciphertext {
	/** Id of the key. */
	readonly keyId: string;
	/**
	 * Prefix before the data, with the id of the key and, except in earlier versions, the item. It is authenticated with the data, so neither
	 * can be replaced.
	 */
	readonly header: string;
	/** Nonce, authentication tag and encrypted data, in base64url. */
	readonly data: string;
	/** Item to which the ciphertext is bound. Undefined for ciphertexts of earlier versions, which name no item. */
	readonly address: ItemAddress | undefined;
}

const itemCiphertext = /^(svc2\.([0-9a-f]{8})\.([A-Za-z0-9_-]+)\.)([A-Za-z0-9_-]+)$/;
const legacyCiphertext = /^(svc1\.([0-9a-f]{8})\.)([A-Za-z0-9_-]+)$/;

export function toCiphertextHeader(keyId: string, { scope, name }: ItemAddress): string {
	return `svc2.${keyId}.${Buffer.from(`${scope}:${name}`).toString("base64url")}.`;
}

/** Parses a ciphertext. Returns undefined for any other string. */
export function parseCiphertext(text: string): Ciphertext | undefined {
	const legacy = legacyCiphertext.exec(text);
	if (legacy !== null) {
		const [, header = "", keyId = "", data = ""] = legacy;
		return { keyId, header, data, address: undefined };
	}
	const [, header = "", keyId = "", encodedAddress = "", data = ""] = itemCiphertext.exec(text) ?? [];
	const address = toAddress(Buffer.from(encodedAddress, "base64url").toString());
	return address === undefined ? undefined : { keyId, header, data, address };
}

function toAddress(text: string): ItemAddress | undefined {
	const [, scope, name = ""] = /^(svckv\.system|svckv\.user):(.+)$/s.exec(text) ?? [];
	if (scope === "svckv.system") return { scope, name, user: null };
	const colon = name.indexOf(":");
	return scope === "svckv.user" && colon > 0 ? { scope, name, user: name.slice(0, colon) } : undefined;
}
