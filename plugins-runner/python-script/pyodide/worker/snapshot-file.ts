import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

const digestLength = 32;

/** Returns the content of a snapshot file. Returns undefined if the file is damaged or was made from other sources. */
export function readSnapshot(file: string, recipe: string): Uint8Array | undefined {
	let bytes: Buffer;
	try {
		bytes = readFileSync(file);
	} catch {
		// The file was removed after the worker was started; treat it like a damaged one.
		return undefined;
	}
	const content = bytes.subarray(digestLength);
	return digest(content, recipe).equals(bytes.subarray(0, digestLength)) ? content : undefined;
}

export function packSnapshot(content: Uint8Array, recipe: string): Buffer {
	return Buffer.concat([digest(content, recipe), content]);
}

function digest(content: Uint8Array, recipe: string): Buffer {
	return createHash("sha256").update(recipe).update("\0").update(content).digest();
}
