import { createHash } from "node:crypto";
import { toCryptBase64 } from "./crypt-base64.ts";

type Hash = (parts: readonly Buffer[]) => Buffer;

const setting = /^\$([56])\$(rounds=(\d+)\$)?([^$]*)\$/;
const defaultRounds = 5000;

/** Returns the SHA-crypt hash of `password` with the salt and rounds of `stored`: `$5$` (SHA-256) or `$6$` (SHA-512) of crypt(3). */
export function shaCrypt(password: Buffer, stored: string): string {
	const [, version, roundsText = "", rounds = defaultRounds, saltText = ""] = setting.exec(stored) ?? [];
	const algorithm = version === "5" ? "sha256" : "sha512";
	const hash: Hash = (parts) => createHash(algorithm).update(Buffer.concat(parts)).digest();
	const salt = Buffer.from(saltText);

	let digest = firstDigest(hash, password, salt);
	const passwordPart = stretch(hash(repeat(password, password.length)), password.length);
	const saltPart = stretch(hash(repeat(salt, 16 + (digest[0] ?? 0))), salt.length);
	for (let round = 0; round < Number(rounds); round++) {
		const isOdd = round % 2 === 1;
		const parts = [isOdd ? passwordPart : digest];
		if (round % 3 !== 0) parts.push(saltPart);
		if (round % 7 !== 0) parts.push(passwordPart);
		digest = hash([...parts, isOdd ? digest : passwordPart]);
	}
	return `$${version}$${roundsText}${saltText}$${version === "5" ? encode256(digest) : encode512(digest)}`;
}

function firstDigest(hash: Hash, password: Buffer, salt: Buffer): Buffer {
	const inner = hash([password, salt, password]);
	const parts = [password, salt, stretch(inner, password.length)];
	for (let bits = password.length; bits > 0; bits >>= 1) parts.push(bits % 2 === 1 ? inner : password);
	return hash(parts);
}

/** Returns `length` bytes that repeat the digest. */
function stretch(digest: Buffer, length: number): Buffer {
	return length === 0 ? Buffer.alloc(0) : Buffer.alloc(length, digest);
}

function repeat(part: Buffer, times: number): readonly Buffer[] {
	return Array.from({ length: times }, () => part);
}

/** Encodes the digest three bytes at a time, one from each third of it. The order of the thirds rotates after each group. */
function encode256(digest: Buffer): string {
	let text = "";
	for (let [a, b, c] = [0, 10, 20], group = 0; group < 10; group++) {
		text += toCryptBase64([digest[a], digest[b], digest[c]]);
		[a, b, c] = [c + 1, a + 1, b + 1];
	}
	return text + toCryptBase64([digest[31], digest[30]]);
}

function encode512(digest: Buffer): string {
	let text = "";
	for (let [a, b, c] = [0, 21, 42], group = 0; group < 21; group++) {
		text += toCryptBase64([digest[a], digest[b], digest[c]]);
		[a, b, c] = [b + 1, c + 1, a + 1];
	}
	return text + toCryptBase64([digest[63]]);
}
