const alphabet = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/**
 * Encodes bytes in the base64 variant of crypt(3). The bytes are one big-endian number, which is written in groups of six bits, the lowest
 * group first.
 */
export function toCryptBase64(bytes: readonly (number | undefined)[]): string {
	let value = bytes.reduce<number>((sum, byte) => sum * 256 + (byte ?? 0), 0);
	let text = "";
	for (let character = 0; character * 6 < bytes.length * 8; character++) {
		text += alphabet[value & 63];
		value >>>= 6;
	}
	return text;
}
