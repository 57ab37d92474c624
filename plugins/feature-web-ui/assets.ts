import { existsSync, readdirSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import { promisify } from "node:util";
import { brotliDecompress, gzip } from "node:zlib";

const toPlain = promisify(brotliDecompress);
const toGzip = promisify(gzip);

/** Media types of the page's files, by file extension. */
const types: Readonly<Record<string, string>> = {
	".js": "text/javascript; charset=UTF-8",
	".css": "text/css; charset=UTF-8",
	".svg": "image/svg+xml",
};

/** Content encodings of a response; `identity` means no compression. */
export type Encoding = "br" | "gzip" | "identity";

/** A file of the page, ready to be sent. */
export interface Asset {
	readonly type: string;
	readonly body: Uint8Array;
}

/** Directories that may contain the built page: next to the compiled service, or in `dist` if the service runs from its sources. */
const places = ["./web/", "../../dist/plugins/feature-web-ui/web/"].map((place) => new URL(place, import.meta.url));

/**
 * The files of the web page. Each is stored once, compressed with Brotli, which gives the smallest files. For clients that do not accept
 * Brotli, a file is recompressed once and cached. A file name contains a hash of the content, so the content behind a name never changes.
 */
export class Assets {
	readonly #directory: URL | undefined;
	readonly #sent = new Map<string, Promise<Uint8Array>>();
	#names: readonly string[] | undefined;

	/** @param candidates directories to search; the first that contains a page is used */
	constructor(candidates: readonly URL[] = places) {
		this.#directory = candidates.find((place) => existsSync(new URL("index.html", place)));
	}

	/** HTML of the page; undefined if the page was not built. */
	get index(): string | undefined {
		return this.#directory && readFileSync(new URL("index.html", this.#directory), "utf8");
	}

	/** Names of the files, without the suffix `.br`. */
	get names(): readonly string[] {
		this.#names ??= this.#directory === undefined ? [] : readdirSync(this.#directory).flatMap((name) => toAssetName(name) ?? []);
		return this.#names;
	}

	/**
	 * Returns the file with this name, or undefined if it does not exist. Accepts only names in `names`, so that a request cannot read files
	 * outside of the directory.
	 */
	async find(name: string, encoding: Encoding): Promise<Asset | undefined> {
		if (this.#directory === undefined || !this.names.includes(name)) return undefined;
		const key = `${encoding} ${name}`;
		const body = this.#sent.get(key) ?? read(new URL(`${name}.br`, this.#directory), encoding);
		this.#sent.set(key, body);
		return { type: types[extname(name)] ?? "application/octet-stream", body: await body };
	}
}

function toAssetName(file: string): string | undefined {
	return file.endsWith(".br") && extname(file.slice(0, -3)) in types ? file.slice(0, -3) : undefined;
}

async function read(file: URL, encoding: Encoding): Promise<Uint8Array> {
	const packed = await readFile(file);
	if (encoding === "br") return packed;
	const plain = await toPlain(packed);
	return encoding === "gzip" ? toGzip(plain, { level: 9 }) : plain;
}
