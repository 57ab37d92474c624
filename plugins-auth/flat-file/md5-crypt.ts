import { createHash } from "node:crypto";
import { toCryptBase64 } from "./crypt-base64.ts";

/** Of a stored text of md5-crypt: what makes the digest different, and the salt. */
const setting = /^(\$apr1\$|\$1\$)([^$]*)\$/;

/** The stored text that `password` has with the salt of `stored`: `$1$` of crypt(3), and `$apr1$` of Apache, which differs in its name only. */
export function md5Crypt(password: Buffer, stored: string): string {
	const [, magic = "", salt = ""] = setting.exec(stored) ?? [];
	const saltBytes = Buffer.from(salt);
	let digest = firstDigest(password, magic, saltBytes);
	for (let round = 0; round < 1000; round++) {
		const isOdd = round % 2 === 1;
		const parts = [isOdd ? password : digest];
		if (round % 3 !== 0) parts.push(saltBytes);
		if (round % 7 !== 0) parts.push(password);
		digest = md5([...parts, isOdd ? digest : password]);
	}
	return `${magic}${salt}$${encode(digest)}`;
}

function firstDigest(password: Buffer, magic: string, salt: Buffer): Buffer {
	const inner = md5([password, salt, password]);
	const parts = [password, Buffer.from(magic), salt];
	for (let rest = password.length; rest > 0; rest -= 16) parts.push(inner.subarray(0, Math.min(16, rest)));
	for (let bits = password.length; bits > 0; bits >>= 1) parts.push(bits % 2 === 1 ? Buffer.of(0) : password.subarray(0, 1));
	return md5(parts);
}

/** Every third byte, the last place of the last group being taken by byte 5; byte 11 stands alone. */
function encode(digest: Buffer): string {
	const groups = [0, 1, 2, 3, 4].map((first) => toCryptBase64([digest[first], digest[first + 6], digest[first === 4 ? 5 : first + 12]]));
	return groups.join("") + toCryptBase64([digest[11]]);
}

function md5(parts: readonly Buffer[]): Buffer {
	return createHash("md5").update(Buffer.concat(parts)).digest();
}
