import { pipeline, type Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { type JsonValue, maxLargeNumbers, parseJson } from "../../core/contract/index.ts";

/** The body of an answer as it stands in the result. */
export interface AnswerBody {
	readonly body: JsonValue;
	/** Whether `body` is the value of a JSON text. */
	readonly parsed: boolean;
	/** Given when `body` is bytes that are no text. */
	readonly body_encoding?: "base64";
	/** Given when the server sent more than was kept. */
	readonly truncated?: true;
}

interface ReadBytes {
	readonly bytes: Buffer;
	readonly isCut: boolean;
}

/** Read an answer's body, at most `limit` bytes of it after decompression. What is beyond is not fetched. */
export async function readAnswerBody(
	source: Readable,
	{ contentType, contentEncoding, limit }: { readonly contentType: string; readonly contentEncoding: string; readonly limit: number },
): Promise<AnswerBody> {
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
			// Shown as it came: the text says best what is wrong with it.
		}
	}
	return { body: text, parsed: false, ...cut };
}

/** True for media types whose bodies are JSON, such as `application/hal+json`. */
function isJsonType(mediaType: string): boolean {
	return /^(?:application\/(?:\S+\+)?|text\/)json$/i.test(mediaType);
}

/** Deeper JSON stays the text it came as: a result that is nested like that could not be recorded. */
const deepest = 100;

/** Goes level by level, so that no depth can end it. */
function isDeep(value: JsonValue): boolean {
	let level: readonly JsonValue[] = [value];
	for (let depth = 0; level.length > 0; depth++) {
		if (depth > deepest) return true;
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
	// The reader sees the error of either; without a callback it would be thrown as well.
	return pipeline(source, create(), () => {});
}

function toCharset(attributes: readonly string[]): string | undefined {
	return attributes
		.find((attribute) => /^charset=/i.test(attribute))
		?.slice("charset=".length)
		.replace(/^"|"$/g, "");
}

/** Undefined when the bytes are no text. */
function decodeText(
	bytes: Buffer,
	{ mediaType, charset, isCut }: { readonly mediaType: string; readonly charset: string | undefined; readonly isCut: boolean },
): string | undefined {
	const declared = charset === undefined ? undefined : createDecoder(charset);
	if (declared !== undefined) return declared.decode(bytes);
	try {
		// The end of what was cut may be inside a character.
		const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: isCut });
		if (mediaType.startsWith("text/") || !text.includes("\0")) return text;
	} catch {
		if (mediaType.startsWith("text/")) return createDecoder("latin1")?.decode(bytes);
	}
	return undefined;
}

/** Undefined for a charset that nobody knows. */
function createDecoder(charset: string): InstanceType<typeof TextDecoder> | undefined {
	try {
		return new TextDecoder(charset);
	} catch {
		return undefined;
	}
}
