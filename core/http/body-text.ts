import { isUtf8 } from "node:buffer";
import { TextDecoder } from "node:util";
import { SvcError } from "../contract/index.ts";

/** Byte order marks and the charsets that they stand for. */
const byteOrderMarks = [
	["utf-8", Buffer.from([0xef, 0xbb, 0xbf])],
	["utf-16le", Buffer.from([0xff, 0xfe])],
	["utf-16be", Buffer.from([0xfe, 0xff])],
] as const;

/**
 * Returns the text of a body without a byte order mark. The charset is that of the mark, else the one that `Content-Type` declares, else
 * UTF-8. Throws `SVC_INVALID` for bytes that are not text in that charset, and `SVC_UNSUPPORTED` for an unknown charset.
 */
export function decodeBodyText(bytes: Buffer, contentType: string | null): string {
	const marked = byteOrderMarks.find(([, mark]) => bytes.subarray(0, mark.length).equals(mark))?.[0];
	const charset = marked ?? findCharset(contentType) ?? "utf-8";
	if (charset === "utf-8") {
		if (!isUtf8(bytes)) throw invalid("UTF-8");
		// The mark is three bytes long.
		return bytes.toString("utf8", marked === undefined ? 0 : 3);
	}
	const decoder = createDecoder(charset);
	try {
		return decoder.decode(bytes);
	} catch (cause) {
		throw invalid(charset, cause);
	}
}

function findCharset(contentType: string | null): string | undefined {
	// Most requests declare none: looking for the word costs less than the expression.
	if (contentType === null || !/charset/i.test(contentType)) return undefined;
	return /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType)?.[1]?.toLowerCase();
}

function createDecoder(charset: string): TextDecoder {
	try {
		return new TextDecoder(charset, { fatal: true });
	} catch (cause) {
		const name = JSON.stringify(charset.slice(0, 100));
		throw new SvcError("SVC_UNSUPPORTED", `header Content-Type: the charset ${name} is not supported, use utf-8`, { cause });
	}
}

function invalid(charset: string, cause?: unknown): SvcError {
	const hint = "the header Content-Type may declare another charset";
	return new SvcError("SVC_INVALID", `Failed to parse request body: not valid ${charset}; ${hint}`, { cause });
}
