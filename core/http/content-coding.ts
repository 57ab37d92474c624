import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";
import { SvcError } from "../contract/index.ts";

type Decode = (bytes: Uint8Array, options: { readonly maxOutputLength: number }) => Promise<Buffer>;

const decoders: ReadonlyMap<string, Decode> = new Map([
	["gzip", promisify(gunzip) as Decode],
	["x-gzip", promisify(gunzip) as Decode],
	["deflate", promisify(inflate) as Decode],
	["br", promisify(brotliDecompress) as Decode],
]);

/**
 * Decodes a body as its header `Content-Encoding` says. Throws `SVC_TOO_LARGE` instead of producing more than `limit` bytes, `SVC_UNSUPPORTED`
 * for other codings, and `SVC_INVALID` for bytes that are not in the coding that the header names.
 */
export async function decodeContent(bytes: Buffer, contentEncoding: string, limit: number): Promise<Buffer> {
	const coding = contentEncoding.trim().toLowerCase();
	if (coding === "" || coding === "identity" || bytes.length === 0) return bytes;
	const decode = decoders.get(coding);
	if (decode === undefined) {
		const name = JSON.stringify(coding.slice(0, 100));
		throw new SvcError("SVC_UNSUPPORTED", `header Content-Encoding: ${name} is not supported, use gzip, deflate or br`);
	}
	try {
		return await decode(bytes, { maxOutputLength: limit });
	} catch (cause) {
		if ((cause as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") {
			throw new SvcError("SVC_TOO_LARGE", `body: must be at most ${limit} bytes, got more after decoding ${coding}`, { cause });
		}
		throw new SvcError("SVC_INVALID", `Failed to parse request body: not valid ${coding}, which the header Content-Encoding names`, {
			cause,
		});
	}
}
