import { createPrivateKey, type KeyObject } from "node:crypto";
import { SvcError } from "../../core/contract/index.ts";

/**
 * Converts a private key in PKCS#8 to a format that ssh2 supports. OpenSSL and cloud consoles write PKCS#8, which ssh2 does not read.
 * Returns undefined for keys in other formats. Throws `SVC_INVALID` if the passphrase is missing or wrong.
 */
export function fromPkcs8(
	text: string,
	passphrase: string | undefined,
): { readonly privateKey: string; readonly passphrase?: never } | undefined {
	if (!/^-----BEGIN (?:ENCRYPTED )?PRIVATE KEY-----/m.test(text)) return undefined;
	const key = readKey(text, passphrase);
	switch (key.asymmetricKeyType) {
		case "rsa":
			return { privateKey: key.export({ type: "pkcs1", format: "pem" }).toString() };
		case "ec":
			return { privateKey: key.export({ type: "sec1", format: "pem" }).toString() };
		case "ed25519":
			return { privateKey: toOpenSsh(key) };
		default:
			throw new SvcError("SVC_INVALID", 'parameter "private_key" does not hold a key of type RSA, ECDSA or Ed25519');
	}
}

function readKey(text: string, passphrase: string | undefined): KeyObject {
	const isEncrypted = text.includes("BEGIN ENCRYPTED");
	if (isEncrypted && passphrase === undefined)
		throw new SvcError("SVC_INVALID", 'parameter "passphrase" is required, because the private key is encrypted');
	try {
		return createPrivateKey({ key: text, format: "pem", ...(passphrase === undefined ? {} : { passphrase }) });
	} catch {
		// The cause is omitted, because it may contain parts of the key.
		const problem = isEncrypted
			? '"passphrase" does not match the private key'
			: '"private_key" is not a private key in a supported format';
		throw new SvcError("SVC_INVALID", `parameter ${problem}`);
	}
}

/** Returns an Ed25519 key in the format of OpenSSH (PROTOCOL.key), not encrypted. */
function toOpenSsh(key: KeyObject): string {
	const { d = "", x = "" } = key.export({ format: "jwk" });
	const [secret, point] = [Buffer.from(d, "base64url"), Buffer.from(x, "base64url")];
	const publicKey = Buffer.concat([withLength("ssh-ed25519"), withLength(point)]);
	const check = Buffer.alloc(8);
	const pair = Buffer.concat([check, publicKey, withLength(Buffer.concat([secret, point])), withLength("")]);
	const padding = Buffer.from(Array.from({ length: (8 - (pair.length % 8)) % 8 }, (_, index) => index + 1));
	const count = Buffer.from([0, 0, 0, 1]);
	const blob = Buffer.concat([
		...[Buffer.from("openssh-key-v1\0"), withLength("none"), withLength("none"), withLength(""), count],
		...[withLength(publicKey), withLength(Buffer.concat([pair, padding]))],
	]);
	const lines = blob.toString("base64").match(/.{1,70}/g) ?? [];
	return ["-----BEGIN OPENSSH PRIVATE KEY-----", ...lines, "-----END OPENSSH PRIVATE KEY-----", ""].join("\n");
}

function withLength(data: string | Buffer): Buffer {
	const bytes = Buffer.from(data as string);
	const length = Buffer.alloc(4);
	length.writeUInt32BE(bytes.length);
	return Buffer.concat([length, bytes]);
}
