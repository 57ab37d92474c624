import { createHmac, generateKeyPairSync, type KeyObject, sign } from "node:crypto";

/** A pair of keys of a provider, and the name that tokens call it by. */
export interface SigningKey {
	readonly kid: string;
	readonly privateKey: KeyObject;
	readonly publicKey: KeyObject;
}

/** Making one takes a moment: each is made once. */
const made = new Map<string, SigningKey>();

export function signingKey(kid: string): SigningKey {
	let key = made.get(kid);
	if (key === undefined) {
		key = { kid, ...generateKeyPairSync("rsa", { modulusLength: 2048 }) };
		made.set(kid, key);
	}
	return key;
}

/** As a provider publishes it. */
export function toPublicJwk({ kid, publicKey }: SigningKey): object {
	return { ...publicKey.export({ format: "jwk" }), kid, use: "sig", alg: "RS256" };
}

/** Signs the text in front of a signature. */
export type Signer = (text: string) => Buffer;

export const byRsa =
	({ privateKey }: SigningKey): Signer =>
	(text) =>
		sign("sha256", Buffer.from(text), privateKey);

export const byHmac =
	(secret: string | Buffer): Signer =>
	(text) =>
		createHmac("sha256", secret).update(text).digest();

export const byNothing: Signer = () => Buffer.alloc(0);

/** A signed token. */
export function toJwt(header: object, claims: object, signer: Signer): string {
	const text = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
	return `${text}.${signer(text).toString("base64url")}`;
}
