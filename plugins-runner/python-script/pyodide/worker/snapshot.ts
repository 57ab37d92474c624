import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

const digestLength = 32;

/** The content of a snapshot file; undefined when it is damaged, or made from something else. */
export function readSnapshot(file: string, recipe: string): Uint8Array | undefined {
	let bytes: Buffer;
	try {
		bytes = readFileSync(file);
	} catch {
		// Somebody removed it since the worker was started: as good as a broken one.
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
