import { createHmac, generateKeyPairSync, type KeyObject, sign } from "node:crypto";

/** A key pair of a provider, with the key id (`kid`) that tokens refer to. */
export interface SigningKey {
	readonly kid: string;
	readonly privateKey: KeyObject;
	readonly publicKey: KeyObject;
}

/** Key pairs by key id, cached because generating one is slow. */
const made = new Map<string, SigningKey>();

export function signingKey(kid: string): SigningKey {
	let key = made.get(kid);
	if (key === undefined) {
		key = { kid, ...generateKeyPairSync("rsa", { modulusLength: 2048 }) };
		made.set(kid, key);
	}
	return key;
}

/** Returns the public key in the form in which a provider publishes it. */
export function toPublicJwk({ kid, publicKey }: SigningKey): object {
	return { ...publicKey.export({ format: "jwk" }), kid, use: "sig", alg: "RS256" };
}

/** Signs the encoded header and claims of a token. */
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

/** Returns a JSON Web Token with this header and these claims. */
export function toJwt(header: object, claims: object, signer: Signer): string {
	const text = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
	return `${text}.${signer(text).toString("base64url")}`;
}
