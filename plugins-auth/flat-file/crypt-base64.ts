const alphabet = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** The base 64 of crypt(3): the bytes as one number, the first one highest, written from its lowest six bits on. */
export function toCryptBase64(bytes: readonly (number | undefined)[]): string {
	let value = bytes.reduce<number>((sum, byte) => sum * 256 + (byte ?? 0), 0);
	let text = "";
	for (let character = 0; character * 6 < bytes.length * 8; character++) {
		text += alphabet[value & 63];
		value >>>= 6;
	}
	return text;
}
