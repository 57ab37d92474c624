import { existsSync, readdirSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import { promisify } from "node:util";
import { brotliDecompress, gzip } from "node:zlib";

const toPlain = promisify(brotliDecompress);
const toGzip = promisify(gzip);

/** Media types of what the page is made of, by the ends of the names. */
const types: Readonly<Record<string, string>> = {
	".js": "text/javascript; charset=UTF-8",
	".css": "text/css; charset=UTF-8",
	".svg": "image/svg+xml",
};

/** How bytes may be packed for their way; `identity` is not at all. */
export type Encoding = "br" | "gzip" | "identity";

/** A file of the page, as it is sent. */
export interface Asset {
	readonly type: string;
	readonly body: Uint8Array;
}

/** Where the build has put the page: beside the built service, or beside the sources when they run as they are. */
const places = ["../../web/", "../../../dist/core/web/"].map((place) => new URL(place, import.meta.url));

/**
 * The files of the web page. Each lies there once, packed by Brotli, which is smallest; whoever does not take that gets it packed anew,
 * once. Their names hold a hash of what is in them, so a name says the same for ever.
 */
export class Assets {
	readonly #directory: URL | undefined;
	readonly #sent = new Map<string, Promise<Uint8Array>>();
	#names: readonly string[] | undefined;

	/** @param candidates folders to look in, the first with a page counts */
	constructor(candidates: readonly URL[] = places) {
		this.#directory = candidates.find((place) => existsSync(new URL("index.html", place)));
	}

	/** The text of the page itself; undefined where nothing has been built. */
	get index(): string | undefined {
		return this.#directory && readFileSync(new URL("index.html", this.#directory), "utf8");
	}

	/** Names of the files. */
	get names(): readonly string[] {
		this.#names ??= this.#directory === undefined ? [] : readdirSync(this.#directory).flatMap((name) => toAssetName(name) ?? []);
		return this.#names;
	}

	/** A file by its name; undefined where there is none. No name leads out of the folder: it must be one of the list. */
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
