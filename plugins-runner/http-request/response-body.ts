import { pipeline, type Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { type JsonValue, maxLargeNumbers, parseJson } from "../../core/contract/index.ts";

/** Body of a response in the result. */
export interface ResponseBody {
	readonly body: JsonValue;
	/** True if `body` is a parsed JSON value. */
	readonly parsed: boolean;
	/** Present if the response is not text; `body` then contains its bytes in base64. */
	readonly body_encoding?: "base64";
	/** Present if the server sent more bytes than were kept. */
	readonly truncated?: true;
}

interface ReadBytes {
	readonly bytes: Buffer;
	readonly isCut: boolean;
}

/** Reads the body of a response, at most `limit` bytes after decompression. The rest is not fetched. */
export async function readResponseBody(
	source: Readable,
	{ contentType, contentEncoding, limit }: { readonly contentType: string; readonly contentEncoding: string; readonly limit: number },
): Promise<ResponseBody> {
	const { bytes, isCut } = await readBytes(decompress(source, contentEncoding), limit);
	const cut = isCut ? ({ truncated: true } as const) : {};
	const [mediaType = "", ...attributes] = contentType.split(";").map((part) => part.trim());
	const text = decodeText(bytes, { mediaType, charset: toCharset(attributes), isCut });
	if (text === undefined) return { body: bytes.toString("base64"), parsed: false, body_encoding: "base64", ...cut };
	if (isJsonType(mediaType) && !isCut) {
		try {
			const body = parseJson(text, maxLargeNumbers);
			if (!isDeep(body)) return { body, parsed: true };
		} catch {
			// The body is returned unparsed, so that users can see the invalid JSON.
		}
	}
	return { body: text, parsed: false, ...cut };
}

/** Returns true for media types whose bodies are JSON, such as `application/hal+json`. */
function isJsonType(mediaType: string): boolean {
	return /^(?:application\/(?:\S+\+)?|text\/)json$/i.test(mediaType);
}

/** Maximum depth of parsed JSON. Deeper JSON is returned as a string, because such a result could not be stored. */
const maxDepth = 100;

/** Returns true if the value is nested too deeply. Works level by level, so that deep values cannot overflow the stack. */
function isDeep(value: JsonValue): boolean {
	let level: readonly JsonValue[] = [value];
	for (let depth = 0; level.length > 0; depth++) {
		if (depth > maxDepth) return true;
		level = level.flatMap((container) => (typeof container === "object" && container !== null ? Object.values(container) : []));
	}
	return false;
}

async function readBytes(source: Readable, limit: number): Promise<ReadBytes> {
	const pieces: Buffer[] = [];
	let length = 0;
	for await (const piece of source as AsyncIterable<Buffer>) {
		pieces.push(piece);
		length += piece.length;
		if (length > limit) return { bytes: Buffer.concat(pieces).subarray(0, limit), isCut: true };
	}
	return { bytes: Buffer.concat(pieces), isCut: false };
}

function decompress(source: Readable, encoding: string): Readable {
	const create = { gzip: createGunzip, "x-gzip": createGunzip, deflate: createInflate, br: createBrotliDecompress }[encoding.toLowerCase()];
	if (create === undefined) return source;
	// The reader receives errors of both streams; without this callback they would also be thrown as uncaught.
	return pipeline(source, create(), () => {});
}

function toCharset(attributes: readonly string[]): string | undefined {
	return attributes
		.find((attribute) => /^charset=/i.test(attribute))
		?.slice("charset=".length)
		.replace(/^"|"$/g, "");
}

/** Returns undefined if the bytes are not text. */
function decodeText(
	bytes: Buffer,
	{ mediaType, charset, isCut }: { readonly mediaType: string; readonly charset: string | undefined; readonly isCut: boolean },
): string | undefined {
	const declared = charset === undefined ? undefined : createDecoder(charset);
	if (declared !== undefined) return declared.decode(bytes);
	try {
		// If the body is truncated, its last character may be incomplete.
		const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: isCut });
		if (mediaType.startsWith("text/") || !text.includes("\0")) return text;
	} catch {
		if (mediaType.startsWith("text/")) return createDecoder("latin1")?.decode(bytes);
	}
	return undefined;
}

/** Returns undefined for an unsupported charset. */
function createDecoder(charset: string): InstanceType<typeof TextDecoder> | undefined {
	try {
		return new TextDecoder(charset);
	} catch {
		return undefined;
	}
}
